import fc from 'fast-check';
import { beforeEach, describe, expect, test } from 'vitest';
import { CountsStore } from '#app/counts/worker/counts-store.ts';
import type { Note } from '#app/counts/cache/saved-board.ts';
import type { SeriesContents } from '#app/counts/cache/records.ts';
import { CacheInventory } from '#app/counts/cache/cache-inventory.ts';
import { viewOf } from '#core/series/bucket-layout.ts';
import {
  readBundle,
  writeBundle,
  type BundleInput,
  type OpenedBundle,
} from '#app/export/bundle.ts';
import {
  fixedCurve,
  flattened,
  type BundleSeries,
  type CarriedSeries,
  type FileSeries,
} from '#app/export/fixed.ts';
import { SETTLE_MS } from '#core/counts/ledger.ts';
import { STATE } from '#core/series/series.ts';
import { RESOLUTIONS } from '#core/time/resolution.ts';
import { cellSpan, DAY_MS } from '#core/time/span.ts';
import {
  at,
  boundaries,
  flipped,
  forged,
  rewritten,
  type Parts,
} from '#tests/support/data/archives.ts';
import { testCache, type TestCache } from '#tests/support/run/test-cache.ts';
import { runs } from '#tests/support/run/runs.ts';
import {
  bytesOf,
  CATS,
  DOGS,
  SPRING,
  everything,
  fill,
  seriesRow,
  write,
} from '#tests/support/data/inventory-laws.ts';

const EVERYTHING = [{ start: Date.UTC(2006, 2, 21), end: Infinity }];

const START = cellSpan(100).start;
const SPAN = { start: START, end: START + 31 * DAY_MS };
const ALL = { start: START - 50 * DAY_MS, end: START + 100 * DAY_MS };

const NOTES: readonly Note[] = [
  { id: 'a', start: START, end: null, text: 'Launch' },
  { id: 'b', start: START, end: START + DAY_MS, text: 'Spring', campaign: SPRING },
];

const file: FileSeries = {
  from: 'file',
  label: 'Sales, “ours”',
  query: '',
  source: '',
  curve: {
    bounds: Float64Array.of(START, START + DAY_MS, START + 2 * DAY_MS),
    counts: Float64Array.of(0.1 + 0.2, Number.NaN),
    states: Uint8Array.of(STATE.settled, STATE.never),
    fetchedAt: Float64Array.of(Number.NaN, START),
  },
};

let cache: TestCache;

beforeEach(async () => {
  cache = testCache();
  await fill(cache);
});

async function input(over: Partial<BundleInput> = {}): Promise<BundleInput> {
  return {
    name: 'Pets',
    view: 'source=platform&q=cats',
    notes: NOTES,
    span: ALL,
    past: [],
    series: [
      {
        place: 0,
        label: 'Cats',
        counts: { from: 'cache', key: CATS, settleMs: SETTLE_MS, covered: EVERYTHING },
      },
      { place: 1, label: 'Ours', counts: { from: 'fixed', series: file } },
      {
        place: 3,
        label: 'Dogs',
        counts: { from: 'cache', key: DOGS, settleMs: SETTLE_MS, covered: EVERYTHING },
      },
    ],
    cache: await new CacheInventory(cache).export(),
    ...over,
  };
}

/** The input that a board with an opened bundle would write. */
const inputOf = (opened: OpenedBundle, span = ALL): BundleInput => ({
  name: opened.name,
  view: opened.view,
  notes: opened.notes,
  span,
  past: [],
  series: opened.series.map(({ place, series }) => ({
    place,
    label: series.label,
    counts: { from: 'fixed', series },
  })),
  cache: null,
});

describe('a bundle', () => {
  test('opens to the content that was written', async () => {
    const { name, view, notes, series } = await readBundle(await writeBundle(await input()));
    expect({ name, view, notes }).toEqual({
      name: 'Pets',
      view: 'source=platform&q=cats',
      notes: NOTES,
    });
    expect(series.map(({ place }) => place)).toEqual([0, 1, 3]);
    expect(series[1]?.series).toEqual({ ...file, label: 'Ours' });
    const [cats, dogs] = [series[0], series[2]].map((each) => each?.series as BundleSeries);
    expect([cats?.label, cats?.query, cats?.source]).toEqual(['Cats', 'cats as typed', 'platform']);
    expect([dogs?.label, dogs?.source]).toEqual(['Dogs', 'sample']);
    const held = (await everything(cache)).find((each) => 'records' in each);
    expect(cats?.contents.records).toEqual(held?.records);
  });

  test('has the same bytes when opened and written again, however often the board was opened', async () => {
    const first = await bytesOf(await writeBundle(await input()));
    await cache.touch({ ...seriesRow(CATS, 999) });
    expect(await bytesOf(await writeBundle(await input()))).toEqual(first);
    const opened = await readBundle(new Blob([Uint8Array.from(first)]));
    expect(await bytesOf(await writeBundle(inputOf(opened)))).toEqual(first);
  });

  test('separates a series from a bundle from the live one with the same query', async () => {
    const early = testCache();
    await write(early, { series: CATS, from: 20, days: 2, at: 50, id: 'e', count: 4 });
    const series = (await input()).series.slice(0, 1);
    const older = await readBundle(
      await writeBundle(await input({ series, cache: await new CacheInventory(early).export() })),
    );
    const bundled = older.series[0]?.series as BundleSeries;
    const live = series.map((packing) => ({ ...packing, place: 1 }));
    const fixed = { place: 0, label: 'Then', counts: { from: 'fixed', series: bundled } } as const;
    const both = await readBundle(await writeBundle(await input({ series: [fixed, ...live] })));
    const known = (series: CarriedSeries | undefined): number =>
      series ? flattened(series, ALL).counts.filter((count) => !Number.isNaN(count)).length : 0;
    const alone = await readBundle(await writeBundle(await input({ series: live })));
    expect(both.series.map(({ series: one }) => known(one))).toEqual([
      known(bundled),
      known(alone.series[0]?.series),
    ]);
    expect(known(bundled)).toBeLessThan(known(alone.series[0]?.series));
    const again = await writeBundle(inputOf(both));
    expect(await bytesOf(await writeBundle(inputOf(await readBundle(again))))).toEqual(
      await bytesOf(again),
    );
  });

  test('has the same bytes when imported into another cache and written from there', async () => {
    const series = (await input()).series.slice(0, 1);
    // Spans to buy again are not part of a bundle.
    const row = { ...seriesRow(CATS, 1), invalidated: [] };
    const fresh = testCache();
    await write(fresh, { series: CATS, from: 3, days: 40, at: 99, id: 'a', price: 0.01 });
    await fresh.touch(row);
    const first = await writeBundle(
      await input({ series, cache: await new CacheInventory(fresh).export() }),
    );
    const { platform } = await readBundle(first);
    const other = testCache();
    await new CacheInventory(other).import(platform as Blob);
    const again = await input({ series, cache: await new CacheInventory(other).export() });
    expect(await bytesOf(await writeBundle(again))).toEqual(await bytesOf(first));
  });

  test('contains only the cells that its span touches', async () => {
    const opened = await readBundle(await writeBundle(await input({ span: SPAN })));
    const [cats, , dogs] = opened.series.map(({ series }) => series as BundleSeries);
    const cells = (series: BundleSeries | undefined): number[] => [
      ...new Set(series?.contents.records.map(({ key }) => key[2])),
    ];
    expect(cells(cats)).toEqual([100]);
    expect(cells(dogs)).toEqual([]);
    const ids = new Set(cats?.contents.records.flatMap(({ receipts }) => Object.keys(receipts)));
    expect(cats?.contents.receipts.map(({ id }) => id)).toEqual([...ids].sort());
  });

  test('contains no approvals, pending requests or times of use', async () => {
    const opened = await readBundle(await writeBundle(await input()));
    for (const { series } of opened.series) {
      if (series.from === 'file') continue;
      expect(series.contents).toMatchObject({ run: null, requests: [], store: null });
      expect(series.contents.row).toMatchObject({ usedAt: 0, fullHead: 0 });
    }
  });

  test('adds only the platform’s pages to the cache, and replaces no better ones', async () => {
    const { platform } = await readBundle(await writeBundle(await input()));
    const other = testCache();
    await write(other, { series: CATS, from: 25, days: 3, at: 70, id: 'first', count: 5 });
    const before = (await everything(other)) as SeriesContents[];
    await new CacheInventory(other).import(platform as Blob);
    const [cats, ...more] = (await everything(other)) as SeriesContents[];
    expect(more).toEqual([]);
    const hours = cats?.records.find(({ key }) => key[1] === 'hour' && key[2] === 100);
    // Fetched first and settled, so it stays.
    expect(hours?.counts[25 * 24]).toBe(5);
    expect(hours?.counts[22 * 24]).toBe(7);
    expect(before[0]?.records.length).toBeLessThan(cats?.records.length ?? 0);
  });

  test('shows the same curve as the cache, in any zone and resolution', async () => {
    const answer = fc.record({
      granularity: fc.constantFrom('minute' as const, 'hour' as const),
      from: fc.integer({ min: 0, max: 40 }),
      days: fc.integer({ min: 1, max: 31 }),
      late: fc.integer({ min: 0, max: 3 }),
      count: fc.constantFrom(0, 7, 300),
    });
    await fc.assert(
      fc.asyncProperty(
        fc.array(answer, { minLength: 1, maxLength: 4 }),
        fc.constantFrom(...RESOLUTIONS.filter((resolution) => resolution !== 'minute')),
        fc.constantFrom('UTC', 'Europe/Berlin', 'America/New_York'),
        fc.integer({ min: 0, max: 30 }),
        async (answers, resolution, zone, first) => {
          const here = testCache();
          for (const [i, { late, ...one }] of answers.entries()) {
            const at = one.from + one.days + late;
            await write(here, { ...one, series: DOGS, at, id: `r${i}` });
          }
          const bundle = await writeBundle({
            ...(await input()),
            series: [
              {
                place: 0,
                label: '',
                counts: { from: 'cache', key: DOGS, settleMs: SETTLE_MS, covered: EVERYTHING },
              },
            ],
            cache: await new CacheInventory(here).export(),
          });
          const [series] = (await readBundle(bundle)).series;
          const fixed = series?.series as BundleSeries;
          const span = { start: START + first * DAY_MS, end: START + 71 * DAY_MS };
          const view = { span, resolution, zone, weekStart: 1 } as const;
          const { edges, granularity, span: wide, cut } = viewOf({ ...view, unit: null });
          const store = new CountsStore(here);
          await store.open(1, {
            series: seriesRow(DOGS, 1),
            granularity,
            knownBy: granularity,
            span: wide,
            invalidated: [],
            invalidatedIfApproved: [],
            settleMs: SETTLE_MS,
            before: null,
          });
          const reach = { start: 0, end: fixed.asOf };
          const { curve } = await store.render(1, {
            edges,
            cut,
            basis: null,
            reach,
            covered: EVERYTHING,
            failed: [],
          });
          const shown = fixedCurve(fixed, view);
          expect(shown.counts).toEqual(curve.counts);
          expect(shown.fetchedAt).toEqual(curve.fetchedAt);
          const known = (states: Uint8Array): number[] =>
            [...states].map((state) => (state === STATE.uncovered ? STATE.never : state));
          expect(known(shown.states)).toEqual(known(curve.states));
        },
      ),
      { numRuns: runs(40) },
    );
  });
});

describe('an invalid bundle', () => {
  const refusal = async (bytes: Uint8Array): Promise<string> => {
    const read = readBundle(new Blob([Uint8Array.from(bytes)]));
    return await read.then(
      () => 'read',
      (error: Error) => error.message,
    );
  };

  test('is rejected or has the same content when any bit is flipped, and is rejected if cut off or extended', async () => {
    const bytes = await bytesOf(await writeBundle(await input()));
    const { platform, ...same } = await readBundle(new Blob([Uint8Array.from(bytes)]));
    const cuts = fc.oneof(fc.constantFrom(...boundaries(bytes)), fc.nat(bytes.length - 1));
    await fc.assert(
      fc.asyncProperty(fc.nat(bytes.length * 8 - 1), cuts, async (bit, length) => {
        const read = await readBundle(flipped(bytes, bit)).catch(() => null);
        if (read) {
          expect({ ...read, platform: null }).toEqual({ ...same, platform: null });
          expect(await bytesOf(read.platform as Blob)).toEqual(await bytesOf(platform as Blob));
        }
        expect(await refusal(bytes.subarray(0, length))).not.toBe('read');
      }),
      { numRuns: runs(60) },
    );
    expect(await refusal(Uint8Array.of(...bytes, 0))).toMatch(/damaged or was cut off/);
  });

  test.each<[string, (parts: Parts) => void, RegExp]>([
    ['no part of its cells', (parts) => parts.delete('cells/1-hour.bin'), /-hour\.bin" is missing/],
    [
      'a series without a place',
      rewritten('manifest.json', (json) => delete at(json, 'series', 0).place),
      /Its manifest is not valid: series\.0\.place/,
    ],
    [
      'two series with the same place',
      rewritten('manifest.json', (json) => (at(json, 'series', 1).place = 0)),
      /series by ascending place/,
    ],
    [
      'numbers that are cut off',
      (parts) => parts.set('fixed/1.bin', new Uint8Array(57)),
      /The series “Ours” from a file is not valid: expected 58 bytes for 2 buckets, got 57/,
    ],
  ])('is rejected with a message for %s', async (_, change, words) => {
    const file = await forged(await writeBundle(await input()), change);
    expect(await refusal(await bytesOf(file))).toMatch(words);
  });

  test('is rejected if it is another kind of file', async () => {
    expect(await refusal(new TextEncoder().encode('query,label,start_utc'))).toMatch(
      /not a Groundswell file/,
    );
    const backup = await bytesOf(await new CacheInventory(cache).export());
    expect(await refusal(backup)).toMatch(/It is a backup, not a bundle/);
  });
});
