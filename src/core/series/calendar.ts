import { dayOfWeek, startOf } from '#core/time/calendar.ts';
import type { WeekStart } from '#core/time/resolution.ts';
import { DAY_MS } from '#core/time/span.ts';
import { dateOf, localInstant, wallTime, type LocalDate, type ZoneTable } from '#core/time/zone.ts';
import { STATE, STATES, type Curve, type State } from './series.ts';

/** A day of the calendar. */
export interface CalendarDay {
  readonly date: LocalDate;
  /** Number of its bucket in the curve. */
  readonly bucket: number;
  /** Week from the left and weekday from the top, both 0-based. */
  readonly column: number;
  readonly row: number;
  /** Posts; NaN if missing, not begun, or a quotient by zero (then with a state of `partial` or better). */
  readonly count: number;
  /** `ahead` if the day begins after now; `partial` if the range or now cuts it. */
  readonly state: State | 'ahead';
}

/** The first day of a month in the calendar. The month's edge runs down on its left, and up on its right. */
export interface MonthEdge {
  readonly year: number;
  readonly month: number;
  readonly column: number;
  readonly row: number;
}

/** Days by weeks (columns) and weekdays (rows). A position without a day is out of range, or was skipped. */
export interface Calendar {
  readonly weeks: number;
  readonly days: readonly CalendarDay[];
  /** The months; the first starts at its first day in range. */
  readonly months: readonly MonthEdge[];
  /** Dates within the range that the zone never had, such as 2011-12-30 in Apia. */
  readonly skipped: readonly LocalDate[];
}

/**
 * Arranges the days of a curve by weeks and weekdays.
 *
 * @param curve - By days of the zone; the first and last may be cut.
 * @param now - Days that begin later are `ahead`.
 * @throws {RangeError} if an inner bound does not begin a day of the zone, or a bucket contains more
 *   than one day.
 */
export function calendar(
  curve: Curve,
  table: ZoneTable,
  weekStart: WeekStart,
  now: number,
): Calendar {
  const { bounds, counts, states } = curve;
  const days: CalendarDay[] = [];
  const months: MonthEdge[] = [];
  const skipped: LocalDate[] = [];
  if (counts.length === 0) return { weeks: 0, days, months, skipped };
  // The next expected date and its position, in wall time, where every day has 24 hours.
  let due = startOf('day', wallTime(table, bounds[0] ?? 0));
  let place = dayOfWeek(due, weekStart);
  for (let bucket = 0; bucket < counts.length; bucket++) {
    const start = bounds[bucket] ?? 0;
    const end = bounds[bucket + 1] ?? 0;
    const day = startOf('day', wallTime(table, start));
    const date = dateOf(day);
    const wholeStart = localInstant(table, day) === start;
    const dayEnd = localInstant(table, day + DAY_MS);
    if (bucket > 0 && !wholeStart) {
      throw new RangeError(
        `expected days of ${table.zone}, got a bucket from ${new Date(start).toISOString()}`,
      );
    }
    if (dayEnd < end) {
      throw new RangeError(
        `expected days of ${table.zone}, got a bucket to ${new Date(end).toISOString()}`,
      );
    }
    for (; due < day; due += DAY_MS, place++) skipped.push(dateOf(due));
    const column = Math.floor(place / 7);
    const row = place % 7;
    const previous = days.at(-1)?.date;
    if (previous?.month !== date.month || previous.year !== date.year) {
      months.push({ year: date.year, month: date.month, column, row });
    }
    const cut = !wholeStart || dayEnd !== end;
    const state = Math.min(states[bucket] ?? 0, cut ? STATE.partial : STATE.settled);
    days.push({
      date,
      bucket,
      column,
      row,
      count: counts[bucket] ?? NaN,
      state: start >= now ? 'ahead' : (STATES[state] ?? 'never'),
    });
    due += DAY_MS;
    place++;
  }
  return { weeks: (days.at(-1)?.column ?? -1) + 1, days, months, skipped };
}
