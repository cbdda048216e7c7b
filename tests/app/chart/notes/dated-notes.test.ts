import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { placeNotes } from '#app/chart/notes/dated-notes.ts';
import type { ChartNote } from '#app/chart/chart-props.ts';
import { noteShapes } from '#app/export/note-shapes.ts';

const FIRST = 50;
const LAST = 850;
/** A pixel of the plot for each unit of time, from 50 to 850. */
const place = (notes: readonly ChartNote[], rows = 3) =>
  placeNotes(notes, (at) => at, FIRST, LAST, rows);
const note = (start: number, end: number | null = null, text = 'Launch'): ChartNote => ({
  id: `${start}-${end}-${text}`,
  start,
  end,
  text,
});

describe('notes on the curves', () => {
  it('have an upright or a band, cut to the plot, and a label at their start', () => {
    const placed = place([note(100), note(20, 60, 'a'), note(840, 900, 'Campaign'), note(20)]);
    expect(placed.map(({ from, to, begins }) => [from, to, begins])).toEqual([
      [50, 60, false],
      [100, 100, true],
      [840, 850, true],
    ]);
    expect(placed.map(({ label }) => label?.row)).toEqual([0, 0, 0]);
    expect(placed.at(-1)?.label).toMatchObject({
      left: LAST - (placed.at(-1)?.label?.width ?? 0),
    });
  });

  it('are left out where they end as the view begins, or begin after it', () => {
    expect(place([note(10, 50), note(851), note(900, 950)])).toEqual([]);
  });

  it('have labels that fit their texts, also in files', () => {
    const texts = ['Launch', 'SALE', 'Q3', 'WM-Finale', 'ab'];
    const notes = place(texts.map((text, i) => note(60 + 150 * i, null, text)));
    const plot = { left: FIRST, right: 0, top: 0, bottom: 0 };
    const over = { marks: [], notes: [], dated: { notes, top: 0 }, plot, height: 300 };
    const colours = { ink: '#000', quiet: '#555', ground: '#fff', hairline: '#eee', axis: '#ccc' };
    const shapes = noteShapes(over, { ...colours, font: 'Inter', fontSize: 11 });
    expect(shapes.flatMap((shape) => (shape.is === 'text' ? shape.said : []))).toEqual(texts);
  });

  it('stagger, then shorten the label before, then go without', () => {
    const long = 'A very long text of a note';
    const labels = [100, 104, 160, 164, 168].map((at) => note(at, null, `${long} ${at}`));
    const placed = place(labels, 2).map(({ label }) => label && [label.row, label.width < 150]);
    expect(placed).toEqual([[0, true], [1, true], [0, false], [1, false], null]);
  });

  it('never cover each other or leave the plot, and each keeps its upright', () => {
    const notes = fc.array(
      fc.tuple(fc.nat(900), fc.option(fc.integer({ min: 1, max: 300 })), fc.nat(60)),
      { maxLength: 40 },
    );
    fc.assert(
      fc.property(notes, fc.integer({ min: 1, max: 3 }), (list, rows) => {
        const given = list.map(([at, length, size], i) => ({
          id: String(i),
          start: at,
          end: length === null ? null : at + length,
          text: 'x'.repeat(size),
        }));
        const placed = place(given, rows);
        const inside = given.filter(
          ({ start, end }) => start <= LAST && (end === null ? start >= FIRST : end > FIRST),
        );
        expect(placed).toHaveLength(inside.length);
        const labels = placed.flatMap(({ label }) => label ?? []);
        for (const [i, label] of labels.entries()) {
          expect(label.left >= FIRST && label.left + label.width <= LAST + 1e-9).toBe(true);
          expect(label.row).toBeLessThan(rows);
          for (const other of labels.slice(i + 1)) {
            const apart =
              other.left >= label.left + label.width || label.left >= other.left + other.width;
            expect(label.row !== other.row || apart).toBe(true);
          }
        }
      }),
    );
  });
});
