import * as v from 'valibot';
import { describe, expect, it } from 'vitest';
import { OwnPostsAnswer } from '#contract/counts/own-posts.ts';
import { BUDGET_REACHED } from '#contract/counts/platform.ts';
import { DAY_MS, HOUR_MS } from '#core/time/span.ts';
import { readTimeline } from '#server/platform/own-posts.ts';
import type { TestPost } from '#tests/support/service/service.ts';
import { closeAfterEach, NOW, outcomeOf, relayed } from './relayed.ts';

closeAfterEach();

/** Posts of two accounts, ann's every two hours for fifteen days. */
const POSTS: readonly TestPost[] = Array.from({ length: 180 }, (_, i) => ({
  id: BigInt(i + 1),
  createdAt: NOW - HOUR_MS - i * 2 * HOUR_MS,
  text: i % 9 === 0 ? 'tea at https://tea.example/' : 'tea',
  username: 'ann',
  authorId: '11',
}));
const OTHERS: readonly TestPost[] = [
  { id: 900n, createdAt: NOW - DAY_MS, text: 'cups', username: 'bob', authorId: '12' },
];
const ALL = [...POSTS, ...OTHERS];
const at = (ms: number): string => new Date(ms).toISOString();
const WINDOW = { start: NOW - 20 * DAY_MS, end: NOW - 30 * 60_000 };

async function owning(options: Parameters<typeof relayed>[0] = {}) {
  const relay = await relayed({ posts: ALL, ...options });
  const { platform } = relay;
  let asks = 0;
  const buy = (path: string, headers: Record<string, string> = {}) =>
    relay.service.request(`/platform/2/users/${path}`, {
      headers: { 'x-ask': `own-ask-${(asks += 1)}`, ...headers },
    });
  const read = async (usernames: string, { start, end } = WINDOW) => {
    const query = new URLSearchParams({ usernames, start_time: at(start), end_time: at(end) });
    return v.parse(OwnPostsAnswer, await relay.json(`/platform/own-posts?${query}`));
  };
  const posts = (id: string, start: string, end: string, headers = {}) =>
    buy(`${id}/tweets?${new URLSearchParams({ start_time: start, end_time: end })}`, headers);
  return { relay, platform, buy, read, posts, sent: () => platform.sent.map(({ path }) => path) };
}

describe('the Posts of accounts of the platform', () => {
  it('are priced before anything is sent, bought page by page, and never twice', async () => {
    const { relay, read, buy, posts, sent } = await owning();
    const before = await read('ann');
    expect(before).toEqual({
      data: [],
      accounts: [
        {
          username: 'ann',
          id: null,
          found: true,
          price: 0.005,
          missing: [{ start: at(WINDOW.start), end: at(WINDOW.end) }],
        },
      ],
      known: false,
    });
    expect(sent()).toEqual([]);

    expect(outcomeOf(await buy('by/username/ann'))).toBe('200 bought 0.01');
    expect(outcomeOf(await buy('by/username/Ann'))).toBe('200 held 0');
    const [first] = (await read('ann')).accounts[0]?.missing ?? [];
    expect((await read('ann')).accounts[0]?.id).toBe('11');
    expect(outcomeOf(await posts('11', first!.start, first!.end))).toBe('200 bought 0.5');
    expect(outcomeOf(await posts('11', first!.start, first!.end))).toBe('200 held 0');

    const half = await read('ann');
    expect(half.data).toHaveLength(100);
    const [rest, none] = half.accounts[0]?.missing ?? [];
    expect([rest?.start, rest?.end, none]).toEqual([
      at(WINDOW.start),
      half.data.at(-1)?.created_at,
      undefined,
    ]);
    expect(outcomeOf(await posts('11', rest!.start, rest!.end))).toBe('200 bought 0.4');

    const all = await read('ann');
    expect(all.accounts[0]?.missing).toEqual([]);
    expect(all.data.map(({ id }) => id)).toEqual(POSTS.map(({ id }) => String(id)));
    expect(all.data[0]).toMatchObject({
      origin: { username: 'ann' },
      edit_history_tweet_ids: ['1'],
      paid_partnership: false,
      entities: { urls: [{ expanded_url: 'https://tea.example/' }] },
    });
    const inside = await read('ann', { start: NOW - 5 * DAY_MS, end: NOW - 4 * DAY_MS });
    expect([inside.data.length, inside.accounts[0]?.missing]).toEqual([12, []]);
    expect(sent()).toEqual([
      '/2/users/by/username/ann',
      '/2/users/11/tweets',
      '/2/users/11/tweets',
    ]);
    const { today } = await relay.settings();
    expect(today).toEqual({ requests: 3, money: 0.91 });
  });

  it('cost a tenth of a cent for the account that the token is for', async () => {
    const { relay, platform, read, buy, posts } = await owning();
    // The platform refuses an app's token, and bills nothing.
    expect((await buy('me')).status).toBe(403);
    expect((await read('ann')).known).toBe(false);
    platform.inject(
      ({ path }) => path === '/2/users/me',
      () => Promise.resolve(Response.json({ data: { id: '11', name: 'Ann', username: 'ann' } })),
    );
    expect(outcomeOf(await buy('me'))).toBe('200 bought 0.01');
    const { accounts, known } = await read('ann,bob');
    expect([known, ...accounts.map(({ id, price }) => [id, price])]).toEqual([
      true,
      ['11', 0.001],
      [null, 0.005],
    ]);
    const answer = await posts('11', at(WINDOW.start), at(WINDOW.end));
    expect(outcomeOf(answer)).toBe('200 bought 0.1');
    expect((await relay.settings()).today.money).toBe(0.11);
  });

  it('that the platform does not know are asked for once', async () => {
    const { read, buy, sent } = await owning();
    const answer = await buy('by/username/nobody');
    expect(outcomeOf(answer)).toBe('200 bought 0');
    expect((await read('nobody')).accounts).toMatchObject([
      { id: null, found: false, missing: [] },
    ]);
    await buy('by/username/nobody');
    expect(sent()).toHaveLength(1);
  });

  it('are not bought without an ask, nor beyond a cap, nor where nothing may be bought', async () => {
    const { relay, posts, sent } = await owning();
    const bounds = [at(WINDOW.start), at(WINDOW.end)] as const;
    const free = await relay.service.request(
      `/platform/2/users/11/tweets?${new URLSearchParams({ start_time: bounds[0], end_time: bounds[1] })}`,
    );
    expect(free.status).toBe(403);
    expect((await posts('11', ...bounds, { 'x-buy': 'no' })).status).toBe(204);
    const none = { requests: null, money: null };
    await relay.change({ caps: { day: { requests: null, money: 0.49 }, month: none } });
    const refused = await posts('11', ...bounds);
    expect([refused.status, (await refused.json()).type]).toEqual([429, BUDGET_REACHED]);
    expect(sent()).toEqual([]);
  });

  it.each([
    ['11/tweets?start_time=2026-01-01T00:00:00Z', 'end_time'],
    ['11/tweets?start_time=x&end_time=y', 'start_time'],
    ['11/tweets?max_results=5', 'max_results'],
    ['eleven/tweets?start_time=2026-01-01T00:00:00Z&end_time=2026-01-02T00:00:00Z', 'eleven'],
    ['by/username/a-b', 'a-b'],
    ['me?user.fields=id', 'user.fields'],
  ])('are refused for %s', async (path, says) => {
    const { buy, sent } = await owning();
    const answer = await buy(path);
    expect(answer.status).toBe(400);
    expect(await answer.text()).toContain(says);
    expect(sent()).toEqual([]);
  });
});

describe('bought pages', () => {
  const asked = { start: 0, end: 10_000 };
  const post = (id: string, ms: number) => ({
    id,
    text: '',
    created_at: new Date(ms).toISOString(),
  });

  it('cover what they were asked for, or from their oldest Post on if there is more', () => {
    const page = (data: object[], next?: string, fetched = 20_000) => ({
      asked,
      fetched,
      body: { data, meta: { next_token: next } },
    });
    expect(readTimeline([page([])]).covered).toEqual([asked]);
    expect(readTimeline([page([post('2', 8_000), post('1', 6_500)], 'more')]).covered).toEqual([
      { start: 6_000, end: 10_000 },
    ]);
    expect(readTimeline([page([], undefined, 7_000)]).covered).toEqual([{ start: 0, end: 7_000 }]);
    expect(readTimeline([{ asked, fetched: 20_000, body: { data: 'none' } }]).covered).toEqual([]);
  });
});
