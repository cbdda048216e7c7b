import { describe, expect, test } from 'vitest';
import { FREE_REQUESTS } from '#app/counts/fetch/approval.svelte.ts';
import { policyOf } from '#app/counts/source-policy.ts';
import type { SourcePolicy } from '#app/counts/source-policy.ts';
import { STATE } from '#core/series/series.ts';
import { DAY_MS, HOUR_MS, MINUTE_MS } from '#core/time/span.ts';
import { billed, buy, openPaid, paidScene, written } from '#tests/support/bought.ts';
import { fakeTabs, openDashboard } from '#tests/support/dashboard.ts';
import { isCounts, lostAnswer, lostConnection } from '#tests/support/faults.ts';
import { Mortal } from '#tests/support/mortal.ts';
import { MISHAPS } from '#tests/support/platform.ts';
import { NOW, YEAR, YEARS, expectTruth, truth, until } from '#tests/support/storms.ts';

const on = paidScene();

/** Counts requests that reached the platform. */
const sent = () => on.platform.sent.filter(isCounts);

describe('a plan', () => {
  test('is shown before more than a handful of pages is bought, and what was planned is bought', async () => {
    const run = on.tab.run();
    const asking = run.ask(await on.tab.need({ ...YEARS, source: 'platform' }));
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
    await asking;
    expectTruth(run);
    expect(sent()).toHaveLength(36);
    expect(sent().every(({ search }) => search.get('granularity') === 'hour')).toBe(true);
    expect(run.made).toMatchObject({ requests: 36 });
    expect(run.made.money).toBeCloseTo(0.36);
    expect(billed(on.service).billed).toEqual(await written(on.tab.cache));
    expect((await on.tab.cache.db.runs.count()) + (await on.tab.cache.db.asks.count())).toBe(0);
  });

  test('of a handful needs no agreement', async () => {
    const run = on.tab.run();
    await run.ask(await on.tab.need({ from: '2026-08-01', to: '2026-11-21', source: 'platform' }));
    expectTruth(run);
    expect(sent().length).toBeLessThanOrEqual(FREE_REQUESTS);
  });

  test('that is declined requests nothing, and what is already fetched stays shown', async () => {
    const first = await buy(on.tab, { from: '2024-06-01', to: '2024-07-01' });
    expectTruth(first);
    const run = on.tab.run();
    const before = sent().length;
    const asking = run.ask(await on.tab.need({ ...YEAR, source: 'platform' }));
    await until(() => on.tab.approval.waiting.length > 0);
    on.tab.approval.decline();
    await asking;
    expect(run.phase).toBe('cancelled');
    expect(sent()).toHaveLength(before);
    const states = Array.from(run.curve?.states ?? []);
    expect(states.filter((state) => state === STATE.settled).length).toBeGreaterThanOrEqual(30);
  });

  test('takes recent where that is cheaper', async () => {
    // 34 days: with the archive alone two requests, with recent one of each.
    const run = await buy(on.tab, { from: '2026-10-18', to: '2026-11-21' });
    expectTruth(run);
    expect(run.plan).toMatchObject({ recent: 1, all: 1, money: 0.015 });
    expect(
      sent()
        .map(({ path }) => path.split('/').at(-1))
        .toSorted(),
    ).toEqual(['all', 'recent']);
  });

  test('of minutes instead of hours answers every granularity later for nothing', async () => {
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

  test('asks nothing again while the head is fresh, and one page for the head after', async () => {
    await buy(on.tab, YEARS);
    const before = sent().length;
    expect((await buy(on.tab, YEARS)).requests).toBe(0);
    on.time.now += 3 * HOUR_MS;
    const later = await buy(on.tab, YEARS);
    expectTruth(later);
    expect(sent()).toHaveLength(before + 1);
  });
});

describe('what the service holds', () => {
  test('is given to another browser for nothing', async () => {
    await buy(on.tab, YEAR);
    const before = sent().length;
    const other = openDashboard(on.service, { time: on.time });
    const run = await buy(other, YEAR);
    expectTruth(run);
    expect(sent()).toHaveLength(before);
    expect(run.made.money).toBe(0);
    expect(run.plan?.held).toBe(12);
  });

  test('is taken in its own windows, and only the rest is planned', async () => {
    await buy(on.tab, YEAR);
    const before = sent().length;
    const other = openDashboard(on.service, { time: on.time });
    const run = await buy(other, { from: '2023-12-20', to: '2025-02-10' });
    expectTruth(run);
    expect(sent().length - before).toBe((run.plan?.all ?? 0) + (run.plan?.recent ?? 0));
    expect(run.plan?.all).toBe(3);
  });
});

describe('an answer that is lost on its way', () => {
  test.each([
    ['between the service and the page', lostAnswer, 0],
    ['before it reached the service', lostConnection, 0],
  ])('%s is not paid twice', async (_, mishap, extra) => {
    on.tab.faults.spoil(isCounts, mishap, 3);
    const run = await buy(on.tab, YEAR);
    expectTruth(run);
    expect(sent()).toHaveLength(12 + extra);
    expect(billed(on.service).billed).toEqual(await written(on.tab.cache));
  });

  test('with the tab is given to the next one', async () => {
    on.tab.faults.spoil((one) => isCounts(one), lostAnswer, Infinity);
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
  test('ends at once, holds over a reload, and resuming buys the rest', async () => {
    const run = on.tab.run();
    const need = await on.tab.need({ ...YEARS, source: 'platform' });
    const asking = run.ask(need);
    await until(() => on.tab.approval.waiting.length > 0);
    on.tab.approval.agree();
    await until(() => run.progress.done >= 5);
    run.pause();
    await asking;
    expect(run.phase).toBe('paused');
    const paused = sent().length;
    expect(paused).toBeLessThan(36);

    const other = openDashboard(on.service, { time: on.time, cache: on.tab.cache });
    const reloaded = await buy(other, YEARS);
    expect(reloaded.phase).toBe('paused');
    expect(other.approval.waiting).toEqual([]);
    expect(sent()).toHaveLength(paused);
    expect(reloaded.plan).toMatchObject({ all: 36, money: 0.36 });
    expect(reloaded.progress.total).toBe(36);
    await reloaded.resume();
    expectTruth(reloaded);
    expect(reloaded.made).toMatchObject({ requests: 36, money: 0.36 });
    expect(sent()).toHaveLength(36);
    expect(billed(on.service).billed).toEqual(await written(on.tab.cache));
  });

  test('a tab that went away in the middle is followed by one that goes on without asking', async () => {
    const mortal = new Mortal();
    const { cache } = on.tab;
    const tab = openDashboard(on.service, { time: on.time, cache, mortal });
    const run = tab.run();
    void run.ask(await tab.need({ ...YEARS, source: 'platform' }));
    await until(() => tab.approval.waiting.length > 0);
    tab.approval.agree();
    await until(() => run.progress.done >= 5);
    mortal.kill();
    const other = openDashboard(on.service, { time: on.time, cache });
    const next = other.run();
    await next.ask(await other.need({ ...YEARS, source: 'platform' }));
    expectTruth(next);
    expect(next.plan).toMatchObject({ all: 36 });
    expect(next.made).toMatchObject({ requests: 36, money: 0.36 });
    expect(sent()).toHaveLength(36);
    expect(billed(on.service).billed).toEqual(await written(cache));
  });
});

describe('a cap', () => {
  test('makes the run wait, and raising it makes it go on', async () => {
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
    const asking = run.ask(await on.tab.need({ ...YEAR, source: 'platform' }));
    await until(() => on.tab.approval.waiting.length > 0);
    on.time.frozen = true;
    on.tab.approval.agree();
    await until(() => run.wait?.reason === 'budget' && run.progress.done === 5);
    expect(run.wait?.until).toBe(Date.parse('2026-11-21T00:00Z'));
    expect(sent()).toHaveLength(5);
    await put(null);
    on.time.frozen = false;
    on.tab.client.retryBudget();
    await asking;
    expectTruth(run);
    expect(sent()).toHaveLength(12);
  });
});

describe('clocks', () => {
  test.each([HOUR_MS, -HOUR_MS, DAY_MS, -DAY_MS, 5 * MINUTE_MS])(
    'of browser and service that are %i ms wrong do no harm',
    async (wrong) => {
      on.time.now = NOW + wrong;
      const other = await openPaid(on.time, () => on.time.now - wrong);
      try {
        const run = await buy(other.tab, { from: '2026-10-01', to: '2026-11-20T12:00Z' });
        expectTruth(run);
      } finally {
        await other.service.close();
        await other.platform.close();
      }
    },
  );
});

describe('buying again', () => {
  const span = { from: '2024-03-01', to: '2024-05-01' };

  test('requests every page again once it is approved, and takes the new counts', async () => {
    const run = await buy(on.tab, span);
    expectTruth(run);
    on.time.now += DAY_MS;
    on.platform.spoil(isCounts, MISHAPS.pages.changedBucket);
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

  test('that is not agreed to leaves everything as it was', async () => {
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

  test('goes on after a reload, and buys no page twice', async () => {
    await buy(on.tab, YEAR);
    const mortal = new Mortal();
    const { cache } = on.tab;
    on.time.now += DAY_MS;
    const tab = openDashboard(on.service, { time: on.time, cache, mortal });
    const run = await buy(tab, YEAR);
    const before = sent().length;
    void run.rebuy();
    await until(() => tab.approval.waiting.length > 0);
    tab.approval.agree();
    await until(() => run.progress.done >= 4);
    mortal.kill();
    const other = openDashboard(on.service, { time: on.time, cache });
    const next = other.run();
    await next.ask(await other.need({ ...YEAR, source: 'platform' }));
    expectTruth(next);
    expect(sent()).toHaveLength(before + 12);
    expect(billed(on.service).billed).toEqual(await written(cache));
  });
});

describe('a laptop that sleeps', () => {
  test('in the middle of a run goes on where it was', async () => {
    let asked = 0;
    on.tab.faults.spoil(isCounts, async (_, pass) => {
      asked += 1;
      if (asked === 4) on.time.now += 9 * HOUR_MS;
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

  test('grow day by day from what was looked at; older days are out of reach, not missing', async () => {
    const look = {
      from: '2026-11-01',
      to: '2026-12-01',
      resolution: 'day',
      policy: policy(),
    } as const;
    const first = await buy(on.tab, look);
    expect(first.phase).toBe('done');
    const states = Array.from(first.curve?.states ?? []);
    expect(states.slice(0, 12).every((state) => state === STATE.uncovered)).toBe(true);
    for (let day = 0; day < 9; day += 1) {
      on.time.now += DAY_MS;
      expect((await buy(on.tab, look)).phase).toBe('done');
    }
    expect(sent().every(({ path }) => path.endsWith('/recent'))).toBe(true);
    expect(sent()).toHaveLength(10);
    const last = await buy(on.tab, look);
    const known = Array.from(last.curve?.states ?? []).slice(13, 29);
    expect(known.every((state) => state >= STATE.partial)).toBe(true);
    expect(sent()).toHaveLength(10);
  });
});

describe('comparing', () => {
  test('buys settled spans again, keeps what was known, and notes what changed', async () => {
    await buy(on.tab, YEAR);
    const run = await buy(on.tab, YEAR);
    const before = sent().length;
    on.platform.spoil(isCounts, MISHAPS.pages.changedBucket, 1);
    await run.audit(2);
    expectTruth(run);
    expect(sent()).toHaveLength(before + 2);
    const audits = (await on.tab.cache.db.receipts.toArray()).filter(
      ({ purpose }) => purpose === 'audit',
    );
    expect(audits.map(({ revisions }) => revisions.length).toSorted()).toEqual([0, 1]);
    expect(billed(on.service).billed).toEqual(await written(on.tab.cache));
  });

  test('is over for other tabs too, and goes on after a pause', async () => {
    const [cache, tabs] = [on.tab.cache, fakeTabs()];
    const one = openDashboard(on.service, { time: on.time, cache, tabs: tabs() });
    const two = openDashboard(on.service, { time: on.time, cache, tabs: tabs() });
    const run = await buy(one, YEAR);
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

  test('over the change of the index tells whether numbers differ by the day of fetching', async () => {
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
