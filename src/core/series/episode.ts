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
/** A lull within is no longer than this: a minute or two without a Post end nothing. */
const LULL_MS = 10 * MINUTE_MS;
/** Posts above expectation that make a summit clear: of fewer, chance moves the highest bucket about. */
const CLEAR = 25;
/** Widths that short buckets are summed to where a summit is not clear. */
const WIDTHS = [5 * MINUTE_MS, 15 * MINUTE_MS, HOUR_MS];

/**
 * Reads how a peak went: its onset, summit, half-life and end.
 *
 * A bucket is above where its count exceeds expectation by {@link ABOVE} spreads; shorter lulls than
 * {@link LULL_MS} within are passed over.
 *
 * @param curve - Of buckets as fine as known, reaching some way before and after.
 * @param baseline - Of that curve.
 * @param near - Where the summit is looked for.
 * @returns null where no bucket that begins in `near` is above.
 */
export function episodeOf(curve: Curve, baseline: Baseline, near: Span): Episode | null {
  const { bounds, counts } = curve;
  const size = counts.length;
  const over = (i: number): number => (counts[i] ?? NaN) - baseline.expected(i);
  const above = (i: number): boolean => over(i) > ABOVE * baseline.spread(i);
  let summit = -1;
  for (let i = 0; i < size && (bounds[i] ?? 0) < near.end; i += 1) {
    if ((bounds[i] ?? 0) < near.start || !above(i)) continue;
    if (summit < 0 || over(i) > over(summit)) summit = i;
  }
  if (summit < 0) return null;

  let onset = summit;
  let onsetKnown = false;
  for (let i = summit - 1; i >= 0 && !onsetKnown; i -= 1) {
    if (Number.isNaN(over(i))) break;
    if (above(i)) onset = i;
    onsetKnown = (bounds[onset] ?? 0) - (bounds[i] ?? 0) > LULL_MS;
  }

  const half = over(summit) / 2;
  let last = summit;
  let halved = summit;
  let end: number | null = null;
  for (let i = summit + 1; i < size && end === null; i += 1) {
    if (Number.isNaN(over(i))) break;
    if (above(i)) last = i;
    if (over(i) > half) halved = i;
    if ((bounds[i + 1] ?? 0) - (bounds[last + 1] ?? 0) > LULL_MS) end = last + 1;
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
