import { zoneTable } from '#core/time/zone.ts';
import { localDay, type LocalDay, type WatchUnit } from './local-day.ts';
import { riseOnsets, type JudgedCounts } from './rises.ts';
import type { PastCounts } from './state.ts';
import { learnedBuckets, usualCounts, usualOf } from './usual.ts';

/** The factors that a budget chooses from. */
export const FACTORS: readonly number[] = [
  1.5, 1.75, 2, 2.25, 2.5, 2.75, 3, 3.25, 3.5, 4, 4.5, 5, 5.5, 6, 7, 8, 9, 10, 12, 14, 16, 18, 20,
  25, 30, 35, 40, 50, 60,
];
/** The factor of a topic whose history is too short to choose one. */
export const DEFAULT_FACTOR = 3;
/** The weeks that a budget is chosen from, and the fewest of them whose counts must be known. */
export const BUDGET_WEEKS = 13;
const LEAST_WEEKS = 12;

/** About how often an alert may ring: rises in {@link BUDGET_WEEKS}. */
export const BUDGETS = { day: 91, week: 13, month: 3 } as const;
export type AlertBudget = keyof typeof BUDGETS;

/**
 * Percent of trials in which the four weeks after the choice had at most twice the rises of the budget, measured over
 * topics that are each watched by hours or days (docs/alerts.md).
 */
export const WITHIN_TWICE: Readonly<Record<AlertBudget, number>> = {
  day: 100,
  week: 98,
  month: 87,
};

/** Buckets of a week. */
const WEEK: Readonly<Record<WatchUnit, number>> = { hour: 7 * 24, day: 7 };
/** Posts an hour from which on a topic is watched by hours. */
const BY_HOUR = 1;
/** Buckets whose mean decides that, in weeks. */
const MEAN_WEEKS = 4;

/**
 * The buckets by which a topic is watched: days if it has fewer than one Post an hour in the last four weeks.
 *
 * @param counts - By the hour; NaN where they are not known.
 */
export function watchUnitOf(counts: Float64Array): WatchUnit {
  const known = counts.slice(-MEAN_WEEKS * WEEK.hour).filter((count) => count === count);
  const posts = known.reduce((sum, count) => sum + count, 0);
  return posts >= BY_HOUR * known.length && known.length > 0 ? 'hour' : 'day';
}

/**
 * Counts next to the usual of each bucket as it was when its day began.
 *
 * @param earlier - Whole local days.
 * @throws {RangeError} if the buckets are not those of whole local days of the zone.
 */
export function judgedCounts(
  { bounds, counts }: PastCounts,
  zone: string,
  unit: WatchUnit,
): JudgedCounts {
  const size = counts.length;
  const posts = Float64Array.from(counts);
  const usual = new Float64Array(size).fill(NaN);
  if (size === 0) return { unit, counts: posts, usual };
  const [start = NaN, end = NaN] = [bounds[0], bounds[size]];
  const table = zoneTable(zone, { start, end });
  const days: LocalDay[] = [];
  const firsts: number[] = [];
  for (let first = 0; first < size;) {
    const day = localDay(table, bounds[first] ?? NaN, unit);
    const after = first + day.slots.length;
    if (day.start !== bounds[first] || day.end !== bounds[after]) {
      throw new RangeError(
        `expected buckets of whole days of ${zone} from ${day.start} to ${day.end}, got ${bounds[first]} to ${bounds[after]}`,
      );
    }
    days.push(day);
    firsts.push(first);
    first = after;
  }
  const learned = learnedBuckets(days, (d) => posts.subarray(firsts[d], firsts[d + 1]));
  days.forEach((day, d) => {
    const known = usualOf(learned, d);
    if (known) usual.set(usualCounts(known, day), firsts[d]);
  });
  return { unit, counts: posts, usual };
}

/** The factor that keeps to a budget. */
export interface ChosenFactor {
  readonly factor: number;
  /** Weeks that were judged with it, at most {@link BUDGET_WEEKS}. */
  readonly weeks: number;
  /** Rises in these weeks. */
  readonly rises: number;
  /** `kept`: it keeps to the budget; `exceeded`: even the largest factor does not; `short`: too few weeks are known. */
  readonly budget: 'kept' | 'exceeded' | 'short';
}

/**
 * The smallest factor of {@link FACTORS} from which on every one keeps to a budget over the last 13 weeks. A smaller one
 * may too, because a low bar joins many rises into one that does not end: that is no reason to choose it.
 *
 * @param given - A factor that is used instead.
 * @returns With too few known weeks {@link DEFAULT_FACTOR}.
 */
export function chooseFactor(
  judged: JudgedCounts,
  budget: AlertBudget,
  given?: number,
): ChosenFactor {
  const { unit, counts, usual } = judged;
  const end = counts.length;
  const from = Math.max(0, end - BUDGET_WEEKS * WEEK[unit]);
  let known = 0;
  for (let i = from; i < end; i += 1) {
    const isKnown = !Number.isNaN(counts[i] ?? NaN) && !Number.isNaN(usual[i] ?? NaN);
    if (isKnown) known += 1;
  }
  const weeks = Math.min(BUDGET_WEEKS, Math.round(known / WEEK[unit]));
  const risesAt = (factor: number): number => riseOnsets(judged, factor, from, end).length;
  if (known < LEAST_WEEKS * WEEK[unit]) {
    const factor = given ?? DEFAULT_FACTOR;
    return { factor, weeks, rises: risesAt(factor), budget: 'short' };
  }
  if (given !== undefined) {
    const rises = risesAt(given);
    return { factor: given, weeks, rises, budget: rises > BUDGETS[budget] ? 'exceeded' : 'kept' };
  }
  let chosen: ChosenFactor | null = null;
  for (let i = FACTORS.length - 1; i >= 0; i -= 1) {
    const factor = FACTORS[i] ?? NaN;
    const rises = risesAt(factor);
    if (rises > BUDGETS[budget]) return chosen ?? { factor, weeks, rises, budget: 'exceeded' };
    chosen = { factor, weeks, rises, budget: 'kept' };
  }
  return chosen ?? { factor: DEFAULT_FACTOR, weeks, rises: 0, budget: 'short' };
}
