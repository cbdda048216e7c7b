import { DAY_MS, type Span } from '#core/time/span.ts';
import { localInstant, wallTime, type ZoneTable } from '#core/time/zone.ts';
import { STATE, type Curve } from './series.ts';
import { bucketAt } from './window.ts';

/** Fewer Posts so far, or in the same part of earlier weeks, say nothing about a pace. */
export const PROJECTED_POSTS = 20;
/** Earlier weeks that are averaged; one is enough. */
const MAX_WEEKS = 4;
/** Variance over mean that is assumed where one week alone cannot show it. */
const UNKNOWN_DISPERSION = 4;
/** The standard normal value that one of ten exceeds. */
const UPPER_TENTH = 1.2816;
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

/** Sum of a curve from an edge to any instant: of the bucket that the instant cuts, the part before it. */
function sumUntil(curve: Curve, { start, end }: Span): number | null {
  const i = bucketAt(curve.bounds, end - 1);
  const [from = Number.NaN, to = Number.NaN] = curve.bounds.subarray(i, i + 2);
  const cut = i < 0 ? null : sumIn(curve, { start: from, end: to });
  const whole = from > start ? sumIn(curve, { start, end: from }) : 0;
  return cut === null || whole === null || from < start
    ? null
    : whole + (cut * (end - from)) / (to - from);
}

/** The end of the whole finer buckets that begin at an instant without a gap; the instant itself for none. */
function wholeUntil({ bounds, states }: Curve, { start, end }: Span): number {
  let i = bucketAt(bounds, start);
  if (i < 0 || bounds[i] !== start) return start;
  while ((states[i] ?? 0) > STATE.partial && (bounds[i + 1] ?? Infinity) <= end) i += 1;
  return bounds[i] ?? start;
}

/** Posts of one earlier week before and after the same time by the clock. */
interface Week {
  readonly before: number;
  readonly after: number;
}

/** The same bucket in earlier weeks, newest first, as far as they are known. */
function weeksOf(finer: Curve, bucket: Span, until: number, table: ZoneTable): Week[] {
  const weeks: Week[] = [];
  for (let week = 1; week <= MAX_WEEKS; week += 1) {
    const back = (at: number): number => localInstant(table, wallTime(table, at) - week * WEEK_MS);
    const start = back(bucket.start);
    const before = sumUntil(finer, { start, end: back(until) });
    const whole = sumIn(finer, { start, end: back(bucket.end) });
    if (before === null || whole === null) break;
    weeks.push({ before, after: whole - before });
  }
  return weeks;
}

const sumOf = (weeks: readonly Week[], part: keyof Week): number =>
  weeks.reduce((sum, week) => sum + week[part], 0);

/**
 * The upper end of the 80% interval of a projection from the Posts so far: they, those still to come, and the
 * weeks compared all vary, by the scatter of these weeks if that is more than chance.
 */
function upperEnd(soFar: number, weeks: readonly Week[]): number {
  const before = sumOf(weeks, 'before');
  const pace = sumOf(weeks, 'after') / before;
  const scatter = weeks.reduce((sum, week) => {
    const expected = week.before * pace;
    // Of a week without a Post before or after, one may be expected.
    return sum + (week.after - expected) ** 2 / Math.max(1, expected * (1 + pace));
  }, 0);
  const dispersion =
    weeks.length > 1 ? Math.max(1, scatter / (weeks.length - 1)) : UNKNOWN_DISPERSION;
  const rest = soFar * pace;
  const variance = dispersion * (rest + rest ** 2 * (1 / soFar + 1 / before));
  return soFar + rest + UPPER_TENTH * Math.sqrt(variance);
}

/**
 * Projects the count of a bucket that is not over: its count so far, to the minute, times the whole bucket over
 * the same elapsed part in up to four earlier weeks. So a quiet night is not mistaken for a quiet day. Of an
 * earlier hour that the time of day cuts, the part before it counts evenly.
 *
 * @param finer - The same series in finer buckets, from at least one week before the bucket.
 * @param bucket - The whole bucket by the calendar: a day or a week.
 * @param open - Its Posts so far, and the instant until which they are counted.
 * @param table - Of the zone whose clock tells the same time a week ago.
 * @returns At least the Posts so far. Null if it is over or no finer bucket of it is, if no earlier week is known,
 *   if there are fewer than {@link PROJECTED_POSTS} Posts in its whole finer buckets or in the same part of earlier
 *   weeks, and if its Posts so far exceed the upper end of the 80% interval of what those whole buckets project:
 *   then the pace has changed, and nobody knows how long for.
 */
export function projectedCount(
  finer: Curve,
  bucket: Span,
  open: { readonly count: number; readonly until: number },
  table: ZoneTable,
): number | null {
  const whole = wholeUntil(finer, bucket);
  if (whole <= bucket.start || whole >= bucket.end || open.until >= bucket.end) return null;
  const counted = sumIn(finer, { start: bucket.start, end: whole }) ?? 0;
  const weeks = weeksOf(finer, bucket, whole, table);
  if (counted < PROJECTED_POSTS || sumOf(weeks, 'before') < PROJECTED_POSTS) return null;
  if (open.count > upperEnd(counted, weeks)) return null;
  const sinceWhole = open.until > whole ? weeksOf(finer, bucket, open.until, table) : weeks;
  const before = sumOf(sinceWhole, 'before');
  return open.count * (1 + sumOf(sinceWhole, 'after') / before);
}
