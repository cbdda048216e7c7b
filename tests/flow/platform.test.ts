import { describe, expect, test } from 'vitest';
import { FREE_REQUESTS } from '#app/counts/fetch/approval.svelte.ts';
import { policyOf, type SourcePolicy } from '#app/counts/source-policy.ts';
import { STATE } from '#core/series/series.ts';
import { DAY_MS, HOUR_MS, MINUTE_MS } from '#core/time/span.ts';
import { billed, buy, paidScene, written } from '#tests/support/data/bought.ts';
import { fakeTabs, openDashboard } from '#tests/support/browser/dashboard.ts';
import { isCounts, lostAnswer, lostConnection } from '#tests/support/service/faults.ts';
import { KillableTab } from '#tests/support/browser/killable-tab.ts';
import { PLATFORM_FAULTS } from '#tests/support/service/platform.ts';
import { NOW, YEAR, YEARS, expectTruth, truth, until } from '#tests/support/data/storms.ts';

const on = paidScene();
/** A range of six pages with the head. */
const HALF = { from: '2026-05-20', to: '2026-11-21' };

/** The counts requests that reached the platform. */
const sent = () => on.platform.sent.filter(isCounts);

describe('a plan', () => {
  test('of more than a few pages needs approval, and is then bought as planned', async () => {
    const run = on.tab.run();
    const fetching = run.ask(await on.tab.need({ ...YEARS, source: 'platform' }));
    await until(() => on.tab.approval.waiting.length > 0);
    expect(run.phase).toBe('planned');
    expect(sent()).toEqual([]);
    expect(run.plan).toMatchObject({
      granularity: 'hour',
      recent: 0,
      all: 36,
      money: 0.36,
      leastMs: 35_000,
      days: 1097,
      owned: 0,
      held: 0,
    });
    on.tab.approval.agree();
    await fetching;
    expectTruth(run);
    expect(sent()).toHaveLength(36);
    expect(sent().every(({ search }) => search.get('granularity') === 'hour')).toBe(true);
    expect(run.made).toMatchObject({ requests: 36 });
    expect(run.made.money).toBeCloseTo(0.36);
    expect(billed(on.service).billed).toEqual(await written(on.tab.cache));
    expect((await on.tab.cache.db.runs.count()) + (await on.tab.cache.db.requests.count())).toBe(0);
  });

  test('of a few pages needs no approval', async () => {
    const run = on.tab.run();
    await run.ask(await on.tab.need({ from: '2026-08-01', to: '2026-11-21', source: 'platform' }));
    expectTruth(run);
    expect(sent().length).toBeLessThanOrEqual(FREE_REQUESTS);
  });

  test('that is declined requests nothing, and the pages already fetched stay visible', async () => {
    const first = await buy(on.tab, { from: '2024-06-01', to: '2024-07-01' });
    expectTruth(first);
    const run = on.tab.run();
    const before = sent().length;
    const fetching = run.ask(await on.tab.need({ ...YEAR, source: 'platform' }));
    await until(() => on.tab.approval.waiting.length > 0);
    on.tab.approval.decline();
    await fetching;
    expect(run.phase).toBe('cancelled');
    expect(sent()).toHaveLength(before);
    const states = Array.from(run.curve?.states ?? []);
    expect(states.filter((state) => state === STATE.settled).length).toBeGreaterThanOrEqual(30);
  });

  test('includes recent counts if that is cheaper', async () => {
    // 34 days take two requests of the archive, or one of the archive and one of recent counts.
    const run = await buy(on.tab, { from: '2026-10-18', to: '2026-11-21' });
    expectTruth(run);
    expect(run.plan).toMatchObject({ recent: 1, all: 1, money: 0.015 });
    expect(
      sent()
        .map(({ path }) => path.split('/').at(-1))
        .toSorted(),
    ).toEqual(['all', 'recent']);
  });

  test('of minutes instead of hours makes every granularity free later', async () => {
    const span = { from: '2026-09-01', to: '2026-09-21' };
    expectTruth(await buy(on.tab, { ...span, minutes: true }));
    expect(sent().at(-1)?.search.get('granularity')).toBe('minute');
    const before = sent().length;
    expectTruth(await buy(on.tab, { ...span, resolution: 'minute' }));
    expectTruth(
      await buy(on.tab, {
        ...span,
        zone: 'Asia/Kathmandu',
        from: '2026-09-01T18:15Z',
        to: '2026-09-20T18:15Z',
      }),
    );
    expectTruth(await buy(on.tab, { ...span, resolution: 'hour' }));
    expect(sent()).toHaveLength(before);
  });

  test('has no requests while the head is fresh, and then one for the head', async () => {
    await buy(on.tab, HALF);
    const before = sent().length;
    expect((await buy(on.tab, HALF)).requests).toBe(0);
    on.time.now += 3 * HOUR_MS;
    const later = await buy(on.tab, HALF);
    expectTruth(later);
    expect(sent()).toHaveLength(before + 1);
  });
});

describe('pages that the service holds', () => {
  test('are free for another browser', async () => {
    await buy(on.tab, YEAR);
    const before = sent().length;
    const other = openDashboard(on.service, { time: on.time });
    const run = await buy(other, YEAR);
    expectTruth(run);
    expect(sent()).toHaveLength(before);
    expect(run.made.money).toBe(0);
    expect(run.plan?.held).toBe(12);
  });

  test('are used with their own windows, and only the rest is planned', async () => {
    await buy(on.tab, YEAR);
    const before = sent().length;
    const other = openDashboard(on.service, { time: on.time });
    const run = await buy(other, { from: '2023-12-20', to: '2025-02-10' });
    expectTruth(run);
    expect(sent().length - before).toBe((run.plan?.all ?? 0) + (run.plan?.recent ?? 0));
    expect(run.plan?.all).toBe(3);
  });
});

describe('a lost answer', () => {
  test.each([
    ['between the service and the page', lostAnswer, 0],
    ['whose request did not reach the service', lostConnection, 0],
  ])('%s is not paid for twice', async (_, fault, extra) => {
    on.tab.faults.inject(isCounts, fault, 3);
    const run = await buy(on.tab, YEAR);
    expectTruth(run);
    expect(sent()).toHaveLength(12 + extra);
    expect(billed(on.service).billed).toEqual(await written(on.tab.cache));
  });

  test('of one tab is delivered to the next', async () => {
    on.tab.faults.inject((request) => isCounts(request), lostAnswer, Infinity);
    const run = await buy(on.tab, YEAR);
    expect(run.phase).toBe('failed');
    const bought = sent().length;
    expect(bought).toBeGreaterThan(0);
    const other = openDashboard(on.service, { time: on.time, cache: on.tab.cache });
    const again = await buy(other, YEAR);
    expectTruth(again);
    expect(sent()).toHaveLength(12);
    expect(billed(on.service).billed).toEqual(await written(on.tab.cache));
  });
});

describe('pausing', () => {
  test('takes effect at once and lasts over a reload; resuming buys the rest', async () => {
    const run = on.tab.run();
    const need = await on.tab.need({ ...YEAR, source: 'platform' });
    const fetching = run.ask(need);
    await until(() => on.tab.approval.waiting.length > 0);
    on.tab.approval.agree();
    await until(() => run.progress.done >= 5);
    run.pause();
    await fetching;
    expect(run.phase).toBe('paused');
    const paused = sent().length;
    expect(paused).toBeLessThan(12);

    const other = openDashboard(on.service, { time: on.time, cache: on.tab.cache });
    const reloaded = await buy(other, YEAR);
    expect(reloaded.phase).toBe('paused');
    expect(other.approval.waiting).toEqual([]);
    expect(sent()).toHaveLength(paused);
    expect(reloaded.plan).toMatchObject({ all: 12, money: 0.12 });
    expect(reloaded.progress.total).toBe(12);
    await reloaded.resume();
    expectTruth(reloaded);
    expect(reloaded.made).toMatchObject({ requests: 12, money: 0.12 });
    expect(sent()).toHaveLength(12);
    expect(billed(on.service).billed).toEqual(await written(on.tab.cache));
  });

  test('is not needed when a tab is closed: the next tab continues without another approval', async () => {
    const killable = new KillableTab();
    const { cache } = on.tab;
    const tab = openDashboard(on.service, { time: on.time, cache, killable });
    const run = tab.run();
    void run.ask(await tab.need({ ...YEAR, source: 'platform' }));
    await until(() => tab.approval.waiting.length > 0);
    tab.approval.agree();
    await until(() => run.progress.done >= 5);
    killable.kill();
    const other = openDashboard(on.service, { time: on.time, cache });
    const next = other.run();
    await next.ask(await other.need({ ...YEAR, source: 'platform' }));
    expectTruth(next);
    expect(next.plan).toMatchObject({ all: 12 });
    expect(next.made).toMatchObject({ requests: 12, money: 0.12 });
    expect(sent()).toHaveLength(12);
    expect(billed(on.service).billed).toEqual(await written(cache));
  });
});

describe('a cap', () => {
  test('makes the run wait, and raising it lets the run go on', async () => {
    const { settings } = (await (await on.service.request('/platform/settings')).json()) as {
      settings: { caps: object };
    };
    const put = async (money: number | null): Promise<void> => {
      const caps = { day: { requests: null, money }, month: { requests: null, money: null } };
      const answer = await on.service.request('/platform/settings', {
        method: 'PUT',
        headers: { 'content-type': 'application/json' },
        body: JSON.stringify({ ...settings, caps }),
      });
      expect(answer.status).toBe(200);
    };
    await put(0.05);
    const run = on.tab.run();
    const fetching = run.ask(await on.tab.need({ ...YEAR, source: 'platform' }));
    await until(() => on.tab.approval.waiting.length > 0);
    on.time.frozen = true;
    on.tab.approval.agree();
    await until(() => run.wait?.reason === 'budget' && run.progress.done === 5);
    expect(run.wait?.until).toBe(Date.parse('2026-11-21T00:00Z'));
    expect(sent()).toHaveLength(5);
    await put(null);
    on.time.frozen = false;
    on.tab.client.retryBudget();
    await fetching;
    expectTruth(run);
    expect(sent()).toHaveLength(12);
  });
});

describe('clocks', () => {
  test.each([HOUR_MS, -HOUR_MS, DAY_MS, -DAY_MS, 5 * MINUTE_MS])(
    'of browser and service that are %i ms wrong change nothing',
    async (wrong) => {
      on.time.now = NOW + wrong;
      on.platformLeadMs = -wrong;
      expectTruth(await buy(on.tab, { from: '2026-10-01', to: '2026-11-20T12:00Z' }));
    },
  );
});

describe('buying again', () => {
  const span = { from: '2024-03-01', to: '2024-05-01' };

  test('requests every page again after the approval, and takes the new counts', async () => {
    const run = await buy(on.tab, span);
    expectTruth(run);
    on.time.now += DAY_MS;
    on.platform.inject(isCounts, PLATFORM_FAULTS.pages.changedBucket);
    const before = sent().length;
    const again = run.rebuy();
    await until(() => on.tab.approval.waiting.length > 0);
    expect(on.tab.approval.waiting[0]?.plan.all).toBe(2);
    on.tab.approval.agree();
    await again;
    expect(run.phase).toBe('done');
    expect(sent()).toHaveLength(before + 2);
    const { bounds, counts, states } = run.curve ?? {};
    const right = truth(bounds ?? new Float64Array());
    const sum = (list: ArrayLike<number>): number => Array.from(list).reduce((a, b) => a + b, 0);
    expect(sum(counts ?? [])).toBe(sum(right) + 2);
    expect(states?.every((state) => state === STATE.settled)).toBe(true);
    on.platform.repair();
    expect((await buy(on.tab, span)).requests).toBe(0);
    expect(billed(on.service).billed).toEqual(await written(on.tab.cache));
  });

  test('changes nothing if it is declined', async () => {
    const run = await buy(on.tab, span);
    const before = sent().length;
    const again = run.rebuy();
    await until(() => on.tab.approval.waiting.length > 0);
    on.tab.approval.decline();
    await again;
    expect([run.phase, run.plan]).toEqual(['done', null]);
    expect(run.curve?.states.every((state) => state === STATE.settled)).toBe(true);
    const later = await buy(on.tab, span);
    expectTruth(later);
    expect(sent()).toHaveLength(before);
  });

  test('continues after a reload, and buys no page twice', async () => {
    await buy(on.tab, YEAR);
    const killable = new KillableTab();
    const { cache } = on.tab;
    on.time.now += DAY_MS;
    const tab = openDashboard(on.service, { time: on.time, cache, killable });
    const run = await buy(tab, YEAR);
    const before = sent().length;
    void run.rebuy();
    await until(() => tab.approval.waiting.length > 0);
    tab.approval.agree();
    await until(() => run.progress.done >= 4);
    killable.kill();
    const other = openDashboard(on.service, { time: on.time, cache });
    const next = other.run();
    await next.ask(await other.need({ ...YEAR, source: 'platform' }));
    expectTruth(next);
    expect(sent()).toHaveLength(before + 12);
    expect(billed(on.service).billed).toEqual(await written(cache));
  });
});

describe('a laptop that sleeps', () => {
  test('during a run continues where it stopped', async () => {
    let requests = 0;
    on.tab.faults.inject(isCounts, async (_, pass) => {
      requests += 1;
      if (requests === 4) on.time.now += 9 * HOUR_MS;
      return await pass();
    });
    const run = await buy(on.tab, YEAR);
    expectTruth(run);
    expect(sent()).toHaveLength(12);
    expect(billed(on.service).billed).toEqual(await written(on.tab.cache));
  });
});

describe('recent counts alone', () => {
  const policy = (): SourcePolicy => ({
    ...policyOf('platform', null),
    endpoints: 'recent',
  });

  test('accumulate day by day; older days are out of reach, not missing', async () => {
    const need = {
      from: '2026-11-01',
      to: '2026-12-01',
      resolution: 'day',
      policy: policy(),
    } as const;
    const first = await buy(on.tab, need);
    expect(first.phase).toBe('done');
    const states = Array.from(first.curve?.states ?? []);
    expect(states.slice(0, 12).every((state) => state === STATE.uncovered)).toBe(true);
    for (let day = 0; day < 9; day += 1) {
      on.time.now += DAY_MS;
      expect((await buy(on.tab, need)).phase).toBe('done');
    }
    expect(sent().every(({ path }) => path.endsWith('/recent'))).toBe(true);
    expect(sent()).toHaveLength(10);
    const last = await buy(on.tab, need);
    const known = Array.from(last.curve?.states ?? []).slice(13, 29);
    expect(known.every((state) => state >= STATE.partial)).toBe(true);
    expect(sent()).toHaveLength(10);
  });
});

describe('comparing', () => {
  test('buys settled spans again, keeps the stored counts, and records the differences', async () => {
    await buy(on.tab, YEAR);
    const run = await buy(on.tab, YEAR);
    const before = sent().length;
    on.platform.inject(isCounts, PLATFORM_FAULTS.pages.changedBucket, 1);
    await run.audit(2);
    expectTruth(run);
    expect(sent()).toHaveLength(before + 2);
    const audits = (await on.tab.cache.db.receipts.toArray()).filter(
      ({ purpose }) => purpose === 'audit',
    );
    expect(audits.map(({ revisions }) => revisions.length).toSorted()).toEqual([0, 1]);
    expect(billed(on.service).billed).toEqual(await written(on.tab.cache));
  });

  test('also ends in other tabs, and continues after a pause', async () => {
    const [cache, tabs] = [on.tab.cache, fakeTabs()];
    const dashboard = openDashboard(on.service, { time: on.time, cache, tabs: tabs() });
    const two = openDashboard(on.service, { time: on.time, cache, tabs: tabs() });
    const run = await buy(dashboard, YEAR);
    const seen = await buy(two, YEAR);
    const before = sent().length;
    const first = run.audit(3);
    run.pause();
    await first;
    expect(sent().length).toBeLessThan(before + 3);
    await run.audit(2);
    expect([run.phase, seen.elsewhere]).toEqual(['done', null]);
    expect(sent().length).toBeGreaterThanOrEqual(before + 2);
  });

  test('across a change of the index shows whether counts depend on the day of fetching', async () => {
    on.time.now = Date.parse('2026-04-20T12:00:00Z');
    const span = { from: '2026-03-01', to: '2026-04-01' };
    await buy(on.tab, span);
    on.time.now = NOW;
    const run = await buy(on.tab, { from: '2026-03-01', to: '2026-06-01' });
    expect(run.seams).toEqual([{ at: Date.parse('2026-04-01'), before: 1, after: 2 }]);
    expect(run.changes.map(({ at }) => at)).toContain(Date.parse('2026-05-04'));
    expect(run.probeOffer).not.toBeNull();
    const before = sent().length;
    await run.probe();
    expect(sent()).toHaveLength(before + 1);
    const probes = (await on.tab.cache.db.receipts.toArray()).filter(
      ({ purpose }) => purpose === 'probe',
    );
    expect(probes.map(({ index, revisions }) => [index, revisions.length])).toEqual([[2, 0]]);
  });
});
