import { describe, expect, it } from 'vitest';
import { BUDGET_REACHED } from '#contract/counts/platform.ts';
import { DEFAULT_PLATFORM_SETTINGS } from '#contract/counts/platform-terms.ts';
import { heldUp, PLATFORM_FAULTS } from '#tests/support/service/platform.ts';
import type { TestPost } from '#tests/support/service/service.ts';
import {
  closeAfterEach,
  HEAD,
  NOW,
  relayed,
  outcomeOf,
  type AskOptions,
  type Relayed,
} from './relayed.ts';

closeAfterEach();
const always = (): boolean => true;
const NONE = { requests: null, money: null };

/** A Post every six hours of the last forty days; 54 of them of the last two weeks. */
const POSTS: readonly TestPost[] = Array.from({ length: 160 }, (_, i) => ({
  id: BigInt(i + 1),
  createdAt: NOW - 1_800_000 - i * 21_600_000,
  text: 'tea',
  username: i % 2 === 0 ? 'ann' : 'bob',
  authorId: i % 2 === 0 ? '1' : '2',
}));
const TEA = { query: 'tea', start_time: '2026-10-25T00:00:00Z', max_results: '100' };
const START = Date.parse(TEA.start_time);
const OF_TEA = POSTS.filter(({ createdAt }) => Number(createdAt) >= START).length;

async function searching(options: Parameters<typeof relayed>[0] = {}) {
  const relay = await relayed({ posts: POSTS, ...options });
  const search = (params: Record<string, string>, more: AskOptions = {}) =>
    relay.ask(params, { product: 'search', ...more });
  const cap = (money: number | null, requests: number | null = null) =>
    relay.change({ caps: { day: { money, requests }, month: NONE } });
  return { ...relay, relay, search, cap };
}
const spentToday = async ({ settings }: Pick<Relayed, 'settings'>) => (await settings()).today;

describe('search of the platform', () => {
  it('uses the platform’s token and costs money per returned Post', async () => {
    const { relay, search, platform } = await searching();
    const answer = await search(TEA, { ask: 'ask-0001' });
    expect(outcomeOf(answer)).toBe(`200 bought 0.5`);
    const body = await answer.json();
    expect(body.data).toHaveLength(100);
    expect(platform.sent[0]).toMatchObject({ path: '/2/tweets/search/all' });
    expect(platform.sent[0]?.authorization).toBe(`Bearer ${platform.token}`);
    expect(await spentToday(relay)).toEqual({ requests: 1, money: 0.5 });

    const rest = await search({ ...TEA, next_token: body.meta.next_token });
    const remaining = OF_TEA - 100;
    expect(outcomeOf(rest)).toBe(`200 bought ${(remaining * 5) / 1000}`);
    expect((await rest.json()).meta).toMatchObject({ result_count: remaining });
    expect(await spentToday(relay)).toEqual({ requests: 2, money: (OF_TEA * 5) / 1000 });
    const spending = await relay.json('/platform/spending');
    expect(spending).toMatchObject({ queries: [{ query: 'tea', requests: 2 }] });
  });

  it('costs nothing if nothing is found, or the platform refuses', async () => {
    const { relay, search } = await searching();
    expect(outcomeOf(await search({ query: 'absent' }))).toBe('200 bought 0');
    expect(outcomeOf(await search({ query: '(tea' }))).toBe('400 bought 0');
    expect(outcomeOf(await search({ query: 'tea', max_results: '9' }))).toBe('400 bought 0');
    expect(await spentToday(relay)).toEqual({ requests: 1, money: 0 });
  });

  it('charges the users of an expansion', async () => {
    const { search } = await searching();
    const answer = await search({ query: 'tea', expansions: 'author_id' }, { endpoint: 'recent' });
    expect((await answer.clone().json()).includes.users).toHaveLength(2);
    expect(answer.headers.get('x-price')).toBe(String(10 * 0.005 + 2 * 0.01));
  });

  it('uses the prices in the settings', async () => {
    const { change, search } = await searching();
    await change({ prices: { ...DEFAULT_PLATFORM_SETTINGS.prices, post: 0.25 } });
    expect(outcomeOf(await search({ query: 'tea' }))).toBe('200 bought 2.5');
  });

  it('costs the maximum if the answer is unreadable', async () => {
    const { platform, search } = await searching();
    const odd = JSON.stringify({ data: 'many' });
    platform.inject(always, async () => new Response(odd, { status: 200 }), 1);
    expect(outcomeOf(await search({ query: 'tea', max_results: '20' }))).toBe('200 bought 0.1');
  });
});

describe('a cap', () => {
  it('reserves the maximum price of a page before it is sent', async () => {
    const { search, cap, platform } = await searching();
    await cap(0.49);
    const refused = await search(TEA);
    expect(refused.status).toBe(429);
    expect(await refused.json()).toMatchObject({
      type: BUDGET_REACHED,
      unit: 'money',
      cap: 0.49,
      spent: 0,
    });
    expect(platform.sent).toHaveLength(0);
    expect((await search({ ...TEA, max_results: '98' })).status).toBe(200);
    expect((await search({ query: 'tea' })).status).toBe(429);
  });

  it('reserves the price of the users that a page may include', async () => {
    const { search, cap } = await searching();
    await cap(0.149);
    expect((await search({ query: 'tea', expansions: 'author_id' })).status).toBe(429);
    await cap(0.15);
    expect((await search({ query: 'tea', expansions: 'author_id' })).status).toBe(200);
  });

  it('gets the unused part of a reservation back', async () => {
    const { relay, search, cap } = await searching();
    await cap(0.5);
    expect(outcomeOf(await search({ ...TEA, query: 'absent' }))).toBe('200 bought 0');
    expect(outcomeOf(await search(TEA))).toBe('200 bought 0.5');
    expect(await spentToday(relay)).toEqual({ requests: 2, money: 0.5 });
  });

  it('is not exceeded by parallel pages', async () => {
    const { search, cap, platform } = await searching();
    await cap(0.5);
    const held = heldUp();
    platform.inject(always, held.fault, 1);
    const first = search(TEA, { endpoint: 'recent', ask: 'ask-0001' });
    await held.reached;
    expect((await search({ query: 'tea' }, { endpoint: 'recent' })).status).toBe(429);
    held.release();
    await first;
  });

  it('on requests counts a page as one', async () => {
    const { search, ask, cap } = await searching();
    await cap(null, 1);
    expect((await search({ query: 'tea' })).status).toBe(200);
    expect((await ask(HEAD)).status).toBe(429);
  });

  it('stays charged with the maximum if no complete answer came', async () => {
    const { relay, search, platform } = await searching();
    platform.inject(always, PLATFORM_FAULTS.cutShort, 1);
    expect((await search({ query: 'tea', max_results: '20' })).status).toBe(502);
    expect(await spentToday(relay)).toEqual({ requests: 1, money: 0.1 });
    platform.inject(always, PLATFORM_FAULTS.unavailable, 1);
    expect((await search({ query: 'tea' })).status).toBe(503);
    expect(await spentToday(relay)).toEqual({ requests: 1, money: 0.1 });
  });
});

describe('a page that was bought', () => {
  it('is returned again to its own ask for free, and to no other', async () => {
    const { search, platform, service } = await searching();
    const first = await (await search(TEA, { ask: 'ask-0001' })).text();
    await service.restart();
    const again = await search(TEA, { ask: 'ask-0001' });
    expect(outcomeOf(again)).toBe('200 held 0');
    expect(await again.text()).toBe(first);
    expect(platform.sent).toHaveLength(1);
    expect(outcomeOf(await search(TEA, { ask: 'ask-0002' }))).toBe('200 bought 0.5');
    expect(outcomeOf(await search(TEA))).toBe('200 bought 0.5');
    const other = await search({ query: 'tea' }, { ask: 'ask-0001' });
    expect([other.status, (await other.json()).detail]).toEqual([
      400,
      expect.stringContaining('belongs to another request'),
    ]);
  });

  it('is bought once if its ask comes twice at the same time', async () => {
    const { search, platform } = await searching();
    const both = await Promise.all([1, 2].map(() => search(TEA, { ask: 'ask-0001' })));
    expect(both.map(outcomeOf).sort()).toEqual(['200 bought 0.5', '200 held 0']);
    expect(platform.sent).toHaveLength(1);
  });

  it('is not bought if nothing may be bought', async () => {
    const { search, platform } = await searching();
    expect((await search(TEA, { buy: 'no' })).status).toBe(204);
    expect(platform.sent).toHaveLength(0);
  });
});

describe('the limits', () => {
  it('apply to search alone: counts continue while its pool is empty', async () => {
    const { search, ask, platform } = await searching();
    platform.inject(
      ({ path }) => path.includes('/search/'),
      PLATFORM_FAULTS.refused(429, {
        'x-rate-limit-limit': '300',
        'x-rate-limit-remaining': '0',
        'x-rate-limit-reset': String(NOW / 1000 + 60),
        date: new Date(NOW).toUTCString(),
      }),
      1,
    );
    expect((await search({ query: 'tea' })).status).toBe(429);
    expect((await search({ query: 'tea' })).status).toBe(429);
    expect(platform.sent).toHaveLength(1);
    expect((await ask(HEAD)).status).toBe(200);
    expect((await search({ query: 'tea' }, { endpoint: 'recent' })).status).toBe(200);
  });

  it('keep archive pages a second apart', async () => {
    const { search, slept } = await searching();
    await search({ query: 'tea' });
    await search({ query: 'tea' });
    expect(slept).toEqual([1000]);
  });
});

it.each([
  ['query=tea&granularity=day', 'The query parameter [granularity] is not one of [query,'],
  ['query=tea&query=coffee', 'The `query` query parameter may be given only once'],
])('%s is refused and not sent', async (params, message) => {
  const { service, platform } = await searching();
  const answer = await service.request(`/platform/2/tweets/search/recent?${params}`);
  expect(answer.status).toBe(400);
  expect((await answer.json()).errors[0].message).toContain(message);
  expect(platform.sent).toHaveLength(0);
});
