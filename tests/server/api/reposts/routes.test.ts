import { describe, expect, test } from 'vitest';
import { person, serviceWithPeople } from '#tests/support/service/callers.ts';

let skewMs = 0;
const { service, ann, bob, app } = serviceWithPeople({
  now: () => Date.now() + skewMs,
  posts: [
    {
      id: 1n,
      createdAt: Date.now() - 60_000,
      text: 'green tea',
      authorId: '70',
      username: 'Zed',
    },
  ],
});

const repost = (who: typeof ann, tweet_id: string) =>
  who.send('POST', `/2/users/${who.id}/retweets`, { tweet_id });
const unrepost = (who: typeof ann, id: string) =>
  who.send('DELETE', `/2/users/${who.id}/retweets/${id}`);

/** Counts Posts. Moves the clock first, because counts end some seconds before now. */
async function countOf(query: string): Promise<unknown> {
  skewMs += 11_000;
  const { body } = await app.get(`/2/tweets/counts/recent?query=${encodeURIComponent(query)}`);
  return body.meta.total_tweet_count;
}

describe('a repost', () => {
  test('is a Post that counts as a repost, once per Post and account', async () => {
    const made = await repost(ann, '1');
    expect(made).toMatchObject({ status: 200, body: { data: { retweeted: true } } });
    const { id } = made.body.data;
    expect((await repost(ann, '1')).body).toEqual(made.body);
    const fields =
      'tweet.fields=referenced_tweets,public_metrics,entities&expansions=referenced_tweets.id';
    const { body } = await app.get(`/2/tweets/${id}?${fields}`);
    expect(body.data).toMatchObject({
      text: 'RT @Zed: green tea',
      referenced_tweets: [{ type: 'retweeted', id: '1' }],
      entities: { mentions: [{ username: 'Zed' }] },
    });
    expect(body.includes.tweets[0]).toMatchObject({ id: '1', text: 'green tea' });
    for (const query of [
      'from:ann is:retweet',
      'retweets_of:zed',
      'retweets_of:70',
      'retweets_of_tweet_id:1',
    ]) {
      expect.soft(await countOf(query), query).toBe(1);
    }
    expect((await app.get('/2/tweets/1?tweet.fields=public_metrics')).body.data).toMatchObject({
      public_metrics: { retweet_count: 1 },
    });
    expect(await app.ids('/2/tweets/1/retweeted_by')).toEqual([ann.id]);
    expect(await app.ids(`/2/users/${ann.id}/tweets`)).toEqual([id]);
    expect(await app.ids(`/2/users/${ann.id}/tweets?exclude=retweets`)).toEqual([]);
    // A repost of a repost is one of the original.
    await repost(bob, id);
    expect(await app.ids('/2/tweets/1/retweeted_by')).toEqual([bob.id, ann.id]);
    await unrepost(bob, '1');
  });

  test('that is undone leaves the state before it', async () => {
    expect((await unrepost(ann, '1')).body).toEqual({ data: { retweeted: false } });
    expect((await unrepost(ann, '1')).body).toEqual({ data: { retweeted: false } });
    expect(await countOf('from:ann')).toBe(0);
    expect(await app.ids('/2/tweets/1/retweeted_by')).toEqual([]);
    expect((await app.get('/2/tweets/1?tweet.fields=public_metrics')).body.data).toMatchObject({
      public_metrics: { retweet_count: 0 },
    });
  });

  test('that is deleted as a Post can be made again', async () => {
    const { id } = (await repost(ann, '1')).body.data;
    await ann.send('DELETE', `/2/tweets/${id}`);
    expect(await app.ids('/2/tweets/1/retweeted_by')).toEqual([]);
    const again = (await repost(ann, '1')).body.data;
    expect(again.id).not.toBe(id);
    await unrepost(ann, '1');
  });

  test('is made once by simultaneous requests', async () => {
    const answers = await Promise.all([1, 2, 3].map(() => repost(ann, '1')));
    expect(new Set(answers.map(({ body }) => body.data.id)).size).toBe(1);
    expect(await countOf('from:ann')).toBe(1);
    await unrepost(ann, '1');
  });

  test('is deleted with its original, whichever version it repeats; quotes and copies stay', async () => {
    const mia = person(service, 'mia', { profile: { subscription_type: 'Premium' } });
    const create = async (body: object): Promise<string> =>
      (await mia.send('POST', '/2/tweets', body)).body.data.id;
    const first = await create({ text: 'white tea' });
    const before = (await repost(ann, first)).body.data.id;
    const edited = { text: 'white tea, hot', edit_options: { previous_post_id: first } };
    const second = await create(edited);
    const after = (await repost(bob, second)).body.data.id;
    const imported = { createdAt: Date.now(), text: 'RT @mia: white tea', authorId: '71' };
    const reference = { isRetweet: true, repostOfId: first };
    service.add('posts', [
      { ...imported, ...reference, id: 20n, fields: { conversation_id: '20' } },
      { ...imported, id: 21n },
      { ...imported, isQuote: true, quoteOfId: first, id: 22n },
    ]);
    expect(await countOf('white tea')).toBe(6);
    const reposts = [before, after, '20'];
    const looked = async () => await app.ids(`/2/tweets?ids=${[...reposts, '21', '22'].join()}`);
    expect(await looked()).toHaveLength(5);
    expect((await mia.send('DELETE', `/2/tweets/${first}`)).body).toEqual({
      data: { deleted: true },
    });
    expect(await looked()).toEqual(['21', '22']);
    expect(await countOf('white tea')).toBe(2);
    expect(await countOf('from:ann OR from:bob')).toBe(0);
    const { body } = await app.get(`/2/users/${ann.id}?user.fields=public_metrics`);
    expect(body.data.public_metrics.tweet_count).toBe(0);
  });

  test('of which there are many is deleted with its original', async () => {
    const { id } = (await bob.send('POST', '/2/tweets', { text: 'oolong' })).body.data;
    const of = { createdAt: Date.now(), text: 'RT oolong', isRetweet: true, repostOfId: id };
    service.add(
      'posts',
      Array.from({ length: 600 }, (_, i) => ({ ...of, id: BigInt(1000 + i) })),
    );
    expect(await countOf('oolong')).toBe(601);
    expect((await bob.send('DELETE', `/2/tweets/${id}`)).status).toBe(200);
    expect(await countOf('oolong')).toBe(0);
    expect((await app.get(`/2/tweets/${id}`)).body.data).toBeUndefined();
  });

  test('needs a Post that is not of a protected account', async () => {
    expect((await repost(ann, '4711')).status).toBe(404);
    const eve = person(service, 'eve');
    const made = await eve.send('POST', '/2/tweets', { text: 'quiet' });
    await ann.send('POST', `/2/users/${ann.id}/following`, { target_user_id: eve.id });
    service.auth.accounts({ action: 'set', username: 'eve', profile: { protected: true } });
    const { id } = made.body.data;
    expect((await repost(bob, id)).status).toBe(404);
    const refused = await repost(ann, id);
    expect(refused.status).toBe(403);
    expect(refused.body.detail).toMatch(/^You are not permitted to perform this action/);
  });
});
