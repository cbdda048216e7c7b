import { describe, expect, it } from 'vitest';
import { stage } from '#tests/support/conformance.ts';

// Rows of the specification's table of dated changes that concern Posts, counts, users, access and prices.

const AUTHOR = { authorId: '7', username: 'ann' };
const on = stage([
  { id: '11', createdAt: '2026-11-21T08:00:00Z', text: 'green tea', ...AUTHOR, likes: 12 },
  { id: '12', createdAt: '2026-11-21T08:10:00Z', text: 'black tea', ...AUTHOR, replies: 12 },
  { id: '13', createdAt: '2026-11-21T08:20:00Z', text: 'mint tea', ...AUTHOR, reposts: 12 },
  {
    id: '14',
    createdAt: '2026-11-21T08:30:00Z',
    text: 'RT @ann: green tea',
    authorId: '8',
    username: 'ben',
    isRetweet: true,
    repostOfId: '11',
  },
]);
const alice = on.user('alice', { subscription_type: 'Premium' });
const bob = on.user('bob');
const app = on.app();

async function posted(as: typeof alice, body: object): Promise<string> {
  on.now += 60_000;
  const { status, body: answer } = await as.send('POST', '/2/tweets', body);
  expect(status, JSON.stringify(answer)).toBe(201);
  return answer.data.id;
}

/** Ids that a search finds, newest first. */
async function found(query: string): Promise<string[]> {
  const { status, body } = await app.get(
    `/2/tweets/search/recent?query=${encodeURIComponent(query)}`,
  );
  expect(status, JSON.stringify(body)).toBe(200);
  return (body.data ?? []).map(({ id }: { id: string }) => id);
}

async function counted(query: string): Promise<number> {
  const { body } = await app.get(`/2/tweets/counts/recent?query=${encodeURIComponent(query)}`);
  return body.meta.total_tweet_count;
}

describe('Dated changes', () => {
  it('2026-06-03: paid_partnership of Posts', async () => {
    const labelled = await posted(alice, { text: 'an advert', paid_partnership: true });
    const plain = await posted(alice, { text: 'no advert' });
    const fields = 'tweet.fields=paid_partnership';
    const { body } = await app.get(`/2/tweets?ids=${labelled},${plain}&${fields}`);
    expect(body.data[0].paid_partnership).toBe(true);
    expect(body.data[1].paid_partnership ?? false).toBe(false);
  });

  it('2026-05-04: search leaves reposts out of keyword results, counts keep them', async () => {
    expect(await found('tea')).toEqual(['13', '12', '11']);
    expect(await counted('tea')).toBe(4);
  });

  it('2026-04-20: reads of the own account cost 0.001 per resource, self-service does not follow, like or quote', async () => {
    const settings = { access: 'pay-per-use', limited: false, owner: 'alice' } as const;
    const own = on.user('alice', {}, settings);
    const { body } = await own.get(`/2/users/${own.id}/tweets?max_results=5`);
    expect(body.data.length).toBeGreaterThan(0);
    expect(await on.charged()).toBe(body.data.length * 1_000);
    const like = await own.send('POST', `/2/users/${own.id}/likes`, { tweet_id: '11' });
    const follow = await own.send('POST', `/2/users/${own.id}/following`, {
      target_user_id: bob.id,
    });
    const quote = await own.send('POST', '/2/tweets', { text: 'see', quote_tweet_id: '11' });
    expect([like.status, follow.status, quote.status]).toEqual([403, 403, 403]);
  });

  it('2026-02-23: a program replies only where it was summoned', async () => {
    const program = on.user('dora', {}, { access: 'pay-per-use', limited: false });
    const reply = async (to: string) =>
      await program.send('POST', '/2/tweets', {
        text: `an answer to ${to}`,
        reply: { in_reply_to_tweet_id: to },
      });
    expect((await reply(await posted(alice, { text: 'to nobody' }))).status).toBe(403);
    expect((await reply(await posted(alice, { text: 'your turn, @dora' }))).status).toBe(201);
  });

  it('2026-02-06: apps pay per use, and reach the archive', async () => {
    const program = on.app({ limited: false });
    const { status } = await program.get('/2/tweets/counts/all?query=tea');
    expect(status).toBe(200);
    expect(await on.charged()).toBe(10_000);
  });

  it('2026-01-19, reversed on 2026-05-04: count-based operators are part of search', async () => {
    expect(await found('tea min_likes:10')).toEqual(['11']);
    expect(await found('tea min_replies:10')).toEqual(['12']);
    expect(await found('tea min_reposts:10')).toEqual(['13']);
    expect(await counted('tea min_likes:10')).toBe(1);
  });

  it('2025-10-03: Posts can be edited, and only the latest version is found', async () => {
    const first = await posted(alice, { text: 'oolong tee' });
    on.now += 1000;
    const edit = { text: 'oolong tea', edit_options: { previous_post_id: first } };
    const { status, body } = await alice.send('POST', '/2/posts', edit);
    expect(status, JSON.stringify(body)).toBe(201);
    on.now += 60_000;
    expect(await found('oolong')).toEqual([body.data.id]);
    expect(await counted('oolong')).toBe(1);
  });

  it('2025-07-28: share_with_followers broadcasts a Post of a community', async () => {
    const community = await on.community('Sharing', ['alice']);
    const of = async (body: object) => {
      const id = await posted(alice, { ...body, community_id: community });
      return (await app.get(`/2/tweets/${id}?tweet.fields=scopes`)).body.data.scopes;
    };
    expect(await of({ text: 'for all', share_with_followers: true })).toEqual({ followers: true });
    expect(await of({ text: 'for us' })).toEqual({ followers: false });
  });

  it('2025-02-18: affiliation.user_ids is an array', async () => {
    await on.bring({
      data: [
        { id: '21', text: 'hello', author_id: '70', created_at: '2024-05-01T10:00:00Z' },
        { id: '22', text: 'hello', author_id: '71', created_at: '2024-05-01T11:00:00Z' },
      ],
      includes: {
        users: [
          { id: '70', name: 'Zed', username: 'zed', affiliation: { user_id: '5' } },
          { id: '71', name: 'Yan', username: 'yan', affiliation: { user_ids: ['5', '6'] } },
        ],
      },
    });
    const { body } = await app.get('/2/users?ids=70,71&user.fields=affiliation');
    expect(
      body.data.map((user: { affiliation: { user_ids: unknown } }) => user.affiliation.user_ids),
    ).toEqual([['5'], ['5', '6']]);
  });

  it('2024-11-22: community_id of Posts', async () => {
    const community = await on.community('Reading', ['alice']);
    const id = await posted(alice, { text: 'among us', community_id: community });
    const asked = await app.get(`/2/tweets/${id}?tweet.fields=community_id`);
    expect(asked.body.data.community_id).toBe(community);
    expect((await app.get(`/2/tweets/${id}`)).body.data).not.toHaveProperty('community_id');
  });

  it('2024-08-20: 25,000 characters', async () => {
    const text = 'steep '.repeat(4166).padEnd(25_000, '.');
    expect(text).toHaveLength(25_000);
    const id = await posted(alice, { text });
    const { body } = await app.get(`/2/tweets/${id}?tweet.fields=note_tweet`);
    expect(body.data.note_tweet.text).toBe(text);
    expect((await alice.send('POST', '/2/tweets', { text: `${text}.` })).status).toBe(400);
  });
});

describe('Versioning', () => {
  it('1: the version of the main interface is 2', async () => {
    for (const path of ['/3/tweets/11', '/tweets/11']) {
      expect((await app.get(path)).status).toBe(404);
    }
    expect((await app.get('/2/tweets/11')).body.data.id).toBe('11');
  });

  it('3: the searches of version 1.1 are refused', async () => {
    for (const path of ['search/tweets', 'users/search', 'geo/search']) {
      const { status, body } = await app.get(`/1.1/${path}.json?q=tea`);
      expect([status, body.errors[0].code]).toEqual([403, 453]);
    }
  });

  it('4: Posts made here have no source, but views; users have a kind of verification', async () => {
    const id = await posted(bob, { text: 'from an app' });
    const { body } = await app.get(
      `/2/tweets/${id}?tweet.fields=source,public_metrics&expansions=author_id&user.fields=verified_type`,
    );
    expect(body.data).not.toHaveProperty('source');
    expect(body.data.public_metrics.impression_count).toBe(0);
    expect(body.includes.users[0].verified_type).toBe('none');
  });
});
