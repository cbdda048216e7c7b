import { describe, expect, it } from 'vitest';
import { seriesStyle } from '#app/ui/series-style.ts';

describe('the styles of series', () => {
  it('has another shape of points for neighbours', () => {
    for (let i = 0; i < 32; i++) {
      expect(seriesStyle(i).marker).not.toBe(seriesStyle(i + 1).marker);
    }
  });

  it('gives 32 in a row as many pairs of colour and dash', () => {
    const pairs = Array.from({ length: 32 }, (_, i) => JSON.stringify(seriesStyle(i)));
    expect(new Set(pairs).size).toBe(32);
  });

  it('begins solid, dashed, dotted, dash-dotted', () => {
    expect([0, 1, 2, 3].map((i) => seriesStyle(i).dash)).toEqual([
      [],
      [6, 3],
      [2, 3],
      [8, 3, 2, 3],
    ]);
  });
});
