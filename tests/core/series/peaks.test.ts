import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { MIN_BUCKETS } from '#core/series/baseline.ts';
import { findPeaks, findPeaksLater, searchHours } from '#core/series/peaks.ts';
import { STATE } from '#core/series/series.ts';
import { DAY_MS, HOUR_MS, MINUTE_MS } from '#core/time/span.ts';
import { offsetAt, zoneTable } from '#core/time/zone.ts';
import { curveOf, noise, zonedCurve } from './a-curve.ts';

const START = Date.UTC(2025, 0, 6);
const ends = (peaks: readonly { from: number; to: number }[]): number[][] =>
  peaks.map(({ from, to }) => [from, to]);

describe('peaks of a long curve', () => {
  it('are the same in steps and with its hours searched elsewhere', async () => {
    const of = noise(5);
    const counts = Array.from({ length: 1_200_000 }, (_, i) => of(3) + (i % 90_000 < 40 ? 60 : 0));
    const curve = curveOf(counts, START + 7 * MINUTE_MS, MINUTE_MS);
    curve.states.fill(STATE.never, 700_000, 700_090);
    curve.counts.fill(NaN, 700_000, 700_090);
    let pauses = 0;
    const got = await findPeaksLater(curve, 'Europe/Berlin', {
      pause: async () => void (pauses += 1),
      // As through a worker: plain data.
      search: async (...hours) => structuredClone(searchHours(...structuredClone(hours))),
    });
    const { peaks, baseline, whole } = findPeaks(curve, 'Europe/Berlin');
    expect(pauses).toBe(2);
    expect(peaks.length).toBeGreaterThan(9);
    expect([got.peaks, got.whole]).toEqual([peaks, whole]);
    for (const i of [0, 53, 600_000, 700_030, 1_199_999]) {
      expect(got.baseline?.expected(i)).toBe(baseline?.expected(i));
      expect(got.baseline?.spread(i)).toBe(baseline?.spread(i));
    }
  });
});

describe('peaks', () => {
  it.each([
    ['quiet', 0.2],
    ['middling', 8],
    ['busy', 4000],
  ])('are not found in plain %s noise', (_, mean) => {
    const of = noise(7);
    const curve = curveOf(Array.from({ length: 20_000 }, () => of(mean)));
    expect(findPeaks(curve, 'UTC').peaks).toEqual([]);
  });

  it.each([
    ['minutes', MINUTE_MS, 1440],
    ['hours', HOUR_MS, 24 * 60],
    ['days', DAY_MS, 500],
    ['weeks', 7 * DAY_MS, 100],
    ['months', 30 * DAY_MS, 36],
  ])(
    'are found in %s at their place, with their Posts and the expected number',
    (_, width, size) => {
      const of = noise(3);
      const counts = Array.from({ length: size }, () => of(400));
      const at = Math.floor(size * 0.6);
      counts[at] = 1700;
      counts[at + 1] = 2100;
      const { peaks } = findPeaks(curveOf(counts, START, width), 'UTC');
      expect(ends(peaks)).toEqual([[at, at + 2]]);
      const [peak] = peaks;
      expect(peak?.summit).toBe(at + 1);
      expect(peak?.count).toBe(3800);
      expect(peak?.expected).toBeGreaterThan(760);
      expect(peak?.expected).toBeLessThan(840);
      expect(peak?.excess).toBeCloseTo(3800 - (peak?.expected ?? 0));
      expect(peak?.factor).toBeCloseTo(3800 / (peak?.expected ?? 0));
      expect(peak?.score).toBeGreaterThan(12);
    },
  );

  it.each(['America/New_York', 'Asia/Kolkata', 'UTC'])(
    'are not found if the same hours of each local day are busy, over clock changes, in %s',
    (zone) => {
      const of = noise(11);
      const end = START + 400 * DAY_MS;
      const table = zoneTable(zone, { start: START, end });
      const busy = (at: number): number => {
        const local = new Date(at + offsetAt(table, at));
        const weekend = local.getUTCDay() % 6 === 0;
        return local.getUTCHours() === 20 ? (weekend ? 300 : 900) : 60;
      };
      const curve = zonedCurve('hour', zone, START, end, (at) => of(busy(at)));
      expect(findPeaks(curve, zone).peaks).toEqual([]);
      // The same count at another hour is a peak.
      const late = curve.counts.indexOf(Math.min(...curve.counts.slice(3000, 3024)), 3000);
      curve.counts[late] = 900;
      expect(ends(findPeaks(curve, zone).peaks)).toEqual([[late, late + 1]]);
    },
  );

  it('are relative to a weekday’s own level and its slow rise', () => {
    const of = noise(5);
    const counts = Array.from({ length: 900 }, (_, i) =>
      of((i % 7 < 5 ? 300 : 90) * (1 + i / 300)),
    );
    expect(findPeaks(curveOf(counts, START, DAY_MS), 'UTC').peaks).toEqual([]);
    const sunday = 699;
    counts[sunday] = 1000;
    expect(ends(findPeaks(curveOf(counts, START, DAY_MS), 'UTC').peaks)).toEqual([
      [sunday, sunday + 1],
    ]);
  });

  it('are sorted by excess, the largest first, however high a short one is', () => {
    const of = noise(2);
    const counts = Array.from({ length: 3000 }, () => of(100));
    counts[500] = 2000;
    for (let i = 2000; i < 2010; i += 1) counts[i] = 900;
    const { peaks } = findPeaks(curveOf(counts, START), 'UTC');
    expect(ends(peaks)).toEqual([
      [2000, 2010],
      [500, 501],
    ]);
  });

  it('bridge a lull of some hours, not one of days', () => {
    const of = noise(2);
    const counts = Array.from({ length: 3000 }, () => of(100));
    for (const i of [500, 508, 1000, 1040]) counts[i] = 2000;
    expect(
      ends(findPeaks(curveOf(counts, START), 'UTC').peaks).sort((a, b) => a[0]! - b[0]!),
    ).toEqual([
      [500, 509],
      [1000, 1001],
      [1040, 1041],
    ]);
  });

  it('do not include a missing bucket, which separates two peaks', () => {
    const of = noise(2);
    const counts = Array.from({ length: 600 }, () => of(100));
    for (let i = 300; i < 305; i += 1) counts[i] = 900;
    counts[302] = NaN;
    const curve = curveOf(counts, START);
    curve.states[302] = STATE.failed;
    const { peaks, baseline } = findPeaks(curve, 'UTC');
    expect(ends(peaks).sort((a, b) => a[0]! - b[0]!)).toEqual([
      [300, 302],
      [303, 305],
    ]);
    expect(baseline?.expected(302)).toBeNaN();
  });

  it('include a partial bucket only if it is already above, and the baseline ignores it', () => {
    const of = noise(2);
    const counts = Array.from({ length: 600 }, () => of(100));
    const cut = curveOf(counts, START);
    cut.states[599] = STATE.partial;
    cut.counts[599] = 20;
    expect(findPeaks(cut, 'UTC').peaks).toEqual([]);
    cut.counts[599] = 800;
    expect(ends(findPeaks(cut, 'UTC').peaks)).toEqual([[599, 600]]);
    const whole = curveOf(counts.slice(0, -1), START);
    const of599 = findPeaks(cut, 'UTC').baseline?.expected(200);
    expect(of599).toBe(findPeaks(whole, 'UTC').baseline?.expected(200));
  });

  it('have no baseline if too few buckets are whole', () => {
    const counts = Array.from({ length: MIN_BUCKETS }, (_, i) => (i === 5 ? 900 : 10));
    const enough = curveOf(counts, START, DAY_MS);
    expect(findPeaks(enough, 'UTC').peaks).toHaveLength(1);
    enough.states[0] = STATE.partial;
    expect(findPeaks(enough, 'UTC')).toEqual({
      peaks: [],
      baseline: null,
      whole: MIN_BUCKETS - 1,
    });
    expect(findPeaks(curveOf([]), 'UTC').baseline).toBeNull();
  });

  it('are found by the hour in many minutes, with ends and summit to the minute', () => {
    const of = noise(9);
    const counts = Array.from({ length: 60 * 24 * 60 }, () => of(5));
    const at = 40_007;
    for (let i = 0; i < 90; i += 1) counts[at + i] = 200 - i;
    counts[at + 4] = 600;
    const { peaks, baseline } = findPeaks(curveOf(counts, START, MINUTE_MS), 'UTC');
    expect(peaks).toHaveLength(1);
    expect(peaks[0]).toMatchObject({ from: at, summit: at + 4, to: at + 90 });
    expect(baseline?.expected(0)).toBeGreaterThan(4);
    expect(baseline?.expected(0)).toBeLessThan(6);
  });

  it('have for any counts correct sums of Posts and expected numbers, without overlaps or missing buckets', () => {
    const counts = fc.array(
      fc.oneof(
        { weight: 9, arbitrary: fc.nat(30) },
        { weight: 1, arbitrary: fc.nat(3000) },
        { weight: 1, arbitrary: fc.constant(NaN) },
      ),
      { minLength: MIN_BUCKETS, maxLength: 400 },
    );
    fc.assert(
      fc.property(counts, fc.constantFrom(HOUR_MS, DAY_MS), (given, width) => {
        const curve = curveOf(given, START, width);
        given.forEach((n, i) => (curve.states[i] = Number.isNaN(n) ? STATE.never : STATE.settled));
        const { peaks, baseline } = findPeaks(curve, 'UTC');
        for (const { from, to, summit, count, expected, excess } of peaks) {
          let sum = 0;
          let due = 0;
          for (let i = from; i < to; i += 1) {
            sum += given[i] ?? NaN;
            due += baseline?.expected(i) ?? NaN;
          }
          expect(count).toBe(sum);
          expect(expected).toBe(due);
          expect(excess).toBeGreaterThan(0);
          expect(summit >= from && summit < to).toBe(true);
        }
        const sorted = ends(peaks).sort((a, b) => a[0]! - b[0]!);
        sorted.forEach(([, to = 0], i) =>
          expect(to <= (sorted[i + 1]?.[0] ?? Infinity)).toBe(true),
        );
      }),
    );
  });
});
