import { sameBuckets, type Curve } from '#core/series/series.ts';
import { trackOf, type Track } from '#core/series/trend.ts';
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
import { axisOf, isAveraged, sidesOf, type FigureAxis } from './axes.ts';
import { measureOf, type FigureSeries, type Measure } from './values.ts';

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

/** Maximum number of series with bars side by side; more are stacked. */
const ABREAST = 3;

/** The form to draw. Values that are not parts of a whole are not stacked; small multiples are lines. */
export function drawnForm(form: Form, trend: Trend): Form {
  if (form === 'multiples') return 'line';
  const whole = trend.kind !== 'index' && trend.kind !== 'per';
  return whole || (form !== 'stack' && form !== 'share') ? form : 'line';
}

/** The form of quotients without counts: they do not add up, and are not amounts for bars. */
function loneForm(form: Form): Form {
  return form === 'area' ? 'area' : 'line';
}

/** True if series of a form are stacked. A log scale would give a stack wrong heights, and is not used. */
export function isStacked(form: Form, trend: Trend, series: number): boolean {
  const drawn = drawnForm(form, trend);
  const parts = trend.kind !== 'index' && trend.kind !== 'per';
  return drawn === 'stack' || drawn === 'share' || (drawn === 'bars' && series > ABREAST && parts);
}

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

interface Layout {
  readonly parts: Map<number, FigurePart>;
  readonly grid: Grid | null;
  readonly gaps: ChartLayout['gaps'];
}

function layoutStacked(
  { window, trend, width, series }: FigureInput,
  form: Form,
  tracks: readonly Track[],
  values: (from: number, to: number) => number[],
): Layout {
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

function layoutSideBySide(
  input: FigureInput,
  form: Form,
  tracks: readonly Track[],
  measures: readonly Measure[],
): Layout {
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

/**
 * Lays out series in a window.
 *
 * Plain and indexed lines and areas show the minimum and maximum of every column. Everything else comes from exact
 * sums: of each bucket if there are few, else the mean of a column's buckets. A stack has a gap wherever one of its
 * series is missing or below zero. Quotients are not stacked: they are lines of minima and maxima in front, or of their
 * averages.
 */
export function figureOf(input: FigureInput): ChartLayout {
  const { baseline, window, trend } = input;
  const { counted, quotients } = sidesOf(input.series, baseline, trend);
  const alone = counted.length === 0 && quotients.length > 0;
  const form = alone ? loneForm(input.form) : drawnForm(input.form, trend);
  const stacked = !alone && isStacked(input.form, trend, counted.length);
  const track = ({ curve, pyramid }: FigureSeries): Track => trackOf(curve, pyramid);
  const measure = (series: FigureSeries): Measure => measureOf(series, baseline, trend, window);
  const tracks = counted.map(track);
  const measures = counted.map(measure);
  const first = (counted[0] ?? quotients[0])?.curve;
  const values = (from: number, to: number): number[] =>
    tracks.map(({ curve }, k) =>
      first && sameBuckets(curve, first) ? (measures[k]?.now(from, to) ?? Number.NaN) : Number.NaN,
    );
  const counts = { ...input, series: counted };
  const { parts, grid, gaps } = stacked
    ? layoutStacked(counts, form, tracks, values)
    : layoutSideBySide(counts, form, tracks, measures);
  const overTrend: Trend = trend.kind === 'average' ? trend : { kind: 'none' };
  const over = { ...input, series: quotients, trend: overTrend };
  const overMeasures = quotients.map(measure);
  const overLayout = layoutSideBySide(over, 'line', quotients.map(track), overMeasures);
  const lines = overLayout.parts;
  const unit = quotients.every((quotient) => quotient.unit === 'part') ? 'part' : 'ratio';
  const quotientAxis = quotients.length > 0 ? axisOf(lines.values(), unit) : null;
  const read = (from: number, to: number): FigureValue[] => {
    const row = values(from, to);
    const share = form === 'share';
    const tops = stacked ? stackOf(row, share) : row;
    const all = share ? row.reduce((sum, value) => sum + value, 0) : 1;
    const rows = counted.map(({ id }, k) => {
      const top = tops[k] ?? Number.NaN;
      return {
        id,
        value: share && Number.isNaN(top) ? top : (row[k] ?? Number.NaN) / all,
        earlier: share ? [] : (measures[k]?.earlier.map(({ at }) => at(from, to)) ?? []),
        top,
      };
    });
    const rest = quotients.map(({ id, curve }, k) => {
      const own = first && sameBuckets(curve, first) ? overMeasures[k] : undefined;
      const value = own?.now(from, to) ?? Number.NaN;
      const earlier = own?.earlier.map(({ at }) => at(from, to)) ?? [];
      return { id, value, earlier, top: value };
    });
    return [...rows, ...rest];
  };
  return {
    form,
    stacked,
    parts: new Map([...parts, ...lines]),
    left: (alone ? quotientAxis : null) ?? axisOf(parts.values(), 'count'),
    right: alone ? null : quotientAxis,
    onRight: new Set(alone ? [] : lines.keys()),
    grid: alone ? overLayout.grid : grid,
    gaps,
    read,
  };
}
