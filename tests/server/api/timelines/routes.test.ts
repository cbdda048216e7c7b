import * as fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { idsOf, serviceWithPeople } from '#tests/support/service/callers.ts';
import type { TestPost } from '#tests/support/service/service.ts';

const START = Date.UTC(2024, 0, 1);
/** Posts of two authors, several in a second; some are reposts, replies or mention `zed`. */
const POSTS: TestPost[] = Array.from({ length: 60 }, (_, i) => ({
  id: BigInt(1000 + i),
  createdAt: START + Math.floor(i / 3) * 1000,
  text: i % 5 === 0 ? `@zed tea ${i}` : `tea ${i}`,
  authorId: i % 2 === 0 ? '70' : '71',
  username: i % 2 === 0 ? 'zed' : 'amy',
  ...(i % 7 === 0 && { isRetweet: true }),
  ...(i % 11 === 0 && { isReply: true }),
  ...(i === 9 && { isQuote: true, quoteOfId: '1000' }),
}));
const newestOf = (fits: (i: number) => boolean): string[] =>
  POSTS.map(({ id }) => String(id))
    .filter((_, i) => fits(i))
    .reverse();

const { ann, bob, app } = serviceWithPeople({ posts: POSTS });

const ids = (path: string): Promise<string[]> => app.ids(path);

describe('the Posts of a user', () => {
  const path = '/2/users/70/tweets';

  test('come newest first, with the ends of the page', async () => {
    const answer = await app.get(`${path}?max_results=5`);
    const expected = newestOf((i) => i % 2 === 0).slice(0, 5);
    expect(idsOf(answer)).toEqual(expected);
    expect(answer.body.meta).toMatchObject({
      result_count: 5,
      newest_id: expected[0],
      oldest_id: expected[4],
    });
    expect(await ids(path)).toHaveLength(10);
  });

  test('exclude replies and reposts', async () => {
    expect(await ids(`${path}?max_results=100&exclude=replies,retweets`)).toEqual(
      newestOf((i) => i % 2 === 0 && i % 7 !== 0 && i % 11 !== 0),
    );
    expect(await ids(`${path}?max_results=100&exclude=replies`)).toEqual(
      newestOf((i) => i % 2 === 0 && i % 11 !== 0),
    );
    const { body } = await app.get(`${path}?exclude=likes`);
    expect(body.errors[0].message).toBe(
      'The `exclude` query parameter value [likes] is not one of [replies,retweets]',
    );
  });

  test('keep to times and ids', async () => {
    const [from, to] = ['2024-01-01T00:00:05Z', '2024-01-01T00:00:10Z'];
    expect(await ids(`${path}?max_results=100&start_time=${from}&end_time=${to}`)).toEqual(
      newestOf((i) => i % 2 === 0 && i >= 15 && i < 30),
    );
    expect(await ids(`${path}?max_results=100&since_id=1020&until_id=1040`)).toEqual(
      newestOf((i) => i % 2 === 0 && i > 20 && i < 40),
    );
    // The id replaces the time.
    expect(await ids(`${path}?max_results=100&since_id=1020&start_time=${to}`)).toEqual(
      newestOf((i) => i % 2 === 0 && i > 20),
    );
    for (const bounds of [`start_time=${to}&end_time=${from}`, 'since_id=5&until_id=5']) {
      expect((await app.get(`${path}?${bounds}`)).status).toBe(400);
    }
  });

  test('forward and back are the same Posts, for any page sizes', async () => {
    const size = fc.integer({ min: 5, max: 20 });
    await fc.assert(
      fc.asyncProperty(size, size, fc.constantFrom('70', '71'), async (there, back, user) => {
        const page = (most: number, token?: string) =>
          app.get(
            `/2/users/${user}/tweets?max_results=${most}${token === undefined ? '' : `&pagination_token=${token}`}`,
          );
        let answer = await page(there);
        const found = idsOf(answer);
        while (answer.body.meta.next_token !== undefined) {
          answer = await page(there, answer.body.meta.next_token);
          found.push(...idsOf(answer));
        }
        expect(found).toEqual(newestOf((i) => i % 2 === (user === '70' ? 0 : 1)));
        const again = idsOf(answer);
        while (answer.body.meta.previous_token !== undefined) {
          answer = await page(back, answer.body.meta.previous_token);
          again.unshift(...idsOf(answer));
        }
        expect(again).toEqual(found);
      }),
      { numRuns: 8 },
    );
  });

  test('of one token are not those of another request', async () => {
    const { body } = await app.get(`${path}?max_results=5`);
    const token = body.meta.next_token;
    for (const other of [
      `/2/users/71/tweets?pagination_token=${token}`,
      `${path}?exclude=replies&pagination_token=${token}`,
      `/2/users/70/mentions?pagination_token=${token}`,
      `${path}?pagination_token=${token}x`,
    ]) {
      expect.soft((await app.get(other)).status, other).toBe(400);
    }
  });
});

test('mentions are the Posts of others and of the user with its name, without reposts', async () => {
  expect(await ids('/2/users/70/mentions?max_results=100')).toEqual(
    newestOf((i) => i % 5 === 0 && i % 7 !== 0),
  );
  expect(await ids('/2/users/71/mentions')).toEqual([]);
});

test('quotes of a Post', async () => {
  expect(await ids('/2/tweets/1000/quote_tweets')).toEqual(['1009']);
  const { body } = await app.get('/2/tweets/4711/quote_tweets');
  expect(body.errors[0]).toMatchObject({ title: 'Not Found Error', resource_type: 'tweet' });
});

describe('a user', () => {
  test('has the number of its Posts and of those with media', async () => {
    const { body } = await app.get('/2/users/70?user.fields=public_metrics');
    expect(body.data).toMatchObject({
      public_metrics: { tweet_count: 30, media_count: 0, followers_count: 0, listed_count: 0 },
    });
    const newer = await app.get('/2/users/70?user.fields=public_metrics&post.fields=id');
    expect(newer.body.data).toMatchObject({ public_metrics: { post_count: 30 } });
  });
});

test('only the author of the conversation hides a reply', async () => {
  const post = async (who: typeof ann, text: string, to?: string): Promise<string> => {
    const reply = to === undefined ? {} : { reply: { in_reply_to_tweet_id: to } };
    const { body } = await who.send('POST', '/2/tweets', { text, ...reply });
    return body.data.id;
  };
  const first = await post(ann, 'who likes tea?');
  const reply = await post(bob, 'I do', first);
  const hide = (who: typeof ann, id: string, hidden: unknown) =>
    who.send('PUT', `/2/tweets/${id}/hidden`, { hidden });
  expect((await hide(ann, reply, true)).body).toEqual({ data: { hidden: true } });
  expect((await hide(ann, reply, false)).body).toEqual({ data: { hidden: false } });
  expect((await hide(bob, reply, true)).status).toBe(403);
  expect((await hide(ann, first, true)).status).toBe(403);
  expect((await hide(ann, '4711', true)).status).toBe(404);
  expect((await hide(ann, reply, 'yes')).body.errors[0].message).toBe(
    '$.hidden: must be a boolean, got "yes"',
  );
});
