import { firstIndex } from '#core/first-index.ts';
import { MINUTE_MS } from '#core/time/span.ts';
import { holesBefore, LEAF, sumBefore } from '#core/series/pyramid/pyramid.ts';
import { STATE, type Curve } from './series.ts';
import { median } from './median.ts';
import type { Track } from './trend.ts';
import type { Buckets } from './window.ts';

/** A straight line through counts. */
export interface TrendLine {
  /** Middles of the first and the last whole bucket, epoch ms. */
  readonly from: number;
  readonly to: number;
  /** Its value at `from`, in Posts a bucket. */
  readonly value: number;
  /** Change of its value in a millisecond. */
  readonly slope: number;
}

/** Fewer whole buckets have no direction. */
export const TREND_BUCKETS = 5;
/** Points that pairs are made of: 200 make 19,900 slopes. More buckets are averaged in equal runs. */
const MOST_POINTS = 200;

/** The whole buckets of a curve, so that a run of them is averaged without reading each. */
interface Whole {
  /**
   * Sum of their middles before each leaf block, minutes after the curve's start: exact for twenty years of minutes,
   * where milliseconds would be rounded.
   */
  readonly middles: Float64Array;
  /** Known buckets that are not whole, ascending. */
  readonly open: readonly number[];
  /** Sum of their counts before each of them; one entry more. */
  readonly openSums: Float64Array;
}

const wholes = new WeakMap<Curve, Whole>();

const isWholeAt = ({ counts, states }: Curve, i: number): boolean =>
  (states[i] ?? 0) > STATE.partial && !Number.isNaN(counts[i]);

/** Minutes from the start of a curve to the middle of a bucket. */
const middleOf = ({ bounds }: Curve, i: number): number =>
  (((bounds[i] ?? 0) + (bounds[i + 1] ?? 0)) / 2 - (bounds[0] ?? 0)) / MINUTE_MS;

/** Finds the whole buckets of a curve; done once for each, linear in its length. */
function wholeOf({ curve, unfinished }: Track): Whole {
  const made = wholes.get(curve);
  if (made) return made;
  const size = curve.counts.length;
  const middles = new Float64Array(Math.ceil(size / LEAF) + 1);
  for (let b = 0, sum = 0; b + 1 < middles.length; b += 1) {
    const end = Math.min(size, (b + 1) * LEAF);
    for (let i = b * LEAF; i < end; i += 1) if (isWholeAt(curve, i)) sum += middleOf(curve, i);
    middles[b + 1] = sum;
  }
  const open = unfinished.filter((i) => !Number.isNaN(curve.counts[i]));
  const openSums = new Float64Array(open.length + 1);
  for (const [k, i] of open.entries())
    openSums[k + 1] = (openSums[k] ?? 0) + (curve.counts[i] ?? 0);
  const whole = { middles, open, openSums };
  wholes.set(curve, whole);
  return whole;
}

const openBefore = ({ open }: Whole, index: number): number =>
  firstIndex(0, open.length, (k) => (open[k] ?? 0) >= index);

/** Number of the whole buckets before an index. */
const sizeBefore = ({ pyramid }: Track, whole: Whole, index: number): number =>
  index - holesBefore(pyramid, index) - openBefore(whole, index);

/** Number of the whole buckets before an index, and the sums of their middles and counts. */
function wholeBefore(
  track: Track,
  whole: Whole,
  index: number,
): { size: number; middle: number; count: number } {
  const { curve, pyramid } = track;
  const block = Math.floor(index / LEAF);
  let middle = whole.middles[block] ?? 0;
  for (let i = block * LEAF; i < index; i += 1)
    if (isWholeAt(curve, i)) middle += middleOf(curve, i);
  return {
    size: sizeBefore(track, whole, index),
    middle,
    count: sumBefore(pyramid, index) - (whole.openSums[openBefore(whole, index)] ?? 0),
  };
}

/**
 * The trend line of the whole buckets `[first, end)`: the median of the slopes of all pairs of points
 * (Theil, "A Rank-Invariant Method of Linear and Polynomial Regression Analysis", 1950; Sen, "Estimates
 * of the Regression Coefficient Based on Kendall's Tau", 1968), through the middle of the points. A
 * single peak does not tilt it, unlike a line of least squares.
 *
 * @returns Null if fewer than {@link TREND_BUCKETS} buckets are known and whole.
 */
export function trendLineOf(track: Track, buckets: Buckets): TrendLine | null {
  const { curve } = track;
  const whole = wholeOf(track);
  const first = Math.max(0, buckets.first);
  const end = Math.max(first, Math.min(buckets.end, curve.counts.length));
  const start = wholeBefore(track, whole, first);
  const sizeUntil = (index: number): number => sizeBefore(track, whole, index) - start.size;
  const known = sizeUntil(end);
  if (known < TREND_BUCKETS) return null;
  /** The whole bucket of a number, counted from the first in view. */
  const bucket = (n: number): number => firstIndex(first, end, (i) => sizeUntil(i + 1) > n);
  const from = middleOf(curve, bucket(0));
  const size = Math.min(known, MOST_POINTS);
  const [x, y] = [new Float64Array(size), new Float64Array(size)];
  for (let k = 0, before = start; k < size; k += 1) {
    const last = bucket(Math.round(((k + 1) * known) / size) - 1);
    const after = wholeBefore(track, whole, last + 1);
    const run = after.size - before.size;
    // Relative to the first, so that milliseconds since 1970 cost no digits.
    x[k] = ((after.middle - before.middle) / run - from) * MINUTE_MS;
    y[k] = (after.count - before.count) / run;
    before = after;
  }
  const slopes = new Float64Array((size * (size - 1)) / 2);
  for (let a = 0, n = 0; a < size; a += 1) {
    for (let b = a + 1; b < size; b += 1, n += 1) {
      slopes[n] = ((y[b] ?? 0) - (y[a] ?? 0)) / ((x[b] ?? 0) - (x[a] ?? 0));
    }
  }
  const slope = median(slopes);
  const rest = y.map((value, k) => value - slope * (x[k] ?? 0));
  const at = (minutes: number): number => (curve.bounds[0] ?? 0) + minutes * MINUTE_MS;
  const to = at(middleOf(curve, bucket(known - 1)));
  return { from: at(from), to, value: median(rest), slope };
}
