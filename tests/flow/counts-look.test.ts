import { describe, expect, test } from 'vitest';
import type { Need } from '#app/counts/need.ts';
import { UNREACHABLE } from '#app/api/answer-fault.ts';
import { STATE } from '#core/series/series.ts';
import { DAY_MS, HOUR_MS, MINUTE_MS } from '#core/time/span.ts';
import { fakeLocks, openDashboard } from '#tests/support/browser/dashboard.ts';
import { FakeTime } from '#tests/support/fake-time.ts';
import {
  covers,
  failing,
  isCounts,
  lostConnection,
  type Sent,
} from '#tests/support/service/faults.ts';
import { startService, type TestPost } from '#tests/support/service/service.ts';
import {
  NOW,
  POSTS,
  YEAR,
  YEARS,
  ask,
  expectTruth,
  scene,
  truth,
  until,
} from '#tests/support/data/storms.ts';

const on = scene();
/** A range of six pages with the head. */
const HALF = { from: '2026-05-20', to: '2026-11-21' };

describe('a run', () => {
  test('requests three years by day in the fewest pages, and every bucket is right', async () => {
    const run = await ask(on.tab, YEARS);
    expectTruth(run);
    expect(run.requests).toBe(Math.ceil(1097 / 31));
    expect(on.tab.faults.counts).toHaveLength(run.requests);
    expect(run.progress).toEqual({ done: run.requests, total: run.requests });
    expect(await on.tab.cache.db.receipts.count()).toBe(run.requests);
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
    const run = await ask(on.tab, { ...over, from, to });
    expectTruth(run);
    expect(run.requests).toBe(requests);
  });

  test('of minutes stores minutes, from which days are then summed', async () => {
    const span = { from: '2026-10-20', to: '2026-10-25' };
    expectTruth(await ask(on.tab, { ...span, resolution: 'minute' }));
    const days = await ask(on.tab, span);
    expectTruth(days);
    expect(days.requests).toBe(0);
  });

  test(
    'of too many minutes to draw page by page is complete when it ends',
    { tags: 'long' },
    async () => {
      const run = await ask(on.tab, { from: '2026-04-01', to: '2026-10-01', resolution: 'minute' });
      expectTruth(run);
      expect(run.requests).toBe(6);
      expect(run.curve?.counts).toHaveLength((183 * DAY_MS) / MINUTE_MS);
    },
  );

  test('of recent begins within the seven days and marks the rest as out of reach', async () => {
    const run = await ask(on.tab, {
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
      Array.from(states?.slice(0, first) ?? []).every((state) => state === STATE.uncovered),
    ).toBe(true);
    expect(Array.from(counts ?? []).slice(first, -12)).toEqual(
      truth(bounds ?? new Float64Array()).slice(first, -12),
    );
  });

  test('of a query without matches shows zeros, not missing buckets', async () => {
    const run = await ask(on.tab, { ...YEAR, query: 'from:nobody_at_all' });
    expect(run.phase).toBe('done');
    expect(run.requests).toBe(12);
    expect(Array.from(run.curve?.counts ?? []).every((count) => count === 0)).toBe(true);
  });

  test('recognises a query written with other spaces', async () => {
    await ask(on.tab, { ...YEAR, query: 'storm sea' });
    expect((await ask(on.tab, { ...YEAR, query: '  storm   sea ' })).requests).toBe(0);
  });

  test.each([3_600_000, -3_600_000])('works with a clock that is %i ms wrong', async (wrong) => {
    const off = new FakeTime(NOW + wrong);
    const dashboard = openDashboard(on.service, { time: off });
    expectTruth(await ask(dashboard, HALF));
    const again = await ask(dashboard, HALF);
    expect(again.requests).toBe(0);
  });
});

describe('comparing', () => {
  test('requests settled spans of Your posts again for free, and keeps the stored counts', async () => {
    const run = await ask(on.tab, YEAR);
    await run.audit(2);
    expectTruth(run);
    const audits = (await on.tab.cache.db.receipts.toArray()).filter(
      ({ purpose }) => purpose === 'audit',
    );
    expect(audits.map(({ price, revisions }) => [price, revisions.length])).toEqual([
      [0, 0],
      [0, 0],
    ]);
  });
});

describe('stored counts', () => {
  test('are not requested again while the head is fresh, in this tab or another', async () => {
    const first = await ask(on.tab, HALF);
    const again = await ask(on.tab, HALF);
    expect(again.requests).toBe(0);
    const other = openDashboard(on.service, { time: on.time, cache: on.tab.cache });
    const reloaded = await ask(other, HALF);
    expect(reloaded.requests).toBe(0);
    expect(other.faults.counts).toEqual([]);
    expect(reloaded.curve).toEqual(first.curve);
    expect(reloaded.pyramid).toEqual(first.pyramid);
  });

  test('are shown without the service and without a request', async () => {
    const first = await ask(on.tab, HALF);
    const other = openDashboard(on.service, { time: on.time, cache: on.tab.cache });
    other.faults.inject(() => true, lostConnection);
    const { sources, offline } = await other.sources();
    expect(offline).toBe(true);
    expect(sources.map(({ id }) => id)).toEqual(['sample', 'posts']);
    const run = await ask(other, HALF);
    expect(run.phase).toBe('done');
    expect(run.offline).toBe(true);
    expect(run.curve).toEqual(first.curve);
    expect(other.faults.counts).toEqual([]);
  });

  test('of part of the range are shown without the service, with a fault for the rest', async () => {
    await ask(on.tab, { from: '2024-01-01', to: '2024-07-01' });
    const other = openDashboard(on.service, { time: on.time, cache: on.tab.cache });
    other.faults.inject(() => true, lostConnection);
    const run = await ask(other, YEAR);
    expect(run.phase).toBe('failed');
    expect(run.offline).toBe(true);
    expect(run.fault?.body.type).toBe(UNREACHABLE);
    expect(other.faults.counts).toEqual([]);
    expect(Array.from(run.curve?.counts.slice(0, 182) ?? [])).toEqual(
      truth(run.curve?.bounds ?? new Float64Array()).slice(0, 182),
    );
  });

  test('need one request for a stale head, and one more to settle its day', async () => {
    await ask(on.tab, HALF);
    on.time.now += 3 * HOUR_MS;
    expect((await ask(on.tab, HALF)).requests).toBe(1);
    on.time.now += DAY_MS;
    const closed = { from: HALF.from, to: '2026-11-20' };
    expect((await ask(on.tab, closed)).requests).toBe(1);
    on.time.now += 40 * DAY_MS;
    const settled = await ask(on.tab, closed);
    expect(settled.requests).toBe(0);
    expect(settled.curve?.states.every((state) => state === STATE.settled)).toBe(true);
    expectTruth(settled);
  });

  test('are requested at once by a refresh', async () => {
    const run = await ask(on.tab, HALF);
    on.time.now += MINUTE_MS;
    await run.refresh(await on.tab.need(HALF));
    expect(run.requests).toBe(1);
  });
});

describe('cancelling', () => {
  test('keeps the pages that arrived and sends nothing more; the rest follows later, no page twice', async () => {
    const need = await on.tab.need(YEARS);
    const run = on.tab.run();
    on.tab.faults.inject(isCounts, async (_, pass) => {
      if (on.tab.faults.counts.length === 20) run.cancel();
      return await pass();
    });
    await run.ask(need);
    expect(run.phase).toBe('cancelled');
    const sent = on.tab.faults.counts.length;
    const stored = await on.tab.cache.db.receipts.count();
    expect(sent).toBeLessThanOrEqual(20);
    expect(stored).toBeGreaterThanOrEqual(16);
    on.tab.faults.repair();
    await run.ask(need);
    expectTruth(run);
    expect(stored + run.requests).toBe(36);
  });

  test('a free source has no pause: the run goes on to its end', async () => {
    const need = await on.tab.need(YEARS);
    const run = on.tab.run();
    on.tab.faults.inject(isCounts, async (_, pass) => {
      run.pause();
      return await pass();
    });
    await run.ask(need);
    expectTruth(run);
    expect(run.requests).toBe(36);
  });

  test('a new need replaces the previous one completely', async () => {
    const run = on.tab.run();
    const [first, second] = [
      await on.tab.need(YEARS),
      await on.tab.need({ ...YEAR, query: 'calm' }),
    ];
    const one = run.ask(first);
    await until(() => on.tab.faults.counts.length > 3);
    const two = run.ask(second);
    await Promise.all([one, two]);
    expect(run.phase).toBe('done');
    const other = await ask(on.tab, { ...YEAR, query: 'calm' });
    expect(other.requests).toBe(0);
    expect(run.curve).toEqual(other.curve);
  });
});

describe('several tabs', () => {
  test('request a page once', async () => {
    const lock = fakeLocks();
    const shared = { time: on.time, cache: on.tab.cache, lock };
    const tabs = [openDashboard(on.service, shared), openDashboard(on.service, shared)];
    const runs = await Promise.all(tabs.map((tab) => ask(tab, YEARS)));
    for (const run of runs) expectTruth(run);
    expect(runs.reduce((sum, run) => sum + run.requests, 0)).toBe(36);
    expect(await on.tab.cache.db.receipts.count()).toBe(36);
  });
});

describe('a store that changes', () => {
  const late: TestPost[] = [
    { id: 900_001n, createdAt: Date.parse('2024-02-10T10:00Z'), text: 'one more storm' },
    { id: 900_002n, createdAt: Date.parse('2024-02-10T11:00Z'), text: 'and a storm' },
  ];

  test('has only the changed pages requested again', async () => {
    await ask(on.tab, YEARS);
    on.service.add('posts', late);
    const run = await ask(on.tab, YEARS);
    expectTruth(run, [...POSTS, ...late]);
    expect(run.requests).toBeGreaterThanOrEqual(1);
    expect(run.requests).toBeLessThanOrEqual(2);
    expect((await ask(on.tab, YEARS)).requests).toBe(0);
  });

  test('while a run reads it gives the right counts in the end', async () => {
    const { store } = on.tab;
    const render = store.render.bind(store);
    // Renderings have a port of their own to the worker, which may read them after later calls.
    store.render = async (...request) => {
      for (let turn = 0; turn < 20; turn += 1) await new Promise(setImmediate);
      return await render(...request);
    };
    const need = await on.tab.need(YEARS);
    const run = on.tab.run();
    let answered = (): void => undefined;
    const february = new Promise<void>((resolve) => (answered = resolve));
    on.tab.faults.inject(
      covers('2024-02-10'),
      async (_, pass) => await pass().finally(answered),
      1,
    );
    let added = false;
    on.tab.faults.inject(covers('2023-12-01'), async (_, pass) => {
      await february;
      if (!added) on.service.add('posts', late);
      added = true;
      return await pass();
    });
    await run.ask(need);
    expectTruth(run, [...POSTS, ...late]);
    expect(run.requests).toBeGreaterThan(36);
  });

  test('with every page lets the run end, and leaves the last changed bucket provisional', async () => {
    let id = 950_000n;
    const need = await on.tab.need(YEAR);
    const add = (): void => {
      const createdAt = Date.parse('2024-02-10T10:00Z');
      on.service.add('posts', [{ id: (id += 1n), createdAt, text: 'a storm' }]);
    };
    on.tab.faults.inject(isCounts, async (_, pass) => {
      add();
      const answer = await pass();
      add();
      return answer;
    });
    const run = on.tab.run();
    await run.ask(need);
    expect(run.phase).toBe('done');
    expect(run.requests).toBeLessThanOrEqual(12 + 2);
    const states = Array.from(run.curve?.states ?? []);
    expect(states.filter((state) => state !== STATE.settled)).toEqual([STATE.provisional]);
    expect(states[40]).toBe(STATE.provisional);
    on.tab.faults.repair();
    const late = Array.from({ length: Number(id - 950_000n) }, (_, i): TestPost => {
      return { id: 950_001 + i + '', createdAt: Date.parse('2024-02-10T10:00Z'), text: 'a storm' };
    });
    await run.ask(need);
    expectTruth(run, [...POSTS, ...late]);
  });

  test('without knowing since when is requested completely, once', async () => {
    await ask(on.tab, YEAR);
    on.service.add('posts', late);
    const isChanges = ({ path }: Sent): boolean => path === '/changes';
    on.tab.faults.inject(isChanges, failing(410), 1);
    const run = await ask(on.tab, YEAR);
    expectTruth(run, [...POSTS, ...late]);
    expect(run.requests).toBe(12);
    expect((await ask(on.tab, YEAR)).requests).toBe(0);
  });

  test('its identity is another series', async () => {
    const need = await on.tab.need(YEAR);
    await on.tab.run().ask(need);
    const fewer = POSTS.slice(0, 300);
    const other = startService({ posts: fewer, posted: true, now: () => on.time.now });
    const dashboard = openDashboard(other, { time: on.time, cache: on.tab.cache });
    const run = dashboard.run();
    await run.ask(need);
    expectTruth(run, fewer);
    expect(run.requests).toBe(12);
    await other.close();
    const before = await ask(on.tab, YEAR);
    expectTruth(before);
    expect(before.requests).toBe(0);
  });
});
