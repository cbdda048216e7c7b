import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { Client } from '#app/api/client.ts';
import { postSearch, type SearchedPost, type SearchAsk } from '#app/api/search-api.ts';
import { Fault } from '#contract/fault.ts';
import { BUDGET_REACHED } from '#contract/counts/platform.ts';
import { DEFAULT_PLATFORM_SETTINGS } from '#contract/counts/platform-terms.ts';
import type { SourceId } from '#contract/counts/source.ts';
import { DAY_MS, HOUR_MS, MINUTE_MS } from '#core/time/span.ts';
import { FakeTime } from '#tests/support/fake-time.ts';
import {
  PLATFORM_FAULTS,
  startPlatform,
  type TestPlatform,
} from '#tests/support/service/platform.ts';
import { startService, type TestPost, type TestService } from '#tests/support/service/service.ts';

const START = Date.parse('2026-11-20T12:00:00Z');
/** A Post every half hour of twelve days, the newest two minutes ago. */
const POSTS: TestPost[] = Array.from({ length: 576 }, (_, i) => ({
  id: BigInt(10_000 - i),
  createdAt: START - 2 * MINUTE_MS - i * (HOUR_MS / 2),
  text: i % 4 === 0 ? 'milk' : 'tea &amp; &lt;milk&gt;',
  lang: 'en',
  authorId: '7',
  username: 'ann',
  likes: i,
}));

let platform: TestPlatform;
let service: TestService;
let time: FakeTime;
let search: ReturnType<typeof postSearch>;
beforeAll(async () => {
  time = new FakeTime(START);
  const now = (): number => time.now;
  platform = await startPlatform({ posts: POSTS, now });
  service = startService({
    posts: POSTS,
    now,
    platform: { url: platform.url, token: platform.token, sleep: async () => {} },
  });
  const client = new Client(time.environment((path, init) => service.request(path, init)));
  search = postSearch(client, Math.random);
});
afterAll(async () => {
  await service.close();
  await platform.close();
});

const { signal } = new AbortController();
const DAY = { start: START - 2 * DAY_MS, end: START - DAY_MS };

async function all(source: SourceId, endpoint: 'recent' | 'all', ask: SearchAsk) {
  const posts: SearchedPost[] = [];
  let pages = 0;
  for (let next: string | null | undefined; next !== null; pages += 1) {
    const page = await search(source, endpoint, { ...ask, next: next ?? null }, signal);
    posts.push(...page.posts);
    next = page.next;
  }
  return { posts, pages };
}

const inside = ({ start, end }: { start: number; end: number }): bigint[] =>
  POSTS.filter(
    ({ createdAt, text }) =>
      text !== 'milk' && Number(createdAt) >= start && Number(createdAt) < end,
  ).map(({ id }) => BigInt(id));

describe('search from the dashboard', () => {
  test.each([
    ['posts', 'all', DAY],
    ['posts', 'recent', DAY],
    ['posts', 'all', { start: START - 11 * DAY_MS, end: START - 8 * DAY_MS }],
    ['posts', 'recent', { start: START - 7 * DAY_MS, end: START }],
    ['posts', 'all', { start: START - HOUR_MS, end: START + DAY_MS }],
    ['platform', 'all', DAY],
    ['platform', 'recent', { start: START - 7 * DAY_MS, end: START }],
  ] as const)(
    'of %s by %s gives the Posts of a span, newest first: %j',
    async (source, endpoint, span) => {
      const { posts } = await all(source, endpoint, { query: 'tea', span, max: 20 });
      expect(posts.map(({ id }) => BigInt(id))).toEqual(inside(span));
    },
  );

  test('gives the known fields of each Post', async () => {
    const { posts } = await search('posts', 'all', { query: 'tea', span: DAY }, signal);
    expect(posts).toHaveLength(10);
    const [id] = inside(DAY);
    const post = POSTS.find((each) => each.id === id);
    expect(posts[0]).toMatchObject({
      id: String(id),
      at: post?.createdAt,
      text: 'tea & <milk>',
      lang: 'en',
      author: { name: null, username: 'ann' },
      reposts: 0,
      likes: post?.likes,
    });
  });

  test('continues by its token although time has passed', async () => {
    const span = { start: START - DAY_MS, end: START };
    const first = await search('posts', 'recent', { query: 'tea', span }, signal);
    time.now += 10 * MINUTE_MS;
    const second = await search(
      'posts',
      'recent',
      { query: 'tea', span, next: first.next },
      signal,
    );
    time.now = START;
    const ids = [...first.posts, ...second.posts].map(({ id }) => BigInt(id));
    expect(ids).toEqual(inside(span).slice(0, 20));
  });

  test('sends no request for a span in the future', async () => {
    const span = { start: START + HOUR_MS, end: START + DAY_MS };
    expect(await search('posts', 'all', { query: 'tea', span }, signal)).toEqual({
      posts: [],
      next: null,
    });
  });

  test.each([9, 101, 10.5])('refuses a page size of %d', async (max) => {
    await expect(
      search('posts', 'recent', { query: 'tea', span: DAY, max }, signal),
    ).rejects.toThrow(RangeError);
  });

  test('rejects with the service’s message about the query', async () => {
    await expect(search('posts', 'all', { query: '(tea', span: DAY }, signal)).rejects.toThrow(
      /There were errors processing your request/,
    );
  });

  test('rejects when it is aborted', async () => {
    const gone = AbortSignal.abort(new Error('gone'));
    await expect(search('posts', 'all', { query: 'tea', span: DAY }, gone)).rejects.toThrow('gone');
  });
});

describe('search of the platform from the dashboard', () => {
  const spent = async (): Promise<number> =>
    (await (await service.request('/platform/settings')).json()).today.money;

  test('requests authors, which cost money, only on demand', async () => {
    const ask = { query: 'tea', span: DAY };
    const before = await spent();
    const plain = await search('platform', 'all', ask, signal);
    expect(plain.posts[0]?.author).toBeNull();
    expect(await spent()).toBeCloseTo(before + 0.05);
    const named = await search('platform', 'all', { ...ask, authors: true }, signal);
    expect(named.posts[0]?.author).toEqual({ name: null, username: 'ann' });
    expect(await spent()).toBeCloseTo(before + 0.1 + 0.01);
  });

  test('does not buy a page twice after its answer was lost', async () => {
    const before = await spent();
    let calls = 0;
    const asks: (string | null)[] = [];
    const flaky = new Client(
      time.environment(async (path, init) => {
        const answer = await service.request(path, init);
        if (!path.includes('/search/')) return answer;
        asks.push(new Headers(init.headers).get('x-ask'));
        calls += 1;
        if (calls === 1) throw new TypeError('fetch failed');
        return answer;
      }),
    );
    const ask = { query: 'tea', span: DAY };
    const { posts } = await postSearch(flaky, Math.random)('platform', 'all', ask, signal);
    expect(posts).toHaveLength(10);
    expect(asks).toHaveLength(2);
    expect(asks[0]).toBe(asks[1]);
    expect(await spent()).toBeCloseTo(before + 0.05);
  });

  test('tries again after a temporary failure', async () => {
    platform.inject(() => true, PLATFORM_FAULTS.unavailable, 1);
    const { posts } = await search('platform', 'all', { query: 'tea', span: DAY }, signal);
    expect(posts).toHaveLength(10);
  });

  test('rejects at once if a cap is reached', async () => {
    const settings = {
      ...DEFAULT_PLATFORM_SETTINGS,
      caps: { ...DEFAULT_PLATFORM_SETTINGS.caps, day: { money: 0.01, requests: null } },
    };
    const change = (body: object) =>
      service.request('/platform/settings', {
        method: 'PUT',
        headers: { 'content-type': 'application/json' },
        body: JSON.stringify(body),
      });
    await change(settings);
    const refused = await search('platform', 'all', { query: 'tea', span: DAY }, signal).catch(
      (error: unknown) => error,
    );
    await change(DEFAULT_PLATFORM_SETTINGS);
    expect(refused).toBeInstanceOf(Fault);
    expect((refused as Fault).body.type).toBe(BUDGET_REACHED);
  });
});
