import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { STATE } from '#core/series/series.ts';
import { medianPerBucket } from '#core/series/bucket-median.ts';
import { median } from '#core/series/median.ts';
import { statistics, type Reason } from '#core/series/statistics.ts';
import { runs } from '#tests/support/run/runs.ts';
import { curveOf, longCurve, twoCurves } from './curves.ts';
import { buildPyramid } from '#core/series/pyramid/build-pyramid.ts';

const NONE = Number.NaN;
const { failed, never, partial, provisional, settled, uncovered } = STATE;

describe('statistics of a curve', () => {
  it('cover whole buckets, and state how much is known', () => {
    const curve = curveOf([9, 4, 0, 7, 90], {
      states: [partial, settled, settled, provisional, partial],
    });
    const of = statistics(curve, 45);
    expect(of).toEqual({
      buckets: 5,
      known: 5,
      missing: 0,
      uncovered: 0,
      undefined: 0,
      whole: 3,
      provisional: 1,
      elapsedMs: 50,
      knownMs: 50,
      uncoveredMs: 0,
      total: 110,
      wholeTotal: { ok: true, value: 11 },
      mean: { ok: true, value: 11 / 3 },
      lowest: { index: 2, value: 0 },
      highest: { index: 3, value: 7 },
      peak: { index: 4, value: 90 },
    });
    expect(medianPerBucket(curve, of, 45)).toEqual({ ok: true, value: 4 });
  });

  it.each<[string, Reason, number[], number[], number]>([
    ['has begun', 'nothing', [NONE], [never], 0],
    ['is missing', 'missing', [1, NONE, NONE], [settled, failed, uncovered], 30],
    ['is covered', 'uncovered', [NONE, NONE, NONE], [uncovered, uncovered, uncovered], 30],
    ['is a quotient by zero', 'undefined', [1, NONE, 3], [settled, settled, partial], 30],
    ['is whole', 'partial', [1, 2], [partial, partial], 30],
  ])('have no mean and no median if a bucket or none %s', (_, why, counts, states, now) => {
    const curve = curveOf(counts, { states });
    const of = statistics(curve, now);
    for (const result of [of.mean, of.wholeTotal, medianPerBucket(curve, of, now)]) {
      expect(result).toEqual({ ok: false, why });
    }
  });

  it('cover what the source covers: mean and median ignore the rest', () => {
    const curve = curveOf([NONE, NONE, 5, 1, 3], {
      states: [uncovered, uncovered, partial, settled, settled],
    });
    const of = statistics(curve, 50);
    expect(of).toMatchObject({ known: 3, missing: 0, uncovered: 2, total: 9 });
    expect(of.mean).toEqual({ ok: true, value: 2 });
    expect(medianPerBucket(curve, of, 50)).toEqual({ ok: true, value: 2 });
  });

  it('have a mean of the buckets that have begun, although later ones are unknown', () => {
    const curve = curveOf([1, 3, NONE, NONE]);
    expect(statistics(curve, 20).mean).toEqual({ ok: true, value: 2 });
    expect(statistics(curve, 21).mean).toEqual({ ok: false, why: 'missing' });
  });

  it('cover the buckets that a window touches', () => {
    const curve = curveOf([NONE, 2, 4, 60, NONE]);
    const window = { start: 15, end: 31 };
    const of = statistics(curve, 99, window);
    expect(of).toMatchObject({ buckets: 3, mean: { ok: true, value: 22 } });
    expect(medianPerBucket(curve, of, 99, window)).toEqual({ ok: true, value: 4 });
    expect(statistics(curve, 99, { start: 60, end: 90 }).mean).toEqual({
      ok: false,
      why: 'nothing',
    });
  });

  it('agree with a naive computation for any curve', () => {
    fc.assert(
      fc.property(twoCurves, ([curve]) => {
        const of = statistics(curve, Infinity);
        const known = [...curve.counts].filter((count) => !Number.isNaN(count));
        const whole = [...curve.counts].filter((_, i) => (curve.states[i] ?? 0) >= provisional);
        expect(of.known + of.missing + of.uncovered + of.undefined).toBe(of.buckets);
        expect(of.knownMs).toBe(known.length * 10);
        expect(of.total).toBe(known.reduce((sum, count) => sum + count, 0));
        expect(of.highest?.value ?? -Infinity).toBe(Math.max(...whole));
        expect(of.lowest?.value ?? Infinity).toBe(Math.min(...whole));
        const covered = curve.counts.length - of.uncovered;
        expect(of.uncoveredMs).toBe(of.uncovered * 10);
        const complete = known.length === covered && whole.length > 0;
        expect(of.mean.ok).toBe(complete);
        if (of.mean.ok) {
          expect(of.mean.value * whole.length).toBeCloseTo(
            whole.reduce((sum, n) => sum + n, 0),
            9,
          );
        }
      }),
    );
  });
});

describe('the median per bucket', () => {
  it.each([
    ['small counts', (n: number) => n],
    ['great counts', (n: number) => n + 70_000],
    ['fractions', (n: number) => n / 3],
    ['differences', (n: number) => n - 5],
  ])('is that of the whole buckets, for %s', (_, make) => {
    fc.assert(
      fc.property(fc.array(fc.tuple(fc.nat(9), fc.boolean()), { minLength: 1 }), (rows) => {
        fc.pre(rows.some(([, cut]) => !cut));
        const curve = curveOf(
          rows.map(([n]) => make(n)),
          { states: rows.map(([, cut]) => (cut ? partial : settled)) },
        );
        const whole = rows.filter(([, cut]) => !cut).map(([n]) => make(n));
        const of = statistics(curve, Infinity);
        expect(medianPerBucket(curve, of, Infinity)).toEqual({
          ok: true,
          value: median(Float64Array.from(whole)),
        });
      }),
    );
  });
});

describe('the median', () => {
  const sorted = (values: readonly number[]): number => {
    const all = [...values].sort((a, b) => a - b);
    const half = all.length >> 1;
    return all.length % 2 === 1
      ? (all[half] ?? NONE)
      : ((all[half - 1] ?? NONE) + (all[half] ?? NONE)) / 2;
  };

  it('is the middle sorted value, or the midpoint of two', () => {
    fc.assert(
      fc.property(
        fc.oneof(
          fc.array(fc.nat(5), { minLength: 1 }),
          fc.array(fc.nat(1e6), { minLength: 1, maxLength: 500 }),
        ),
        (values) => {
          expect(median(Float64Array.from(values))).toBe(sorted(values));
        },
      ),
    );
    expect(median(new Float64Array())).toBeNaN();
  });

  it('is right if the middle is always the worst pivot', () => {
    // Built backwards from the choice of the pivot, so that each round removes at most two values.
    const size = 2000;
    const places = Array.from({ length: size }, (_, i) => i);
    const hard = new Float64Array(size);
    for (let low = 0; low < size; low++) {
      const middle = low + ((size - 1 - low) >> 1);
      hard[places[middle] ?? 0] = low;
      places[middle] = places[low] ?? 0;
    }
    expect(median(hard.slice())).toBe(sorted([...hard]));
  });
});

describe('statistics with a pyramid', () => {
  it('are the same, whatever is known', () => {
    fc.assert(
      fc.property(longCurve, fc.nat(), fc.nat(), (curve, a, b) => {
        const pyramid = buildPyramid(curve.counts, curve.states);
        const end = (curve.bounds.at(-1) ?? 0) + 1;
        const window = { start: Math.min(a % end, b % end), end: (a % end) + (b % end) + 1 };
        for (const within of [null, window]) {
          for (const now of [end, a % end]) {
            const of = statistics(curve, now, within);
            expect(statistics(curve, now, within, pyramid)).toEqual(of);
          }
        }
      }),
      { numRuns: runs(300) },
    );
  });
});
