import fc from 'fast-check';
import { expect, it } from 'vitest';
import { placeMarks, type PlacedMark } from '#app/chart/notes/marks.ts';

const mark = (x: number, text = '4 May 2026: new index') => ({ at: x, x, text, full: text });
const width = (text: string): number => text.length * 6.4 + 5;
const box = ({ x, side, text }: PlacedMark): [number, number] =>
  side === 'before' ? [x - width(text), x] : [x, x + width(text)];

it('places labels before their line, after it at the left edge, or a row lower if both sides are taken', () => {
  expect(placeMarks([mark(500)], 50, 900)).toMatchObject([{ row: 0, side: 'before' }]);
  expect(placeMarks([mark(60)], 50, 900)).toMatchObject([{ row: 0, side: 'after' }]);
  const close = placeMarks([mark(500), mark(504), mark(508)], 50, 900);
  expect(close).toMatchObject([
    { x: 500, row: 0, side: 'before' },
    { x: 504, row: 0, side: 'after' },
    { x: 508, row: 1, side: 'before' },
  ]);
});

it('never overlaps labels, and keeps all inside the plot if they fit', () => {
  const text = fc.string({ minLength: 1, maxLength: 30 });
  const marks = fc.array(fc.tuple(fc.integer({ min: 50, max: 900 }), text), { maxLength: 12 });
  fc.assert(
    fc.property(marks, fc.constantFrom(60, 250, 900), (list, right) => {
      const placed = placeMarks(
        list.map(([x, text]) => mark(Math.min(x, right), text)),
        50,
        right,
      );
      expect(placed).toHaveLength(list.length);
      placed.forEach((each, i) => {
        const [from, to] = box(each);
        const fits = width(each.text) <= Math.max(each.x - 50, right - each.x);
        if (fits) expect(from >= 50 && to <= right).toBe(true);
        for (const other of placed.slice(i + 1)) {
          const [otherFrom, otherTo] = box(other);
          expect(each.row !== other.row || to <= otherFrom || otherTo <= from).toBe(true);
        }
      });
    }),
  );
});
