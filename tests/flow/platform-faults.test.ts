import { describe, expect, test } from 'vitest';
import { FREE_REQUESTS } from '#app/counts/fetch/approval.svelte.ts';
import { REFUSED_PAGE } from '#app/counts/fetch/faults.ts';
import type { SeriesRun } from '#app/counts/fetch/series-run.svelte.ts';
import type { PageFaultKind } from '#core/counts/check.ts';
import { STATE } from '#core/series/series.ts';
import { DAY_MS, HOUR_MS } from '#core/time/span.ts';
import { billed, buy, lost, openPaid, paidScene, written } from '#tests/support/data/bought.ts';
import { openDashboard } from '#tests/support/browser/dashboard.ts';
import { covers, isCounts } from '#tests/support/service/faults.ts';
import { PLATFORM_FAULTS, type PlatformFault } from '#tests/support/service/platform.ts';
import { NOW, YEAR, expectTruth } from '#tests/support/data/storms.ts';

const on = paidScene();
const { pages } = PLATFORM_FAULTS;
const JUNE = covers('2024-06-15');
/** A range of the fewest pages that need approval. June is in its second page, between pages with counts. */
const SUMMER = { from: '2024-04-15', to: '2024-10-15' };
const PAGES = FREE_REQUESTS + 1;
/** A range whose only page is the head. */
const HEAD = { from: '2026-11-01', to: '2026-11-20T12:00Z' };

const sent = (): number => on.platform.sent.filter(isCounts).length;

const total = ({ curve }: SeriesRun): number =>
  Array.from(curve?.counts ?? []).reduce((sum, count) => sum + count, 0);

/** Faults recorded for all pages. */
async function noted(): Promise<PageFaultKind[]> {
  const receipts = await on.tab.cache.db.receipts.toArray();
  return receipts.flatMap((receipt) => receipt.faults.map(({ kind }) => kind));
}

describe('a page that is wrong once', () => {
  test.each<[string, PlatformFault, PageFaultKind]>([
    ['without one of its buckets', pages.gap, 'gap'],
    ['with a bucket twice', pages.overlap, 'overlap'],
    ['in the wrong order', pages.wrongOrder, 'order'],
    ['off the grid', pages.offGrid, 'off-grid'],
    ['outside the window', pages.outside, 'outside'],
    ['with a negative count', pages.negative, 'bad-count'],
    ['with a fractional count', pages.fractional, 'bad-count'],
    ['with a wrong total', pages.wrongTotal, 'wrong-total'],
    ['without data', pages.absent, 'empty-among-busy'],
    ['of zeros', pages.zeros, 'empty-among-busy'],
  ])('%s is detected and bought again, and its receipt is stored', async (_, fault, kind) => {
    on.platform.inject(JUNE, fault, 1);
    const run = await buy(on.tab, SUMMER);
    expectTruth(run);
    expect(sent()).toBe(PAGES + 1);
    expect(await noted()).toContain(kind);
    const wrong = (await on.tab.cache.db.receipts.toArray()).filter((receipt) => !receipt.accepted);
    expect(wrong).toHaveLength(1);
    expect(await written(on.tab.cache)).toEqual(billed(on.service).billed);
  });

  test.each<[string, PlatformFault]>([
    ['ends at the time of its answer', pages.endsNow],
    ['is dated a day late', PLATFORM_FAULTS.dateOff(DAY_MS)],
    ['is dated a day early', PLATFORM_FAULTS.dateOff(-DAY_MS)],
  ])('a head that %s is detected', async (_, fault) => {
    on.platform.inject(isCounts, fault, 1);
    const run = await buy(on.tab, HEAD);
    expectTruth(run);
    expect(await noted()).toContain('wrong-end');
  });

  test('a page that answers another request is detected', async () => {
    let first: Response | null = null;
    const same: PlatformFault = async (_, pass) => {
      first ??= await pass();
      return first.clone();
    };
    on.platform.inject(covers('2024-10-05'), same, 1);
    on.platform.inject(JUNE, same, 1);
    expectTruth(await buy(on.tab, SUMMER));
    expect(sent()).toBe(PAGES + 1);
    expect((await noted()).length).toBeGreaterThan(0);
  });

  test('an unexpected token is recorded and costs nothing', async () => {
    on.platform.inject(JUNE, pages.unexpectedToken, 1);
    const run = await buy(on.tab, SUMMER);
    expectTruth(run);
    expect(await noted()).toEqual(['unexpected-token']);
    expect(sent()).toBe(PAGES);
  });

  test('a settled bucket keeps its count when a later page differs, and the difference is recorded', async () => {
    const span = { from: '2026-10-25', to: '2026-11-20T18:00Z', resolution: 'hour' } as const;
    await buy(on.tab, span);
    on.time.now += 3 * HOUR_MS;
    on.platform.inject(isCounts, pages.changedBucket, 1);
    expect((await buy(on.tab, span)).phase).toBe('done');
    const revised = (await on.tab.cache.db.receipts.toArray()).flatMap(
      ({ revisions }) => revisions,
    );
    expect(revised).toHaveLength(1);
    expect(revised[0]?.now).toBe((revised[0]?.was ?? 0) + 1);
  });

  test(
    'small counts rounded up to five turn sums into upper bounds',
    { tags: 'long' },
    async () => {
      on.platform.inject(isCounts, pages.roundedUp);
      const run = await buy(on.tab, { from: '2026-10-25', to: '2026-11-15', minutes: true });
      expect(run.phase).toBe('done');
      expect(run.upperBounds).toBe(true);
      on.platform.repair();
      const plain = await buy(on.tab, { from: '2026-08-01', to: '2026-08-21', minutes: true });
      expect(plain.upperBounds).toBe(false);
    },
  );
});

describe('a platform whose clock is', () => {
  /** A Post of a day that is not settled yet. */
  const LATE = { createdAt: '2026-11-19T18:00Z', text: 'a storm, reported late', id: 9_000_000n };

  test.each([
    ['30 hours ahead', 30 * HOUR_MS],
    ['two years ahead', 730 * DAY_MS],
    ['30 hours behind', -30 * HOUR_MS],
  ])(
    '%s is reported, settles nothing too early, and causes no second purchase',
    async (_, skewMs) => {
      const scene = await openPaid(on.time, { now: () => on.time.now + skewMs });
      const { platform, tab, service } = scene;
      const sentNow = (): number => platform.sent.filter(isCounts).length;
      try {
        const closed = { from: '2026-11-01', to: '2026-11-20' };
        const first = await buy(tab, closed);
        expect(first.phase).toBe('done');
        expect(first.platformSkewMs).toBe(skewMs);
        const [before, bought] = [total(first), sentNow()];
        await buy(tab, closed);
        expect(sentNow()).toBe(bought);

        // The platform finds a Post late, and two days pass.
        platform.service.add('posts', [LATE]);
        on.time.now += 48 * HOUR_MS;
        const later = await buy(tab, closed);
        expect(total(later)).toBe(before + 1);
        const fresh = openDashboard(service, { time: on.time });
        expect(total(await buy(fresh, closed))).toBe(before + 1);
        const settled = sentNow();
        await buy(tab, closed);
        expect(sentNow()).toBe(settled);
      } finally {
        await service.close();
        await platform.close();
      }
    },
  );
});

describe('a page without a fault', () => {
  test.each<[string, PlatformFault]>([
    ['fields in another order', pages.unordered],
    ['the other vocabulary', pages.postCounts],
  ])('may have %s', async (_, fault) => {
    on.platform.inject(isCounts, fault);
    expectTruth(await buy(on.tab, SUMMER));
    expect([await noted(), sent()]).toEqual([[], PAGES]);
  });

  test('has no fault recorded at any granularity, zone and head', async () => {
    const needs = [
      HEAD,
      { ...HEAD, resolution: 'hour' },
      { ...HEAD, zone: 'Asia/Kathmandu', from: '2026-10-30T18:15Z' },
      { from: '2026-11-13', to: '2026-11-20T12:00Z', resolution: 'minute' },
      { from: '2025-01-01', to: '2025-05-01', zone: 'America/New_York' },
      { from: '2026-09-01', to: '2026-11-20T12:00Z', endpoint: 'recent' },
      { from: '2024-01-01', to: '2024-04-01', query: 'from:nobody_at_all' },
    ] as const;
    for (const need of needs) {
      const run = await buy(on.tab, need);
      expect(run.fault).toBeNull();
      on.time.now += 7 * HOUR_MS;
    }
    expect(await noted()).toEqual([]);
    expect((await on.tab.cache.db.receipts.toArray()).every((receipt) => receipt.accepted)).toBe(
      true,
    );
  });
});

describe('a failed request', () => {
  const reset = (): string => String(Math.ceil(on.time.now / 1000) + 437);

  test('429 with a reset makes the run wait until then', async () => {
    const headers = { 'x-rate-limit-reset': reset(), 'x-rate-limit-remaining': '0' };
    on.platform.inject(JUNE, PLATFORM_FAULTS.refused(429, headers), 1);
    expectTruth(await buy(on.tab, SUMMER));
    expect(on.time.now).toBeGreaterThanOrEqual(NOW + 437_000);
    expect(billed(on.service).billed).toHaveLength(PAGES);
  });

  test.each<[string, PlatformFault, number]>([
    ['429 without headers', PLATFORM_FAULTS.limited, 9],
    ['503 in bursts', PLATFORM_FAULTS.unavailable, 14],
    ['a connection that is reset', PLATFORM_FAULTS.reset, 2],
    ['a body that is cut', PLATFORM_FAULTS.cutShort, 2],
  ])('%s is tried again, and the other pages arrive', async (_, fault, times) => {
    on.platform.inject(isCounts, fault, times);
    const run = await buy(on.tab, SUMMER);
    expectTruth(run);
    expect(billed(on.service).billed).toEqual(await written(on.tab.cache));
    expect(billed(on.service).uncertain).toEqual(await lost(on.tab.cache));
    expect(billed(on.service).billed).toHaveLength(PAGES);
  });

  test.each([400, 401, 403])('%i stops the series without a payment', async (status) => {
    on.platform.inject(isCounts, PLATFORM_FAULTS.refused(status, {}));
    const run = await buy(on.tab, SUMMER);
    expect(run.phase).toBe('failed');
    expect(run.fault?.status).toBe(status);
    expect(billed(on.service)).toEqual({ billed: [], uncertain: [] });
    expect(await on.tab.cache.db.requests.count()).toBe(0);
  });
});

describe('a page that is wrong every time', () => {
  test('is bought only twice, is still reported after a reload, and is requested again only on demand', async () => {
    on.platform.inject(JUNE, pages.gap);
    const run = await buy(on.tab, YEAR);
    expect(run.phase).toBe('failed');
    expect(run.fault?.body.type).toBe(REFUSED_PAGE);
    expect(sent()).toBe(13);
    const other = openDashboard(on.service, { time: on.time, cache: on.tab.cache });
    const again = await buy(other, YEAR);
    expect(again.phase).toBe('failed');
    expect(again.fault?.body.type).toBe(REFUSED_PAGE);
    expect(sent()).toBe(13);
    const failed = Array.from(again.curve?.states ?? []).filter((state) => state === STATE.failed);
    expect(failed.length).toBeGreaterThan(20);
    on.platform.repair();
    await again.refresh(await other.need({ ...YEAR, source: 'platform' }));
    expectTruth(again);
    expect(sent()).toBe(14);
    expect(await on.tab.cache.db.requests.count()).toBe(0);
  });

  test('is accepted if it is empty twice, a minute apart, and then so are other empty pages', async () => {
    const run = await buy(on.tab, { ...YEAR, query: 'from:nobody_at_all' });
    expect(run.phase).toBe('done');
    expect(run.curve?.counts.every((count) => count === 0)).toBe(true);
    expect(on.time.slept).toContain(60_000);
    expect(sent()).toBe(13);
    expect(await written(on.tab.cache)).toEqual(billed(on.service).billed);
  });
});
