import { bucketAt } from '#core/series/window.ts';
import { DAY_MS } from '#core/time/span.ts';
import { zoneTable, type ZoneTable } from '#core/time/zone.ts';
import { localDay, type LocalDay, type WatchUnit } from './local-day.ts';
import { LEARNED_DAYS, learnedBuckets, usualCounts, usualOf } from './usual.ts';

/** The part of an alert that decides when it rings. */
export type AlertRule = {
  /** IANA name; its clock cuts days and hours. */
  readonly zone: string;
  readonly unit: WatchUnit;
} & (
  | {
      readonly direction: 'rise';
      /** Times the usual from which a bucket is a rise, above 1. */
      readonly factor: number;
    }
  | { readonly direction: 'quiet' }
);

/** A local day of a watched topic. */
export interface WatchedDay {
  /** Epoch ms. */
  readonly start: number;
  /** Posts of each bucket; null where not all are known. */
  readonly counts: readonly (number | null)[];
  /** Posts among them that arrived too late to ring; null for none, and for a day that is past judging. */
  readonly late: readonly number[] | null;
  /** The usual of each bucket as it was when the day began; null if unknown then, and for a day that is past judging. */
  readonly usual: readonly number[] | null;
}

/** A rise that is not over. */
export interface ActiveRise {
  /** Start of the bucket in which it began. */
  readonly onset: number;
  /** Posts an hour that were announced. */
  readonly announced: number;
  /** True once its one further message is out. */
  readonly stronger: boolean;
  /** Calm buckets in a row. */
  readonly calm: number;
  /** End of the last bucket that was not calm. */
  readonly until: number;
}

/** A run of buckets, with the time at which it began. */
interface Run {
  readonly since: number;
  /** True once its message is out. */
  readonly rang: boolean;
}

const VERSION = 1;

/** Everything that an alert remembers, as plain data for JSON. Instants are epoch ms. */
export interface AlertState {
  readonly version: typeof VERSION;
  /** The time of the last step. */
  readonly at: number;
  /** The time up to which counts are complete; null if they are as Posts arrive. */
  readonly horizon: number | null;
  /** Start of the first bucket that is not closed. */
  readonly open: number;
  /** No bucket before this one rings: it is of the time before the alert, or of a rise that is over. */
  readonly from: number;
  /** Consecutive local days, at most as many as the usual is learned from, and those that are judged. */
  readonly days: readonly WatchedDay[];
  readonly rise: ActiveRise | null;
  /** The last buckets without a Post, with the Posts that are usual in them. */
  readonly empty: (Run & { readonly usual: number }) | null;
  /** The time at which a silence was last announced. */
  readonly silent: number | null;
  /** True if the day before was announced as a low one, or followed such days. */
  readonly low: boolean;
  /** The last buckets, if their counts are not known. */
  readonly blind: Run | null;
  /** Buckets that too many late Posts raised above the bar, of the days that are judged. */
  readonly found: readonly number[];
}

/** Counts of a topic before it is watched, by its buckets. */
export interface PastCounts {
  /** Edges, epoch ms: those of all buckets of the unit in the zone. */
  readonly bounds: ArrayLike<number>;
  /** NaN where a count is not known. */
  readonly counts: ArrayLike<number>;
}

/** Days whose buckets are judged: Posts that were found later are listed in them. */
const JUDGED_DAYS = 3;

/**
 * Appends a local day, with its usual as it is known now.
 *
 * @param days - The days before it.
 * @param open - Start of the first bucket that is not closed; it and later ones are not learned from.
 */
export function withDay(
  days: readonly WatchedDay[],
  day: LocalDay,
  counts: WatchedDay['counts'],
  {
    unit,
    open,
    table,
  }: { readonly unit: WatchUnit; readonly open: number; readonly table: ZoneTable },
): WatchedDay[] {
  const before = days.slice(-LEARNED_DAYS);
  const layouts = before.map(({ start }) => localDay(table, start, unit));
  const learned = learnedBuckets(layouts, (d) => {
    const [{ edges, slots } = day, known] = [layouts[d], before[d]?.counts ?? []];
    if ((edges.at(-1) ?? NaN) <= open && known.length === slots.length) return known;
    // A zone whose clock changed by an update of its rules has days of other lengths.
    if (known.length !== slots.length) return [];
    return known.map((count, i) => ((edges[i + 1] ?? NaN) <= open ? count : null));
  });
  const usual = usualOf(learned, before.length);
  const past = before.at(-JUDGED_DAYS);
  if (past?.usual || past?.late) {
    before[before.length - JUDGED_DAYS] = { ...past, usual: null, late: null };
  }
  before.push({ start: day.start, counts, late: null, usual: usual && usualCounts(usual, day) });
  return before;
}

/**
 * The state of an alert that begins. Nothing before it rings.
 *
 * @param at - The time, epoch ms.
 * @param horizon - The time up to which counts are complete; null if they are as Posts arrive.
 * @param earlier - Counts as they are at that time; without them the usual is unknown for four weeks.
 */
export function startAlert(
  { zone, unit }: AlertRule,
  at: number,
  horizon: number | null,
  { bounds, counts }: PastCounts = { bounds: [], counts: [] },
): AlertState {
  const end = Math.min(at, horizon ?? at);
  const first = Math.max(Math.min(end, bounds[0] ?? end), end - (LEARNED_DAYS + 1) * DAY_MS);
  const table = zoneTable(zone, { start: first, end: at });
  const today = localDay(table, end, unit);
  const open = today.edges[bucketAt(today.edges, end)] ?? end;
  let days: WatchedDay[] = [];
  let next = 0;
  for (let day = localDay(table, first, unit); ; day = localDay(table, day.end, unit)) {
    const posts = Array.from(day.slots, (_, i): number | null => {
      const [from = NaN, to = NaN] = [day.edges[i], day.edges[i + 1]];
      if (from >= end) return 0;
      while ((bounds[next] ?? Infinity) < from) next += 1;
      const isGiven = bounds[next] === from && (bounds[next + 1] === to || to > end);
      const count = isGiven ? (counts[next] ?? NaN) : NaN;
      return Number.isNaN(count) ? null : count;
    });
    // Only the usual of the last day is of use.
    if (day.start === today.start) {
      days = withDay(days, day, posts, { unit, open, table });
      break;
    }
    days.push({ start: day.start, counts: posts, late: null, usual: null });
  }
  return {
    version: VERSION,
    at,
    horizon,
    open,
    from: open,
    days,
    rise: null,
    empty: null,
    silent: null,
    low: false,
    blind: null,
    found: [],
  };
}

/**
 * Reads a state from JSON.
 *
 * @throws {RangeError} if another version of this program wrote it.
 */
export function readAlertState(text: string): AlertState {
  const state = JSON.parse(text) as AlertState;
  if (state.version !== VERSION) {
    throw new RangeError(
      `expected the state of an alert in version ${VERSION}, got ${String(state.version)}`,
    );
  }
  return state;
}
