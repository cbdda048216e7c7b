import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { placePeaks, RING_PX } from '#app/chart/interact/peak-markers.ts';

const ring = fc.record({
  key: fc.uuid(),
  number: fc.option(fc.integer({ min: 1, max: 8 })),
  at: fc.constant(0),
  seriesId: fc.constant(1),
  count: fc.nat(50),
  x: fc.integer({ min: 0, max: 300 }),
  y: fc.integer({ min: 0, max: 200 }),
});

const isNumbered = ({ tick }: { readonly tick: boolean }): boolean => !tick;

describe('rings of peaks', () => {
  it('are above their points, but not above the plot', () => {
    const one = { key: 'a', number: 1, at: 0, count: 5, seriesId: 1, x: 40 };
    expect(placePeaks([{ ...one, y: 100 }], () => 14)[0]?.y).toBeLessThan(100 - RING_PX / 2);
    expect(placePeaks([{ ...one, y: 16 }], () => 14)[0]?.y).toBe(14);
  });

  it('move up or aside if they would overlap, with the smallest number nearest to its point', () => {
    const one = { key: 'a', at: 0, seriesId: 1, count: 5, x: 40, y: 100 };
    const placed = placePeaks(
      [2, 1, 3].map((number) => ({ ...one, number })),
      () => 0,
    );
    const distance = (number: number): number => {
      const { x, y } = placed.find((ring) => ring.number === number) ?? { x: NaN, y: NaN };
      return Math.hypot(x - one.x, y - one.y);
    };
    expect(placed).toHaveLength(3);
    expect(distance(1)).toBeLessThan(distance(2));
    expect(Math.max(distance(2), distance(3))).toBeLessThan(4 * RING_PX);
  });

  it('never overlap, and there is one for each moment at most, always for the largest', () => {
    fc.assert(
      fc.property(fc.array(ring, { maxLength: 30 }), (rings) => {
        const all = placePeaks(rings, () => 0);
        const placed = all.filter(isNumbered);
        expect(all).toHaveLength(rings.length);
        expect(placed.length).toBeLessThanOrEqual(8);
        for (const [i, a] of placed.entries()) {
          for (const b of placed.slice(i + 1)) {
            expect(Math.hypot(a.x - b.x, a.y - b.y)).toBeGreaterThanOrEqual(RING_PX);
          }
        }
        const numbers = placed.map(({ number }) => number);
        expect(numbers).toHaveLength(new Set(numbers).size);
        const all8 = rings.flatMap(({ number }) => number ?? []);
        if (all8.length > 0) expect(numbers).toContain(Math.min(...all8));
      }),
    );
  });

  it('are above the highest point of their moment; other peaks are ticks', () => {
    const peak = (key: string, number: number | null, x: number, y: number) => ({
      key,
      number,
      x,
      y,
      at: 0,
      seriesId: 1,
      count: 1,
    });
    const placed = placePeaks(
      [peak('low', 1, 40, 100), peak('high', 1, 44, 60), peak('small', null, 200, 90)],
      () => 0,
    );
    expect(placed.map(({ key, tick, x, y }) => [key, tick, x, y])).toEqual([
      ['low', true, 40, 93],
      ['small', true, 200, 83],
      ['high', false, 44, 46],
    ]);
  });
});
