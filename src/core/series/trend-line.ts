import { medianOf } from './median.ts';
import { STATE, type Curve } from './series.ts';
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

/**
 * The trend line of the whole buckets `[first, end)`: the median of the slopes of all pairs of points
 * (Theil, "A Rank-Invariant Method of Linear and Polynomial Regression Analysis", 1950; Sen, "Estimates
 * of the Regression Coefficient Based on Kendall's Tau", 1968), through the middle of the points. A
 * single peak does not tilt it, unlike a line of least squares.
 *
 * @returns Null if fewer than {@link TREND_BUCKETS} buckets are known and whole.
 */
export function trendLineOf(
  { bounds, counts, states }: Curve,
  { first, end }: Buckets,
): TrendLine | null {
  const whole: number[] = [];
  for (let i = Math.max(0, first); i < Math.min(end, counts.length); i += 1) {
    if ((states[i] ?? 0) > STATE.partial && !Number.isNaN(counts[i])) whole.push(i);
  }
  if (whole.length < TREND_BUCKETS) return null;
  const middle = (i: number): number => ((bounds[i] ?? 0) + (bounds[i + 1] ?? 0)) / 2;
  const from = middle(whole[0] ?? 0);
  const size = Math.min(whole.length, MOST_POINTS);
  const [x, y] = [new Float64Array(size), new Float64Array(size)];
  for (let k = 0; k < size; k += 1) {
    const run = whole.slice(
      Math.round((k * whole.length) / size),
      Math.round(((k + 1) * whole.length) / size),
    );
    // Relative to the first, so that milliseconds since 1970 cost no digits.
    x[k] = run.reduce((sum, i) => sum + middle(i) - from, 0) / run.length;
    y[k] = run.reduce((sum, i) => sum + (counts[i] ?? 0), 0) / run.length;
  }
  const slopes = new Float64Array((size * (size - 1)) / 2);
  for (let a = 0, n = 0; a < size; a += 1) {
    for (let b = a + 1; b < size; b += 1, n += 1) {
      slopes[n] = ((y[b] ?? 0) - (y[a] ?? 0)) / ((x[b] ?? 0) - (x[a] ?? 0));
    }
  }
  const slope = medianOf(slopes, slopes.length);
  const rest = y.map((value, k) => value - slope * (x[k] ?? 0));
  const to = middle(whole.at(-1) ?? 0);
  return { from, to, value: medianOf(rest, size), slope };
}
