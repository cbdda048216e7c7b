import { sameBuckets, type Curve } from '#core/series/series.ts';
import type { Buckets } from '#core/series/window.ts';
import type { Contamination } from './contamination.ts';
import type { AccountCounts } from './levels.ts';

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

/** Requires an input that a lift can be computed from. @throws {@link RangeError} */
export function checkLiftInput(input: LiftInput): void {
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
