import type { PlacedNote } from '#app/chart/chart-props.ts';
import { NOTE_PX } from '#app/chart/chart.svelte.ts';
import type { Still } from '#app/chart/draw/still.ts';
import { cutTo } from '#app/chart/draw/text-width.ts';
import { NOTE_LABEL, NOTE_ROW_PX } from '#app/chart/notes/dated-notes.ts';
import { text, type Shape } from './shapes.ts';
import { mixed } from '#app/chart/draw/chart-curves.ts';
import type { BaseColours } from '#app/chart/draw/chart-picture.ts';

/** Share of the ink in a band, and behind a label. */
const BAND = 0.07;
const LABEL = 0.12;

/** The parts of a chart that are drawn over its plot. */
export type OverPlot = Pick<Still, 'marks' | 'notes' | 'dated' | 'plot' | 'height'>;

/** The notes of the board as on screen: uprights and bands with their labels. */
export function noteShapes(
  { dated: { notes, top: labels }, plot, height }: OverPlot,
  { ink, quiet, ground }: BaseColours,
): Shape[] {
  const [top, bottom] = [plot.top, height - plot.bottom];
  const { text: size, padding } = NOTE_LABEL;
  const marks = notes.flatMap(({ note, from, to, begins }): Shape[] => {
    const wide = { y: top, width: Math.max(1, to - from), height: bottom - top };
    const band: Shape = { is: 'rect', x: from, ...wide, fill: ink, opacity: BAND };
    const line: Shape = { is: 'line', x1: from, x2: from, y1: top, y2: bottom, stroke: quiet };
    return [...(note.end === null ? [] : [band]), ...(begins ? [line] : [])];
  });
  const labelled = notes.flatMap(({ note, label }: PlacedNote): Shape[] => {
    if (!label) return [];
    const { left: x, width, row } = label;
    const y = labels + row * NOTE_ROW_PX;
    const said = cutTo(note.text, size, width - padding);
    return [
      { is: 'rect', x, y, width, height: NOTE_ROW_PX - 1, fill: mixed(ink, ground, LABEL), rx: 2 },
      text(x + padding / 2, y + 12, said, { fill: ink, size }),
    ];
  });
  return [...marks, ...labelled];
}

/** Vertical lines at dates with their labels, and the caveats above the plot, as on screen. */
export function markShapes(
  { marks, notes, plot, height }: OverPlot,
  { ink, quiet, ground: halo }: BaseColours,
): Shape[] {
  const over = notes.length * NOTE_PX;
  const placed = marks.flatMap(({ x, base, side, text: said }): Shape[] => {
    const [y1, y2] = [base - 9, height - plot.bottom];
    const before = side === 'before';
    const style = { fill: ink, anchor: before ? 'end' : 'start', halo } as const;
    return [
      { is: 'line', x1: x, x2: x, y1, y2, stroke: quiet, dash: [1.5, 3] },
      text(before ? x - 5 : x + 5, base, said, style),
    ];
  });
  const said = notes.map((note, row) =>
    text(plot.left, plot.top - 5 - over + (row + 1) * NOTE_PX, note, { fill: quiet, halo }),
  );
  return [...placed, ...said];
}
