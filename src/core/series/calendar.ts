import type { WeekStart } from '#core/time/resolution.ts';
import { DAY_MS } from '#core/time/span.ts';
import { localDate, localDayStart, type LocalDate, type ZoneTable } from '#core/time/zone.ts';
import { STATE, STATES, type Curve, type State } from './series.ts';

/** A day of the calendar. */
export interface CalendarDay {
  readonly date: LocalDate;
  /** Number of its bucket in the curve. */
  readonly bucket: number;
  /** Week from the left and weekday from the top, both from 0. */
  readonly column: number;
  readonly row: number;
  /** Posts; NaN where missing, not begun, or a computed quotient by zero (its state then from `partial` on). */
  readonly count: number;
  /** `ahead` where the day begins after now; `partial` where the range or now cuts it. */
  readonly state: State | 'ahead';
}

/** A month's first day in the calendar, from which its edge is drawn: it goes left of that day down, and right of it above. */
export interface MonthEdge {
  readonly year: number;
  readonly month: number;
  readonly column: number;
  readonly row: number;
}

/** Days by weeks (columns) and weekdays (rows). A place without a day is out of range, or was skipped. */
export interface Calendar {
  readonly weeks: number;
  readonly days: readonly CalendarDay[];
  /** The months, the first by its first day in range. */
  readonly months: readonly MonthEdge[];
  /** Dates within the range that the zone never had, as Apia 2011-12-30. */
  readonly skipped: readonly LocalDate[];
}

function dayNumber({ year, month, day }: LocalDate): number {
  return Date.UTC(year, month - 1, day) / DAY_MS;
}

function dateOf(number: number): LocalDate {
  const date = new Date(number * DAY_MS);
  return { year: date.getUTCFullYear(), month: date.getUTCMonth() + 1, day: date.getUTCDate() };
}

/**
 * Lays the days of a curve out by weeks and weekdays.
 *
 * @param curve - By days of the zone; the first and last may be cut.
 * @param now - Days that begin later are `ahead`.
 * @throws {RangeError} if an inner bound begins no day of the zone, or a bucket holds more than one day.
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
  const first = dayNumber(localDate(table, bounds[0] ?? 0));
  // 1970-01-01, day 0, was a Thursday: 4 in the count that has Monday 1.
  const lead = (((first + 4 - weekStart) % 7) + 7) % 7;
  let before = first - 1;
  for (let bucket = 0; bucket < counts.length; bucket++) {
    const start = bounds[bucket] ?? 0;
    const end = bounds[bucket + 1] ?? 0;
    const date = localDate(table, start);
    const number = dayNumber(date);
    if (bucket > 0 && localDayStart(table, date) !== start) {
      throw new RangeError(
        `expected days of ${table.zone}, got a bucket from ${new Date(start).toISOString()}`,
      );
    }
    if (localDayStart(table, dateOf(number + 1)) < end) {
      throw new RangeError(
        `expected days of ${table.zone}, got a bucket to ${new Date(end).toISOString()}`,
      );
    }
    for (let gone = before + 1; gone < number; gone++) skipped.push(dateOf(gone));
    const column = Math.floor((number - first + lead) / 7);
    const row = (number - first + lead) % 7;
    const previous = days.at(-1)?.date;
    if (previous?.month !== date.month || previous.year !== date.year) {
      months.push({ year: date.year, month: date.month, column, row });
    }
    const cut =
      (bucket === 0 && localDayStart(table, date) !== start) ||
      localDayStart(table, dateOf(number + 1)) !== end;
    const state = Math.min(states[bucket] ?? 0, cut ? STATE.partial : STATE.settled);
    days.push({
      date,
      bucket,
      column,
      row,
      count: counts[bucket] ?? NaN,
      state: start >= now ? 'ahead' : (STATES[state] ?? 'never'),
    });
    before = number;
  }
  return { weeks: (days.at(-1)?.column ?? -1) + 1, days, months, skipped };
}
