import { tzOffset } from '@date-fns/tz/tzOffset';
import { UTCDateMini } from '@date-fns/utc/date/mini';
import { addDays } from 'date-fns/addDays';
import { addMonths } from 'date-fns/addMonths';
import { addQuarters } from 'date-fns/addQuarters';
import { addWeeks } from 'date-fns/addWeeks';
import { addYears } from 'date-fns/addYears';
import { differenceInCalendarDays } from 'date-fns/differenceInCalendarDays';
import { differenceInCalendarMonths } from 'date-fns/differenceInCalendarMonths';
import { startOfDay } from 'date-fns/startOfDay';
import { startOfMonth } from 'date-fns/startOfMonth';
import { startOfQuarter } from 'date-fns/startOfQuarter';
import { startOfYear } from 'date-fns/startOfYear';
import type { WeekStart } from './resolution.ts';
import { MINUTE_MS } from './span.ts';

/*
 * date-fns on wall time: the time a zone's clock shows, as if it were UTC, in epoch ms. `wallTime` and
 * `localInstant` of zone.ts convert. docs/decisions.md explains why not `TZDate`.
 */

export type CalendarUnit = 'day' | 'week' | 'month' | 'quarter' | 'year';

const START: Readonly<Record<Exclude<CalendarUnit, 'week'>, (date: Date) => Date>> = {
  day: startOfDay,
  month: startOfMonth,
  quarter: startOfQuarter,
  year: startOfYear,
};

const ADD: Readonly<Record<CalendarUnit, (date: Date, amount: number) => Date>> = {
  day: addDays,
  week: addWeeks,
  month: addMonths,
  quarter: addQuarters,
  year: addYears,
};

/** The wall time at which the day, week, month, quarter or year of another begins. */
export function startOf(unit: Exclude<CalendarUnit, 'week'>, wall: number): number;
export function startOf(unit: CalendarUnit, wall: number, weekStart: WeekStart): number;
export function startOf(unit: CalendarUnit, wall: number, weekStart: WeekStart = 1): number {
  const date = new UTCDateMini(wall);
  if (unit !== 'week') return START[unit](date).getTime();
  return addDays(startOfDay(date), -dayOfWeek(wall, weekStart)).getTime();
}

/**
 * Moves a wall time along the calendar; the time of day stays. A date that the month lacks becomes the
 * month's last: a month after 31 January is 28 or 29 February.
 *
 * @param amount - Whole units; back if negative.
 */
export function add(unit: CalendarUnit, wall: number, amount: number): number {
  return ADD[unit](new UTCDateMini(wall), amount).getTime();
}

/** Days from the date of one wall time to the date of another. */
export function daysBetween(from: number, to: number): number {
  return differenceInCalendarDays(new UTCDateMini(to), new UTCDateMini(from));
}

/** Months from the month of one wall time to the month of another. */
export function monthsBetween(from: number, to: number): number {
  return differenceInCalendarMonths(new UTCDateMini(to), new UTCDateMini(from));
}

/** Days since the week's first day, 0 to 6. */
export function dayOfWeek(wall: number, weekStart: WeekStart): number {
  // `getUTCDay` counts Sunday as 0.
  return (new Date(wall).getUTCDay() - weekStart + 7) % 7;
}

/**
 * A zone's offset from UTC in milliseconds, read from Intl: slow, so only for offset tables. Drops the
 * seconds of local mean times. Correct since 1972: before that, `tzOffset` reads the -00:44 of Monrovia
 * as +00:44.
 *
 * @returns NaN if the zone is unknown.
 */
export function intlOffset(zone: string, instant: number): number {
  return Math.trunc(tzOffset(zone, new Date(instant))) * MINUTE_MS;
}
