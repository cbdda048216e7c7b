import { DAY_MS, type Span } from '#core/time/span.ts';
import { localInstant, wallTime, type ZoneTable } from '#core/time/zone.ts';
import { STATE, type Curve } from './series.ts';
import { bucketAt } from './window.ts';

/** Fewer Posts so far, or in the same part of earlier weeks, say nothing about a pace. */
export const PROJECTED_POSTS = 20;
/** Earlier weeks that are averaged; one is enough. */
const MOST_WEEKS = 4;
const WEEK_MS = 7 * DAY_MS;

/** Sum of a curve between two of its edges; null unless both are edges and all between is known and whole. */
function sumIn({ bounds, counts, states }: Curve, { start, end }: Span): number | null {
  const [from, to] = [bucketAt(bounds, start), bucketAt(bounds, end - 1)];
  if (from < 0 || to < from || bounds[from] !== start || bounds[to + 1] !== end) return null;
  let sum = 0;
  for (let i = from; i <= to; i += 1) {
    if ((states[i] ?? 0) <= STATE.partial) return null;
    sum += counts[i] ?? Number.NaN;
  }
  return Number.isNaN(sum) ? null : sum;
}

/** The end of the whole finer buckets that begin at an instant without a gap; the instant itself for none. */
function wholeUntil({ bounds, states }: Curve, { start, end }: Span): number {
  let i = bucketAt(bounds, start);
  if (i < 0 || bounds[i] !== start) return start;
  while ((states[i] ?? 0) > STATE.partial && (bounds[i + 1] ?? Infinity) <= end) i += 1;
  return bounds[i] ?? start;
}

/**
 * Projects the count of a bucket that is not over: its count so far, times the whole bucket over the
 * same elapsed part in up to four earlier weeks. So a quiet night is not mistaken for a quiet day.
 *
 * @param finer - The same series in finer buckets, from at least one week before the bucket.
 * @param bucket - The whole bucket by the calendar: a day or a week.
 * @param table - Of the zone whose clock tells the same time a week ago.
 * @returns Null if it is over or has not begun, if no earlier week is known, or if there are fewer than
 *   {@link PROJECTED_POSTS} Posts so far or in the same part of earlier weeks.
 */
export function projectedCount(finer: Curve, bucket: Span, table: ZoneTable): number | null {
  const until = wholeUntil(finer, bucket);
  if (until <= bucket.start || until >= bucket.end) return null;
  const soFar = sumIn(finer, { start: bucket.start, end: until }) ?? 0;
  let [part, whole] = [0, 0];
  for (let week = 1; week <= MOST_WEEKS; week += 1) {
    const back = (at: number): number => localInstant(table, wallTime(table, at) - week * WEEK_MS);
    const [start, middle, end] = [back(bucket.start), back(until), back(bucket.end)];
    const [before, after] = [
      sumIn(finer, { start, end: middle }),
      sumIn(finer, { start: middle, end }),
    ];
    if (before === null || after === null) break;
    part += before;
    whole += before + after;
  }
  if (soFar < PROJECTED_POSTS || part < PROJECTED_POSTS) return null;
  return (soFar * whole) / part;
}
