import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { countScale, spreadLabels } from '#app/chart/scale.ts';

describe('the axis of counts', () => {
  it.each([
    [0, 1, 1],
    [1, 1, 1],
    [3, 3, 1],
    [9, 10, 2],
    [12_022, 12_500, 2500],
    [99, 100, 20],
  ])('for a peak of %i ends at %i in steps of %i', (peak, max, step) => {
    expect(countScale(peak)).toEqual({ max, step });
  });

  it('reaches every peak in a few whole steps', () => {
    fc.assert(
      fc.property(
        fc.integer({ min: 1, max: 1e12 }),
        fc.integer({ min: 2, max: 8 }),
        (peak, lines) => {
          const { max, step } = countScale(peak, lines);
          expect(Number.isInteger(step)).toBe(true);
          expect(max % step).toBe(0);
          expect(max).toBeGreaterThanOrEqual(peak);
          expect(max - step).toBeLessThan(peak);
          expect(max / step).toBeLessThanOrEqual(lines + 1);
        },
      ),
    );
  });
});

describe('labels at the ends of lines', () => {
  it('stay where they are when none touches', () => {
    expect(spreadLabels([10, 50, 90], 16, 0, 100)).toEqual([10, 50, 90]);
  });

  it('never cover another, keep their order and stay in the picture', () => {
    fc.assert(
      fc.property(fc.array(fc.integer({ min: 0, max: 400 }), { maxLength: 20 }), (wanted) => {
        const placed = spreadLabels(wanted, 17, 0, 400);
        const order = wanted
          .map((_, i) => i)
          .sort((a, b) => (wanted[a] ?? 0) - (wanted[b] ?? 0) || a - b);
        for (const [k, i] of order.entries()) {
          const y = placed[i] ?? Number.NaN;
          expect(y).toBeGreaterThanOrEqual(8.5 - 1e-9);
          expect(y).toBeLessThanOrEqual(391.5 + 1e-9);
          const before = order[k - 1];
          if (before !== undefined)
            expect(y - (placed[before] ?? 0)).toBeGreaterThanOrEqual(17 - 1e-9);
        }
      }),
    );
  });
});
