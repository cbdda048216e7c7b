import { describe, expect, it } from 'vitest';
import { overviewShape } from '#app/chart/overview.ts';
import { STATE, type Curve } from '#core/series/series.ts';

const curveOf = (counts: readonly number[]): Curve => ({
  bounds: Float64Array.from({ length: counts.length + 1 }, (_, i) => i * 10),
  counts: Float64Array.from(counts),
  states: Uint8Array.from(counts, (count) => (Number.isNaN(count) ? STATE.never : STATE.settled)),
  fetchedAt: new Float64Array(counts.length),
});
const shape = (...lists: number[][]) =>
  overviewShape(
    lists.map((list, id) => ({ id, curve: curveOf(list), pyramid: null })),
    { start: 0, end: (lists[0]?.length ?? 0) * 10 },
    40,
    22,
  );

describe('the overview', () => {
  it('is as high as the sum of all, from side to side', () => {
    expect(shape([1, 2], [1, 2])).toEqual({
      whole: 'M0.0 22L0.0 12.0L10.0 12.0L30.0 2.0L40.0 2.0L40.0 22Z',
      part: '',
    });
  });

  it('tells what some have from what all have', () => {
    expect(shape([2, 2], [Number.NaN, 2])).toEqual({
      whole: 'M20.0 22L20.0 2.0L30.0 2.0L40.0 2.0L40.0 22Z',
      part: 'M0.0 22L0.0 12.0L10.0 12.0L20.0 12.0L20.0 22Z',
    });
  });

  it('is empty where nothing is known, flat where there is no Post', () => {
    expect(shape([Number.NaN, Number.NaN])).toEqual({ whole: '', part: '' });
    expect(shape([0, 0]).whole).toBe('M0.0 22L0.0 22.0L10.0 22.0L30.0 22.0L40.0 22.0L40.0 22Z');
    expect(shape()).toEqual({ whole: '', part: '' });
  });

  it('has a column for two px at most, however long the range is', () => {
    const { whole } = shape(Array.from({ length: 9000 }, (_, i) => i % 7));
    expect(whole.match(/L/g)?.length).toBeLessThanOrEqual(22);
  });
});
