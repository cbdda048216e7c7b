import { DAY_MS, HOUR_MS } from '#core/time/span.ts';
import { baselineOf, MIN_BUCKETS, widthOf, type Baseline } from './baseline.ts';
import { regroup, regroupBySteps, type Regrouped } from './regroup.ts';
import { STATE, type Curve } from './series.ts';

/** A stretch of buckets with more Posts than expected. */
export interface Peak {
  /** Buckets `[from, to)` of the curve. */
  readonly from: number;
  readonly to: number;
  /** The highest bucket above expectation. */
  readonly summit: number;
  /** Posts in all its buckets, and the expected number. */
  readonly count: number;
  readonly expected: number;
  /** {@link count} minus {@link expected}. */
  readonly excess: number;
  /** {@link count} divided by {@link expected}; Infinity if none was expected. */
  readonly factor: number;
  /** The height of the summit above expectation, in spreads. */
  readonly score: number;
}

export interface Peaks {
  /** The largest excess first. */
  readonly peaks: readonly Peak[];
  /** null if too few buckets are whole. */
  readonly baseline: Baseline | null;
  /** Number of whole buckets, counted up to {@link MIN_BUCKETS}. */
  readonly whole: number;
}

/**
 * Spreads above expectation that a peak must reach: counts by the hour and finer come in bursts, which
 * days even out. These round numbers do equally well in both halves of the labelled volumes of the
 * Numenta Anomaly Benchmark (`npm run bench -- peaks`).
 */
const FOUND = { short: 12, long: 6 };
/** Spreads above expectation down to which a peak extends. */
const REACHES = 3;
/**
 * A lull within a peak lasts at most this time, and this part of the curve: two markers in one place
 * are useless.
 */
const LULL_MS = 12 * HOUR_MS;
const LULL_PART = 1 / 60;
/** Part of a peak's highest excess that its buckets exceed; lower ones at its ends are cut off. */
const FOOT = 0.1;
/**
 * From this length on, buckets shorter than an hour are searched by the hour: a minute's burst is not
 * an event of a week.
 */
const BY_HOUR_MS = 4 * DAY_MS;

/**
 * Stretches above a baseline: beyond {@link REACHES} spreads, across lulls, that reach {@link FOUND}
 * somewhere.
 */
function above(curve: Curve, baseline: Baseline): [number, number][] {
  const { bounds, counts } = curve;
  const size = counts.length;
  const width = widthOf(curve);
  const found = width < DAY_MS / 2 ? FOUND.short : FOUND.long;
  const whole = (bounds[size] ?? 0) - (bounds[0] ?? 0);
  const lull = Math.floor(Math.min(LULL_MS, whole * LULL_PART) / width);
  const out: [number, number][] = [];
  let from = -1;
  let last = -1;
  let reached = false;
  const close = (): void => {
    if (reached) out.push([from, last + 1]);
    from = -1;
    reached = false;
  };
  for (let i = 0; i < size; i += 1) {
    const score = ((counts[i] ?? NaN) - baseline.expected(i)) / baseline.spread(i);
    if (from >= 0 && (score !== score || i - last > lull + 1)) close();
    if (!(score >= REACHES)) continue;
    if (from < 0) from = i;
    last = i;
    reached ||= score >= found;
  }
  close();
  return out;
}

/** Summarises a stretch as a peak, without the foot on either side. */
function peakOf({ counts }: Curve, baseline: Baseline, from: number, to: number): Peak {
  const over = (i: number): number => (counts[i] ?? NaN) - baseline.expected(i);
  let summit = from;
  for (let i = from; i < to; i += 1) if (over(i) > over(summit)) summit = i;
  const foot = FOOT * over(summit);
  while (over(from) < foot) from += 1;
  while (over(to - 1) < foot) to -= 1;
  let count = 0;
  let expected = 0;
  for (let i = from; i < to; i += 1) {
    count += counts[i] ?? 0;
    expected += baseline.expected(i);
  }
  const score = over(summit) / baseline.spread(summit);
  const factor = expected > 0 ? count / expected : Infinity;
  return { from, to, summit, count, expected, excess: count - expected, factor, score };
}

/**
 * The baseline of short buckets from that of their hours: an equal share of it, with the noise of a
 * share.
 */
function shared(hours: Baseline, { bounds }: Curve, firsts: Uint32Array): Baseline {
  const start = Math.floor((bounds[0] ?? 0) / HOUR_MS);
  const hourOf = (i: number): number => Math.floor((bounds[i] ?? 0) / HOUR_MS) - start;
  const parts = (hour: number): number => (firsts[hour + 1] ?? 0) - (firsts[hour] ?? 0) || 1;
  const expected = (i: number): number => hours.expected(hourOf(i)) / parts(hourOf(i));
  return {
    expected,
    spread(i) {
      const hour = hourOf(i);
      const noise = hours.spread(hour) / Math.sqrt(hours.expected(hour) + 1);
      return noise * Math.sqrt(expected(i) + 1);
    },
  };
}

/** The result of a search of the hours of a curve, as plain data. */
export interface HourSearch {
  /** Of each hour, as in {@link Baseline}. */
  readonly expected: Float64Array;
  readonly spread: Float64Array;
  /** Peaks as hours `[from, to)`. */
  readonly stretches: readonly (readonly [from: number, to: number])[];
}

/** Searches hours for peaks; null if too few are whole. @param zone - As in {@link findPeaks}. */
export function searchHours(hours: Curve, zone: string): HourSearch | null {
  const baseline = baselineOf(hours, zone);
  if (!baseline) return null;
  const { length } = hours.counts;
  return {
    expected: Float64Array.from({ length }, (_, i) => baseline.expected(i)),
    spread: Float64Array.from({ length }, (_, i) => baseline.spread(i)),
    stretches: above(hours, baseline),
  };
}

/** Number of whole buckets, counted up to {@link MIN_BUCKETS}. */
function wholeOf({ states }: Curve): number {
  let whole = 0;
  for (let i = 0; i < states.length && whole < MIN_BUCKETS; i += 1)
    if ((states[i] ?? 0) > STATE.partial) whole += 1;
  return whole;
}

/** True if the peaks of a curve are those of its hours. */
function isByHour(curve: Curve): boolean {
  const { bounds } = curve;
  const length = (bounds.at(-1) ?? 0) - (bounds[0] ?? 0);
  return length >= BY_HOUR_MS && widthOf(curve) * 2 <= HOUR_MS;
}

const bySize = (peaks: Peak[]): Peak[] => peaks.sort((a, b) => b.excess - a.excess);

/** The peaks of a curve whose hours were searched. */
function hourPeaks(curve: Curve, { firsts }: Regrouped, found: HourSearch | null): Peaks {
  const whole = wholeOf(curve);
  if (!found) return { peaks: [], baseline: null, whole };
  const { expected, spread, stretches } = found;
  const hours = {
    expected: (i: number) => expected[i] ?? NaN,
    spread: (i: number) => spread[i] ?? NaN,
  };
  const baseline = shared(hours, curve, firsts);
  const size = curve.counts.length;
  const peaks = stretches.map(([from, to]) =>
    peakOf(curve, baseline, firsts[from] ?? 0, firsts[to] ?? size),
  );
  return { peaks: bySize(peaks), baseline, whole };
}

/**
 * Finds the peaks of a curve: where it is far above its robust seasonal baseline (see {@link
 * baselineOf} for the method and its sources).
 *
 * The score of a bucket is its count minus the expected one, in spreads. A peak begins and ends where
 * the score falls below 3, and reaches {@link FOUND} somewhere in between: two thresholds, so that
 * noise does not split one event (hysteresis: Canny 1986); nor does a lull of up to 12 hours. Its foot,
 * the buckets at either end with less than a tenth of its highest excess, is cut off. A bucket without
 * a count separates two peaks. A partial one counts as it is, and is a peak only if that is already
 * above. Buckets shorter than an hour are searched by the hour if there are four days of them, so that
 * the same events are peaks at both widths; the ends and summit of each peak then come from its own
 * buckets.
 *
 * @param zone - IANA name; hours of the week and weekdays recur by its clock.
 */
export function findPeaks(curve: Curve, zone: string): Peaks {
  const whole = wholeOf(curve);
  if (whole < MIN_BUCKETS) return { peaks: [], baseline: null, whole };
  if (isByHour(curve)) {
    const hours = regroup(curve, HOUR_MS);
    return hourPeaks(curve, hours, searchHours(hours.curve, zone));
  }
  const baseline = baselineOf(curve, zone);
  if (!baseline) return { peaks: [], baseline: null, whole };
  const peaks = above(curve, baseline).map(([from, to]) => peakOf(curve, baseline, from, to));
  return { peaks: bySize(peaks), baseline, whole };
}

/** Buckets that {@link findPeaksLater} reads between two pauses: a few milliseconds of work. */
const STEP = 500_000;

/** The pauses and the search with which {@link findPeaksLater} avoids blocking. */
export interface Later {
  /** Resolves when the next step may begin. */
  pause(): Promise<void>;
  /** {@link searchHours}, elsewhere. */
  search(hours: Curve, zone: string): Promise<HourSearch | null>;
}

/** {@link findPeaks} without blocking: reads a long curve in steps, and leaves the search of its hours to others. */
export async function findPeaksLater(
  curve: Curve,
  zone: string,
  { pause, search }: Later,
): Promise<Peaks> {
  if (wholeOf(curve) < MIN_BUCKETS || !isByHour(curve)) return findPeaks(curve, zone);
  const steps = regroupBySteps(curve, HOUR_MS, STEP);
  for (;;) {
    const { done, value } = steps.next();
    if (done) return hourPeaks(curve, value, await search(value.curve, zone));
    await pause();
  }
}
