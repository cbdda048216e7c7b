import { median } from '#core/series/median.ts';
import { sameBuckets, STATE, type Curve } from '#core/series/series.ts';
import type { Buckets } from '#core/series/window.ts';
import {
  backTestOf,
  controlWeight,
  LEAST_WINDOWS,
  limitsOf,
  rankOf,
  varianceOf,
  type BackTest,
  type ComparedValues,
  type LiftLevel,
  type LiftRank,
  type LogRatios,
} from './claim.ts';
import type { Contamination } from './contamination.ts';
import {
  accountLevels,
  cappedLevels,
  plainLevels,
  type AccountCounts,
  type LevelReader,
  type Rhythm,
} from './levels.ts';

/** Buckets that a lift is computed from: whole local days or, for campaigns of less than three days, hours. */
export type LiftUnit = 'day' | 'hour';

interface UnitRow {
  /** Different slots: weekdays, or hours of the day. */
  readonly cycle: number;
  /** The fewest buckets of a campaign. */
  readonly shortest: number;
  /** Buckets before a window from which its usual level is computed. */
  readonly before: (length: number) => number;
  /** Buckets before the campaign in which earlier windows begin; a further stretch only if the one before is too short. */
  readonly earlier: readonly number[];
}

/** The buckets that a lift reads. */
export const LIFT_UNITS: Readonly<Record<LiftUnit, UnitRow>> = {
  day: {
    cycle: 7,
    shortest: 3,
    before: (length) => (length >= 28 ? 84 : 56),
    earlier: [365, 730],
  },
  hour: { cycle: 24, shortest: 1, before: () => 168, earlier: [720] },
};

/** Posts that are usual in the time of a window, below which it says nothing. */
export const LEAST_USUAL = 20;

/** The series that a lift is corrected by. */
export interface LiftControl {
  /** Of the buckets of the series, and without any Post that the series counts. */
  readonly curve: Curve;
  /** The campaign's own Posts among it; null if they were not counted. */
  readonly contamination: Contamination | null;
}

/** The counts and windows that a lift is computed from. */
export interface LiftInput {
  readonly unit: LiftUnit;
  /** Whole local days or hours without a gap, up to the last one that has ended. */
  readonly curve: Curve;
  readonly control: LiftControl | null;
  /** The weekday (0 to 6, from any day on) or the local hour (0 to 23) of each bucket. */
  readonly slots: ArrayLike<number>;
  /** The campaign's buckets. They may extend beyond the curve at either end, or begin after it. */
  readonly campaign: Buckets;
  /** Those of other campaigns, within the curve. */
  readonly others: readonly Buckets[];
  /** Instants at which counts of one index generation meet those of another, of both series, epoch ms. */
  readonly seams: readonly number[];
  /** The accounts of the same buckets, those of the control if there is one; absent if the source does not say. */
  readonly accounts?: {
    readonly series: AccountCounts;
    readonly control: AccountCounts | null;
  } | null;
}

/** A band of a lift and of its Posts. */
export interface LiftBand {
  readonly level: LiftLevel;
  /** 0.06 for +6 %. */
  readonly low: number;
  readonly high: number;
  readonly additional: { readonly low: number; readonly high: number };
}

/** A window as a dot of the strip. */
export interface LiftDot {
  /** Start of its first bucket, epoch ms. */
  readonly start: number;
  /** θ − centre: 0 for a window like most, ln 2 for twice as much. */
  readonly value: number;
}

/** The size that a campaign must have to be seen. */
export interface LiftPlan {
  readonly level: LiftLevel;
  /** Separate earlier windows that it follows from. */
  readonly windows: number;
  /** The smallest lift that chance alone does not explain: 1.4 for +140 %. */
  readonly visible: number;
  /** A true lift of this size is found four times in five. */
  readonly planned: number;
}

/** The lift of a campaign, and all from which it follows. */
export interface LiftMeasure extends LiftPlan {
  /** 0.38 for +38 %. */
  readonly lift: number;
  /** Posts of the window, and those that there would not have been without the lift; negative for a fall. */
  readonly posts: number;
  readonly additional: number;
  readonly band: LiftBand;
  /** That at 95 %; null with fewer than 39 separate windows. */
  readonly strict: LiftBand | null;
  readonly rank: LiftRank;
  /** θ − centre of the campaign. */
  readonly value: number;
  /** The middle of θ in the earlier windows. */
  readonly centre: number;
  /**
   * The weight β of the control, 0 to 1, and the part of the variance of earlier log ratios that it removes,
   * `1 − var(r_y − β·r_c) / var(r_y)`, 0 to 1; null without a control.
   */
  readonly control: { readonly weight: number; readonly explained: number } | null;
  /** All earlier windows, by their start. */
  readonly earlier: readonly LiftDot[];
  /** The three windows before the campaign and after it, in order of time; null where a window cannot be compared. */
  readonly around: {
    readonly before: readonly (LiftDot | null)[];
    readonly after: readonly (LiftDot | null)[];
  };
  /**
   * Posts of each of its buckets as they would be without it, `E·exp(β·r_c + centre)`, and the band of that: the
   * window's, in equal parts. The Posts of the window are outside its sum exactly if the band of the lift excludes 0.
   */
  readonly without: {
    readonly expected: Float64Array;
    readonly low: Float64Array;
    readonly high: Float64Array;
  };
}

/** A measure next to the lift of all Posts, or the reason for which there is none. */
export type LiftSide = (LiftMeasure & { readonly kind: 'measure' }) | LiftRefusal;

/** A lift with the level of everyday and the accounts next to it. */
export interface LiftFigure extends LiftMeasure {
  readonly kind: 'figure';
  readonly unit: LiftUnit;
  /** Buckets of the campaign. */
  readonly length: number;
  /** The same of days capped at twice the median of the before-time plus 5 Posts. */
  readonly everyday: LiftSide;
  /** The same of different accounts, whose numbers are in the places of Posts; null if the source does not say. */
  readonly accounts: LiftSide | null;
  readonly backTest: BackTest;
  readonly contamination: Contamination | null;
}

/** The reason for which there is no figure. */
export type LiftRefusal = { readonly kind: 'refusal'; readonly unit: LiftUnit } & (
  | { readonly why: 'future'; readonly plan: LiftPlan }
  | { readonly why: 'running' }
  | {
      /** Buckets without a count, or with one that may still change. */
      readonly why: 'missing' | 'provisional';
      readonly buckets: number;
      readonly place: 'campaign' | 'before';
      readonly of: 'series' | 'control';
    }
  | {
      /** The source has no counts from before it, or other campaigns leave no such time for one of its weekdays or hours. */
      readonly why: 'uncovered' | 'crowded';
    }
  | { readonly why: 'seam' }
  | { readonly why: 'contaminated'; readonly share: number }
  | {
      readonly why: 'few-posts';
      /** Posts that are usual in its time. */
      readonly usual: number;
      readonly of: 'series' | 'control';
    }
  | {
      readonly why: 'few-windows';
      readonly windows: number;
      /** Buckets of further history that would give nine windows; null if none would. */
      readonly more: number | null;
    }
  | {
      readonly why: 'too-long';
      /** Buckets of the longest campaign that can be compared. */
      readonly longest: number;
    }
);

export type Lift = LiftFigure | LiftRefusal;

/** The windows of an input. */
interface Windows {
  readonly input: LiftInput;
  /** Buckets of a window, and of the time before it. */
  readonly length: number;
  readonly before: number;
  /** Number of the first bucket with known counts. */
  readonly start: number;
  readonly rhythm: Rhythm;
  /** True if all of a window and of the time before it can be read, and no other campaign is in the window. */
  readonly isUsable: (window: Buckets, before: Buckets) => boolean;
}

interface Readers {
  readonly series: LevelReader;
  readonly control: LevelReader | null;
}

/** θ of a window before its centre is known: both log ratios. */
interface Ratio {
  readonly series: number;
  readonly control: number;
}

const isSettled = ({ counts, states }: Curve, i: number): boolean =>
  (states[i] ?? 0) === STATE.settled && !Number.isNaN(counts[i]);

const curvesOf = ({ curve, control }: LiftInput): Curve[] =>
  control ? [curve, control.curve] : [curve];

function validate(input: LiftInput): void {
  const { unit, curve, control, slots, campaign, others, accounts } = input;
  const { cycle, shortest } = LIFT_UNITS[unit];
  const size = curve.counts.length;
  if (control && !sameBuckets(curve, control.curve)) {
    throw new RangeError('expected a control with the buckets of the series, got other ones');
  }
  if (slots.length !== size) throw new RangeError(`expected ${size} slots, got ${slots.length}`);
  for (let i = 0; i < size; i += 1) {
    const slot = slots[i] ?? NaN;
    if (!(Number.isInteger(slot) && slot >= 0 && slot < cycle)) {
      throw new RangeError(`expected slots from 0 to ${cycle - 1}, got ${slot}`);
    }
  }
  for (const of of [campaign, ...others]) {
    const { first, end } = of;
    const isWhole = Number.isInteger(first) && Number.isInteger(end) && first < end;
    if (!isWhole || (of !== campaign && first < 0)) {
      throw new RangeError(`expected whole buckets in ascending order, got ${first} to ${end}`);
    }
  }
  const length = campaign.end - campaign.first;
  if (length < shortest) {
    throw new RangeError(`expected at least ${shortest} ${unit}s, got ${length}`);
  }
  if (!accounts) return;
  if ((accounts.control === null) !== (control === null)) {
    throw new RangeError('expected accounts of the control exactly if there is one');
  }
  const windows = Math.max(0, size - length + 1);
  for (const of of [accounts.series, accounts.control ?? accounts.series]) {
    if (of.buckets.length === size && of.windows.length === windows) continue;
    const got = `${of.buckets.length} and ${of.windows.length}`;
    throw new RangeError(`expected accounts of ${size} buckets and ${windows} windows, got ${got}`);
  }
}

function windowsOf(input: LiftInput): Windows {
  const { unit, curve, slots, campaign, others, seams } = input;
  const { cycle, before } = LIFT_UNITS[unit];
  const curves = curvesOf(input);
  const size = curve.counts.length;
  const omitted = new Uint8Array(size);
  for (const { first, end } of others) omitted.fill(1, first, end);
  let start = 0;
  const isKnown = (i: number): boolean =>
    curves.every(
      ({ counts, states }) => (states[i] ?? 0) > STATE.partial && !Number.isNaN(counts[i]),
    );
  while (start < size && !isKnown(start)) start += 1;
  const open = new Int32Array(size + 1);
  const out = new Int32Array(size + 1);
  for (let i = 0; i < size; i += 1) {
    const unknown = omitted[i] === 0 && !curves.every((of) => isSettled(of, i));
    open[i + 1] = (open[i] ?? 0) + (unknown ? 1 : 0);
    out[i + 1] = (out[i] ?? 0) + (omitted[i] ?? 0);
  }
  const none = (sums: Int32Array, { first, end }: Buckets): boolean => sums[first] === sums[end];
  const length = campaign.end - campaign.first;
  return {
    input,
    length,
    before: before(length),
    start,
    rhythm: { slots, cycle, omitted },
    isUsable: (window, before) =>
      before.first >= 0 &&
      window.end <= size &&
      none(open, window) &&
      none(open, before) &&
      none(out, window) &&
      !hasSeam(curve, seams, { first: before.first, end: window.end }),
  };
}

function hasSeam({ bounds }: Curve, seams: readonly number[], { first, end }: Buckets): boolean {
  return seams.some((at) => (bounds[first] ?? NaN) < at && at < (bounds[end] ?? NaN));
}

/** The log ratio of a level to the usual; NaN if too few Posts are usual. */
const logRatio = ({ posts, usual }: { readonly posts: number; readonly usual: number }): number =>
  usual >= LEAST_USUAL ? Math.log((posts + 0.5) / (usual + 0.5)) : NaN;

const beforeOf = (first: number, before: number): Buckets => ({
  first: first - before,
  end: first,
});

function ratioOf({ series, control }: Readers, window: Buckets, before: Buckets): Ratio {
  return {
    series: logRatio(series.levelOf(window, before)),
    control: control ? logRatio(control.levelOf(window, before)) : 0,
  };
}

/** The log ratios of all earlier windows that can be compared, as far back as there must be enough of them. */
function earlierRatios({ input, length, before, isUsable }: Windows, readers: Readers): LogRatios {
  const { unit, curve, campaign } = input;
  const { earlier } = LIFT_UNITS[unit];
  const end = Math.min(campaign.first, curve.counts.length);
  const from = Math.max(before, end - (earlier.at(-1) ?? 0));
  const size = Math.max(0, end - length + 1 - from);
  const first = new Int32Array(size);
  const [series, control] = [new Float64Array(size), new Float64Array(size)];
  let used = 0;
  for (let at = from; at + length <= end; at += 1) {
    const window = { first: at, end: at + length };
    const time = beforeOf(at, before);
    if (!isUsable(window, time)) continue;
    const ratio = ratioOf(readers, window, time);
    if (Number.isNaN(ratio.series) || Number.isNaN(ratio.control)) continue;
    first[used] = at;
    series[used] = ratio.series;
    control[used] = ratio.control;
    used += 1;
  }
  const last = (buckets: number): LogRatios => {
    let skipped = 0;
    while (skipped < used && (first[skipped] ?? NaN) < end - buckets) skipped += 1;
    return {
      first: first.subarray(skipped, used),
      series: series.subarray(skipped, used),
      control: readers.control && control.subarray(skipped, used),
    };
  };
  const wanted = LEAST_WINDOWS[90];
  const found = earlier.map(last);
  return (
    found.find((ratios) => Math.floor(ratios.first.length / length) >= wanted) ??
    found.at(-1) ??
    last(0)
  );
}

/** The earlier windows as values around their centre. */
interface Comparison extends ComparedValues {
  readonly ratios: LogRatios;
  readonly weight: number;
  readonly centre: number;
  readonly values: Float64Array;
  readonly level: LiftLevel;
}

const theta = (ratio: Ratio, weight: number): number => ratio.series - weight * ratio.control;

/** Compares with the earlier windows. @returns The refusal if they are too few. */
function comparisonOf(windows: Windows, readers: Readers): Comparison | LiftRefusal {
  const { length } = windows;
  const ratios = earlierRatios(windows, readers);
  const size = ratios.first.length;
  const separate = Math.floor(size / length);
  if (separate < LEAST_WINDOWS[80]) return fewWindows(windows, size);
  const weight = controlWeight(ratios);
  const values = ratios.series.map((series, i) =>
    theta({ series, control: ratios.control?.[i] ?? 0 }, weight),
  );
  const centre = median(values.slice());
  for (let i = 0; i < size; i += 1) values[i] = (values[i] ?? NaN) - centre;
  const level = separate >= LEAST_WINDOWS[90] ? 90 : 80;
  return { ratios, weight, centre, values, sorted: values.toSorted(), separate, level };
}

function fewWindows({ input, length, before, start }: Windows, size: number): LiftRefusal {
  const { unit, curve, campaign } = input;
  const least = LEAST_WINDOWS[80];
  const reach = LIFT_UNITS[unit].earlier.at(-1) ?? 0;
  const longest = Math.floor((reach + 1) / (least + 1));
  if (length > longest) return { kind: 'refusal', unit, why: 'too-long', longest };
  const end = Math.min(campaign.first, curve.counts.length);
  /** Start days, all of which would count if every window could be compared; below 0, the time before is too short. */
  const starts = end - start - before - length + 1;
  const more = length * least - size + Math.max(0, -starts);
  const windows = Math.floor(size / length);
  const fits = starts + more <= reach - length + 1;
  return { kind: 'refusal', unit, why: 'few-windows', windows, more: fits ? more : null };
}

/** The smallest lift that is seen, and the one that is found four times in five. */
function planFrom(comparison: Comparison): LiftPlan {
  const { sorted, separate, level } = comparison;
  const { high } = limitsOf(comparison, level) ?? { high: NaN };
  const fifth = sorted[Math.ceil(sorted.length / 5) - 1] ?? NaN;
  return {
    level,
    windows: separate,
    visible: Math.expm1(high),
    planned: Math.expm1(high - fifth),
  };
}

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

/** The reason for which the buckets of the campaign or before it cannot be read. */
function holeOf({ input, before }: Windows): LiftRefusal | null {
  const { unit, campaign, others } = input;
  const places = [
    { place: 'campaign', ...campaign },
    { place: 'before', ...beforeOf(campaign.first, before) },
  ] as const;
  for (const why of ['missing', 'provisional'] as const) {
    for (const { place, first, end } of places) {
      for (const [n, curve] of curvesOf(input).entries()) {
        let buckets = 0;
        for (let i = first; i < end; i += 1) {
          const isOmitted = others.some((other) => other.first <= i && i < other.end);
          if ((place === 'before' && isOmitted) || isSettled(curve, i)) continue;
          const isOpen = (curve.states[i] ?? 0) >= STATE.partial && !Number.isNaN(curve.counts[i]);
          if (isOpen === (why === 'provisional')) buckets += 1;
        }
        const of = n === 0 ? 'series' : 'control';
        if (buckets > 0) return { kind: 'refusal', unit, why, buckets, place, of };
      }
    }
  }
  return null;
}

/** The windows that a campaign which has ended is compared with; the refusal if it or they are too few. */
function comparedOf(windows: Windows, readers: Readers): Comparison | LiftRefusal {
  const { input, before } = windows;
  const { unit, campaign } = input;
  const own = beforeOf(campaign.first, before);
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
  return comparisonOf(windows, readers);
}

function measureOf(windows: Windows, readers: Readers, comparison: Comparison): LiftMeasure {
  const { input, length, before, isUsable } = windows;
  const { curve, campaign } = input;
  const own = beforeOf(campaign.first, before);
  const { ratios, weight, centre, values, sorted, separate } = comparison;
  const ratio = ratioOf(readers, campaign, own);
  const value = theta(ratio, weight) - centre;
  const { posts } = readers.series.levelOf(campaign, own);
  const band = liftBand({ posts, value }, comparison, comparison.level);
  const limits = limitsOf(comparison, comparison.level);
  if (!band || !limits) throw new Error(`expected a band from ${separate} windows, got none`);
  const dotOf = (first: number, time: Buckets): LiftDot | null => {
    const window = { first, end: first + length };
    if (!isUsable(window, time)) return null;
    const found = theta(ratioOf(readers, window, time), weight) - centre;
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
        return dotOf(first, beforeOf(first, before));
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
  validate(input);
  const { unit, curve, control, campaign, seams } = input;
  const windows = windowsOf(input);
  const { rhythm, length, before, start } = windows;
  const readers = (read: (counts: Curve['counts'], rhythm: Rhythm) => LevelReader): Readers => ({
    series: read(curve.counts, rhythm),
    control: control && read(control.curve.counts, rhythm),
  });
  if (control?.contamination?.verdict === 'refused') {
    return { kind: 'refusal', unit, why: 'contaminated', share: control.contamination.share };
  }
  if (campaign.first >= curve.counts.length) {
    const comparison = comparisonOf(windows, readers(plainLevels));
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
  const sideOf = (readers: Readers): LiftSide => {
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
