import { describe, expect, it } from 'vitest';
import { overviewShape } from '#app/chart/draw/overview.ts';
import { curveOf } from '#tests/core/series/curves.ts';

const shape = (...lists: number[][]) =>
  overviewShape(
    lists.map((list, id) => ({ id, curve: curveOf(list), pyramid: null })),
    { start: 0, end: (lists[0]?.length ?? 0) * 10 },
    40,
    22,
  );

describe('the overview', () => {
  it('shows the sum of all series over the full width', () => {
    expect(shape([1, 2], [1, 2])).toEqual({
      whole: 'M0.0 22L0.0 12.0L10.0 12.0L30.0 2.0L40.0 2.0L40.0 22Z',
      part: '',
    });
  });

  it('separates times known for some series from those known for all', () => {
    expect(shape([2, 2], [Number.NaN, 2])).toEqual({
      whole: 'M20.0 22L20.0 2.0L30.0 2.0L40.0 2.0L40.0 22Z',
      part: 'M0.0 22L0.0 12.0L10.0 12.0L20.0 12.0L20.0 22Z',
    });
  });

  it('is empty where nothing is known, and flat where there are no Posts', () => {
    expect(shape([Number.NaN, Number.NaN])).toEqual({ whole: '', part: '' });
    expect(shape([0, 0]).whole).toBe('M0.0 22L0.0 22.0L10.0 22.0L30.0 22.0L40.0 22.0L40.0 22Z');
    expect(shape()).toEqual({ whole: '', part: '' });
  });

  it('has at most one column per two px, however long the range is', () => {
    const { whole } = shape(Array.from({ length: 9000 }, (_, i) => i % 7));
    expect(whole.match(/L/g)?.length).toBeLessThanOrEqual(22);
  });
});
