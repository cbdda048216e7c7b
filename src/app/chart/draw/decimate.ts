import {
  columnStep,
  extentOf,
  extentsBetween,
  gridEdges,
  type Pyramid,
} from '#core/series/pyramid/pyramid.ts';
import { STATE, type Curve } from '#core/series/series.ts';
import { firstAfter } from '#core/time/edges.ts';
import type { Track } from '#core/series/trend.ts';
import type { Span } from '#core/time/span.ts';
import { drawnApart } from './grid.ts';
import { firstKnown } from '#core/series/pyramid/pyramid-places.ts';

/** The line of an earlier period, by its position among those drawn. */
export interface EarlierLine {
  readonly period: number;
  readonly line: Float64Array;
}

/** Maximum number of columns per series: about the width of the plot in pixels. */
export const MOST_COLUMNS = 760;

/** The drawn points of one series, interleaved `x, y` with x in epoch ms and NaN at gaps. */
export interface LineParts {
  readonly line: Float64Array;
  /** Buckets cut by now, the range or the source: points apart from the line, which would otherwise fall toward zero. */
  readonly rings: Float64Array;
  /** Points with a gap on both sides, which a line would not show. */
  readonly dots: Float64Array;
  /** Highest drawn value, at least zero; `low` is the lowest, at most zero. */
  readonly peak: number;
  readonly low: number;
  /** The last whole bucket's point, for a label; null if nothing is drawn. */
  readonly end: { readonly x: number; readonly y: number } | null;
}

/** The middle of buckets `[from, to)`, at which their point is drawn. */
function middle(bounds: Float64Array, from: number, to: number): number {
  return ((bounds[from] ?? 0) + (bounds[to] ?? 0)) / 2;
}

/**
 * Reduces a curve to what a window shows: every bucket if there are few, else columns with their minimum and maximum, so
 * that no peak is lost.
 *
 * @param most - Maximum number of columns.
 */
export function lineParts(track: Track, window: Span, most: number = MOST_COLUMNS): LineParts {
  const { curve, pyramid } = track;
  const { bounds, counts, states } = curve;
  // One more bucket on either side, so that the line leaves the window instead of ending in it.
  const first = Math.max(0, firstAfter(bounds, window.start) - 1);
  const to = Math.min(counts.length, firstAfter(bounds, window.end - 1) + 2);
  const from = states[first] === STATE.uncovered ? firstKnown(pyramid, first, to) : first;
  const open = drawnApart([track], from, to, most);
  const rings = open.flatMap((i) => {
    const count = counts[i] ?? Number.NaN;
    return Number.isNaN(count) ? [] : [middle(bounds, i, i + 1), count];
  });
  const few = to - from <= most;
  const line = few ? plain(curve, from, to, open) : reduced(track, from, to, most, open);
  return partsOf(line, rings);
}

/**
 * Makes the parts of a line from its points.
 *
 * @param line - Interleaved `x, y`, ascending, with NaN at gaps.
 */
export function partsOf(line: Float64Array, rings: readonly number[]): LineParts {
  const dots: number[] = [];
  let peak = 0;
  let low = 0;
  let end: { x: number; y: number } | null = null;
  for (let i = 0; i < line.length; i += 2) {
    const y = line[i + 1] ?? Number.NaN;
    if (Number.isNaN(y)) continue;
    const x = line[i] ?? 0;
    if (y > peak) peak = y;
    if (y < low) low = y;
    end = { x, y };
    const alone =
      Number.isNaN(line[i - 1] ?? Number.NaN) && Number.isNaN(line[i + 3] ?? Number.NaN);
    if (alone) dots.push(x, y);
  }
  for (let i = 1; i < rings.length; i += 2) {
    const y = rings[i] ?? Number.NaN;
    if (y > peak) peak = y;
    if (y < low) low = y;
  }
  const [x = 0, y = Number.NaN] = rings.slice(-2);
  if (!end && !Number.isNaN(y)) end = { x, y };
  return {
    line,
    rings: Float64Array.from(rings),
    dots: Float64Array.from(dots),
    peak,
    low,
    end,
  };
}

/** Points to mark: all of a line with few points, else isolated ones and the last. */
export function markedPoints({ line, dots, end }: LineParts, few: boolean): Float64Array {
  if (!few) return end ? Float64Array.of(...dots, end.x, end.y) : dots;
  return line.filter((_, i) => !Number.isNaN(line[i | 1] ?? Number.NaN));
}

/** Multiplies every value by a factor. */
export function scaledParts(parts: LineParts, factor: number): LineParts {
  const times = (points: Float64Array): Float64Array =>
    points.map((value, i) => (i % 2 === 0 ? value : value * factor));
  const { line, rings, dots, peak, low, end } = parts;
  return {
    line: times(line),
    rings: times(rings),
    dots: times(dots),
    peak: peak * factor,
    low: low * factor,
    end: end && { x: end.x, y: end.y * factor },
  };
}

/** A point for each bucket, with gaps at some. */
function plain(
  { bounds, counts }: Curve,
  from: number,
  to: number,
  gaps: readonly number[],
): Float64Array {
  const out = new Float64Array(2 * Math.max(0, to - from));
  for (let i = from, at = 0; i < to; i += 1, at += 2) {
    out[at] = middle(bounds, i, i + 1);
    out[at + 1] = counts[i] ?? Number.NaN;
  }
  for (const i of gaps) out[2 * (i - from) + 1] = Number.NaN;
  return out;
}

/** The columns of the whole curve's grid in a stretch of it, and a line through them without values yet. */
interface Columns {
  readonly from: number;
  readonly to: number;
  readonly most: number;
  readonly edges: Float64Array;
  /** Buckets per column. */
  readonly step: number;
  /** Interleaved `x, y`, two points per column, NaN for each y. */
  readonly blank: Float64Array;
}

/** The columns last drawn, by bounds: all series of a chart have the same ones. */
const lastColumns = new WeakMap<Float64Array, Columns>();

function columnsOf(bounds: Float64Array, from: number, to: number, most: number): Columns {
  const last = lastColumns.get(bounds);
  if (last?.from === from && last.to === to && last.most === most) return last;
  const step = columnStep(to - from, most);
  const edges = gridEdges(from, to, step);
  const size = Math.max(0, edges.length - 1);
  const blank = new Float64Array(4 * size).fill(Number.NaN);
  let end = bounds[from] ?? 0;
  for (let k = 0; k < size; k += 1) {
    const start = end;
    end = bounds[edges[k + 1] ?? 0] ?? start;
    blank[4 * k] = start + (end - start) * 0.25;
    blank[4 * k + 2] = start + (end - start) * 0.75;
  }
  const columns = { from, to, most, edges, step, blank };
  lastColumns.set(bounds, columns);
  return columns;
}

/** Minimum and maximum of the values `[from, to)` except for some, ascending. */
function extentWithout(
  pyramid: Pyramid,
  from: number,
  to: number,
  without: readonly number[],
): [low: number, high: number] {
  let [low, high] = [Infinity, -Infinity];
  let start = from;
  for (const end of [...without.filter((i) => i >= from && i < to), to]) {
    const [min = Infinity, max = -Infinity] = extentOf(pyramid, start, end);
    [low, high] = [Math.min(low, min), Math.max(high, max)];
    start = end + 1;
  }
  return [low, high];
}

/**
 * Two points per column of the whole curve's grid, which does not change while the window moves. The one closer to the
 * previous point comes first, so that the line rises and falls once.
 *
 * @param without - Buckets that it does not include, ascending.
 */
function reduced(
  { curve: { bounds }, pyramid }: Track,
  from: number,
  to: number,
  most: number,
  without: readonly number[],
): Float64Array {
  const { edges, step, blank } = columnsOf(bounds, from, to, most);
  const out = blank.slice();
  const extents = extentsBetween(pyramid, edges, step);
  for (const i of without) {
    const k = firstAfter(edges, i);
    extents.set(extentWithout(pyramid, edges[k] ?? 0, edges[k + 1] ?? 0, without), 2 * k);
  }
  let before = Number.NaN;
  for (let k = 0; k + 1 < edges.length; k += 1) {
    const low = extents[2 * k] ?? 0;
    const high = extents[2 * k + 1] ?? 0;
    if (low > high) {
      before = Number.NaN;
      continue;
    }
    const falls = Math.abs(high - before) < Math.abs(low - before);
    out[4 * k + 1] = falls ? high : low;
    out[4 * k + 3] = falls ? low : high;
    before = falls ? low : high;
  }
  return out;
}
