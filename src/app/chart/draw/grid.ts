import { columnStep, gridEdges } from '#core/series/pyramid/pyramid.ts';
import { STATE } from '#core/series/series.ts';
import { unfinishedIn, type Track } from '#core/series/trend.ts';
import type { Span } from '#core/time/span.ts';
import { firstAfter } from '#core/time/edges.ts';
import { firstKnown, lastKnown } from '#core/series/pyramid/pyramid-places.ts';

/** The columns that a window is drawn in. Column k contains the buckets `[edges[k], edges[k + 1])`. */
export interface Grid {
  /** Ascending; one more than columns. */
  readonly edges: Float64Array;
  /** Number of buckets in an uncut column. */
  readonly step: number;
  /** The unfinished buckets that are a column each. */
  readonly open: ReadonlySet<number>;
}

/**
 * The unfinished buckets of `[from, to)` in any of the curves, ascending, which are drawn apart from the rest. Only the
 * first and the last if there are more than `most`: so many marks would hide each other and slow every frame.
 */
export function drawnApart(
  tracks: readonly Track[],
  from: number,
  to: number,
  most: number,
): readonly number[] {
  const lists = tracks.map((track) => unfinishedIn(track, from, to));
  const all =
    lists.length === 1 ? (lists[0] ?? []) : [...new Set(lists.flat())].sort((a, b) => a - b);
  return all.length > most ? [all[0] ?? 0, all.at(-1) ?? 0] : all;
}

/** The edges with those of single buckets, ascending. */
function splitAt(edges: Float64Array, buckets: readonly number[]): Float64Array {
  if (buckets.length === 0) return edges;
  return Float64Array.from(new Set([...edges, ...buckets.flatMap((i) => [i, i + 1])])).sort();
}

/**
 * Divides the visible part of curves with the same buckets into columns of equally many buckets.
 *
 * The columns lie on a grid of the whole curve, so that they do not change while the window moves. An unfinished bucket is a
 * column of its own, and everything after the last known bucket belongs to no column.
 *
 * @param most - Maximum number of columns, not counting those that unfinished buckets add.
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
  const open = drawnApart(tracks, from, last + 1, most);
  return { edges: splitAt(gridEdges(from, last + 1, step), open), step, open: new Set(open) };
}

/** The column that contains a bucket, or the bucket itself if it is in none. */
export function columnOf({ edges }: Grid, bucket: number): { from: number; to: number } {
  const k = firstAfter(edges, bucket);
  const [from = bucket, to = bucket] = edges.subarray(k, k + 2);
  return from <= bucket && bucket < to ? { from, to } : { from: bucket, to: bucket + 1 };
}
