import { median } from '#core/series/median.ts';
import type { Buckets } from '#core/series/window.ts';
import {
  controlWeight,
  LEAST_WINDOWS,
  limitsOf,
  type ComparedValues,
  type LiftLevel,
  type LogRatios,
} from './claim.ts';
import type { LevelReader } from './levels.ts';
import { type LiftWindows, beforeWindow } from './windows.ts';
import { LIFT_UNITS } from './lift-input.ts';
import type { LiftRefusal, LiftPlan } from './lift-figure.ts';

/** Posts that are usual in the time of a window, below which it says nothing. */
export const LEAST_USUAL = 20;

/** Read the level of a window in the series, and in the control if there is one. */
export interface LevelReaders {
  readonly series: LevelReader;
  readonly control: LevelReader | null;
}

/** θ of a window before its centre is known: both log ratios. */
interface Ratio {
  readonly series: number;
  readonly control: number;
}

/** The log ratio of a level to the usual; NaN if too few Posts are usual. */
const logRatio = ({ posts, usual }: { readonly posts: number; readonly usual: number }): number =>
  usual >= LEAST_USUAL ? Math.log((posts + 0.5) / (usual + 0.5)) : NaN;

/** The log ratios of a window to the time before it; NaN if too few Posts are usual. */
export function ratioIn(
  { series, control }: LevelReaders,
  window: Buckets,
  before: Buckets,
): Ratio {
  return {
    series: logRatio(series.levelOf(window, before)),
    control: control ? logRatio(control.levelOf(window, before)) : 0,
  };
}

/** The log ratios of all earlier windows that can be compared, as far back as there must be enough of them. */
function earlierRatios(
  { input, length, before, isUsable }: LiftWindows,
  readers: LevelReaders,
): LogRatios {
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
    const time = beforeWindow(at, before);
    if (!isUsable(window, time)) continue;
    const ratio = ratioIn(readers, window, time);
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
export interface WindowComparison extends ComparedValues {
  readonly ratios: LogRatios;
  readonly weight: number;
  readonly centre: number;
  readonly values: Float64Array;
  readonly level: LiftLevel;
}

/** The log ratio of the series, corrected by the control. */
export const theta = (ratio: Ratio, weight: number): number =>
  ratio.series - weight * ratio.control;

/** Compares with the earlier windows. @returns The refusal if they are too few. */
export function compareWindows(
  windows: LiftWindows,
  readers: LevelReaders,
): WindowComparison | LiftRefusal {
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

/** The refusal of a campaign that has too few earlier windows. */
export function fewWindows(
  { input, length, before, start }: LiftWindows,
  size: number,
): LiftRefusal {
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
export function planFrom(comparison: WindowComparison): LiftPlan {
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
