import { describe, expect, test } from 'vitest';
import { CACHE_FULL } from '#app/counts/cache/records.ts';
import { REFUSED_PAGE } from '#app/counts/fetch/faults.ts';
import { STATE } from '#core/series/series.ts';
import {
  absentPage,
  covers,
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
  type InjectedFault,
} from '#tests/support/service/faults.ts';
import { NOW, YEAR, ask, expectTruth, scene, truth, until } from '#tests/support/data/storms.ts';

const on = scene();
/** A range whose second page has June, between pages with counts. */
const SUMMER = { from: '2024-05-01', to: '2024-09-01' };
const PAGES = 4;

/** Number of answers that passed the checks. */
const accepted = async (): Promise<number> =>
  (await on.tab.cache.db.receipts.toArray()).filter((receipt) => receipt.accepted).length;

describe('a temporary failure', () => {
  test('429 makes the run wait exactly until the reset, and loses no other page', async () => {
    on.tab.faults.inject(
      isCounts,
      tooManyRequests(() => on.time.now, 437),
      1,
    );
    const run = on.tab.run();
    const need = await on.tab.need(YEAR);
    on.time.frozen = true;
    const fetching = run.ask(need);
    await until(() => run.wait !== null);
    expect(run.wait).toEqual({ until: NOW + 437_000, reason: 'limit' });
    expect(new Set(on.time.slept)).toEqual(new Set([437_000]));
    run.cancel();
    await fetching;
    on.time.frozen = false;
    await run.ask(need);
    expectTruth(run);
    expect(on.time.now).toBe(NOW + 437_000);
  });

  test('a run delayed until its head is stale does not request the head twice', async () => {
    const refuse = tooManyRequests(() => on.time.now, 600);
    on.tab.faults.inject(
      covers('2026-10-01'),
      async (...request) => {
        // Waiting moves the clock at once, so the two other pages come before it.
        while ((await accepted()) < 2) await new Promise((resolve) => setImmediate(resolve));
        return await refuse(...request);
      },
      1,
    );
    const run = await ask(on.tab, {
      from: '2026-09-01',
      to: '2026-11-20T12:00Z',
      resolution: 'hour',
    });
    expectTruth(run);
    expect(on.time.now).toBe(NOW + 600_000);
    expect(run.requests).toBe(3 + 1);
  });

  test('503 in bursts makes the run wait until they end', async () => {
    on.tab.faults.inject(isCounts, failing(503), 14);
    const run = await ask(on.tab, YEAR);
    expectTruth(run);
    expect(run.requests).toBe(12 + 14);
    expect(await accepted()).toBe(12);
    expect(run.wait).toBeNull();
  });

  test.each<[string, InjectedFault]>([
    ['a lost connection', lostConnection],
    ['a lost answer', lostAnswer],
    ['a body that breaks off', brokenBody],
    ['a body that is cut', cutBody],
    ['a page without a bucket', gappedPage],
    ['a page with a wrong total', wrongTotal],
    ['502', failing(502)],
    ['504', failing(504)],
  ])('%s is requested again', async (_, fault) => {
    on.tab.faults.inject(covers('2024-06-15'), fault, 1);
    const run = await ask(on.tab, SUMMER);
    expectTruth(run);
    expect(run.requests).toBe(PAGES + 1);
    expect(await accepted()).toBe(PAGES);
  });

  test.each<[string, InjectedFault]>([
    ['without data', absentPage],
    ['of zeros', zeroPage],
  ])('a page wrongly %s between pages with counts is requested again', async (_, fault) => {
    on.tab.faults.inject(covers('2024-06-15'), fault, 1);
    const run = await ask(on.tab, SUMMER);
    expectTruth(run);
    expect(run.requests).toBe(PAGES + 1);
  });

  test('a page that answers another request is requested again', async () => {
    const fault = repeatedPage();
    on.tab.faults.inject(covers('2024-08-25'), fault, 1);
    on.tab.faults.inject(covers('2024-06-15'), fault, 1);
    const run = await ask(on.tab, SUMMER);
    expectTruth(run);
    expect(run.requests).toBe(PAGES + 1);
  });

  test.each<[string, InjectedFault]>([
    ['fields in another order', unordered],
    ['the other vocabulary', renamed],
  ])('%s is not a failure', async (_, fault) => {
    on.tab.faults.inject(isCounts, fault);
    const run = await ask(on.tab, SUMMER);
    expectTruth(run);
    expect(run.requests).toBe(PAGES);
  });

  test('short pages are completed by further windows, and their length is remembered', async () => {
    on.tab.faults.inject(isCounts, shortPage(10));
    const run = await ask(on.tab, YEAR);
    expectTruth(run);
    expect(run.requests).toBeLessThanOrEqual(40 + 3);
    const lengths = (await on.tab.cache.db.stores.toArray()).map(
      ({ pages }) => pages?.day?.buckets,
    );
    expect(lengths).toContain(10);
    expect(on.tab.faults.counts.some(({ search }) => search.has('next_token'))).toBe(false);
  });
});

describe('a permanent failure', () => {
  test('of one page marks its buckets as failed, and the other pages are shown', async () => {
    on.tab.faults.inject(covers('2024-06-15'), gappedPage);
    const run = await ask(on.tab, YEAR);
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
    on.tab.faults.repair();
    const again = await ask(on.tab, YEAR);
    expectTruth(again);
    expect(again.requests).toBe(1);
  });

  test('503 for ever makes its page fail after some tries', async () => {
    on.tab.faults.inject(covers('2024-06-15'), failing(503));
    const run = await ask(on.tab, YEAR);
    expect(run.phase).toBe('failed');
    expect(run.fault?.status).toBe(503);
    expect(await accepted()).toBe(11);
  });

  test.each([400, 403])('%i stops the series with the service’s own message', async (status) => {
    on.tab.faults.inject(isCounts, failing(status));
    const run = await ask(on.tab, YEAR);
    expect(run.phase).toBe('failed');
    expect(run.fault?.status).toBe(status);
    expect(run.fault?.message).toBe(`Status ${status}`);
    expect(run.requests).toBeLessThanOrEqual(4);
  });

  test('a stopped service loses no page that arrived, and the rest follows when it is back', async () => {
    let passed = 0;
    on.tab.faults.inject((sent) => isCounts(sent) && (passed += 1) > 5, lostConnection);
    const run = await ask(on.tab, YEAR);
    expect(run.phase).toBe('failed');
    expect(run.offline).toBe(true);
    expect(await accepted()).toBe(5);
    on.tab.faults.repair();
    await on.service.restart();
    const again = await ask(on.tab, YEAR);
    expectTruth(again);
    expect(again.offline).toBe(false);
    expect(again.requests).toBe(7);
  });

  test('a full cache pauses the run and loses nothing', async () => {
    await on.tab.sources();
    const need = await on.tab.need(YEAR);
    await on.tab.store.storeRow(JSON.stringify(['posts', need.source.store]), need.source);
    const run = on.tab.run();
    on.tab.cache.disk.full = true;
    // Only counts fail for lack of space: the row of the store is read as before.
    on.tab.cache.updateStore = async (key) =>
      (await on.tab.cache.db.stores.get(key)) ?? Promise.reject(new Error(key));
    await run.ask(need);
    expect(run.phase).toBe('failed');
    expect(run.fault?.body.type).toBe(CACHE_FULL);
    const paid = run.requests;
    expect(paid).toBeLessThanOrEqual(4);
    on.tab.cache.disk.full = false;
    await run.ask(need);
    expectTruth(run);
    expect(paid + run.requests).toBe(12);
    expect(await accepted()).toBe(12);
  });

  test('an invalid query fails as if the service had refused it', async () => {
    const run = await ask(on.tab, { ...YEAR, query: '(storm' });
    expect(run.phase).toBe('failed');
    expect(run.fault?.status).toBe(400);
    expect(on.tab.faults.counts).toEqual([]);
  });
});
