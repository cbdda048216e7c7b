import type { ChartMark } from '#app/chart/chart-props.ts';
import { NOTE_PX, type ChartState } from '#app/chart/chart.svelte.ts';

/** Position of a mark's label: next to its line, in a row counted from the top. */
export interface PlacedMark extends ChartMark {
  readonly x: number;
  readonly row: number;
  /** The side of the line that the label is on. */
  readonly side: 'before' | 'after';
}

/** Approximate width of a letter in a label, and the gap between labels and lines, px. */
const LETTER_PX = 6.4;
const GAP_PX = 5;

/**
 * Places labels so that none covers another or leaves the plot: before the line if there is room, else after it, else a
 * row lower. A label wider than the plot goes to the side that shows more of it.
 *
 * @param marks - With their positions in px, in any order.
 */
export function placeMarks(
  marks: readonly (ChartMark & { readonly x: number })[],
  left: number,
  right: number,
): PlacedMark[] {
  const taken: { row: number; from: number; to: number }[] = [];
  const out: PlacedMark[] = [];
  for (const mark of [...marks].sort((a, b) => a.x - b.x)) {
    const width = mark.text.length * LETTER_PX + GAP_PX;
    for (let row = 0; ; row += 1) {
      const sides = (['before', 'after'] as const).map((side) => ({
        side,
        from: side === 'before' ? mark.x - width : mark.x,
        to: side === 'before' ? mark.x : mark.x + width,
      }));
      const free = sides.filter(({ from, to }) =>
        taken.every((each) => each.row !== row || to <= each.from || from >= each.to),
      );
      const inside = free.find(({ from, to }) => from >= left && to <= right);
      // If neither side has room, a lower row has none either.
      const squeezed = width > Math.max(mark.x - left, right - mark.x);
      const wider = mark.x - left > right - mark.x ? 'before' : 'after';
      const place = inside ?? (squeezed ? free.find(({ side }) => side === wider) : undefined);
      if (!place) continue;
      taken.push({ row, from: place.from, to: place.to });
      out.push({ ...mark, row, side: place.side });
      break;
    }
  }
  return out;
}

/** Maximum characters of a label; the chart's description has the rest. */
const MOST = 48;

/** A mark on a chart, px: its label's baseline, and the label's ends. */
export interface DrawnMark extends PlacedMark {
  readonly base: number;
  readonly from: number;
  readonly to: number;
}

/** The marks in the plot of a chart. Their first row of labels is above the plot and its notes. */
export function marksOn(
  chart: Pick<ChartState, 'x' | 'plot' | 'plotWidth' | 'notes'>,
  marks: readonly ChartMark[],
): DrawnMark[] {
  const { left, top } = chart.plot;
  const right = left + chart.plotWidth;
  const inside = marks
    .map((mark) => ({
      ...mark,
      x: chart.x(mark.at),
      text: mark.text.length > MOST ? `${mark.text.slice(0, MOST - 1)}…` : mark.text,
    }))
    .filter(({ x }) => x >= left && x <= right);
  return placeMarks(inside, left, right).map((mark) => {
    const width = mark.text.length * LETTER_PX + GAP_PX;
    return {
      ...mark,
      base: mark.row === 0 ? top - 4 - chart.notes.length * NOTE_PX : top - 3 + mark.row * NOTE_PX,
      from: mark.side === 'before' ? mark.x - width : mark.x,
      to: mark.side === 'before' ? mark.x : mark.x + width,
    };
  });
}
