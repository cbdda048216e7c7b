import fc from 'fast-check';
import { expect, test } from 'vitest';
import type { SeriesContents } from '#app/counts/cache/records.ts';
import {
  fixedCurve,
  flattened,
  type BundleSeries,
  type FileSeries,
  type FixedView,
} from '#app/export/fixed.ts';
import { SETTLE_MS } from '#core/counts/ledger.ts';
import { refit } from '#core/series/rebucket.ts';
import { STATE } from '#core/series/series.ts';
import { cellSpan, DAY_MS, HOUR_MS } from '#core/time/span.ts';
import { testCache } from '#tests/support/run/test-cache.ts';
import { CATS, everything, write } from '#tests/support/data/inventory-laws.ts';
import { runs } from '#tests/support/run/runs.ts';

const START = Date.UTC(2026, 0, 5);
const given = (counts: number[], width: number, start = START): FileSeries => ({
  from: 'file',
  label: 'l',
  query: '',
  source: '',
  curve: {
    bounds: Float64Array.from({ length: counts.length + 1 }, (_, i) => start + i * width),
    counts: Float64Array.from(counts),
    states: Uint8Array.from(counts, (count) => (Number.isNaN(count) ? STATE.never : STATE.settled)),
    fetchedAt: Float64Array.from(counts, (_, i) => START + (100 - i) * DAY_MS),
  },
});
const view = (days: number, resolution: FixedView['resolution'], zone = 'UTC'): FixedView => ({
  span: { start: START, end: START + days * DAY_MS },
  resolution,
  zone,
  weekStart: 1,
});

test('does not change counts in their own buckets', () => {
  const series = given([1, Number.NaN, 2.5], DAY_MS);
  const curve = fixedCurve(series, view(3, 'day'));
  expect(curve.counts).toEqual(series.curve.counts);
  expect(curve.fetchedAt).toEqual(series.curve.fetchedAt);
});

test('sums whole numbers to longer buckets, which are missing if a part is, with the oldest fetch time', () => {
  const counts = Array.from({ length: 21 }, (_, i) => (i === 9 ? Number.NaN : i));
  const curve = fixedCurve(given(counts, DAY_MS), view(21, 'week'));
  expect([...curve.counts]).toEqual([21, Number.NaN, 14 + 15 + 16 + 17 + 18 + 19 + 20]);
  expect([...curve.states]).toEqual([STATE.settled, STATE.never, STATE.settled]);
  expect(curve.fetchedAt[0]).toBe(START + 94 * DAY_MS);
});

test('never sums decimals', () => {
  const curve = fixedCurve(given([0.5, 1, 1, 1, 1, 1, 1], DAY_MS), view(7, 'week'));
  expect([...curve.counts]).toEqual([Number.NaN]);
  expect([...curve.states]).toEqual([STATE.uncovered]);
});

test('does not count a bucket that the zone would split', () => {
  const curve = fixedCurve(given([5, 6], DAY_MS), view(2, 'day', 'Asia/Tokyo'));
  expect([...curve.counts].every(Number.isNaN)).toBe(true);
});

test('marks buckets beyond the ends of the file as uncovered, and those across an end as partial', () => {
  const curve = fixedCurve(given([1, 2, 3], DAY_MS, START + 6 * DAY_MS), view(21, 'week'));
  expect([...curve.counts]).toEqual([1, 5, Number.NaN]);
  expect([...curve.states]).toEqual([STATE.partial, STATE.partial, STATE.uncovered]);
});

test('sums hours to days exactly', () => {
  fc.assert(
    fc.property(
      fc.array(fc.oneof(fc.nat(1000), fc.constant(Number.NaN)), { minLength: 96, maxLength: 96 }),
      (counts) => {
        const curve = fixedCurve(given(counts, HOUR_MS), view(4, 'day'));
        const days = [0, 1, 2, 3].map((day) =>
          counts.slice(day * 24, day * 24 + 24).reduce((sum, count) => sum + count, 0),
        );
        expect([...curve.counts]).toEqual(days);
      },
    ),
  );
});

test('a series from a bundle has the same sums after it is flattened, whatever its granularity', async () => {
  const base = cellSpan(100).start;
  const span = { start: base, end: base + 31 * DAY_MS };
  const answers = fc.array(
    fc.record({
      granularity: fc.constantFrom('minute' as const, 'hour' as const, 'day' as const),
      from: fc.integer({ min: 0, max: 20 }),
      days: fc.integer({ min: 1, max: 11 }),
      count: fc.constantFrom(0, 7, 300),
    }),
    { minLength: 1, maxLength: 3 },
  );
  await fc.assert(
    fc.asyncProperty(answers, async (all) => {
      const cache = testCache();
      for (const [i, answer] of all.entries()) {
        await write(cache, { series: CATS, at: 50, id: `a${i}`, ...answer });
      }
      const held = await everything(cache);
      const contents = held.find((each): each is SeriesContents => 'records' in each);
      if (!contents) throw new Error('expected contents');
      const series: BundleSeries = {
        from: 'bundle',
        label: 'Cats',
        query: 'cats',
        source: 'platform',
        contents,
        settleMs: SETTLE_MS,
        asOf: base + 400 * DAY_MS,
      };
      const flat = flattened(series, span);
      expect(flat.origin).toBe(series);
      expect(flat.counts.some((count) => !Number.isNaN(count))).toBe(true);
      for (const resolution of ['day', 'week', 'month'] as const) {
        const direct = fixedCurve(series, { span, resolution, zone: 'UTC', weekStart: 1 });
        expect([...refit(flat, direct.bounds).counts]).toEqual([...direct.counts]);
      }
    }),
    { numRuns: runs(25) },
  );
});

const BASE = cellSpan(100).start;

/** A series from a bundle, of answers that begin at {@link BASE}. */
async function bundled(...answers: readonly Partial<Parameters<typeof write>[1]>[]) {
  const cache = testCache();
  for (const [i, answer] of answers.entries()) {
    await write(cache, { series: CATS, from: 0, days: 5, at: 50, id: `a${i}`, ...answer });
  }
  const held = await everything(cache);
  const contents = held.find((each): each is SeriesContents => 'records' in each);
  if (!contents) throw new Error('expected contents');
  const asOf = Math.max(...contents.records.map(({ segments }) => segments.at(-1)?.to ?? 0));
  const of = { label: 'Cats', query: 'cats', source: 'platform', settleMs: SETTLE_MS } as const;
  return { from: 'bundle', ...of, contents, asOf } as const;
}

test.each([
  ['Asia/Kolkata', 'day', -5.5 * HOUR_MS, 3 * DAY_MS],
  ['UTC', 'minute', 10.5 * HOUR_MS, HOUR_MS / 12],
] as const)(
  'a flattened series has minutes where the buckets need them, even with hours of the same time: %s by %s',
  async (zone, resolution, from, length) => {
    const series = await bundled({ granularity: 'hour' }, { granularity: 'minute' });
    const start = BASE + DAY_MS + from;
    const view = { span: { start, end: start + length }, resolution, zone, weekStart: 1 } as const;
    const direct = fixedCurve(series, view);
    expect(direct.counts.some(Number.isNaN)).toBe(false);
    expect([...refit(flattened(series, view.span), direct.bounds).counts]).toEqual([
      ...direct.counts,
    ]);
  },
);

test.each(['hour', 'minute'] as const)(
  'a bucket that was unfinished stays unfinished when flattened from %ss, and does not become unknown',
  async (granularity) => {
    const series = await bundled({ granularity, days: 1.5 });
    const span = { start: BASE, end: BASE + 3 * DAY_MS };
    const direct = fixedCurve(series, { span, resolution: 'day', zone: 'UTC', weekStart: 1 });
    const flat = refit(flattened(series, span), direct.bounds);
    expect([...flat.counts]).toEqual([...direct.counts]);
    expect([flat.states[0], flat.states[1]]).toEqual([direct.states[0], STATE.partial]);
  },
);
