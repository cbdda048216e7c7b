import type { Curve } from '#core/series/series.ts';
import type { Buckets } from '#core/series/window.ts';
import {
  backTestOf,
  limitsOf,
  rankOf,
  varianceOf,
  type ComparedValues,
  type LiftLevel,
} from './claim.ts';
import {
  accountLevels,
  cappedLevels,
  plainLevels,
  type AccountCounts,
  type LevelReader,
  type Rhythm,
} from './levels.ts';
import type { LiftBand, LiftRefusal, LiftMeasure, LiftDot, Lift, LiftSide } from './lift-figure.ts';
import { type LiftWindows, beforeWindow, windowsIn, holeOf, hasSeam } from './windows.ts';
import {
  type LevelReaders,
  type WindowComparison,
  LEAST_USUAL,
  compareWindows,
  ratioIn,
  theta,
  planFrom,
  fewWindows,
} from './window-comparison.ts';
import { type LiftInput, checkLiftInput } from './lift-input.ts';

/**
 * The band of a value among the earlier ones; null if they are too few for the level. It excludes 0 exactly if the
 * rank is at least `rankNeeded`, because `expm1` has the sign of its argument.
 */
export function liftBand(
  { posts, value }: { readonly posts: number; readonly value: number },
  earlier: ComparedValues,
  level: LiftLevel,
): LiftBand | null {
  const limits = limitsOf(earlier, level);
  if (!limits) return null;
  const [low, high] = [value - limits.high, value - limits.low];
  return {
    level,
    low: Math.expm1(low),
    high: Math.expm1(high),
    additional: { low: -posts * Math.expm1(-low), high: -posts * Math.expm1(-high) },
  };
}

/** The windows that a campaign which has ended is compared with; the refusal if it or they are too few. */
function comparedOf(windows: LiftWindows, readers: LevelReaders): WindowComparison | LiftRefusal {
  const { input, before } = windows;
  const { unit, campaign } = input;
  const own = beforeWindow(campaign.first, before);
  const usual = {
    series: readers.series.levelOf(campaign, own).usual,
    control: readers.control?.levelOf(campaign, own).usual ?? Infinity,
  };
  for (const of of ['series', 'control'] as const) {
    if (usual[of] >= LEAST_USUAL) continue;
    return Number.isNaN(usual[of])
      ? { kind: 'refusal', unit, why: 'crowded' }
      : { kind: 'refusal', unit, why: 'few-posts', usual: usual[of], of };
  }
  return compareWindows(windows, readers);
}

function measureOf(
  windows: LiftWindows,
  readers: LevelReaders,
  comparison: WindowComparison,
): LiftMeasure {
  const { input, length, before, isUsable } = windows;
  const { curve, campaign } = input;
  const own = beforeWindow(campaign.first, before);
  const { ratios, weight, centre, values, sorted, separate } = comparison;
  const ratio = ratioIn(readers, campaign, own);
  const value = theta(ratio, weight) - centre;
  const { posts } = readers.series.levelOf(campaign, own);
  const band = liftBand({ posts, value }, comparison, comparison.level);
  const limits = limitsOf(comparison, comparison.level);
  if (!band || !limits) throw new Error(`expected a band from ${separate} windows, got none`);
  const dotOf = (first: number, time: Buckets): LiftDot | null => {
    const window = { first, end: first + length };
    if (!isUsable(window, time)) return null;
    const found = theta(ratioIn(readers, window, time), weight) - centre;
    return Number.isNaN(found) ? null : { start: curve.bounds[first] ?? NaN, value: found };
  };
  let [below, above] = [0, 0];
  for (const earlier of values) {
    if (earlier < value) below += 1;
    else if (earlier > value) above += 1;
  }
  const shift = weight * ratio.control + centre;
  const swings = varianceOf(ratios.series);
  const usualBuckets = readers.series.usualOf(campaign, own);
  const withoutAt = (by: number): Float64Array =>
    usualBuckets.map((count) => count * Math.exp(shift + by));
  return {
    ...planFrom(comparison),
    lift: Math.expm1(value),
    posts,
    additional: -posts * Math.expm1(-value),
    band,
    strict: liftBand({ posts, value }, comparison, 95),
    rank: rankOf(separate, sorted.length, below, above),
    value,
    centre,
    control: readers.control && {
      weight,
      explained: swings > 0 ? 1 - varianceOf(values) / swings : 0,
    },
    earlier: Array.from(values, (each, i) => ({
      start: curve.bounds[ratios.first[i] ?? 0] ?? NaN,
      value: each,
    })),
    around: {
      before: [3, 2, 1].map((k) => {
        const first = campaign.first - k * length;
        return dotOf(first, beforeWindow(first, before));
      }),
      after: [0, 1, 2].map((k) => dotOf(campaign.end + k * length, own)),
    },
    without: {
      expected: withoutAt(0),
      low: withoutAt(limits.low),
      high: withoutAt(limits.high),
    },
  };
}

/**
 * The lift of a campaign: by how much the volume of its window differs from what windows of its length usually have,
 * compared with the earlier ones (moving-block inference for one fixed proxy: Chernozhukov, Wüthrich and Zhu, “An Exact
 * and Robust Conformal Inference Method for Counterfactual and Synthetic Controls”, 2021). docs/lift.md has the
 * formulas and what was measured.
 *
 * @returns The figure, or the reason for which there is none.
 * @throws {RangeError} if the control or the accounts have other buckets, a slot is missing or outside its cycle, a
 *   window is empty, or days are fewer than three.
 */
export function liftOf(input: LiftInput): Lift {
  checkLiftInput(input);
  const { unit, curve, control, campaign, seams } = input;
  const windows = windowsIn(input);
  const { rhythm, length, before, start } = windows;
  const readers = (
    read: (counts: Curve['counts'], rhythm: Rhythm) => LevelReader,
  ): LevelReaders => ({
    series: read(curve.counts, rhythm),
    control: control && read(control.curve.counts, rhythm),
  });
  if (control?.contamination?.verdict === 'refused') {
    return { kind: 'refusal', unit, why: 'contaminated', share: control.contamination.share };
  }
  if (campaign.first >= curve.counts.length) {
    const comparison = compareWindows(windows, readers(plainLevels));
    if ('kind' in comparison) return comparison;
    return { kind: 'refusal', unit, why: 'future', plan: planFrom(comparison) };
  }
  if (campaign.end > curve.counts.length) return { kind: 'refusal', unit, why: 'running' };
  if (campaign.first <= 0) return { kind: 'refusal', unit, why: 'uncovered' };
  if (campaign.first - start < before) return fewWindows(windows, 0);
  const hole = holeOf(windows);
  if (hole) return hole;
  const around = { first: campaign.first - before, end: campaign.end };
  if (hasSeam(curve, seams, around)) return { kind: 'refusal', unit, why: 'seam' };
  const plain = readers(plainLevels);
  const total = comparedOf(windows, plain);
  if ('kind' in total) return total;
  const sideOf = (readers: LevelReaders): LiftSide => {
    const compared = comparedOf(windows, readers);
    if ('kind' in compared) return compared;
    return { ...measureOf(windows, readers, compared), kind: 'measure' };
  };
  const { accounts } = input;
  const accountReader = (of: AccountCounts): LevelReader => accountLevels(of, rhythm, length);
  return {
    ...measureOf(windows, plain, total),
    kind: 'figure',
    unit,
    length,
    everyday: sideOf(readers(cappedLevels)),
    accounts: accounts
      ? sideOf({
          series: accountReader(accounts.series),
          control: accounts.control && accountReader(accounts.control),
        })
      : null,
    backTest: backTestOf(total.ratios, length, total.level),
    contamination: control?.contamination ?? null,
  };
}
