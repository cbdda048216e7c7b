import { HOUR_MS, MINUTE_MS, type Span } from '#core/time/span.ts';
import { baselineOf, widthOf, type Baseline } from './baseline.ts';
import { regroup } from './regroup.ts';
import type { Curve } from './series.ts';

/** How one peak went, read from the finest buckets that are known of it. Bucket numbers are of that curve. */
export interface Episode {
  /** The first bucket from which it stays above, up to the summit. */
  readonly onset: number;
  /** False where it was above already when the curve began, or before it a count is missing: it began then or before. */
  readonly onsetKnown: boolean;
  /** The highest bucket above expectation, the first of equals. */
  readonly summit: number;
  /** From the beginning of the summit until the excess is down to half of the summit's for good, in ms; null where the curve ends before or a count is missing. */
  readonly halfLife: number | null;
  /** The bucket that follows its last one above; null where that is not known. */
  readonly end: number | null;
}

/** Spreads above expectation that count as above: as far as a peak reaches. */
const ABOVE = 3;
/** A lull within is no longer than this, or than so many buckets: a minute or two without a Post end nothing. */
const LULL_MS = 10 * MINUTE_MS;
const LULL_BUCKETS = 2;
/** Within the time that is asked for, from one day's wave to the next: who found it took it for one event. */
const NIGHT_MS = 20 * HOUR_MS;
/** Part of the summit's excess that what lies beyond such a lull has to have: noise reaches no further. */
const FOOT = 0.1;
/** Posts above expectation that make a summit clear: of fewer, chance moves the highest bucket about. */
const CLEAR = 25;
/** Widths that short buckets are summed to where a summit is not clear. */
const WIDTHS = [5 * MINUTE_MS, 15 * MINUTE_MS, HOUR_MS];

/**
 * Reads how a peak went: its onset, summit, half-life and end.
 *
 * A bucket is above where its count exceeds expectation by {@link ABOVE} spreads; short lulls are passed over,
 * within `near` those of up to {@link NIGHT_MS} as well where a tenth of the summit's excess lies beyond.
 *
 * @param curve - Of buckets as fine as known, reaching some way before and after.
 * @param baseline - Of that curve.
 * @param near - Where the summit is looked for: the whole of what was found to stand out.
 * @returns null where no bucket that begins in `near` is above.
 */
export function episodeOf(curve: Curve, baseline: Baseline, near: Span): Episode | null {
  const { bounds, counts } = curve;
  const size = counts.length;
  const over = (i: number): number => (counts[i] ?? NaN) - baseline.expected(i);
  const short = Math.max(LULL_MS, LULL_BUCKETS * widthOf(curve));
  /** Whether so long a time with nothing that joins ends it. */
  const parted = ({ start, end }: Span): boolean =>
    end - start > (start >= near.start && end <= near.end ? Math.max(short, NIGHT_MS) : short);
  const above = (i: number): boolean => over(i) > ABOVE * baseline.spread(i);
  let summit = -1;
  for (let i = 0; i < size && (bounds[i] ?? 0) < near.end; i += 1) {
    if ((bounds[i] ?? 0) < near.start || !above(i)) continue;
    if (summit < 0 || over(i) > over(summit)) summit = i;
  }
  if (summit < 0) return null;
  /** Whether a bucket belongs to what is told so far, so long away. */
  const joins = (i: number, away: number): boolean =>
    above(i) && (away <= short || over(i) >= FOOT * over(summit));

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

/** An episode with the buckets it is told by. */
export interface ClearEpisode {
  readonly episode: Episode;
  readonly curve: Curve;
  readonly width: number;
}

/**
 * Reads how a peak went by buckets as short as tell its summit clearly: the curve's own, else their sums by 5
 * or 15 minutes or the hour, until the summit stands {@link CLEAR} Posts above expectation; by the longest of
 * them where none does.
 *
 * @param curve - Of buckets as fine as known, reaching some way before and after.
 * @returns null where nothing in `near` is above; `unknown` where too little is known to tell.
 */
export function clearEpisode(
  curve: Curve,
  zone: string,
  near: Span,
): ClearEpisode | 'unknown' | null {
  const own = widthOf(curve);
  let found: ClearEpisode | null = null;
  let known = false;
  for (const width of [own, ...WIDTHS.filter((one) => one > own)]) {
    const drawn = width === own ? curve : regroup(curve, width).curve;
    const baseline = baselineOf(drawn, zone);
    if (!baseline) continue;
    known = true;
    const episode = episodeOf(drawn, baseline, near);
    if (!episode) continue;
    found = { episode, curve: drawn, width };
    const { summit } = episode;
    if ((drawn.counts[summit] ?? 0) - baseline.expected(summit) >= CLEAR) break;
  }
  return known ? found : 'unknown';
}
