import { columnStep, firstKnown, gridEdges, lastKnown } from '#core/series/pyramid.ts';
import { STATE } from '#core/series/series.ts';
import { isWhole, type Track } from '#core/series/trend.ts';
import type { Span } from '#core/time/span.ts';
import { firstAfter } from '#core/time/edges.ts';

/** The columns that a window is drawn in. Column k contains the buckets `[edges[k], edges[k + 1])`. */
export interface Grid {
  /** Ascending; one more than columns. */
  readonly edges: Float64Array;
  /** Number of buckets in an uncut column. */
  readonly step: number;
  /** A first and a last bucket that are unfinished, each outside the columns; -1 if there is none. */
  readonly head: number;
  readonly tail: number;
}

/**
 * Divides the visible part of curves with the same buckets into columns of equally many buckets.
 *
 * The columns lie on a grid of the whole curve, so that they do not change while the window moves. Incomplete buckets at
 * either end, and everything after the last known bucket, belong to no column.
 *
 * @param most - Maximum number of columns, not counting one cut at either end.
 */
export function gridOf(tracks: readonly Track[], window: Span, most: number): Grid {
  const bounds = tracks[0]?.curve.bounds ?? new Float64Array(1);
  const size = bounds.length - 1;
  // One more bucket on either side, so that the line leaves the window instead of ending in it.
  const first = Math.max(0, firstAfter(bounds, window.start) - 1);
  const past = Math.min(size, firstAfter(bounds, window.end - 1) + 2);
  const step = columnStep(past - first, most);
  const start = Math.floor(first / step) * step;
  const to = Math.min(size, Math.ceil(past / step) * step);
  // No columns before the first covered bucket.
  const covered = tracks.map(({ curve, pyramid }) =>
    curve.states[start] === STATE.uncovered ? firstKnown(pyramid, start, to) : start,
  );
  const from = Math.min(to, ...covered);
  const last = Math.max(-1, ...tracks.map(({ pyramid }) => lastKnown(pyramid, from, to)));
  const unfinished = (i: number): boolean => tracks.some((track) => !isWhole(track, i, i + 1));
  const tail = last >= from && unfinished(last) ? last : -1;
  const head = from < to && from !== tail && unfinished(from) ? from : -1;
  const least = head >= 0 ? head + 1 : from;
  const end = tail >= 0 ? tail : last + 1;
  return { edges: gridEdges(least, end, step), step, head, tail };
}

/** The column that contains a bucket, or the bucket itself if it is in none. */
export function columnOf({ edges }: Grid, bucket: number): { from: number; to: number } {
  const k = firstAfter(edges, bucket);
  const [from = bucket, to = bucket] = edges.subarray(k, k + 2);
  return from <= bucket && bucket < to ? { from, to } : { from: bucket, to: bucket + 1 };
}
