import { betaOdds } from './incomplete-beta.ts';

/** Two-sided 95 % point of the normal distribution. */
const Z = 1.959963984540054;
/** Probability left out at each end of a 95 % interval. */
const TAIL = 0.025;

/**
 * The factor by which the sums of a series vary more than counts of independent Posts do, as estimated from its history
 * by `dispersionOf`.
 */
export interface Dispersion {
  /** Variance ÷ mean of the sums; 1 for independent Posts. */
  readonly ratio: number;
  /** Degrees of freedom of the estimate. */
  readonly degrees: number;
  /** The number of earlier stretches, each as long as the spans compared, it is from. */
  readonly stretches: number;
}

/** The noise of counting alone: that of Posts which do not depend on each other. */
export const COUNTING: Dispersion = { ratio: 1, degrees: Infinity, stretches: Infinity };

/** With fewer earlier stretches nothing is called clear. */
export const LEAST_STRETCHES = 9;

/** The range of the true value with 95 % confidence. */
export interface Band {
  readonly low: number;
  readonly high: number;
}

function assertCount(name: string, count: number): void {
  if (!(Number.isInteger(count) && count >= 0)) {
    throw new RangeError(`expected ${name} to be a whole number of Posts, got ${count}`);
  }
}

/**
 * The band of a share of Posts: Wilson's score interval (E. B. Wilson, Probable inference, the law of
 * succession, and statistical inference, J. Am. Stat. Assoc. 22, 1927, 209–212), which stays within 0
 * to 1 and is sound for small counts (R. G. Newcombe, Stat. Med. 17, 1998, 857–872, method 3).
 *
 * @param k - Posts of the one.
 * @param n - Posts of all together.
 * @param excess - By how much the variance of the share exceeds that of independent Posts: `n` Posts
 *   say as much as `n / excess` independent ones.
 * @returns Fractions; 0 to 1 (so no information) if `n` is zero.
 * @throws {RangeError} unless `0 ≤ k ≤ n` in whole numbers, and `excess` is at least 1.
 */
export function shareBand(k: number, n: number, excess = 1): Band {
  assertCount('n', n);
  assertCount('k', k);
  if (k > n) throw new RangeError(`expected at most all ${n} Posts, got ${k}`);
  if (!(excess >= 1 && excess < Infinity)) {
    throw new RangeError(`expected an excess from 1 on, got ${excess}`);
  }
  if (n === 0) return { low: 0, high: 1 };
  const p = k / n;
  const size = n / excess;
  const spread = Z * Math.sqrt((p * (1 - p)) / size + (Z * Z) / (4 * size * size));
  const middle = p + (Z * Z) / (2 * size);
  const scale = 1 + (Z * Z) / size;
  return {
    low: k === 0 ? 0 : (middle - spread) / scale,
    high: k === n ? 1 : (middle + spread) / scale,
  };
}

/** Square of the two-sided 95 % point of Student's t distribution: `t² = ν / odds` of a beta variable. */
function squaredT(degrees: number): number {
  return degrees === Infinity ? Z * Z : degrees / betaOdds(2 * TAIL, degrees / 2, 0.5);
}

/**
 * By how much the variance of a sum exceeds that of independent Posts, at least 1. An estimate from few
 * stretches is itself uncertain: its square root widens a margin by Student's t in place of the normal
 * quantile.
 */
export function excessOf({ ratio, degrees }: Dispersion): number {
  return Math.max(1, (ratio * squaredT(degrees)) / (Z * Z));
}

/** A change between two counts and its band, as fractions: 0.5 is half more, -1 is down to nothing. */
export interface ChangeBand extends Band {
  /** NaN if both counts are zero, Infinity if only the earlier one is. */
  readonly change: number;
  /** True if the band excludes "no change", and the history is long enough to say so. */
  readonly clear: boolean;
}

/**
 * The change between two counts with its band. If both are Poisson, the later count is binomial given
 * their sum (J. Przyborowski, H. Wilenski, Homogeneity of results in testing samples from Poisson
 * series, Biometrika 31, 1940, 313–323). The interval of Jeffreys for its share, as odds, is that of the
 * ratio of rates; it contains the true change in 95 of 100 on average (L. D. Brown, T. T. Cai, A.
 * DasGupta, Interval Estimation for a Binomial Proportion, Stat. Sci. 16, 2001, 101–133). Posts that
 * follow from each other, as reposts do, count as fewer: as the sums divided by their excess variance
 * (quasi-Poisson).
 *
 * @param before - Posts of the earlier span.
 * @param after - Posts of the later one.
 * @param exposureRatio - Length of the later span over that of the earlier, if they differ: 31 days
 *   after 28 is 31 / 28; the change is then one of Posts per time.
 * @throws {RangeError} unless both are whole numbers from zero on and the ratio is above zero.
 */
export function changeBand(
  before: number,
  after: number,
  exposureRatio = 1,
  dispersion = COUNTING,
): ChangeBand {
  assertCount('the earlier count', before);
  assertCount('the later count', after);
  if (!(exposureRatio > 0 && exposureRatio < Infinity)) {
    throw new RangeError(`expected a ratio of lengths above zero, got ${exposureRatio}`);
  }
  if (before === 0 && after === 0) return { change: NaN, low: -1, high: Infinity, clear: false };
  const ratio = (odds: number): number => odds / exposureRatio - 1;
  const excess = excessOf(dispersion);
  const [a, b] = [after / excess + 0.5, before / excess + 0.5];
  const change = ratio(after / before);
  // With much less than one independent Post, the interval may not reach the change.
  const low = after === 0 ? -1 : Math.min(change, ratio(betaOdds(TAIL, a, b)));
  const high = before === 0 ? Infinity : Math.max(change, ratio(betaOdds(1 - TAIL, a, b)));
  const clear = dispersion.stretches >= LEAST_STRETCHES && (low > 0 || high < 0);
  return { change, low, high, clear };
}

/** Up to this many Posts the band is computed; above, the normal distribution is as good and faster. */
const FEW = 1000;

/** True if two counts differ by more than such counts vary: `clear` of {@link changeBand}. */
export function isClear(
  before: number,
  after: number,
  exposureRatio: number,
  dispersion: Dispersion,
): boolean {
  if (Math.max(before, after) <= FEW || before === 0 || after === 0) {
    return changeBand(before, after, exposureRatio, dispersion).clear;
  }
  if (dispersion.stretches < LEAST_STRETCHES) return false;
  const spread = Z * Math.sqrt(excessOf(dispersion) * (1 / before + 1 / after));
  return Math.abs(Math.log(after / before / exposureRatio)) > spread;
}
