/* Dates as text. All names and all punctuation are here, because those of `Intl` differ between engines and versions. */

/** The part that a date begins with: `24 Jul 2026`, `Jul 24, 2026`, `2026-07-24`. */
export type LeadingDatePart = 'day' | 'month' | 'year';

const MONTHS =
  'January February March April May June July August September October November December'.split(
    ' ',
  );
const WEEKDAYS = 'Sunday Monday Tuesday Wednesday Thursday Friday Saturday'.split(' ');

const clocks = new Map<string, Intl.DateTimeFormat>();

/**
 * The local time of a zone as if it were UTC, epoch ms, in whole seconds.
 *
 * @param zone - IANA name.
 * @throws {RangeError} if the zone is unknown.
 */
export function localTime(at: number, zone: string): number {
  if (zone === 'UTC') return Math.floor(at / 1000) * 1000;
  let clock = clocks.get(zone);
  if (!clock) {
    // Creating one costs more than a hundred uses.
    clock = new Intl.DateTimeFormat('en-GB', {
      timeZone: zone,
      dateStyle: 'short',
      timeStyle: 'medium',
    });
    clocks.set(zone, clock);
  }
  const [day, month, year, hour, minute, second] = clock.format(at).match(/\d+/g)!.map(Number);
  return Date.UTC(year!, month! - 1, day, hour, minute, second);
}

/** `07`. */
export const twoDigits = (value: number): string => String(value).padStart(2, '0');

/** `Jul`; `Sept` where the day comes first, as the British write it. @param month - From 0 on. */
export function monthText(month: number, order: LeadingDatePart): string {
  return MONTHS[month]!.slice(0, month === 8 && order === 'day' ? 4 : 3);
}

/** `July 2026`. @param local - A {@link localTime}. */
export function monthOfYear(local: number): string {
  const date = new Date(local);
  return `${MONTHS[date.getUTCMonth()]} ${date.getUTCFullYear()}`;
}

/** `Fri`. @param local - A {@link localTime}. */
export function weekdayText(local: number): string {
  return WEEKDAYS[new Date(local).getUTCDay()]!.slice(0, 3);
}

/** `14:02`. @param local - A {@link localTime}. */
export function clockText(local: number): string {
  const date = new Date(local);
  return `${twoDigits(date.getUTCHours())}:${twoDigits(date.getUTCMinutes())}`;
}

/** A day without its year: `24 Jul`, `Jul 24`. @param local - A {@link localTime}. @param days - Such as `24–25`. */
export function dayText(local: number, order: LeadingDatePart, days?: string): string {
  const date = new Date(local);
  const month = monthText(date.getUTCMonth(), order);
  const day = days ?? date.getUTCDate();
  return order === 'day' ? `${day} ${month}` : `${month} ${day}`;
}

/** `24 Jul 2026`. @param local - A {@link localTime}. @param days - Such as `24–25`. */
export function dateText(local: number, order: LeadingDatePart, days?: string): string {
  const date = new Date(local);
  const year = date.getUTCFullYear();
  if (order === 'year')
    return `${year}-${twoDigits(date.getUTCMonth() + 1)}-${twoDigits(date.getUTCDate())}`;
  return `${dayText(local, order, days)}${order === 'day' ? '' : ','} ${year}`;
}

/** `24 Jul 2026, 14:02`. @param local - A {@link localTime}. */
export function momentText(local: number, order: LeadingDatePart): string {
  return `${dateText(local, order)}${order === 'year' ? '' : ','} ${clockText(local)}`;
}

/**
 * A range of days, both included, or of minutes. What both ends share appears once, and the dash has spaces only where
 * an end has: `24–25 Jul 2026`, `24 Jul – 2 Sept 2026`, `24 Jul 2026, 09:05–10:05`. Dates of digits stay whole, because
 * half of one reads like a subtraction.
 *
 * @param from - A {@link localTime}, as is `to`.
 */
export function rangeText(
  from: number,
  to: number,
  order: LeadingDatePart,
  minutes: boolean,
): string {
  const text = minutes ? momentText : dateText;
  const [first, last] = [text(from, order), text(to, order)];
  if (first === last) return first;
  const [start, end] = [new Date(from), new Date(to)];
  if (order !== 'year') {
    const year = start.getUTCFullYear() === end.getUTCFullYear();
    const month = year && start.getUTCMonth() === end.getUTCMonth();
    if (minutes) {
      if (month && start.getUTCDate() === end.getUTCDate()) return `${first}–${clockText(to)}`;
    } else if (month) {
      return dateText(from, order, `${start.getUTCDate()}–${end.getUTCDate()}`);
    } else if (year) {
      return `${dayText(from, order)} – ${last}`;
    }
  }
  return `${first} – ${last}`;
}

/** The offset of a zone from UTC: `UTC`, `GMT`, `GMT+2`, `GMT+5:30`. @throws {RangeError} if the zone is unknown. */
export function offsetText(at: number, zone: string): string {
  if (zone === 'UTC') return zone;
  const minutes = Math.round((localTime(at, zone) - at) / 60_000);
  if (minutes === 0) return 'GMT';
  const size = Math.abs(minutes);
  const rest = size % 60 === 0 ? '' : `:${twoDigits(size % 60)}`;
  return `GMT${minutes < 0 ? '-' : '+'}${Math.floor(size / 60)}${rest}`;
}

/**
 * The order of dates in a locale. English ones write the month in words, so that `en-CA` begins with it.
 *
 * @param locale - BCP 47; by default the engine's.
 */
export function dateOrder(locale?: string): { order: LeadingDatePart; english: string | null } {
  const used = new Intl.DateTimeFormat(locale).resolvedOptions().locale;
  const english = /^en\b/.test(used);
  const parts = new Intl.DateTimeFormat(locale, {
    day: 'numeric',
    month: english ? 'short' : 'numeric',
    year: 'numeric',
    calendar: 'gregory',
  }).formatToParts(0);
  const order = parts.find(({ type }) => /^(day|month|year)$/.test(type))?.type as LeadingDatePart;
  return { order, english: english ? used : null };
}
