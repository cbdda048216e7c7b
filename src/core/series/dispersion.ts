import { dayOfWeek } from '#core/time/calendar.ts';
import type { Resolution } from '#core/time/resolution.ts';
import { ARCHIVE_START, DAY_MS, HOUR_MS, type Span } from '#core/time/span.ts';
import { wallTime, type ZoneTable } from '#core/time/zone.ts';
import { COUNTING, LEAST_STRETCHES, type Dispersion } from './confidence.ts';
import { STATE, type Curve } from './series.ts';

/** Buckets of equal length in order of time, as history. */
export interface Recorded {
  /** NaN where a bucket is unknown, not whole or left out. */
  readonly counts: ArrayLike<number>;
  /** Number of each bucket in its weekly rhythm: 0 to `cycle - 1`. */
  readonly phases: ArrayLike<number>;
  /** Buckets of a week; 1 for buckets without a rhythm. */
  readonly cycle: number;
}

/** Spans below this are compared with stretches of hours, longer ones with stretches of days. */
const BY_HOUR_MS = 3 * DAY_MS;
/** The length of history that a comparison asks for: stretches, and at least this long, for the weekly rhythm. */
const STRETCHES = 26;
const LEAST_MS = 56 * DAY_MS;

/** Buckets of history. */
export type HistoryUnit = 'hour' | 'day';

/** The history from which the dispersion of spans is estimated: whole hours or days before a time. */
export function historyBefore(
  start: number,
  lengthMs: number,
): { readonly span: Span; readonly unit: HistoryUnit } {
  const from = start - Math.max(STRETCHES * lengthMs, LEAST_MS);
  const unit = lengthMs < BY_HOUR_MS ? 'hour' : 'day';
  return { span: { start: Math.max(ARCHIVE_START, from), end: start }, unit };
}

/** Per bucket the factor of its phase: its mean over that of all; 1 without a rhythm. */
function rhythmOf({ counts, phases, cycle }: Recorded): Float64Array {
  const sums = new Float64Array(cycle);
  const sizes = new Float64Array(cycle);
  let total = 0;
  let size = 0;
  for (let i = 0; i < counts.length; i += 1) {
    const [count = NaN, phase = 0] = [counts[i], phases[i]];
    if (Number.isNaN(count)) continue;
    sums[phase] = (sums[phase] ?? 0) + count;
    sizes[phase] = (sizes[phase] ?? 0) + 1;
    total += count;
    size += 1;
  }
  const mean = total / size;
  const factors = sums.map((sum, phase) => sum / (sizes[phase] ?? NaN) / mean);
  return Float64Array.from(counts, (_, i) => factors[phases[i] ?? 0] ?? NaN);
}

/**
 * Degrees of freedom of the mean square of `pairs` differences between stretches that slide by one
 * bucket: `2 E² / Var` for independent normal buckets. Each overlaps the next, so that they are worth
 * about twice as many as stretches that do not, not `length` times as many.
 *
 * @param lag - From the start of one stretch of a pair to that of the other, in buckets.
 */
function slidingDegrees(pairs: number, length: number, lag: number): number {
  const shared = (h: number): number => Math.max(0, length - Math.abs(h));
  const covariance = (h: number): number => 2 * shared(h) - shared(h - lag) - shared(h + lag);
  let sum = pairs * covariance(0) ** 2;
  for (let h = 1; h < Math.min(pairs, lag + length); h += 1) {
    sum += 2 * (pairs - h) * covariance(h) ** 2;
  }
  return (pairs * covariance(0)) ** 2 / sum;
}

/**
 * Part of the variance of a difference that is left once the rhythm, estimated from the same buckets,
 * is removed: 1 for whole weeks, which have every phase equally often.
 */
function varianceWithoutRhythm(size: number, length: number, lag: number, cycle: number): number {
  const rest = length % cycle;
  const shift = lag % cycle;
  const common = Math.max(0, rest - shift) + Math.max(0, rest - (cycle - shift));
  return 1 - ((rest - Math.min(rest, common)) * cycle) / (length * size);
}

/**
 * The factor by which the sums of stretches vary more than counts of independent Posts do: their variance ÷ mean
 * (quasi-Poisson), with the weekly rhythm removed.
 *
 * It is the mean over pairs of stretches that lie as far apart as the spans compared, as far as the
 * history allows: the variance of two sums over their mean. So the sums of neighbouring weeks, which
 * vary less than those of far ones because bursts and fashions last, are compared with neighbouring
 * weeks (J. von Neumann and others, The mean square successive difference, Ann. Math. Stat. 12, 1941,
 * 153–162), and the level may drift.
 *
 * @param length - Buckets of a stretch.
 * @param apart - Stretches from the start of one compared span to that of the other.
 * @returns Null if no pair has a Post, or if pairs are too few to say anything.
 * @throws {RangeError} unless the length is a whole number from 1 on.
 */
export function dispersionOf(recorded: Recorded, length: number, apart = 1): Dispersion | null {
  if (!(Number.isInteger(length) && length >= 1)) {
    throw new RangeError(`expected whole buckets of a stretch, got ${length}`);
  }
  const { counts, cycle } = recorded;
  const rhythm = rhythmOf(recorded);
  // Sums before each bucket: of counts, of factors, and of buckets that cannot be used.
  const size = counts.length;
  const [posts, weights, holes] = [0, 1, 2].map(() => new Float64Array(size + 1)) as [
    Float64Array,
    Float64Array,
    Float64Array,
  ];
  for (let i = 0; i < size; i += 1) {
    const count = counts[i] ?? NaN;
    const hole = Number.isNaN(count);
    posts[i + 1] = (posts[i] ?? 0) + (hole ? 0 : count);
    weights[i + 1] = (weights[i] ?? 0) + (hole ? 0 : (rhythm[i] ?? 0));
    holes[i + 1] = (holes[i] ?? 0) + (hole ? 1 : 0);
  }
  const usable = size - (holes[size] ?? 0);
  const stretches = Math.floor(usable / length);
  const lag = length * Math.max(1, Math.min(Math.round(apart), Math.floor(stretches / 3)));
  const over = (sums: Float64Array, from: number): number =>
    (sums[from + length] ?? NaN) - (sums[from] ?? NaN);
  let [pairs, telling, sum] = [0, 0, 0];
  for (let i = 0; i + lag + length <= size; i += 1) {
    if (over(holes, i) > 0 || over(holes, i + lag) > 0) continue;
    pairs += 1;
    const total = over(posts, i) + over(posts, i + lag);
    const part = over(weights, i + lag) / (over(weights, i) + over(weights, i + lag));
    // Without a Post, or where the rhythm leaves no choice, a pair says nothing.
    if (!(total > 0 && part > 0 && part < 1)) continue;
    telling += 1;
    sum += (over(posts, i + lag) - total * part) ** 2 / (total * part * (1 - part));
  }
  const rest = varianceWithoutRhythm(usable, length, lag, cycle);
  if (telling === 0 || !(rest > 0)) return null;
  const degrees = slidingDegrees(pairs, length, lag) * (telling / pairs) * rest;
  return degrees < 1 ? null : { ratio: sum / telling / rest, degrees, stretches };
}

const WEEK_DAYS = 7;
const WEEK_HOURS = 7 * 24;

/**
 * Whole buckets of curves as history, with one unknown bucket between two curves.
 *
 * @param unit - Their length: only hours and days have a rhythm.
 * @param excluded - Spans whose buckets are left out.
 * @param table - The zone, covering all of them.
 */
export function recordedOf(
  curves: readonly Curve[],
  unit: Resolution,
  excluded: readonly Span[],
  table: ZoneTable,
): Recorded {
  const cycle = unit === 'hour' ? WEEK_HOURS : unit === 'day' ? WEEK_DAYS : 1;
  const counts: number[] = [];
  const phases: number[] = [];
  for (const { bounds, counts: own, states } of curves) {
    if (counts.length > 0) {
      counts.push(NaN);
      phases.push(0);
    }
    for (let i = 0; i < own.length; i += 1) {
      const [start = 0, end = 0] = [bounds[i], bounds[i + 1]];
      const out = excluded.some((span) => start < span.end && span.start < end);
      const whole = !out && (states[i] ?? 0) >= STATE.provisional;
      counts.push(whole ? (own[i] ?? NaN) : NaN);
      // The middle of a day is in it even where the clock changes at midnight.
      const wall = wallTime(table, (start + end) / 2);
      const day = dayOfWeek(wall, 1);
      const hour = unit === 'hour' ? Math.floor((wall % DAY_MS) / HOUR_MS) : 0;
      phases.push(cycle === 1 ? 0 : day * (cycle / WEEK_DAYS) + hour);
    }
  }
  return { counts, phases, cycle };
}

/** The dispersion of spans of a length, a distance apart; both in ms. */
export type DispersionBy = (lengthMs: number, apartMs: number) => Dispersion;

/** Counts from which the dispersion of compared spans is estimated. */
export interface Histories {
  /** Whole hours or days before the later span, and which of both; null if none are loaded. */
  readonly earlier: { readonly recorded: Recorded; readonly unit: HistoryUnit } | null;
  /** Buckets of the compared spans themselves, for want of history. */
  readonly compared: Recorded;
}

/**
 * The dispersion of spans by their length: from earlier stretches as long as they are or, with fewer
 * than {@link LEAST_STRETCHES} of these, from the buckets of the compared spans; a change is then never
 * called clear.
 */
export function dispersionBy({ earlier, compared }: Histories): DispersionBy {
  return (lengthMs, apartMs) => {
    if (earlier) {
      const length = Math.max(
        1,
        Math.ceil(lengthMs / (earlier.unit === 'hour' ? HOUR_MS : DAY_MS) - 0.1),
      );
      const found = dispersionOf(earlier.recorded, length, apartMs / lengthMs);
      if (found && found.stretches >= LEAST_STRETCHES) return found;
    }
    const found = dispersionOf(compared, 1);
    return { ...(found ?? COUNTING), stretches: 0 };
  };
}
