import type { ChartMark } from './chart-props.ts';

/** Where the words of a mark stand: beside its upright, in a row counted from the top. */
export interface PlacedMark extends ChartMark {
  readonly x: number;
  readonly row: number;
  /** The words end at the upright, or begin there. */
  readonly side: 'before' | 'after';
}

/** About the width of a letter of a label, and the room between words and uprights, px. */
const LETTER_PX = 6.4;
const GAP_PX = 5;

/**
 * Places the words of marks so that none covers another or leaves the plot: before its upright where there is
 * room, else after it, else a row lower. Words wider than the plot stand where most of them shows.
 *
 * @param marks - With their places in px, in any order.
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
        taken.every((one) => one.row !== row || to <= one.from || from >= one.to),
      );
      const inside = free.find(({ from, to }) => from >= left && to <= right);
      // Where neither side has room at all, no lower row has it either.
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
