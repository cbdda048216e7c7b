import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { bucketAt, missingSpans, summarize } from '#app/insight/summary.ts';
import { STATE, type Curve } from '#core/series/series.ts';

const { never, partial, provisional, settled } = STATE;
const NONE = Number.NaN;

function curveOf(counts: number[], states: number[]): Curve {
  return {
    bounds: Float64Array.from({ length: counts.length + 1 }, (_, i) => i * 10),
    counts: Float64Array.from(counts),
    states: Uint8Array.from(states),
    fetchedAt: new Float64Array(counts.length),
  };
}

describe('what a curve comes to', () => {
  it('sums what is known and says of how much that is', () => {
    const curve = curveOf([4, NONE, 6, 0], [settled, never, settled, settled]);
    expect(summarize(curve, 40)).toEqual({
      total: 10,
      known: 3,
      buckets: 4,
      share: 0.75,
      mean: null,
      peak: { index: 2, count: 6 },
      provisional: 0,
    });
  });

  it('leaves what has not begun out of everything', () => {
    const curve = curveOf([4, 6, NONE, NONE], [settled, settled, never, never]);
    expect(summarize(curve, 20)).toMatchObject({ total: 10, buckets: 2, share: 1, mean: 5 });
  });

  it('takes the mean of whole buckets only', () => {
    const curve = curveOf([4, 6, 1], [settled, provisional, partial]);
    expect(summarize(curve, 25)).toMatchObject({ total: 11, share: 1, mean: 5, provisional: 1 });
  });

  it.each([
    ['to the edges', { start: 10, end: 30 }, 10],
    ['by every bucket it touches', { start: 15, end: 21 }, 10],
    ['whole', { start: 0, end: 40 }, 15],
    ['up to now', { start: 20, end: 99 }, 11],
  ])('is of the part in view, %s', (_, window, total) => {
    const curve = curveOf([4, 0, 10, 1], [settled, settled, settled, settled]);
    expect(summarize(curve, 40, window).total).toBe(total);
  });

  it('has no peak where there is no Post', () => {
    expect(summarize(curveOf([0, 0], [settled, settled]), 20)).toMatchObject({
      peak: null,
      mean: 0,
    });
  });

  it('is complete only where nothing is missing', () => {
    fc.assert(
      fc.property(
        fc.array(fc.option(fc.nat(9), { nil: NONE, freq: 3 }), { minLength: 1 }),
        (counts) => {
          const curve = curveOf(
            counts,
            counts.map((c) => (Number.isNaN(c) ? never : settled)),
          );
          const { share, mean, total } = summarize(curve, 1e9);
          const missing = counts.some((count) => Number.isNaN(count));
          expect(share === 1).toBe(!missing);
          expect(mean === null).toBe(missing);
          expect(total).toBe(
            counts.reduce((sum, count) => sum + (Number.isNaN(count) ? 0 : count), 0),
          );
        },
      ),
    );
  });
});

describe('missing stretches', () => {
  it('join neighbours and end now', () => {
    const curve = curveOf(
      [1, NONE, NONE, 4, NONE, NONE],
      [settled, never, never, settled, never, never],
    );
    expect(missingSpans(curve, 45)).toEqual([
      { start: 10, end: 30 },
      { start: 40, end: 45 },
    ]);
  });

  it('are none where a quotient has no value', () => {
    expect(missingSpans(curveOf([1, NONE, NONE], [settled, settled, never]), 30)).toEqual([
      { start: 20, end: 30 },
    ]);
  });
});

describe('the bucket at an instant', () => {
  it.each([
    [-1, -1],
    [0, 0],
    [9, 0],
    [10, 1],
    [39, 3],
    [40, -1],
  ])('%i is %i', (at, index) => {
    expect(bucketAt(Float64Array.of(0, 10, 20, 30, 40), at)).toBe(index);
  });
});
