import { DAY_MS, HOUR_MS } from '#core/time/span.ts';
import { baselineOf, LEAST_BUCKETS, widthOf, type Baseline } from './baseline.ts';
import { regroup } from './regroup.ts';
import { STATE, type Curve } from './series.ts';

/** A stretch of buckets that holds more than was to be expected. */
export interface Peak {
  /** Buckets `[from, to)` of the curve. */
  readonly from: number;
  readonly to: number;
  /** Its highest bucket above expectation. */
  readonly summit: number;
  /** Posts in all its buckets, and how many there would have been. */
  readonly count: number;
  readonly expected: number;
  /** {@link count} less {@link expected}. */
  readonly excess: number;
  /** {@link count} by {@link expected}; Infinity where none was to be expected. */
  readonly factor: number;
  /** Of the summit: how many spreads it stands above expectation. */
  readonly score: number;
}

export interface Peaks {
  /** The largest excess first. */
  readonly peaks: readonly Peak[];
  /** null where too few buckets are whole. */
  readonly baseline: Baseline | null;
  /** How many are, counted up to {@link LEAST_BUCKETS}. */
  readonly whole: number;
}

/**
 * Spreads above expectation that a peak must reach somewhere: counts by the hour and finer come in bursts,
 * which days even out. Round numbers that do alike in both halves of the labelled volumes of the Numenta
 * Anomaly Benchmark (`npm run bench -- peaks`).
 */
const FOUND = { short: 12, long: 6 };
/** Spreads above expectation down to which a peak reaches. */
const REACHES = 3;
/** A lull within a peak is no longer than this, and than this part of the curve: two rings at one place tell nothing. */
const LULL_MS = 12 * HOUR_MS;
const LULL_PART = 1 / 60;
/** Part of a peak's best excess that its buckets keep above; what lies lower is its foot, not the peak. */
const FOOT = 0.1;
/** From so long on buckets shorter than an hour are searched by the hour: a minute's burst is no event of a week. */
const BY_HOUR_MS = 4 * DAY_MS;

/** What stands above a baseline: stretches beyond {@link REACHES} spreads, lulls within, that reach {@link FOUND}. */
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

/** Sums up a stretch as a peak, without the foot on either side. */
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

/** The baseline of short buckets from that of their hours: an even share of it, with the noise of a share. */
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
 * Finds the peaks of a curve: where it stands far above its robust seasonal baseline ({@link baselineOf}
 * says how that is taken, and its sources).
 *
 * The score of a bucket is its count less the expected, in spreads. A peak begins and ends where the score
 * falls below 3, and somewhere within reaches {@link FOUND}: two thresholds, so that noise does not tear one
 * event apart (hysteresis: Canny 1986); nor does a lull of up to 12 hours. Its foot, the buckets at either
 * end with less than a tenth of its highest excess, is cut off. A bucket without a count parts two peaks; a
 * partial one counts as it stands and is a peak only where that is already above. Buckets shorter than an
 * hour are searched by the hour where there are four days of them, so that the same events are peaks by
 * either; then each peak's ends and summit are told by its own buckets.
 *
 * @param zone - IANA name, by whose clock hours of the week and weekdays recur.
 */
export function findPeaks(curve: Curve, zone: string): Peaks {
  const size = curve.counts.length;
  let whole = 0;
  for (let i = 0; i < size && whole < LEAST_BUCKETS; i += 1)
    if ((curve.states[i] ?? 0) > STATE.partial) whole += 1;
  if (whole < LEAST_BUCKETS) return { peaks: [], baseline: null, whole };
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
