import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import type { Need, SeriesRun } from '#app/counts/run.svelte.ts';
import { CACHE_FULL } from '#app/counts/cache-port.ts';
import { REFUSED_PAGE } from '#app/counts/faults.ts';
import { UNREACHABLE } from '#app/api/client.ts';
import { STATE } from '#core/series/series.ts';
import { DAY_MS, HOUR_MS, MINUTE_MS } from '#core/time/span.ts';
import type { Dashboard } from '#tests/support/dashboard.ts';
import { fakeLocks, openDashboard } from '#tests/support/dashboard.ts';
import { FakeTime } from '#tests/support/fake-time.ts';
import type { Mishap, Sent } from '#tests/support/faults.ts';
import {
  absentPage,
  asks,
  brokenBody,
  cutBody,
  failing,
  gappedPage,
  isCounts,
  lostAnswer,
  lostConnection,
  renamed,
  repeatedPage,
  shortPage,
  tooManyRequests,
  unordered,
  wrongTotal,
  zeroPage,
} from '#tests/support/faults.ts';
import type { TestPost, TestService } from '#tests/support/service.ts';
import { startService } from '#tests/support/service.ts';

const NOW = Date.parse('2026-11-20T12:00:00Z');
const FIRST = Date.parse('2023-11-20T00:00:00Z');

/** Three years of Posts, from one to three a day, two of three of them about a storm. */
const POSTS: TestPost[] = [];
for (let at = FIRST, i = 0; at < NOW - HOUR_MS; i += 1) {
  POSTS.push({
    id: BigInt(i + 1),
    createdAt: at,
    text: i % 3 === 0 ? 'calm seas' : 'a storm at sea',
  });
  at += (7 + ((i * 13) % 11)) * HOUR_MS + (i % 60) * MINUTE_MS;
}

let service: TestService;
let time: FakeTime;
let tab: Dashboard;

beforeEach(() => {
  time = new FakeTime(NOW);
  service = startService({ posts: POSTS, now: () => time.now });
  tab = openDashboard(service, { time });
});

afterEach(async () => {
  await service.close();
});

/** Storms of each bucket that a curve shows, counted one by one. */
function truth(bounds: Float64Array, posts: readonly TestPost[] = POSTS): number[] {
  const counts = Array.from({ length: bounds.length - 1 }, () => 0);
  for (const { createdAt, text } of posts) {
    if (!text?.includes('storm')) continue;
    const i = bounds.findLastIndex((bound) => bound <= Number(createdAt));
    if (i >= 0 && i < counts.length) counts[i] = (counts[i] ?? 0) + 1;
  }
  return counts;
}

function expectTruth(run: SeriesRun, posts?: readonly TestPost[]): void {
  expect(run.fault).toBeNull();
  expect(run.phase).toBe('done');
  const { bounds, counts } = run.curve ?? { bounds: new Float64Array(), counts: [] };
  expect(Array.from(counts)).toEqual(truth(bounds, posts));
}

const YEARS = { from: '2023-11-20', to: '2026-11-21' };
const YEAR = { from: '2024-01-01', to: '2025-01-01' };

async function asked(over: Parameters<Dashboard['need']>[0], dashboard = tab): Promise<SeriesRun> {
  const run = dashboard.run();
  await run.ask(await dashboard.need(over));
  return run;
}

describe('a look', () => {
  test('asks three years by day in the fewest pages, and every bucket is right', async () => {
    const run = await asked(YEARS);
    expectTruth(run);
    expect(run.requests).toBe(Math.ceil(1097 / 31));
    expect(tab.faults.counts).toHaveLength(run.requests);
    expect(run.progress).toEqual({ done: run.requests, total: run.requests });
    expect(tab.cache.receipts.size).toBe(run.requests);
    expect(run.curve?.states.at(-1)).toBe(STATE.partial);
    expect(run.curve?.states[0]).toBe(STATE.settled);
  });

  test.each<[string, Omit<Partial<Need>, 'source' | 'span'>, string, string, number]>([
    [
      'hours over the end of summer time',
      { resolution: 'hour', zone: 'America/New_York' },
      '2026-10-20T04:00Z',
      '2026-11-10T05:00Z',
      1,
    ],
    [
      'days over the end of summer time',
      { zone: 'America/New_York' },
      '2026-10-20T04:00Z',
      '2026-11-10T05:00Z',
      1,
    ],
    [
      'days of a zone off the hour',
      { zone: 'Asia/Kathmandu' },
      '2026-10-19T18:15Z',
      '2026-11-09T18:15Z',
      1,
    ],
    ['minutes', { resolution: 'minute' }, '2026-10-20T00:00Z', '2026-10-22T00:00Z', 1],
    ['months', { resolution: 'month' }, '2024-01-01', '2026-11-01', 34],
    [
      'weeks that begin on Sunday',
      { resolution: 'week', weekStart: 7 },
      '2026-10-04',
      '2026-11-01',
      1,
    ],
  ])('is right by %s', async (_, over, from, to, requests) => {
    const run = await asked({ ...over, from, to });
    expectTruth(run);
    expect(run.requests).toBe(requests);
  });

  test('of a finer resolution asks minutes, and days are then summed from them', async () => {
    const span = { from: '2026-10-20', to: '2026-10-25' };
    expectTruth(await asked({ ...span, resolution: 'minute' }));
    const days = await asked(span);
    expectTruth(days);
    expect(days.requests).toBe(0);
  });

  test('of recent begins inside the seven days and calls the rest out of reach', async () => {
    const run = await asked({
      from: '2026-11-10',
      to: '2026-11-21',
      endpoint: 'recent',
      resolution: 'hour',
    });
    expect(run.phase).toBe('done');
    expect(run.requests).toBe(1);
    const { bounds, counts, states } = run.curve ?? {};
    const reach = Date.parse('2026-11-13T13:00Z');
    const first = bounds?.indexOf(reach) ?? 0;
    expect(
      Array.from(states?.slice(0, first) ?? []).every((state) => state === STATE.unreachable),
    ).toBe(true);
    expect(Array.from(counts ?? []).slice(first, -12)).toEqual(
      truth(bounds ?? new Float64Array()).slice(first, -12),
    );
  });

  test('of nothing there ever was is zeros, not missing', async () => {
    const run = await asked({ ...YEAR, query: 'from:nobody_at_all' });
    expect(run.phase).toBe('done');
    expect(run.requests).toBe(12);
    expect(Array.from(run.curve?.counts ?? []).every((count) => count === 0)).toBe(true);
  });

  test('knows a query however it is written', async () => {
    await asked({ ...YEAR, query: 'storm sea' });
    expect((await asked({ ...YEAR, query: '  storm   sea ' })).requests).toBe(0);
  });

  test.each([3_600_000, -3_600_000])('does not mind a clock that is %i ms wrong', async (wrong) => {
    const off = new FakeTime(NOW + wrong);
    const dashboard = openDashboard(service, { time: off });
    expectTruth(await asked(YEARS, dashboard));
    const again = await asked(YEARS, dashboard);
    expect(again.requests).toBe(0);
  });
});

describe('what is known', () => {
  test('is not asked again while the head is fresh, in this tab or another', async () => {
    const first = await asked(YEARS);
    const again = await asked(YEARS);
    expect(again.requests).toBe(0);
    const other = openDashboard(service, { time, cache: tab.cache });
    const reloaded = await asked(YEARS, other);
    expect(reloaded.requests).toBe(0);
    expect(other.faults.counts).toEqual([]);
    expect(reloaded.curve).toEqual(first.curve);
    expect(reloaded.pyramid).toEqual(first.pyramid);
  });

  test('is shown without the service, and nothing is asked', async () => {
    const first = await asked(YEARS);
    const other = openDashboard(service, { time, cache: tab.cache });
    other.faults.spoil(() => true, lostConnection);
    const { sources, offline } = await other.sources();
    expect(offline).toBe(true);
    expect(sources.map(({ id }) => id)).toEqual(['sample', 'posts']);
    const run = await asked(YEARS, other);
    expect(run.phase).toBe('done');
    expect(run.offline).toBe(true);
    expect(run.curve).toEqual(first.curve);
    expect(other.faults.counts).toEqual([]);
  });

  test('is shown without the service in part, with a fault for the rest', async () => {
    await asked({ from: '2024-01-01', to: '2024-07-01' });
    const other = openDashboard(service, { time, cache: tab.cache });
    other.faults.spoil(() => true, lostConnection);
    const run = await asked(YEAR, other);
    expect(run.phase).toBe('failed');
    expect(run.offline).toBe(true);
    expect(run.fault?.body.type).toBe(UNREACHABLE);
    expect(other.faults.counts).toEqual([]);
    expect(Array.from(run.curve?.counts.slice(0, 182) ?? [])).toEqual(
      truth(run.curve?.bounds ?? new Float64Array()).slice(0, 182),
    );
  });

  test('has its head asked with one request when that is stale, and its day settled with one more', async () => {
    await asked(YEARS);
    time.now += 3 * HOUR_MS;
    expect((await asked(YEARS)).requests).toBe(1);
    time.now += DAY_MS;
    const closed = { from: '2023-11-20', to: '2026-11-20' };
    expect((await asked(closed)).requests).toBe(1);
    time.now += 40 * DAY_MS;
    const settled = await asked(closed);
    expect(settled.requests).toBe(0);
    expect(settled.curve?.states.every((state) => state === STATE.settled)).toBe(true);
    expectTruth(settled);
  });

  test('is asked at once by a refresh', async () => {
    const run = await asked(YEARS);
    time.now += MINUTE_MS;
    await run.refresh(await tab.need(YEARS));
    expect(run.requests).toBe(1);
  });
});

describe('a failure that passes', () => {
  test('429 is waited out exactly to the reset, and the other pages are not lost', async () => {
    tab.faults.spoil(
      isCounts,
      tooManyRequests(() => time.now, 437),
      1,
    );
    const run = tab.run();
    const need = await tab.need(YEAR);
    time.frozen = true;
    const asking = run.ask(need);
    await until(() => run.wait !== null);
    expect(run.wait).toEqual({ until: NOW + 437_000, reason: 'limit' });
    expect(new Set(time.slept)).toEqual(new Set([437_000]));
    run.cancel();
    await asking;
    time.frozen = false;
    await run.ask(need);
    expectTruth(run);
    expect(time.now).toBe(NOW + 437_000);
  });

  test('503 in bursts is waited out', async () => {
    tab.faults.spoil(isCounts, failing(503), 14);
    const run = await asked(YEAR);
    expectTruth(run);
    expect(run.requests).toBe(12 + 14);
    expect(tab.cache.receipts.size).toBe(12);
    expect(run.wait).toBeNull();
  });

  test.each<[string, Mishap]>([
    ['a lost connection', lostConnection],
    ['a lost answer', lostAnswer],
    ['a body that breaks off', brokenBody],
    ['a body that is cut', cutBody],
    ['a page without a bucket', gappedPage],
    ['a page with a wrong total', wrongTotal],
    ['502', failing(502)],
    ['504', failing(504)],
  ])('%s is asked again', async (_, mishap) => {
    tab.faults.spoil(asks('2024-06-15'), mishap, 1);
    const run = await asked(YEAR);
    expectTruth(run);
    expect(run.requests).toBe(13);
    expect(tab.cache.receipts.size).toBe(12);
  });

  test.each<[string, Mishap]>([
    ['without data', absentPage],
    ['of zeros', zeroPage],
  ])('a page wrongly %s among busy ones is asked again', async (_, mishap) => {
    tab.faults.spoil(asks('2024-06-15'), mishap, 1);
    const run = await asked(YEAR);
    expectTruth(run);
    expect(run.requests).toBe(13);
  });

  test('a page that answered another request is asked again', async () => {
    const mishap = repeatedPage();
    tab.faults.spoil(asks('2024-12-15'), mishap, 1);
    tab.faults.spoil(asks('2024-06-15'), mishap, 1);
    const run = await asked(YEAR);
    expectTruth(run);
    expect(run.requests).toBe(13);
  });

  test.each<[string, Mishap]>([
    ['fields in another order', unordered],
    ['the other vocabulary', renamed],
  ])('%s is none', async (_, mishap) => {
    tab.faults.spoil(isCounts, mishap);
    const run = await asked(YEAR);
    expectTruth(run);
    expect(run.requests).toBe(12);
  });

  test('pages shorter than a page should be are completed by bounds, and the length is remembered', async () => {
    tab.faults.spoil(isCounts, shortPage(10));
    const run = await asked(YEAR);
    expectTruth(run);
    expect(run.requests).toBeLessThanOrEqual(40 + 3);
    expect([...tab.cache.stores.values()].map(({ pageDays }) => pageDays)).toContain(10);
    expect(tab.faults.counts.some(({ search }) => search.has('next_token'))).toBe(false);
  });
});

describe('a failure that stays', () => {
  test('of one page leaves a hole that says so, and the other pages are there', async () => {
    tab.faults.spoil(asks('2024-06-15'), gappedPage);
    const run = await asked(YEAR);
    expect(run.phase).toBe('failed');
    expect(run.fault?.body.type).toBe(REFUSED_PAGE);
    expect(run.fault?.message).toMatch(/^Buckets are missing at 2024-/);
    const { bounds, counts, states } = run.curve ?? {};
    const right = truth(bounds ?? new Float64Array());
    const failed = Array.from(states ?? []).filter((state) => state === STATE.failed).length;
    expect(failed).toBe(31);
    right.forEach((count, i) => {
      expect(counts?.[i]).toBe(states?.[i] === STATE.failed ? NaN : count);
    });
    tab.faults.mend();
    const again = await asked(YEAR);
    expectTruth(again);
    expect(again.requests).toBe(1);
  });

  test('503 for ever fails its page after some tries', async () => {
    tab.faults.spoil(asks('2024-06-15'), failing(503));
    const run = await asked(YEAR);
    expect(run.phase).toBe('failed');
    expect(run.fault?.status).toBe(503);
    expect(tab.cache.receipts.size).toBe(11);
  });

  test.each([400, 403])('%i stops the series with the service’s own words', async (status) => {
    tab.faults.spoil(isCounts, failing(status));
    const run = await asked(YEAR);
    expect(run.phase).toBe('failed');
    expect(run.fault?.status).toBe(status);
    expect(run.fault?.message).toBe(`Status ${status}`);
    expect(run.requests).toBeLessThanOrEqual(4);
  });

  test('the service stopped while the page fetches keeps what came, and goes on when it is back', async () => {
    let passed = 0;
    tab.faults.spoil((sent) => isCounts(sent) && (passed += 1) > 5, lostConnection);
    const run = await asked(YEAR);
    expect(run.phase).toBe('failed');
    expect(run.offline).toBe(true);
    expect(tab.cache.receipts.size).toBe(5);
    tab.faults.mend();
    service.restart();
    const again = await asked(YEAR);
    expectTruth(again);
    expect(again.offline).toBe(false);
    expect(again.requests).toBe(7);
  });

  test('a cache without room pauses and loses nothing', async () => {
    await tab.sources();
    const need = await tab.need(YEAR);
    await tab.keeper.store(JSON.stringify(['posts', need.source.store]), need.source.revision);
    const run = tab.run();
    tab.cache.full = true;
    tab.cache.updateStore = async (key) =>
      tab.cache.stores.get(key) ?? Promise.reject(new Error(key));
    await run.ask(need);
    expect(run.phase).toBe('failed');
    expect(run.fault?.body.type).toBe(CACHE_FULL);
    const paid = run.requests;
    expect(paid).toBeLessThanOrEqual(4);
    tab.cache.full = false;
    await run.ask(need);
    expectTruth(run);
    expect(paid + run.requests).toBe(12);
    expect(tab.cache.receipts.size).toBe(12);
  });

  test('an unreadable query is told as the service would', async () => {
    const run = await asked({ ...YEAR, query: '(storm' });
    expect(run.phase).toBe('failed');
    expect(run.fault?.status).toBe(400);
    expect(tab.faults.counts).toEqual([]);
  });
});

describe('calling off', () => {
  test('keeps what came, sends nothing more, and the rest is asked later without a page twice', async () => {
    const need = await tab.need(YEARS);
    const run = tab.run();
    tab.faults.spoil(isCounts, async (_, pass) => {
      if (tab.faults.counts.length === 20) run.cancel();
      return await pass();
    });
    await run.ask(need);
    expect(run.phase).toBe('cancelled');
    const sent = tab.faults.counts.length;
    const kept = tab.cache.receipts.size;
    expect(sent).toBeLessThanOrEqual(20);
    expect(kept).toBeGreaterThanOrEqual(16);
    tab.faults.mend();
    await run.ask(need);
    expectTruth(run);
    expect(kept + run.requests).toBe(36);
  });

  test('a need in the place of another leaves nothing of that one', async () => {
    const run = tab.run();
    const [first, second] = [await tab.need(YEARS), await tab.need({ ...YEAR, query: 'calm' })];
    const one = run.ask(first);
    await until(() => tab.faults.counts.length > 3);
    const two = run.ask(second);
    await Promise.all([one, two]);
    expect(run.phase).toBe('done');
    const other = await asked({ ...YEAR, query: 'calm' });
    expect(other.requests).toBe(0);
    expect(run.curve).toEqual(other.curve);
  });
});

describe('over tabs', () => {
  test('a page is asked once, whoever asks', async () => {
    const lock = fakeLocks();
    const shared = { time, cache: tab.cache, lock };
    const tabs = [openDashboard(service, shared), openDashboard(service, shared)];
    const runs = await Promise.all(tabs.map((one) => asked(YEARS, one)));
    for (const run of runs) expectTruth(run);
    expect(runs.reduce((sum, run) => sum + run.requests, 0)).toBe(36);
    expect(tab.cache.receipts.size).toBe(36);
  });
});

describe('a store that changes', () => {
  const late: TestPost[] = [
    { id: 900_001n, createdAt: Date.parse('2024-02-10T10:00Z'), text: 'one more storm' },
    { id: 900_002n, createdAt: Date.parse('2024-02-10T11:00Z'), text: 'and a storm' },
  ];

  test('has only what changed asked again', async () => {
    await asked(YEARS);
    service.add('posts', late);
    const run = await asked(YEARS);
    expectTruth(run, [...POSTS, ...late]);
    expect(run.requests).toBeGreaterThanOrEqual(1);
    expect(run.requests).toBeLessThanOrEqual(2);
    expect((await asked(YEARS)).requests).toBe(0);
  });

  test('while it is read comes out right in the end', async () => {
    const need = await tab.need(YEARS);
    const run = tab.run();
    let added = false;
    tab.faults.spoil(asks('2023-12-01'), async (_, pass) => {
      if (!added) service.add('posts', late);
      added = true;
      return await pass();
    });
    await run.ask(need);
    expectTruth(run, [...POSTS, ...late]);
    expect(run.requests).toBeGreaterThan(36);
  });

  test('and no longer knows since when is asked whole, once', async () => {
    await asked(YEAR);
    service.add('posts', late);
    const isChanges = ({ path }: Sent): boolean => path === '/changes';
    tab.faults.spoil(isChanges, failing(410), 1);
    const run = await asked(YEAR);
    expectTruth(run, [...POSTS, ...late]);
    expect(run.requests).toBe(12);
    expect((await asked(YEAR)).requests).toBe(0);
  });

  test('and is another store altogether is another series', async () => {
    const need = await tab.need(YEAR);
    await tab.run().ask(need);
    const fewer = POSTS.slice(0, 300);
    const other = startService({ posts: fewer, now: () => time.now });
    const dashboard = openDashboard(other, { time, cache: tab.cache });
    const run = dashboard.run();
    await run.ask(need);
    expectTruth(run, fewer);
    expect(run.requests).toBe(12);
    await other.close();
    const before = await asked(YEAR);
    expectTruth(before);
    expect(before.requests).toBe(0);
  });
});

/** Lets the others go on until something is so. */
async function until(so: () => boolean): Promise<void> {
  for (let turns = 0; !so(); turns += 1) {
    if (turns > 10_000) throw new Error('it never came to be so');
    await new Promise((resolve) => setImmediate(resolve));
  }
}
