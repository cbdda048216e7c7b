import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { placePeaks, RING_PX } from '#app/chart/peak-markers.ts';

const ring = fc.record({
  number: fc.nat(99),
  at: fc.constant(0),
  seriesId: fc.constant(1),
  count: fc.nat(50),
  x: fc.integer({ min: 0, max: 300 }),
  y: fc.integer({ min: 0, max: 200 }),
});

const isNumbered = ({ small }: { readonly small: boolean }): boolean => !small;

describe('rings of peaks', () => {
  it('are above their points, but not above the plot', () => {
    const one = { number: 1, at: 0, count: 5, seriesId: 1, x: 40 };
    expect(placePeaks([{ ...one, y: 100 }], 14)[0]?.y).toBeLessThan(100 - RING_PX / 2);
    expect(placePeaks([{ ...one, y: 16 }], 14)[0]?.y).toBe(14);
  });

  it('move up or aside if they would overlap, with the largest nearest to its point', () => {
    const one = { at: 0, seriesId: 1, x: 40, y: 100 };
    const placed = placePeaks(
      [4, 9, 7].map((count, i) => ({ ...one, number: i + 1, count })),
      0,
    );
    const distance = (number: number): number => {
      const { x, y } = placed.find((ring) => ring.number === number) ?? { x: NaN, y: NaN };
      return Math.hypot(x - one.x, y - one.y);
    };
    expect(placed).toHaveLength(3);
    expect(distance(2)).toBeLessThan(distance(3));
    expect(Math.max(distance(1), distance(3))).toBeLessThan(4 * RING_PX);
  });

  it('never overlap, and the largest is never omitted', () => {
    fc.assert(
      fc.property(fc.array(ring, { maxLength: 30 }), (rings) => {
        const all = placePeaks(rings, 0);
        const placed = all.filter(isNumbered);
        expect(all).toHaveLength(rings.length);
        expect(placed.length).toBeLessThanOrEqual(8);
        for (const [i, a] of placed.entries()) {
          for (const b of placed.slice(i + 1)) {
            expect(Math.hypot(a.x - b.x, a.y - b.y)).toBeGreaterThanOrEqual(RING_PX);
          }
        }
        const largest = Math.max(0, ...rings.map(({ count }) => count));
        if (rings.length > 0) expect(placed.some(({ count }) => count === largest)).toBe(true);
      }),
    );
  });

  it('have the numbers of the eight largest peaks; the others are small', () => {
    const peaks = Array.from({ length: 10 }, (_, i) => ({
      number: i + 1,
      at: 0,
      seriesId: 1,
      count: i,
      x: 40 * i,
      y: 100,
    }));
    const placed = placePeaks(peaks, 0);
    expect(placed.filter(isNumbered).map(({ number }) => number)).toEqual([
      10, 9, 8, 7, 6, 5, 4, 3,
    ]);
    expect(placed.filter(({ small }) => small).map(({ number, x, y }) => [number, x, y])).toEqual([
      [2, 40, 93],
      [1, 0, 93],
    ]);
  });
});
