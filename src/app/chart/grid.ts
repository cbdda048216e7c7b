import { columnStep, firstKnown, gridEdges, lastKnown } from '#core/series/pyramid.ts';
import { STATE } from '#core/series/series.ts';
import { isWhole, type Track } from '#core/series/trend.ts';
import type { Span } from '#core/time/span.ts';
import { firstAfter } from '#core/time/edges.ts';

/** The columns that a window is drawn in; column k holds the buckets `[edges[k], edges[k + 1])`. */
export interface Grid {
  /** Ascending; of one column less than its length. */
  readonly edges: Float64Array;
  /** Buckets of a column that is not cut at either end. */
  readonly step: number;
  /** A first and a last bucket that is unfinished and its own column; -1 where there is none. */
  readonly head: number;
  readonly tail: number;
}

/**
 * Cuts what a window shows of curves with the same buckets into columns of equal numbers of buckets.
 *
 * The columns lie on a grid of the whole curve, so that they stay themselves while the window moves. What is not
 * whole at either end is no part of a column, and what comes after the last known bucket is none either.
 *
 * @param most - Columns at most, but for one cut at either end.
 */
export function gridOf(tracks: readonly Track[], window: Span, most: number): Grid {
  const bounds = tracks[0]?.curve.bounds ?? new Float64Array(1);
  const size = bounds.length - 1;
  // One bucket more on either side, so that the line leaves the window instead of ending in it.
  const first = Math.max(0, firstAfter(bounds, window.start) - 1);
  const past = Math.min(size, firstAfter(bounds, window.end - 1) + 2);
  const step = columnStep(past - first, most);
  const start = Math.floor(first / step) * step;
  const to = Math.min(size, Math.ceil(past / step) * step);
  // Before anything is covered there is no column.
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

/** The column that holds a bucket; of one in none, the bucket itself. */
export function columnOf({ edges }: Grid, bucket: number): { from: number; to: number } {
  const k = firstAfter(edges, bucket);
  const [from = bucket, to = bucket] = edges.subarray(k, k + 2);
  return from <= bucket && bucket < to ? { from, to } : { from: bucket, to: bucket + 1 };
}
