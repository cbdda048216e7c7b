import { firstIndex } from '#core/first-index.ts';
import type { AccountCounts } from '#core/lift/levels.ts';
import { STATE, type Curve } from '#core/series/series.ts';
import type { Buckets } from '#core/series/window.ts';
import { DAY_MS, HOUR_MS, intersect, type Span } from '#core/time/span.ts';
import {
  localDate,
  localDayAfter,
  localDayStart,
  offsetAt,
  wallTime,
  zoneTable,
  type ZoneTable,
} from '#core/time/zone.ts';
import { LIFT_UNITS, type LiftInput, type LiftUnit } from '#core/lift/lift-input.ts';

/** Windows of the campaign's length after it, which the strip shows. */
const AFTER = 3;

/** The buckets that a campaign's lift is computed from. */
export interface LiftScope {
  readonly unit: LiftUnit;
  readonly table: ZoneTable;
  /** The campaign in whole buckets. */
  readonly campaign: Span;
  /** The number of them. */
  readonly length: number;
  /** The buckets to count, whole; empty if none has ended. */
  readonly span: Span;
}

/** A span extended to whole local days, or to whole hours of the zone's clock. */
function whole({ start, end }: Span, unit: LiftUnit, table: ZoneTable): Span {
  if (unit === 'hour') {
    const [before, after] = [offsetAt(table, start), offsetAt(table, end - 1)];
    return {
      start: Math.floor((start + before) / HOUR_MS) * HOUR_MS - before,
      end: Math.ceil((end + after) / HOUR_MS) * HOUR_MS - after,
    };
  }
  const first = localDayStart(table, localDate(table, start));
  const last = localDayStart(table, localDate(table, end - 1));
  return { start: first, end: localDayAfter(table, last, 1) };
}

/** Moves an edge of a bucket by buckets. */
function moved(at: number, by: number, unit: LiftUnit, table: ZoneTable): number {
  return unit === 'hour' ? at + by * HOUR_MS : localDayAfter(table, at, by);
}

/** The number of buckets between two of their edges; the clock may have changed between them. */
function between(from: number, to: number, unit: LiftUnit): number {
  return Math.round((to - from) / (unit === 'hour' ? HOUR_MS : DAY_MS));
}

/**
 * The scope of a campaign: whole local days, or hours if it lasts less than three days.
 *
 * @param covered - The time for which the source can have counts.
 */
export function liftScope(campaign: Span, zone: string, covered: Span): LiftScope {
  const table = zoneTable(zone, { start: covered.start, end: campaign.end });
  const days = whole(campaign, 'day', table);
  const isDays = between(days.start, days.end, 'day') >= LIFT_UNITS.day.shortest;
  const unit = isDays ? 'day' : 'hour';
  const time = isDays ? days : whole(campaign, 'hour', table);
  const length = between(time.start, time.end, unit);
  const { before, earlier } = LIFT_UNITS[unit];
  const back = Math.max(...earlier) + before(length);
  const known = whole(covered, unit, table);
  const start = Math.max(known.start, moved(time.start, -back, unit, table));
  // The bucket in which the source ends has not ended.
  const last = known.end > covered.end ? moved(known.end, -1, unit, table) : known.end;
  const end = Math.min(last, moved(time.end, AFTER * length, unit, table));
  return { unit, table, campaign: time, length, span: { start, end: Math.max(start, end) } };
}

/** The time before a campaign from which its usual level is read, whole. */
export function timeBeforeCampaign({ unit, table, campaign, length }: LiftScope): Span {
  const start = moved(campaign.start, -LIFT_UNITS[unit].before(length), unit, table);
  return { start, end: campaign.start };
}

/** The names of the campaigns in a time, by start. */
export function campaignsIn(
  time: Span,
  campaigns: readonly (Span & { readonly name: string })[],
): readonly string[] {
  return campaigns
    .filter((each) => intersect(each, time))
    .sort((a, b) => a.start - b.start)
    .map(({ name }) => name);
}

/** The buckets of a curve that end by a time; those that are cut by it are left out. */
function endedBy(curve: Curve, end: number): Curve {
  let size = curve.counts.length;
  while (
    size > 0 &&
    ((curve.bounds[size] ?? Infinity) > end || curve.states[size - 1] === STATE.partial)
  )
    size -= 1;
  return {
    bounds: curve.bounds.slice(0, size + 1),
    counts: curve.counts.slice(0, size),
    states: curve.states.slice(0, size),
    fetchedAt: curve.fetchedAt.slice(0, size),
  };
}

/** The number of the bucket that begins at an edge, also before or after a curve. */
function bucketOf({ bounds }: Curve, at: number, unit: LiftUnit): number {
  const last = bounds.length - 1;
  const [start, end] = [bounds[0] ?? at, bounds[last] ?? at];
  if (at < start) return between(start, at, unit);
  return at > end
    ? last + between(end, at, unit)
    : firstIndex(0, last, (i) => (bounds[i] ?? 0) >= at);
}

/**
 * The input of a campaign's lift.
 *
 * @param curve - Of the buckets of the scope's span.
 * @param control - Of the same buckets; null for none.
 * @param others - The times of other campaigns.
 * @param accounts - Of the buckets of the scope's span.
 * @returns Null if no bucket has ended.
 * @throws {RangeError} for accounts of other buckets than those of the curve.
 */
export function liftInput(
  { unit, table, campaign, length, span }: LiftScope,
  given: { readonly curve: Curve; readonly seams: readonly number[] },
  control: {
    readonly curve: Curve;
    readonly contamination: NonNullable<LiftInput['control']>['contamination'];
  } | null,
  others: readonly Span[],
  accounts: NonNullable<LiftInput['accounts']> | null = null,
): LiftInput | null {
  const curve = endedBy(given.curve, span.end);
  const size = curve.counts.length;
  if (size === 0) return null;
  const ended = ({ buckets, windows }: AccountCounts): AccountCounts => {
    if (buckets.length !== given.curve.counts.length) {
      const expected = given.curve.counts.length;
      throw new RangeError(`expected accounts of ${expected} buckets, got ${buckets.length}`);
    }
    return {
      buckets: buckets.slice(0, size),
      windows: windows.slice(0, Math.max(0, size - length + 1)),
    };
  };
  const { cycle } = LIFT_UNITS[unit];
  const step = unit === 'hour' ? HOUR_MS : DAY_MS;
  const slots = Array.from({ length: size }, (_, i) => {
    const wall = Math.floor(wallTime(table, curve.bounds[i] ?? 0) / step);
    return ((wall % cycle) + cycle) % cycle;
  });
  const bucketsOf = (time: Span): Buckets => {
    const { start, end } = whole(time, unit, table);
    return { first: bucketOf(curve, start, unit), end: bucketOf(curve, end, unit) };
  };
  return {
    unit,
    curve,
    control: control && {
      contamination: control.contamination,
      curve: {
        bounds: curve.bounds,
        counts: control.curve.counts.slice(0, size),
        states: control.curve.states.slice(0, size),
        fetchedAt: control.curve.fetchedAt.slice(0, size),
      },
    },
    slots,
    campaign: bucketsOf(campaign),
    others: others
      .map(bucketsOf)
      .map(({ first, end }) => ({ first: Math.max(0, first), end: Math.min(size, end) }))
      .filter(({ first, end }) => first < end),
    seams: given.seams,
    accounts: accounts && {
      series: ended(accounts.series),
      control: accounts.control && ended(accounts.control),
    },
  };
}
