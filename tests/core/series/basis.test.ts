import { describe, expect, it } from 'vitest';
import {
  basisBuckets,
  basisFigures,
  basisOfGiven,
  basisUnit,
  combineBases,
  sliceOf,
  type Basis,
} from '#core/series/basis.ts';
import { STATE } from '#core/series/series.ts';
import { DAY_MS, HOUR_MS } from '#core/time/span.ts';
import { curveOf } from './a-curve.ts';
import { pairOf } from './formulas.ts';

const hours = (n: number) => ({ start: 0, end: n * HOUR_MS });
const edges = (...at: number[]): Float64Array => Float64Array.from(at, (hour) => hour * HOUR_MS);
const given = (counts: number[], now = Infinity): Basis => {
  const basis = basisOfGiven(
    curveOf(counts),
    'hour',
    edges(...Array.from({ length: counts.length + 1 }, (_, i) => i)),
    now,
  );
  if (!basis) throw new Error('expected a basis');
  return basis;
};

describe('basisUnit', () => {
  it.each([
    [12, false, 'minute'],
    [12, true, 'hour'],
    [13, false, 'hour'],
    [240, false, 'hour'],
    [241, true, 'day'],
  ] as const)('of %i hours, priced: %s, is the %s', (n, priced, unit) => {
    expect(basisUnit(hours(n), priced)).toBe(unit);
  });
});

describe('the basis of given counts', () => {
  it('has their sums, and the time that has passed', () => {
    const basis = basisOfGiven(curveOf([1, 2, 3, 4]), 'hour', edges(0, 2, 4), 3 * HOUR_MS);
    expect(basis?.known).toEqual(Float64Array.of(3, 7));
    expect(basis?.knownMs).toEqual(Float64Array.of(2 * HOUR_MS, HOUR_MS));
    expect(basis?.coveredMs).toEqual(Float64Array.of(2 * HOUR_MS, HOUR_MS));
    expect(basis?.until).toBe(3 * HOUR_MS);
  });

  it('counts a missing value as none, over no time', () => {
    const curve = curveOf([1, NaN]);
    curve.states[1] = STATE.never;
    const basis = basisOfGiven(curve, 'hour', edges(0, 1, 2), Infinity);
    expect(basis?.known).toEqual(Float64Array.of(1, 0));
    expect(basis?.knownMs).toEqual(Float64Array.of(HOUR_MS, 0));
    expect(basis?.coveredMs).toEqual(Float64Array.of(HOUR_MS, HOUR_MS));
  });

  it.each([
    ['an edge splits a bucket', [1, 2], edges(0, 1.5, 2)],
    ['a count is not whole', [1, 0.5], edges(0, 1, 2)],
  ])('is absent if %s', (_, counts, at) => {
    expect(basisOfGiven(curveOf(counts), 'hour', at, Infinity)).toBeNull();
  });
});

describe('the basis of a combination', () => {
  it('has the shorter times and the earlier end of the two', () => {
    const [a, b] = [given([4, 5], 90 * 60_000), given([1, 1])];
    const both = combineBases(pairOf('difference', a, b));
    expect(both?.known).toEqual(Float64Array.of(3, 4));
    expect(both?.knownMs).toEqual(Float64Array.of(HOUR_MS, HOUR_MS / 2));
    expect(both?.until).toBe(90 * 60_000);
  });

  it('is absent if the two have different buckets or units', () => {
    expect(combineBases(pairOf('sum', given([1]), given([1, 2])))).toBeNull();
    expect(combineBases(pairOf('sum', given([1]), { ...given([1]), unit: 'day' }))).toBeNull();
  });
});

describe('a window of a basis', () => {
  const basis = given([1, 2, 4, 8], 3.5 * HOUR_MS);

  it('has the sums of its buckets, and the time that has passed', () => {
    const buckets = basisBuckets(basis, { start: HOUR_MS, end: 4 * HOUR_MS });
    expect(buckets).toEqual({ first: 1, end: 4 });
    expect(basisFigures(basis, { first: 1, end: 4 })).toEqual({
      total: 14,
      knownMs: 2.5 * HOUR_MS,
      coveredMs: 2.5 * HOUR_MS,
      elapsedMs: 2.5 * HOUR_MS,
    });
  });

  it.each([
    [0.5, 2],
    [1, 2.5],
    [-1, 2],
    [2, 5],
  ])('must begin and end at edges: not %d to %d', (from, to) => {
    expect(basisBuckets(basis, { start: from * HOUR_MS, end: to * HOUR_MS })).toBeNull();
  });
});

it('takes consecutive buckets out of a curve, or none', () => {
  const expected = curveOf([2, 3], DAY_MS, DAY_MS);
  expected.fetchedAt.fill(0);
  const curve = curveOf([1, 2, 3], 0, DAY_MS);
  expect(sliceOf(curve, { first: 1, end: 3 })).toEqual(expected);
  expect(sliceOf(curve, { first: 1, end: 1 }).bounds).toHaveLength(0);
});
