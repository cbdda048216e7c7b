import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { laneAxis, stackItems, type LaneItem } from '#app/lanes/layout.ts';

const axis = laneAxis(52, 800, { start: 0, end: 1000 });

const items: fc.Arbitrary<LaneItem[]> = fc
  .array(
    fc.record({
      start: fc.integer({ min: -300, max: 1300 }),
      length: fc.option(fc.integer({ min: 1, max: 500 })),
      text: fc.string({ maxLength: 40 }),
    }),
    { maxLength: 30 },
  )
  .map((all) =>
    all.map(({ start, length, text }, i) => ({
      id: `${i}`,
      start,
      end: length === null ? null : start + length,
      text,
    })),
  );

describe('the boxes of a lane', () => {
  it('never overlap, stay inside the plot, and represent every item of the window once', () => {
    fc.assert(
      fc.property(items, fc.constantFrom(1, 2, 3, Infinity), (all, rows) => {
        const boxes = stackItems(all, axis, rows);
        for (const [i, a] of boxes.entries()) {
          expect(a.row).toBeLessThan(rows);
          expect(a.left).toBeGreaterThanOrEqual(52);
          expect(a.left + a.width).toBeLessThanOrEqual(852.000001);
          for (const b of boxes.slice(i + 1)) {
            if (b.row !== a.row) continue;
            expect(a.left + a.width <= b.left || b.left + b.width <= a.left).toBe(true);
          }
        }
        const shown = boxes.flatMap(({ id, more }) => [id, ...more]).sort();
        const inside = all.filter(
          ({ start, end }) => start < 1000 && (end === null ? start >= 0 : end > 0),
        );
        expect(shown).toEqual(inside.map(({ id }) => id).sort());
        if (rows === Infinity) expect(boxes.every(({ more }) => more.length === 0)).toBe(true);
      }),
    );
  });

  it('start at their item and are as wide as its duration or, for a moment, its text', () => {
    const [box] = stackItems([{ id: 'a', start: 100, end: 600, text: 'x' }], axis, 1);
    expect(box).toEqual({ id: 'a', left: 132, width: 400, row: 0, more: [] });
    const [moment] = stackItems([{ id: 'a', start: 100, end: null, text: '' }], axis, 1);
    expect(moment).toMatchObject({ left: 132, width: 24 });
  });
});
