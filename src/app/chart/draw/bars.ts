import type { LineParts } from './decimate.ts';

/** Share of a column's width that its bars fill, and maximum width of a bar, px. */
const FILLED = 0.78;
const WIDEST_PX = 56;
/** Minimum width of a bar and of the gap between columns, px. */
const NARROWEST_PX = 2;
const GAP_PX = 1.5;

/** The number of columns that fit into a width, with `abreast` bars in each. */
export function mostBars(width: number, abreast: number): number {
  return Math.max(1, Math.floor(width / (NARROWEST_PX * abreast + GAP_PX)));
}

/** One column of a series. */
export interface Bar {
  /** Start of the column, epoch ms. */
  readonly start: number;
  readonly end: number;
  /** NaN if unknown. */
  readonly top: number;
  /** Lower end of an outline: the top of the bar below. */
  readonly foot: number;
  /** Unfinished: drawn as an outline. */
  readonly open: boolean;
}

/** Bars of one series: `line` holds the middle of each column and the bar's top. */
export interface Bars extends LineParts {
  /** Width of a bar, px. */
  readonly barWidth: number;
  /** Outlines of the unfinished ones, interleaved `x, y` with NaN between two. */
  readonly outlines: Float64Array;
}

/**
 * Lays out the bars of one series. The chart centres the bars of a column side by side, moved so that their edges are
 * on whole pixels and crisp.
 *
 * @param bars - Ascending.
 * @param place - Position of the series among those side by side.
 * @param px - Duration of one px in ms, and an instant at the edge of one.
 */
export function barParts(
  bars: readonly Bar[],
  place: { readonly of: number; readonly number: number },
  px: { readonly ms: number; readonly origin: number },
): Bars {
  const widths = bars.map(({ start, end }) => end - start).sort((a, b) => a - b);
  const column = (widths[widths.length >> 1] ?? 0) / px.ms;
  const barWidth = Math.max(1, Math.round(Math.min((column * FILLED) / place.of, WIDEST_PX)));
  const width = barWidth * px.ms;
  const line: number[] = [];
  const outlines: number[] = [];
  let peak = 0;
  let low = 0;
  let end: { x: number; y: number } | null = null;
  for (const bar of bars) {
    if (Number.isNaN(bar.top)) continue;
    const first = (bar.start + bar.end - width * place.of) / 2;
    const edge = px.origin + Math.round((first - px.origin) / px.ms) * px.ms;
    const middle = edge + (width * place.of) / 2;
    if (bar.open) {
      const left = edge + place.number * width;
      const right = left + width;
      if (outlines.length > 0) outlines.push(left, Number.NaN);
      outlines.push(left, bar.foot, left, bar.top, right, bar.top, right, bar.foot);
    } else line.push(middle, bar.top);
    peak = Math.max(peak, bar.top);
    low = Math.min(low, bar.top);
    end = { x: middle, y: bar.top };
  }
  const none = new Float64Array(0);
  return {
    line: Float64Array.from(line),
    outlines: Float64Array.from(outlines),
    rings: none,
    dots: none,
    peak,
    low,
    end,
    barWidth,
  };
}
