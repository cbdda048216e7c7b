import type { Curve } from '#core/series/series.ts';
import type { Track } from '#core/series/trend.ts';
import type { Span } from '#core/time/span.ts';
import { barParts, mostBars, type Bar } from './bars.ts';
import type { Form, Trend } from './form.ts';
import { gridOf, type Grid } from './grid.ts';
import {
  lineParts,
  MOST_COLUMNS,
  partsOf,
  scaledParts,
  type EarlierLine,
  type LineParts,
} from './decimate.ts';
import { isAveraged, type FigureAxis } from './axes.ts';
import type { FigureSeries, Measure } from './values.ts';

export interface FigureInput {
  readonly series: readonly FigureSeries[];
  /** Denominator of rates; it is not drawn. */
  readonly baseline: FigureSeries | null;
  readonly window: Span;
  readonly form: Form;
  readonly trend: Trend;
  /** Width of the plot, px. */
  readonly width: number;
}

export interface FigurePart extends LineParts {
  /** The earlier periods, interleaved `x, y`; none if this form does not draw them. */
  readonly earlier: readonly EarlierLine[];
  /** Width of its bars, px, and outlines of the unfinished ones; absent for a line. */
  readonly barWidth?: number;
  readonly outlines?: Float64Array;
}

/** The value of one series in a range of buckets. */
export interface FigureValue {
  readonly id: number;
  /** As drawn, of this series alone; NaN if it has none. */
  readonly value: number;
  /** The same for each earlier period of the series, in its order; none if this form does not draw them. */
  readonly earlier: readonly number[];
  /** Value at its line or the upper edge of its band. */
  readonly top: number;
}

export interface ChartLayout {
  /** As drawn: indexes and rates are not parts of a whole, and are drawn as lines. */
  readonly form: Form;
  /** True if the series are stacked. */
  readonly stacked: boolean;
  /** By id; the last one of a stack is at the top. */
  readonly parts: ReadonlyMap<number, FigurePart>;
  /** Of counts, or of quotients if nothing else is drawn. */
  readonly left: FigureAxis;
  /** Of quotients in a chart with counts; null if there are none. */
  readonly right: FigureAxis | null;
  /** Ids of the series on the right axis. */
  readonly onRight: ReadonlySet<number>;
  /** Columns of exact sums; null if minima and maxima are drawn. */
  readonly grid: Grid | null;
  /** The reasons a stack omits columns with known values. */
  readonly gaps: { readonly missing: boolean; readonly negative: boolean };
  /** Values of every series in the buckets `[from, to)`. */
  read(from: number, to: number): readonly FigureValue[];
}

const mostColumns = (width: number): number =>
  Math.min(MOST_COLUMNS, Math.max(40, Math.round(width)));

/** Tops of stacked values; all NaN if one is missing or below zero. */
export function stackOf(values: readonly number[], share: boolean): number[] {
  let sum = 0;
  const tops = values.map((value) => (sum += value < 0 ? Number.NaN : value));
  return tops.map((top) => (share ? top / sum : Number.isNaN(sum) ? sum : top));
}

/** Position of a column's point: for a mean the middle of its time, for a running value its last bucket. */
function placeOf({ bounds }: Curve, from: number, to: number, trend: Trend): number {
  const trailing = trend.kind === 'cumulative' || trend.kind === 'average';
  return ((bounds[trailing ? to - 1 : from] ?? 0) + (bounds[to] ?? 0)) / 2;
}

interface Column {
  readonly from: number;
  readonly to: number;
  readonly open: boolean;
}

/** The columns of a grid, ascending. */
export function gridColumns({ edges, open }: Grid): Column[] {
  return Array.from({ length: Math.max(0, edges.length - 1) }, (_, k) => {
    const [from = 0, to = 0] = [edges[k], edges[k + 1]];
    return { from, to, open: open.has(from) };
  });
}

/** A line through columns, with gaps at the unfinished ones, which are points apart from it. */
function pathOf(curve: Curve, grid: Grid, values: readonly number[], trend: Trend): LineParts {
  const line: number[] = [];
  const rings: number[] = [];
  for (const [k, { from, to, open }] of gridColumns(grid).entries()) {
    const x = placeOf(curve, from, to, trend);
    const y = values[k] ?? Number.NaN;
    line.push(x, open ? Number.NaN : y);
    if (open && !Number.isNaN(y)) rings.push(x, y);
  }
  return partsOf(Float64Array.from(line), rings);
}

/** A line of minima and maxima, multiplied by a factor; empty if the factor is unknown. */
function extremesOf(track: Track, factor: number, window: Span, most: number): LineParts {
  if (Number.isNaN(factor)) return partsOf(new Float64Array(0), []);
  const parts = lineParts(track, window, most);
  return factor === 1 ? parts : scaledParts(parts, factor);
}

function barsOf(
  { bounds }: Curve,
  columns: readonly Column[],
  tops: readonly number[],
  feet: readonly number[] = [],
): Bar[] {
  return columns.map(({ from, to, open }, k) => ({
    start: bounds[from] ?? 0,
    end: bounds[to] ?? 0,
    top: tops[k] ?? Number.NaN,
    foot: feet[k] ?? 0,
    open,
  }));
}

interface DrawnLayout {
  readonly parts: Map<number, FigurePart>;
  readonly grid: Grid | null;
  readonly gaps: ChartLayout['gaps'];
}

/** The layout of curves on top of each other. */
export function layoutStacked(
  { window, trend, width, series }: FigureInput,
  form: Form,
  tracks: readonly Track[],
  values: (from: number, to: number) => number[],
): DrawnLayout {
  const parts = new Map<number, FigurePart>();
  const gaps = { missing: false, negative: false };
  const curve = tracks[0]?.curve;
  if (!curve) return { parts, grid: null, gaps };
  const bars = form === 'bars';
  const grid = gridOf(tracks, window, bars ? mostBars(width, 1) : mostColumns(width));
  const columns = gridColumns(grid);
  const rows = columns.map(({ from, to }) => values(from, to));
  for (const row of rows) {
    if (row.every((value) => Number.isNaN(value))) continue;
    if (row.some((value) => Number.isNaN(value))) gaps.missing = true;
    if (row.some((value) => value < 0)) gaps.negative = true;
  }
  const tops = rows.map((row) => stackOf(row, form === 'share'));
  const px = { ms: (window.end - window.start) / width, origin: window.start };
  for (const [k, { id }] of series.entries()) {
    const top = tops.map((row) => row[k] ?? Number.NaN);
    const foot = tops.map((row) => (k === 0 ? 0 : (row[k - 1] ?? Number.NaN)));
    const made = bars
      ? barParts(barsOf(curve, columns, top, foot), { of: 1, number: 0 }, px)
      : pathOf(curve, grid, top, trend);
    // Bands are labelled in the middle.
    const last = top.findLastIndex((y, i) => !Number.isNaN(y) && !columns[i]?.open);
    const y = ((top[last] ?? 0) + (foot[last] ?? 0)) / 2;
    parts.set(id, { ...made, end: made.end && { ...made.end, y }, earlier: [] });
  }
  return { parts, grid, gaps };
}

/** The layout of curves that each begin at zero. */
export function layoutSideBySide(
  input: FigureInput,
  form: Form,
  tracks: readonly Track[],
  measures: readonly Measure[],
): DrawnLayout {
  const { window, trend, width, series } = input;
  const parts = new Map<number, FigurePart>();
  const bars = form === 'bars';
  const most = bars ? mostBars(width, series.length) : mostColumns(width);
  const px = { ms: (window.end - window.start) / width, origin: window.start };
  let grid: Grid | null = null;
  for (const [k, plotted] of series.entries()) {
    const { id } = plotted;
    const track = tracks[k];
    const measure = measures[k];
    if (!track || !measure) continue;
    const { factor } = measure;
    const earlierBy = (lineOf: (past: Track, at: Measure['now']) => Float64Array): EarlierLine[] =>
      measure.earlier.flatMap(({ period, past, at }) =>
        past ? [{ period, line: lineOf(past, at) }] : [],
      );
    const asTheyAre = trend.kind === 'none' || trend.kind === 'index' || !isAveraged(plotted);
    if (!bars && asTheyAre) {
      const earlier = earlierBy((past) => extremesOf(past, factor, window, most).line);
      parts.set(id, { ...extremesOf(track, factor, window, most), earlier });
      continue;
    }
    const own = gridOf([track], window, most);
    grid = own;
    const columns = gridColumns(own);
    const drawn = columns.map(({ from, to }) => measure.now(from, to));
    const made = bars
      ? barParts(barsOf(track.curve, columns, drawn), { of: series.length, number: k }, px)
      : pathOf(track.curve, own, drawn, trend);
    const earlier = earlierBy((past, at) => earlierOf(past, at, window, most, trend));
    parts.set(id, { ...made, earlier });
  }
  return { parts, grid, gaps: { missing: false, negative: false } };
}

function earlierOf(
  past: Track,
  at: Measure['now'],
  window: Span,
  most: number,
  trend: Trend,
): Float64Array {
  const grid = gridOf([past], window, most);
  const values = gridColumns(grid).map(({ from, to }) => at(from, to));
  return pathOf(past.curve, grid, values, trend).line;
}
