import { DAY_MS, HOUR_MS } from '#core/time/span.ts';
import { baselineOf, MIN_BUCKETS, widthOf, type Baseline } from './baseline.ts';
import { regroup } from './regroup.ts';
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
  /** How many spreads the summit is above expectation. */
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
  const size = curve.counts.length;
  let whole = 0;
  for (let i = 0; i < size && whole < MIN_BUCKETS; i += 1)
    if ((curve.states[i] ?? 0) > STATE.partial) whole += 1;
  if (whole < MIN_BUCKETS) return { peaks: [], baseline: null, whole };
  const length = (curve.bounds[size] ?? 0) - (curve.bounds[0] ?? 0);
  const hourly =
    length >= BY_HOUR_MS && widthOf(curve) * 2 <= HOUR_MS ? regroup(curve, HOUR_MS) : null;
  const baseline = baselineOf(hourly?.curve ?? curve, zone);
  if (!baseline) return { peaks: [], baseline: null, whole };
  const peaks: Peak[] = [];
  if (hourly) {
    const { curve: hours, firsts } = hourly;
    const fine = shared(baseline, curve, firsts);
    for (const [from, to] of above(hours, baseline)) {
      peaks.push(peakOf(curve, fine, firsts[from] ?? 0, firsts[to] ?? size));
    }
    return { peaks: peaks.sort((a, b) => b.excess - a.excess), baseline: fine, whole };
  }
  for (const [from, to] of above(curve, baseline)) peaks.push(peakOf(curve, baseline, from, to));
  return { peaks: peaks.sort((a, b) => b.excess - a.excess), baseline, whole };
}
