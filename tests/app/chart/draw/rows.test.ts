import fc from 'fast-check';
import { expect, it } from 'vitest';
import { bandsOf, inRow, leastHeight } from '#app/chart/draw/rows.ts';
import { toHeight, valueScale } from '#app/chart/draw/scale.ts';

it('divides a plot into rows from its top to its bottom, each with room for its name', () => {
  fc.assert(
    fc.property(
      fc.integer({ min: 1, max: 30 }),
      fc.integer({ min: 0, max: 80 }),
      fc.double({ min: 0, max: 900, noNaN: true }),
      (rows, top, more) => {
        const height = leastHeight(rows) + more;
        const bands = bandsOf(rows, { top, height });
        expect(bands).toHaveLength(rows);
        let end = top;
        for (const band of bands) {
          expect(band.top - end).toBeGreaterThanOrEqual(17);
          expect(band.height).toBeGreaterThanOrEqual(24);
          end = band.top + band.height;
        }
        expect(end).toBe(top + height);
      },
    ),
  );
});

it('moves every part of a curve to its row, whose scale ends where the row does', () => {
  fc.assert(
    fc.property(
      fc.constantFrom('linear', 'log'),
      fc.integer({ min: 1, max: 1_000_000 }),
      fc.double({ min: 0, max: 0.8, noNaN: true }),
      (kind, peak, from) => {
        const scale = valueScale({ low: 0, peak, kind, lines: 2, whole: true });
        const row = { scale, from, to: from + 0.2 };
        const height = toHeight(kind, peak, scale.one);
        const points = Float64Array.of(5, height, 6, Number.NaN, 7, 0);
        const mark = { at: [7, height], symbol: 'circle', size: 1, fill: '' } as const;
        const curve = { id: 'a', right: true, points, fill: { color: '', opacity: 1, to: points } };
        const moved = inRow({ ...curve, marks: [mark] }, row);
        const [x, high = Number.NaN, , gap, , low] = moved.points ?? [];
        expect([x, gap, low, moved.right]).toEqual([5, Number.NaN, from, false]);
        expect(high).toBeGreaterThan(from);
        expect(high).toBeLessThanOrEqual(row.to + 1e-9);
        expect(moved.fill?.to).toEqual(moved.points);
        expect(moved.marks?.[0]?.at).toEqual([7, high]);
      },
    ),
  );
});
