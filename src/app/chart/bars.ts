import type { LineParts } from './decimate.ts';

/** Share of a column's width that its bars take, and the most that one of them is wide, px. */
const FILLED = 0.78;
const WIDEST_PX = 56;
/** Room of a bar, and between columns, px, where there are many. */
const ROOM_PX = 2;
const GAP_PX = 1.5;

/** Bars at most in so many px, `abreast` of them in a column. */
export function mostBars(width: number, abreast: number): number {
  return Math.max(1, Math.floor(width / (ROOM_PX * abreast + GAP_PX)));
}

/** One bar's column with its value, and where it stands on another. */
export interface Bar {
  /** Of the column, epoch ms. */
  readonly start: number;
  readonly end: number;
  /** NaN where it is not known. */
  readonly top: number;
  readonly foot: number;
  /** Not whole: drawn as an outline. */
  readonly open: boolean;
}

/** Bars of one series: upright strokes from foot to top, interleaved `x, y` with NaN between. */
export interface Bars extends LineParts {
  /** Width of a stroke, px. */
  readonly stroke: number;
}

/**
 * The bars of one series. They are strokes and not areas, because ECharts leaves out steps of 2 px and less.
 *
 * @param bars - Ascending.
 * @param place - Which one of how many abreast.
 * @param px - Width of a px in ms, and an instant at one's edge: bars stand on whole ones, all of a width.
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
