/** The time axis that lanes share with the chart, in px from their left edge. */
export interface LaneFrame {
  readonly left: number;
  readonly width: number;
  readonly window: { readonly start: number; readonly end: number };
  /** Place of an instant, also of one outside the window. */
  x(at: number): number;
}

/** A frame whose plot begins at `left` and is `width` wide. */
export function laneFrame(left: number, width: number, window: LaneFrame['window']): LaneFrame {
  const { start, end } = window;
  return { left, width, window, x: (at) => left + ((at - start) / (end - start)) * width };
}

/** Something of a stretch of time, with a word or two. */
export interface LaneItem {
  readonly id: string;
  readonly start: number;
  readonly end: number | null;
  readonly text: string;
}

/** Where an item is drawn, in px, and those that found no room beside it. */
export interface LaneBox {
  readonly id: string;
  readonly left: number;
  readonly width: number;
  /** 0 is the uppermost. */
  readonly row: number;
  /** Ids of items that this box stands for as well. */
  readonly more: readonly string[];
}

/** Widths of the text of a box: at least that it can be hit, at most until it is cut. */
const LEAST_PX = 24;
const MOST_PX = 96;
const LETTER_PX = 6.3;
const BESIDE_PX = 12;
const GAP_PX = 2;

/**
 * Lays items of the window out in rows so that none covers another. One for which no row has room is merged
 * into the box before it in the last row.
 *
 * @param items - In any order; those outside the window are left out.
 * @param rows - At most so many.
 */
export function stackItems(items: readonly LaneItem[], frame: LaneFrame, rows: number): LaneBox[] {
  const { left, width, window } = frame;
  const right = left + width;
  const inside = items
    .filter(({ start, end }) => start < window.end && (end ?? start + 1) > window.start)
    .sort((a, b) => a.start - b.start || (a.id < b.id ? -1 : 1));
  const boxes: LaneBox[] = [];
  const ends: number[] = [];
  for (const { id, start, end, text } of inside) {
    const words = Math.min(MOST_PX, Math.max(LEAST_PX, BESIDE_PX + text.length * LETTER_PX));
    const from = Math.max(left, frame.x(start));
    const span = Math.min(right, frame.x(end ?? start)) - from;
    const wide = Math.min(width, Math.max(span, words));
    const at = Math.min(from, right - wide);
    const free = ends.findIndex((last) => last + GAP_PX <= at);
    const row = free < 0 ? ends.length : free;
    if (row < rows) {
      ends[row] = at + wide;
      boxes.push({ id, left: at, width: wide, row, more: [] });
      continue;
    }
    const into = boxes.findLastIndex((box) => box.row === rows - 1);
    const box = boxes[into];
    if (box) boxes[into] = { ...box, more: [...box.more, id] };
  }
  return boxes;
}
