import { describe, expect, it } from 'vitest';
import { drawnDash, seriesStyle } from '#app/ui/series-style.ts';

describe('seriesStyle', () => {
  it('gives neighbours different markers', () => {
    for (let i = 0; i < 32; i++) {
      expect(seriesStyle(i).marker).not.toBe(seriesStyle(i + 1).marker);
    }
  });

  it('gives 32 consecutive series distinct pairs of colour and dash', () => {
    const pairs = Array.from({ length: 32 }, (_, i) => {
      const { colour, dash } = seriesStyle(i);
      return JSON.stringify([colour, dash]);
    });
    expect(new Set(pairs).size).toBe(32);
  });

  it('always dashes a series whose colour another one has, each in another way', () => {
    const drawn = Array.from({ length: 32 }, (_, i) => seriesStyle(i)).map((style) =>
      JSON.stringify([style.colour, drawnDash(style, false)]),
    );
    expect(new Set(drawn).size).toBe(32);
    const first = Array.from({ length: 8 }, (_, i) => drawnDash(seriesStyle(i), false));
    expect(first).toEqual(Array.from({ length: 8 }, () => []));
  });

  it('starts with solid, dashed, dotted and dash-dotted lines', () => {
    expect([0, 1, 2, 3].map((i) => seriesStyle(i).dash)).toEqual([
      [],
      [6, 3],
      [2, 3],
      [8, 3, 2, 3],
    ]);
  });
});
