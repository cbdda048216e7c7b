import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { place } from '#app/ui/floating.ts';

const window = { width: 400, height: 800 };

describe('a popover', () => {
  it('opens below its button, aligned with its left edge', () => {
    const button = { left: 100, top: 10, width: 60, height: 28 };
    expect(place(button, { width: 200, height: 300 }, window, 'start')).toEqual({
      left: 100,
      top: 42,
      maxHeight: 750,
    });
  });

  it('opens above if there is more room', () => {
    const button = { left: 100, top: 700, width: 60, height: 28 };
    expect(place(button, { width: 200, height: 300 }, window, 'end')).toEqual({
      left: 8,
      top: 396,
      maxHeight: 688,
    });
  });

  it('stays inside a window that it fits into', () => {
    fc.assert(
      fc.property(
        fc.record({
          left: fc.nat(380),
          top: fc.nat(770),
          width: fc.constant(20),
          height: fc.constant(28),
        }),
        fc.record({
          width: fc.integer({ min: 10, max: 380 }),
          height: fc.integer({ min: 10, max: 2000 }),
        }),
        fc.constantFrom('start' as const, 'center' as const, 'end' as const),
        (button, size, align) => {
          const { left, top, maxHeight } = place(button, size, window, align);
          expect(left).toBeGreaterThanOrEqual(8);
          expect(left + size.width).toBeLessThanOrEqual(392);
          expect(top).toBeGreaterThanOrEqual(0);
          expect(top + Math.min(size.height, maxHeight)).toBeLessThanOrEqual(800);
        },
      ),
    );
  });
});
