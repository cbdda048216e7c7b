/** The time axis that lanes share with the chart, in px from their left edge. */
export interface LaneAxis {
  readonly left: number;
  readonly width: number;
  readonly window: { readonly start: number; readonly end: number };
  /** Position of an instant, also outside the window. */
  x(at: number): number;
}

/** An axis whose plot begins at `left` and is `width` wide. */
export function laneAxis(left: number, width: number, window: LaneAxis['window']): LaneAxis {
  const { start, end } = window;
  return { left, width, window, x: (at) => left + ((at - start) / (end - start)) * width };
}

/** A moment or a stretch of time with a short text. */
export interface LaneItem {
  readonly id: string;
  readonly start: number;
  readonly end: number | null;
  readonly text: string;
}

/** The place at which an item is drawn, in px, and the items merged into it. */
export interface LaneBox {
  readonly id: string;
  readonly left: number;
  readonly width: number;
  /** 0 is the top row. */
  readonly row: number;
  /** Ids of the merged items. */
  readonly more: readonly string[];
}

/** Width of a box's text: wide enough to click, and cut off at the maximum. */
const LEAST_PX = 24;
const MOST_PX = 96;
const LETTER_PX = 6.3;
const PADDING_PX = 12;
const GAP_PX = 2;

/**
 * Lays out the items of the window in rows without overlap. An item that fits no row is merged into the box before it
 * in the last row.
 *
 * @param items - In any order; those outside the window are omitted.
 * @param rows - The most rows.
 */
export function stackItems(items: readonly LaneItem[], axis: LaneAxis, rows: number): LaneBox[] {
  const { left, width, window } = axis;
  const right = left + width;
  const inside = items
    .filter(({ start, end }) => start < window.end && (end ?? start + 1) > window.start)
    .sort((a, b) => a.start - b.start || (a.id < b.id ? -1 : 1));
  const boxes: LaneBox[] = [];
  const ends: number[] = [];
  for (const { id, start, end, text } of inside) {
    const words = Math.min(MOST_PX, Math.max(LEAST_PX, PADDING_PX + text.length * LETTER_PX));
    const from = Math.max(left, axis.x(start));
    const span = Math.min(right, axis.x(end ?? start)) - from;
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
