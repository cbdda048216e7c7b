import { select } from '#core/series/select.ts';
import type { LocalDay } from './local-day.ts';

/** Local days from which the usual is learned, and the fewest that their known buckets must fill. */
export const LEARNED_DAYS = 56;
export const LEAST_DAYS = 28;
/** Days whose mean is the level, and those whose mean says where it is going. */
const LEVEL_DAYS = 28;
const RECENT_DAYS = 7;
/** The recent level is at most this many times the level, and at least as large a part of it. */
const MOST_CHANGE = 2;
/** Higher values than this part of them are reduced to the one at it: one event does not become usual. */
const CAPPED_FROM = 0.98;

const SLOTS = 24;
const WEEKDAYS = 7;

/** Buckets of consecutive local days. */
export interface LearnedBuckets {
  /** Posts an hour; NaN where they are not known. */
  readonly rates: Float64Array;
  /** As in {@link LocalDay}. */
  readonly slots: Uint8Array;
  readonly weekdays: Uint8Array;
  /** The first bucket of each day, and the number of all. */
  readonly firsts: Uint32Array;
}

/** Counts of consecutive local days as rates. @param counts - Of each day; NaN where they are not known. */
export function learnedBuckets(
  days: readonly LocalDay[],
  counts: (day: number) => ArrayLike<number | null>,
): LearnedBuckets {
  let size = 0;
  const firsts = Uint32Array.of(
    ...days.map(({ slots }) => (size += slots.length) - slots.length),
    size,
  );
  const rates = new Float64Array(size);
  const slots = new Uint8Array(size);
  const weekdays = new Uint8Array(size);
  days.forEach((day, d) => {
    const first = firsts[d] ?? 0;
    const posts = counts(d);
    slots.set(day.slots, first);
    weekdays.fill(day.weekday, first, first + day.slots.length);
    for (let i = 0; i < day.slots.length; i += 1) {
      rates[first + i] = (posts[i] ?? NaN) / (day.hours[i] ?? NaN);
    }
  });
  return { rates, slots, weekdays, firsts };
}

/** The usual number of Posts an hour by the clock. */
export interface UsualPattern {
  /** Posts an hour. */
  readonly level: number;
  /** Factors of the hours of the day and of the weekdays. */
  readonly hours: Float64Array;
  readonly weekdays: Float64Array;
}

/** Mean of the known values from one index to another; NaN for none. */
function meanOf(values: Float64Array, from: number, to: number): number {
  let sum = 0;
  let size = 0;
  for (let i = from; i < to; i += 1) {
    const value = values[i] ?? NaN;
    if (value !== value) continue;
    sum += value;
    size += 1;
  }
  return sum / size;
}

/** The mean of each group of values as a factor of the mean of all; 1 for a group without a known value. */
function factorsOf(
  values: Float64Array,
  groups: Uint8Array,
  size: number,
  mean: number,
): Float64Array {
  const sums = new Float64Array(size);
  const sizes = new Float64Array(size);
  for (let i = 0; i < values.length; i += 1) {
    const value = values[i] ?? NaN;
    if (value !== value) continue;
    const group = groups[i] ?? 0;
    sums[group]! += value;
    sizes[group]! += 1;
  }
  return sums.map((sum, group) =>
    sizes[group] === 0 || mean === 0 ? 1 : sum / (sizes[group] ?? 1) / mean,
  );
}

/**
 * The usual of a local day, from nothing but the {@link LEARNED_DAYS} before it: the mean of 28 days, times the factor
 * of the hour, times that of the weekday, times the recent change of the level, which is the mean of 7 days over that
 * of 28, clamped. Values above the 98% quantile are capped.
 *
 * A centred baseline would know Posts after the hour that is judged.
 *
 * @param day - Its number; it need not be among the buckets.
 * @returns Null if the known buckets fill fewer than {@link LEAST_DAYS} days, or none of them is among the last 28.
 */
export function usualOf(
  { rates, slots, weekdays, firsts }: LearnedBuckets,
  day: number,
): UsualPattern | null {
  const firstOf = (of: number): number => firsts[Math.max(0, of)] ?? 0;
  const from = firstOf(day - LEARNED_DAYS);
  const end = firstOf(day);
  if (end === from) return null;
  const capped = new Float64Array(end - from);
  let known = 0;
  for (let i = from; i < end; i += 1) {
    const rate = rates[i] ?? NaN;
    if (rate === rate) capped[known++] = rate;
  }
  const perDay = (end - from) / Math.min(LEARNED_DAYS, day);
  if (known < LEAST_DAYS * perDay) return null;
  const cap = select(capped, known, Math.floor(CAPPED_FROM * (known - 1)));
  for (let i = from; i < end; i += 1) capped[i - from] = Math.min(cap, rates[i] ?? NaN);
  const mean = meanOf(capped, 0, capped.length);
  const level = meanOf(capped, firstOf(day - LEVEL_DAYS) - from, capped.length);
  if (level !== level) return null;
  const recent = meanOf(capped, firstOf(day - RECENT_DAYS) - from, capped.length);
  const change = recent / level;
  return {
    level:
      level * (change === change ? Math.min(MOST_CHANGE, Math.max(1 / MOST_CHANGE, change)) : 1),
    hours: factorsOf(capped, slots.subarray(from, end), SLOTS, mean),
    weekdays: factorsOf(capped, weekdays.subarray(from, end), WEEKDAYS, mean),
  };
}

/** The usual number of Posts in each bucket of a day. */
export function usualCounts({ level, hours, weekdays }: UsualPattern, day: LocalDay): number[] {
  const daily = level * (weekdays[day.weekday] ?? 1);
  return Array.from(day.slots, (slot, i) => daily * (hours[slot] ?? 1) * (day.hours[i] ?? NaN));
}
