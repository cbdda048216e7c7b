import { HOUR_MS, MINUTE_MS, type Span } from '#core/time/span.ts';
import { baselineOf, widthOf, type Baseline } from './baseline.ts';
import { regroup } from './regroup.ts';
import type { Curve } from './series.ts';

/** The course of one peak, from the finest known buckets. Bucket numbers refer to that curve. */
export interface Episode {
  /** The first bucket from which it stays above, up to the summit. */
  readonly onset: number;
  /**
   * False if the curve was already above at its start, or a count before it is missing: the onset is
   * then this or earlier.
   */
  readonly onsetKnown: boolean;
  /** The highest bucket above expectation, the first if several are equal. */
  readonly summit: number;
  /**
   * Time in ms from the start of the summit until the excess stays at or below half of it; null if the
   * curve ends before, or a count is missing.
   */
  readonly halfLife: number | null;
  /** The bucket after the last one above; null if unknown. */
  readonly end: number | null;
}

/** Spreads above expectation that count as above, as for the extent of a peak. */
const ABOVE = 3;
/**
 * A lull within the peak lasts at most this time or this many buckets: a minute or two without a Post
 * end nothing.
 */
const LULL_MS = 10 * MINUTE_MS;
const LULL_BUCKETS = 2;
/**
 * Within the requested span, a lull may last from one day's wave to the next, since the search found
 * one event.
 */
const NIGHT_MS = 20 * HOUR_MS;
/** Part of the summit's excess that must follow such a lull: noise stays below it. */
const FOOT = 0.1;
/** Posts above expectation that make a summit clear: with fewer, chance moves the highest bucket. */
const CLEAR = 25;
/** Widths to which short buckets are summed if a summit is not clear. */
const WIDTHS = [5 * MINUTE_MS, 15 * MINUTE_MS, HOUR_MS];

/**
 * Determines the course of a peak: onset, summit, half-life and end.
 *
 * A bucket is above if its count exceeds the expected one by {@link ABOVE} spreads. Short lulls are
 * bridged; within `near` also those of up to {@link NIGHT_MS}, if a tenth of the summit's excess
 * follows.
 *
 * @param curve - The finest known buckets, reaching some way before and after.
 * @param baseline - Of that curve.
 * @param near - The span in which to search for the summit: the whole of the peak that was found.
 * @returns null if no bucket that begins in `near` is above.
 */
export function episodeOf(curve: Curve, baseline: Baseline, near: Span): Episode | null {
  const { bounds, counts } = curve;
  const size = counts.length;
  const over = (i: number): number => (counts[i] ?? NaN) - baseline.expected(i);
  const short = Math.max(LULL_MS, LULL_BUCKETS * widthOf(curve));
  /** True if a gap ends the peak. */
  const parted = ({ start, end }: Span): boolean =>
    end - start > (start >= near.start && end <= near.end ? Math.max(short, NIGHT_MS) : short);
  const above = (i: number): boolean => over(i) > ABOVE * baseline.spread(i);
  let summit = -1;
  for (let i = 0; i < size && (bounds[i] ?? 0) < near.end; i += 1) {
    if ((bounds[i] ?? 0) < near.start || !above(i)) continue;
    if (summit < 0 || over(i) > over(summit)) summit = i;
  }
  if (summit < 0) return null;
  /** True if a bucket at this distance belongs to the peak found so far. */
  const joins = (i: number, distance: number): boolean =>
    above(i) && (distance <= short || over(i) >= FOOT * over(summit));

  let onset = summit;
  let onsetKnown = false;
  for (let i = summit - 1; i >= 0; i -= 1) {
    if (Number.isNaN(over(i))) {
      onsetKnown = false;
      break;
    }
    if (joins(i, (bounds[onset] ?? 0) - (bounds[i + 1] ?? 0))) onset = i;
    const lull: Span = { start: bounds[i] ?? 0, end: bounds[onset] ?? 0 };
    onsetKnown = lull.end - lull.start > short;
    if (parted(lull)) break;
  }

  const half = over(summit) / 2;
  let last = summit;
  let halved = summit;
  let end: number | null = null;
  for (let i = summit + 1; i < size; i += 1) {
    if (Number.isNaN(over(i))) {
      end = null;
      break;
    }
    if (joins(i, (bounds[i] ?? 0) - (bounds[last + 1] ?? 0))) last = i;
    if (last === i && over(i) > half) halved = i;
    const lull: Span = { start: bounds[last + 1] ?? 0, end: bounds[i + 1] ?? 0 };
    end = lull.end - lull.start > short ? last + 1 : null;
    if (parted(lull)) break;
  }
  const start = bounds[summit] ?? 0;
  const halfLife = end === null ? null : (bounds[halved + 1] ?? start) - start;
  return { onset, onsetKnown, summit, halfLife, end };
}

/**
 * The half-life of an episode by wider buckets than its own: time in ms from the start of the highest of them until
 * their excess stays at or below half of its. A minute's spike does not decide the half-life of an event of days.
 *
 * @param near - The event as it was found: the wider buckets begin where it does.
 * @param width - Of these buckets, in ms.
 */
function halfLifeBy(
  { bounds, counts }: Curve,
  baseline: Baseline,
  near: Span,
  width: number,
  { end }: Episode,
): number | null {
  if (end === null) return null;
  const until = Math.max(near.end, bounds[end] ?? near.end);
  const excess = new Float64Array(Math.ceil((until - near.start) / width));
  for (let i = 0; i < counts.length && (bounds[i] ?? 0) < until; i += 1) {
    const k = Math.floor(((bounds[i] ?? 0) - near.start) / width);
    if (k >= 0) excess[k] = (excess[k] ?? 0) + (counts[i] ?? NaN) - baseline.expected(i);
  }
  if (excess.some(Number.isNaN)) return null;
  const most = Math.max(...excess);
  return (excess.findLastIndex((each) => each > most / 2) + 1 - excess.indexOf(most)) * width;
}

/** An episode with the buckets it was determined from. */
export interface ClearEpisode {
  readonly episode: Episode;
  readonly curve: Curve;
  readonly width: number;
}

/**
 * Determines the course of a peak from the shortest buckets that show its summit clearly: the curve's
 * own, else their sums by 5 or 15 minutes or the hour, until the summit is {@link CLEAR} Posts above
 * expectation; if none is, the longest. The half-life of an event over several buckets is measured by buckets as wide
 * as those in which it was found, unless its course by shorter ones takes no longer than one of these.
 *
 * @param curve - The finest known buckets, reaching some way before and after.
 * @param foundBy - Width of the buckets in which `near` was found, ms.
 * @returns null if nothing in `near` is above; `unknown` if too little is known.
 */
export function clearEpisode(
  curve: Curve,
  zone: string,
  near: Span,
  foundBy = 0,
): ClearEpisode | 'unknown' | null {
  const own = widthOf(curve);
  let found: ClearEpisode | null = null;
  let known = false;
  for (const width of [own, ...WIDTHS.filter((wider) => wider > own)]) {
    const drawn = width === own ? curve : regroup(curve, width).curve;
    const baseline = baselineOf(drawn, zone);
    if (!baseline) continue;
    known = true;
    const episode = episodeOf(drawn, baseline, near);
    if (!episode) continue;
    const { onset, end, summit } = episode;
    const lasted = (drawn.bounds[end ?? onset] ?? 0) - (drawn.bounds[onset] ?? 0);
    const long = foundBy > width && near.end - near.start >= 2 * foundBy && lasted > foundBy;
    const halfLife = long ? halfLifeBy(drawn, baseline, near, foundBy, episode) : episode.halfLife;
    found = { episode: { ...episode, halfLife }, curve: drawn, width };
    if ((drawn.counts[summit] ?? 0) - baseline.expected(summit) >= CLEAR) break;
  }
  return known ? found : 'unknown';
}
