import type { LineParts } from './decimate.ts';

/** Share of a column's width that its bars take, and the maximum width of one bar, px. */
const FILLED = 0.78;
const WIDEST_PX = 56;
/** Minimum width of a bar, and of the gap between columns, px. */
const ROOM_PX = 2;
const GAP_PX = 1.5;

/** Maximum number of columns in a width in px, with `abreast` bars per column. */
export function mostBars(width: number, abreast: number): number {
  return Math.max(1, Math.floor(width / (ROOM_PX * abreast + GAP_PX)));
}

/** A bar: its column, and its foot and top. */
export interface Bar {
  /** Start of the column, epoch ms. */
  readonly start: number;
  readonly end: number;
  /** NaN if unknown. */
  readonly top: number;
  readonly foot: number;
  /** Incomplete, drawn as an outline. */
  readonly open: boolean;
}

/** Bars of one series: vertical strokes from foot to top, interleaved `x, y` with NaN between. */
export interface Bars extends LineParts {
  /** Width of a stroke, px. */
  readonly stroke: number;
}

/**
 * Lays out the bars of one series, as strokes and not areas, because ECharts omits steps of 2 px and less.
 *
 * @param bars - Ascending.
 * @param place - Index among the bars of a column, and their number.
 * @param px - Length of a pixel in ms, and an instant at a pixel's edge: bars align to pixels and have one width.
 */
export function barParts(
  bars: readonly Bar[],
  place: { readonly of: number; readonly number: number },
  px: { readonly ms: number; readonly origin: number },
): Bars {
  const widths = bars.map(({ start, end }) => end - start).sort((a, b) => a - b);
  const column = (widths[widths.length >> 1] ?? 0) / px.ms;
  const stroke = Math.max(1, Math.round(Math.min((column * FILLED) / place.of, WIDEST_PX)));
  const width = stroke * px.ms;
  const line: number[] = [];
  const open: number[] = [];
  let peak = 0;
  let low = 0;
  let end: { x: number; y: number } | null = null;
  for (const bar of bars) {
    if (Number.isNaN(bar.top)) continue;
    const first = (bar.start + bar.end - width * place.of) / 2;
    const left = px.origin + Math.round((first - px.origin) / px.ms) * px.ms + place.number * width;
    const right = left + width;
    const x = left + width / 2;
    if (bar.open) {
      if (open.length > 0) open.push(left, Number.NaN);
      open.push(left, bar.foot, left, bar.top, right, bar.top, right, bar.foot);
    } else line.push(x, bar.foot, x, bar.top, x, Number.NaN);
    peak = Math.max(peak, bar.top);
    low = Math.min(low, bar.top);
    end = { x, y: bar.top };
  }
  const none = new Float64Array(0);
  return {
    line: Float64Array.from(line),
    open: Float64Array.from(open),
    rings: none,
    dots: none,
    peak,
    low,
    end,
    stroke,
  };
}
