import { changeBand, COUNTING, LEAST_STRETCHES } from '#core/series/confidence.ts';
import { dispersionOf, type Recorded } from '#core/series/dispersion.ts';
import { median } from '#core/series/median.ts';
import type { Curve } from '#core/series/series.ts';
import { Random } from '#server/sample/random.ts';
import type { RealCounts } from './forecasts.ts';

/** Posts of days without any change of their rate. */
export interface FlatDays {
  /** Posts a day. */
  readonly mean: number;
  /** Variance ÷ mean of a day. */
  readonly ratio: number;
  /** Correlation of a day with the next. */
  readonly correlation: number;
}

function poisson(random: Random, mean: number): number {
  let left = mean;
  let count = 0;
  // In steps, so that the product of uniform numbers does not vanish.
  while (left > 0) {
    const limit = Math.exp(-Math.min(left, 200));
    for (let product = random.next(); product > limit; product *= random.next()) count += 1;
    left -= 200;
  }
  return count;
}

/** Posts of one burst: a logarithmic distribution, which makes days negative binomial. */
function burst(random: Random, p: number): number {
  if (p === 0) return 1;
  let rest = random.next();
  let size = 1;
  for (let chance = -p / Math.log1p(-p); rest > chance && size < 100_000; size += 1) {
    rest -= chance;
    chance *= (p * size) / (size + 1);
  }
  return size;
}

/**
 * Draws days as bursts that begin at random and go on the next day with the probability `correlation`, with as many
 * Posts: variance ÷ mean and correlation are exactly those given.
 */
export function flatDays(random: Random, size: number, days: FlatDays): Float64Array {
  const { mean, ratio, correlation } = days;
  const p = 1 - 1 / ratio;
  const burstMean = p === 0 ? 1 : -p / ((1 - p) * Math.log1p(-p));
  const begun = (mean / burstMean) * (1 - correlation);
  const out = new Float64Array(size);
  // After 40 days no earlier burst goes on.
  for (let day = correlation > 0 ? -40 : 0; day < size; day += 1) {
    for (let n = poisson(random, begun); n > 0; n -= 1) {
      const posts = burst(random, p);
      let at = day;
      do {
        if (at >= 0 && at < size) out[at] = (out[at] ?? 0) + posts;
        at += 1;
      } while (random.next() < correlation);
    }
  }
  return out;
}

/** A simulation: spans of `length` days after `stretches` such stretches. */
export interface Setting extends FlatDays {
  readonly length: number;
  readonly stretches: number;
}

const sumOf = (days: Curve['counts'], from: number, to: number): number =>
  [...days.subarray(from, to)].reduce((sum, count) => sum + count, 0);

/** Days as history, the first a Monday. */
export function weekdaysOf(counts: ArrayLike<number>): Recorded {
  return { counts, phases: Uint8Array.from({ length: counts.length }, (_, i) => i % 7), cycle: 7 };
}

/** The settings in which spans without any change are compared: variance ÷ mean and correlation of days. */
export const NOISES = [0, 0.5].flatMap((correlation) =>
  [1, 2, 5, 20].map((ratio) => ({ ratio, correlation })),
);

/** Part of the pairs of spans without any change that are called clear. */
export function calledClear(setting: Setting, pairs: number, seed: number): number {
  const { length, stretches } = setting;
  const random = new Random(seed);
  const size = length * stretches;
  let clear = 0;
  for (let n = 0; n < pairs; n += 1) {
    const days = flatDays(random, size + 2 * length, setting);
    const [before, after] = [
      sumOf(days, size, size + length),
      sumOf(days, size + length, size + 2 * length),
    ];
    const dispersion = dispersionOf(weekdaysOf(days.subarray(0, size)), length);
    if (dispersion && changeBand(before, after, 1, dispersion).clear) clear += 1;
  }
  return clear / pairs;
}

/** The statements of the margins about changes from week to week in real counts. */
export interface WeekPairs {
  readonly pairs: number;
  /** Pairs without nine earlier weeks. */
  readonly unknown: number;
  /** Changes called clear, and how many of them were followed by one in the other direction that a coin toss excludes. */
  readonly clear: number;
  readonly reversed: number;
  /** Median of variance ÷ mean; NaN for coin tosses. */
  readonly ratio: number;
}

const WEEKS = 26;
const WEEK = 7;

/**
 * Compares the weeks of real queries with the weeks before them.
 *
 * @param least - Posts that both weeks have at least.
 * @param tossed - Whether the margin is that of coin tosses, as for independent Posts.
 */
export function weekPairs(
  series: readonly RealCounts[],
  least: number,
  tossed: boolean,
): WeekPairs {
  const out = { pairs: 0, unknown: 0, clear: 0, reversed: 0 };
  const ratios: number[] = [];
  for (const { curve } of series) {
    const { counts, bounds } = curve;
    const first = bounds.findIndex((at) => new Date(at).getUTCDay() === 1);
    for (let at = first + WEEK; at + 2 * WEEK <= counts.length; at += WEEK) {
      const [before, after, next] = [at - WEEK, at, at + WEEK].map((from) =>
        sumOf(counts, from, from + WEEK),
      ) as [number, number, number];
      if (before < least || after < least) continue;
      out.pairs += 1;
      const start = Math.max(first, at - WEEK - WEEKS * WEEK);
      const history = weekdaysOf(counts.subarray(start, at - WEEK));
      const dispersion = tossed ? COUNTING : dispersionOf(history, WEEK);
      if (!dispersion || dispersion.stretches < LEAST_STRETCHES) {
        out.unknown += 1;
        continue;
      }
      ratios.push(dispersion.ratio);
      if (!changeBand(before, after, 1, dispersion).clear) continue;
      out.clear += 1;
      const back = Math.sign(next - after) === -Math.sign(after - before);
      if (back && changeBand(after, next).clear) out.reversed += 1;
    }
  }
  return { ...out, ratio: median(Float64Array.from(ratios)) };
}
