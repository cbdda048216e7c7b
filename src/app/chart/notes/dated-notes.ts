import type { ChartAnnotations, ChartNote, PlacedNote } from '#app/chart/chart-props.ts';
import type { ChartState } from '#app/chart/chart.svelte.ts';
import { textWidth } from '#app/chart/draw/text-width.ts';
import { marksOn } from './marks.ts';

/** Height of a row of labels, px. */
export const NOTE_ROW_PX = 17;
/** Size of the texts of labels, and what is left and right of one together, px. */
export const NOTE_LABEL = { text: 11.5, padding: 12 } as const;
const GAP_PX = 3;
/** Widths of a label: as wide as its text up to the most; shortened to make room, but not below the least. */
const LEAST_PX = 40;
const MOST_PX = 150;

/**
 * Places notes on the plot so that no label covers another: each begins at its upright, in the first row with room. If
 * no row has any, the label before it is shortened; where that would leave too little, the note has no label.
 *
 * @param notes - In any order; those outside the plot are left out.
 * @param x - Position of an instant, px.
 * @param rows - The most rows of labels.
 * @param most - The most width of a label, px.
 */
export function placeNotes(
  notes: readonly ChartNote[],
  x: (at: number) => number,
  left: number,
  right: number,
  rows: number,
  most = MOST_PX,
): PlacedNote[] {
  const placed: PlacedNote[] = [];
  /** The last label of each row, as its place in `placed`. */
  const last: number[] = [];
  const labelAt = (row: number): PlacedNote['label'] => placed[last[row] ?? -1]?.label ?? null;
  for (const note of [...notes].sort((a, b) => a.start - b.start || (a.id < b.id ? -1 : 1))) {
    const [start, end] = [x(note.start), x(note.end ?? note.start)];
    if (end < left || start > right || (note.end !== null && end <= left)) continue;
    const from = Math.max(left, start);
    const to = Math.min(right, Math.max(from, end));
    const text = Math.ceil(textWidth(note.text, NOTE_LABEL.text));
    const wanted = Math.min(most, right - left, NOTE_LABEL.padding + text);
    const at = Math.max(left, Math.min(from, right - wanted));
    const freeFrom = (row: number): number => {
      const before = labelAt(row);
      return before ? before.left + before.width + GAP_PX : left;
    };
    const all = Array.from({ length: rows }, (_, row) => row);
    let row = all.find((number) => freeFrom(number) <= at);
    if (row === undefined) {
      row = all.find((number) => at - GAP_PX - (labelAt(number)?.left ?? 0) >= LEAST_PX);
      const before = row === undefined ? undefined : placed[last[row] ?? -1];
      if (row !== undefined && before?.label) {
        const width = at - GAP_PX - before.label.left;
        placed[last[row] ?? -1] = { ...before, label: { ...before.label, width } };
      }
    }
    if (row !== undefined) last[row] = placed.length;
    const label = row === undefined ? null : { left: at, width: wanted, row };
    placed.push({ note, from, to, begins: start >= left, label });
  }
  return placed;
}

/** The most rows of labels on a wide chart and on a narrow one, so that they leave the curves visible. */
const ROWS = { wide: 3, narrow: 2 };

/** The notes of a chart, and the top of their first row of labels: below those of dated marks. */
export function notesOn(
  chart: Pick<ChartState, 'x' | 'plot' | 'plotWidth' | 'notes' | 'named'>,
  { dated = [], marks }: Pick<ChartAnnotations, 'dated' | 'marks'>,
  most = MOST_PX,
): { readonly notes: readonly PlacedNote[]; readonly top: number } {
  const { left, top } = chart.plot;
  const right = left + chart.plotWidth;
  const x = (at: number): number => chart.x(at);
  const rows = chart.named ? ROWS.wide : ROWS.narrow;
  return {
    notes: placeNotes(dated, x, left, right, rows, most),
    top: top + 2 + Math.max(0, ...marksOn(chart, marks).map(({ row }) => row)) * NOTE_ROW_PX,
  };
}
