import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { STATE } from '#core/series/series.ts';
import { trackOf } from '#core/series/trend.ts';
import { trendLineOf } from '#core/series/trend-line.ts';
import { DAY_MS } from '#core/time/span.ts';
import { curveOf } from './a-curve.ts';
import { runs } from '#tests/support/run/runs.ts';

const days = (counts: ArrayLike<number>) => curveOf(counts, Date.UTC(2026, 0, 1), DAY_MS);
const all = (counts: ArrayLike<number>) =>
  trendLineOf(trackOf(days(counts), null), { first: 0, end: counts.length });
const perDay = (line: ReturnType<typeof trendLineOf>): number => (line?.slope ?? NaN) * DAY_MS;
const counts = fc.array(fc.nat(1000), { minLength: 5, maxLength: 300 });

describe('a trend line', () => {
  it('is a straight line that the counts are on', () => {
    fc.assert(
      fc.property(
        fc.integer({ min: 5, max: 900 }),
        fc.integer({ min: -9, max: 9 }),
        (size, step) => {
          const line = all(Array.from({ length: size }, (_, i) => 10_000 + step * i));
          expect(perDay(line)).toBeCloseTo(step, 6);
          const value = (line?.value ?? 0) + perDay(line) * (size - 1);
          expect(value).toBeCloseTo(10_000 + step * (size - 1), 4);
        },
      ),
      { numRuns: runs(50) },
    );
  });

  it('scales with the counts and moves with a constant', () => {
    fc.assert(
      fc.property(counts, fc.integer({ min: 1, max: 50 }), fc.nat(500), (some, factor, more) => {
        const line = all(some);
        const other = all(some.map((n) => n * factor + more));
        expect(perDay(other)).toBeCloseTo(perDay(line) * factor, 6);
        expect(other?.value).toBeCloseTo((line?.value ?? 0) * factor + more, 4);
      }),
      { numRuns: runs(50) },
    );
  });

  it('points the other way when time runs backwards', () => {
    fc.assert(
      fc.property(
        counts.filter((some) => some.length <= 200),
        (some) => {
          expect(perDay(all(some.toReversed()))).toBeCloseTo(-perDay(all(some)), 6);
        },
      ),
      { numRuns: runs(30) },
    );
  });

  it('is not tilted by a peak', () => {
    const flat = Array.from({ length: 40 }, (_, i) => 100 + (i % 3));
    expect(Math.abs(perDay(all(flat.with(38, 90_000))))).toBeLessThan(0.1);
  });

  it('leaves out unfinished and missing buckets, and those out of view', () => {
    const curve = days([9000, 10, 20, 0, 40, 50, 60, 1]);
    curve.states[3] = STATE.never;
    curve.counts[3] = NaN;
    curve.states[7] = STATE.partial;
    const line = trendLineOf(trackOf(curve, null), { first: 1, end: 8 });
    expect(perDay(line)).toBeCloseTo(10, 9);
    expect(line).toMatchObject({
      from: Date.UTC(2026, 0, 2, 12),
      to: Date.UTC(2026, 0, 7, 12),
      value: 10,
    });
  });

  it('averages runs of whole buckets in any window as reading each would', () => {
    const bucket = fc.record({
      count: fc.oneof({ weight: 6, arbitrary: fc.nat(50) }, fc.constant(NaN)),
      state: fc.constantFrom(STATE.settled, STATE.provisional, STATE.partial),
    });
    fc.assert(
      fc.property(
        fc.array(bucket, { minLength: 5, maxLength: 1500, size: 'max' }),
        fc.nat(),
        (buckets, cut) => {
          const curve = days(buckets.map(({ count }) => count));
          for (const [i, { state }] of buckets.entries()) curve.states[i] = state;
          const end = buckets.length - (cut % 5);
          const whole = buckets.flatMap(({ count, state }, i) =>
            i >= cut % 7 && i < end && state !== STATE.partial && !Number.isNaN(count) ? [i] : [],
          );
          const line = trendLineOf(trackOf(curve, null), { first: cut % 7, end });
          if (whole.length < 5) expect(line).toBeNull();
          else {
            const middle = (i = 0): number => Date.UTC(2026, 0, 1) + (i + 0.5) * DAY_MS;
            expect([line?.from, line?.to]).toEqual([middle(whole[0]), middle(whole.at(-1))]);
            // Without the buckets that are left out, their places apart, the line is the same.
            const counts = new Float64Array(curve.counts.length).fill(NaN);
            for (const i of whole) counts[i] = curve.counts[i] ?? NaN;
            const same = trendLineOf(trackOf(days(counts), null), { first: 0, end: counts.length });
            expect(line?.slope).toBe(same?.slope);
          }
        },
      ),
      { numRuns: runs(50) },
    );
  });

  it('needs five buckets', () => {
    expect(all([1, 2, 3, 4])).toBeNull();
    expect(all([1, 2, 3, 4, 5])).not.toBeNull();
  });
});
