import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { STATE, type Curve } from '#core/series/series.ts';
import {
  averageOf,
  cumulativeOf,
  indexBase,
  isWhole,
  meanOf,
  rateOf,
  sumOf,
  trackOf,
} from '#core/series/trend.ts';

/** A bucket: its count, null if missing, and whether it has ended. */
interface Bucket {
  readonly count: number | null;
  readonly whole: boolean;
}

const W = (count: number): Bucket => ({ count, whole: true });
const U = (count: number): Bucket => ({ count, whole: false });
const GONE: Bucket = { count: null, whole: true };

function curveOf(buckets: readonly Bucket[]): Curve {
  return {
    bounds: Float64Array.from({ length: buckets.length + 1 }, (_, i) => i * 60_000),
    counts: Float64Array.from(buckets, ({ count }) => count ?? NaN),
    states: Uint8Array.from(buckets, ({ count, whole }) =>
      count === null ? STATE.never : whole ? STATE.settled : STATE.partial,
    ),
    fetchedAt: new Float64Array(buckets.length),
  };
}
const track = (...buckets: Bucket[]) => trackOf(curveOf(buckets), null);

const bucket = fc.oneof(
  { weight: 40, arbitrary: fc.nat(500).map(W) },
  { weight: 1, arbitrary: fc.constant(GONE) },
  { weight: 1, arbitrary: fc.nat(500).map(U) },
);
/** Buckets and a non-empty stretch `[from, to)` of them. */
const stretch = fc
  .array(bucket, { minLength: 1, maxLength: 400, size: 'max' })
  .chain((buckets) =>
    fc
      .tuple(fc.nat(buckets.length - 1), fc.integer({ min: 1, max: 60 }))
      .map(([from, size]) => ({ buckets, from, to: Math.min(buckets.length, from + size) })),
  );

/** The same by reading every bucket. */
const known = (part: readonly Bucket[]) => part.every(({ count }) => count !== null);
const total = (part: readonly Bucket[]) => part.reduce((sum, { count }) => sum + (count ?? 0), 0);

describe('a stretch of a curve', () => {
  it('has the sum of its buckets, and none if one is missing', () => {
    fc.assert(
      fc.property(stretch, ({ buckets, from, to }) => {
        const part = buckets.slice(from, to);
        const one = track(...buckets);
        expect(sumOf(one, from, to)).toBe(known(part) ? total(part) : NaN);
        expect(isWhole(one, from, to)).toBe(
          part.every(({ count, whole }) => count === null || whole),
        );
      }),
    );
  });

  it('has a mean only if every bucket is known and whole', () => {
    fc.assert(
      fc.property(stretch, ({ buckets, from, to }) => {
        const part = buckets.slice(from, to);
        const fine = known(part) && part.every(({ whole }) => whole);
        expect(meanOf(track(...buckets), from, to)).toBe(fine ? total(part) / part.length : NaN);
      }),
    );
  });

  it('is prepared once for a curve', () => {
    const curve = curveOf([W(1)]);
    expect(trackOf(curve, null)).toBe(trackOf(curve, null));
  });
});

describe('a moving average', () => {
  it('is the mean of the last buckets, and none if one is missing, unfinished or before the start', () => {
    fc.assert(
      fc.property(stretch, fc.integer({ min: 1, max: 40 }), ({ buckets, to }, length) => {
        const part = buckets.slice(Math.max(0, to - length), to);
        const fine = part.length === length && known(part) && part.every(({ whole }) => whole);
        expect(averageOf(track(...buckets), to - 1, to, length)).toBe(
          fine ? total(part) / length : NaN,
        );
      }),
    );
  });

  it('includes everything in a column that has more', () => {
    expect(averageOf(track(W(9), W(1), W(2), W(3)), 1, 4, 2)).toBe(2);
  });
});

describe('a running total', () => {
  it('grows by every bucket and ends at the first missing one', () => {
    const one = track(W(5), W(1), W(2), GONE, W(4));
    expect([2, 3, 4, 5].map((to) => cumulativeOf(one, 1, to))).toEqual([1, 3, NaN, NaN]);
    expect(cumulativeOf(one, 3, 3)).toBe(NaN);
  });

  it('includes an unfinished bucket at its ends, and does not continue over one', () => {
    expect([1, 2, 3].map((to) => cumulativeOf(track(U(1), W(2), U(3)), 0, to))).toEqual([1, 3, 6]);
    expect([2, 3].map((to) => cumulativeOf(track(W(1), U(2), W(3)), 0, to))).toEqual([3, NaN]);
  });

  it('never falls', () => {
    fc.assert(
      fc.property(stretch, ({ buckets, from, to }) => {
        const one = track(...buckets);
        const sums = Array.from({ length: to - from }, (_, i) =>
          cumulativeOf(one, from, from + i + 1),
        );
        const ended = sums.findIndex((sum) => Number.isNaN(sum));
        const drawn = ended < 0 ? sums : sums.slice(0, ended);
        expect(drawn).toEqual([...drawn].sort((a, b) => a - b));
        if (ended >= 0) expect(sums.slice(ended).every((sum) => Number.isNaN(sum))).toBe(true);
      }),
    );
  });
});

describe('a rate', () => {
  it('compares the same buckets of both', () => {
    expect(rateOf(track(W(1), W(3)), track(W(10), W(30)), 0, 2, 100)).toBe(10);
  });

  it.each([
    ['the other has none', track(W(1)), track(W(0))],
    ['it is missing', track(GONE), track(W(9))],
    ['the other is missing', track(W(9)), track(GONE)],
    ['only one of them is over', track(W(9)), track(U(9))],
  ])('is unknown if %s', (_, one, base) => {
    expect(rateOf(one, base, 0, 1, 100)).toBe(NaN);
  });

  it('may use one unfinished bucket of both, but not several', () => {
    const [one, base] = [track(W(1), U(1)), track(W(2), U(4))];
    expect(rateOf(one, base, 1, 2, 100)).toBe(25);
    expect(rateOf(one, base, 0, 2, 100)).toBe(NaN);
  });
});

describe('where an index begins', () => {
  it('is the mean of seven whole buckets in a row, the first with a Post', () => {
    const week = [W(4), W(0), W(1), W(2), W(3), W(4), W(7)];
    const one = track(W(7), GONE, W(0), U(3), ...week, W(90));
    expect(indexBase(one, 1, 12)).toBe(3);
    expect(indexBase(one, 1, 11)).toBe(3);
    expect(indexBase(one, 1, 10)).toBeNaN();
    expect(indexBase(track(W(9), GONE, ...week), 0, 9)).toBe(3);
  });
});
