import { describe, expect, it } from 'vitest';
import { readingAt, unsettledTail } from '#app/chart/settled-tail.ts';
import { seriesStyle } from '#app/ui/series-style.ts';
import { STATE, type Curve } from '#core/series/series.ts';

const { never, partial, provisional, settled } = STATE;

function curveOf(counts: number[], states: number[]): Curve {
  return {
    bounds: Float64Array.from({ length: counts.length + 1 }, (_, i) => i * 10),
    counts: Float64Array.from(counts),
    states: Uint8Array.from(states),
    fetchedAt: new Float64Array(counts.length),
  };
}

const series = (id: number, curve: Curve) => ({
  id,
  name: `series ${id}`,
  style: seriesStyle(id),
  curve,
  pyramid: null,
});

const list = [
  series(1, curveOf([1, 2, 3, Number.NaN], [settled, provisional, partial, never])),
  series(2, curveOf([9, Number.NaN, 8, Number.NaN], [settled, never, settled, never])),
];

describe('the values at an instant', () => {
  it('are those of its bucket, the largest first, the unknown last', () => {
    expect(readingAt(list, 5, 25)).toMatchObject({
      start: 0,
      end: 10,
      rows: [
        { id: 2, count: 9, note: '' },
        { id: 1, count: 1, note: '' },
      ],
    });
    expect(readingAt(list, 15, 25)?.rows.map(({ id, note }) => [id, note])).toEqual([
      [1, 'may still change a little'],
      [2, ''],
    ]);
  });

  it.each([
    [25, 25, 'not over yet'],
    [25, 99, 'cut by the range'],
  ])('at %i of %i says why a bucket is unfinished: %s', (at, now, note) => {
    expect(readingAt(list, at, now)?.rows[1]?.note).toBe(note);
  });

  it('tells what is not known from what is not yet', () => {
    expect(readingAt(list, 35, 99)?.rows[0]?.instead).toBe('not known');
    expect(readingAt(list, 35, 25)?.rows[0]?.instead).toBe('not yet');
  });

  it('are none where no series reaches', () => {
    expect(readingAt(list, 40, 99)).toBeNull();
    expect(readingAt([], 5, 99)).toBeNull();
  });
});

describe('what may still change', () => {
  it('begins after the last settled bucket and ends where it is told', () => {
    const curve = curveOf([1, 2, 3], [settled, provisional, provisional]);
    expect(unsettledTail([curve], 25)).toEqual({ start: 10, end: 25 });
  });

  it('is nothing where all is settled', () => {
    expect(unsettledTail([curveOf([1, 2], [settled, settled])], 99)).toBeNull();
  });
});
