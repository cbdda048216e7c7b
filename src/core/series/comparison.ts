import { DAY_MS, type Span } from '#core/time/span.ts';
import {
  localDate,
  localDayStart,
  localInstant,
  offsetAt,
  type LocalDate,
  type ZoneTable,
} from '#core/time/zone.ts';

/** The earlier time that a span is held against: the one just before, the latest that is whole weeks before, a year before. */
export const EARLIER = ['previous', 'weekdays', 'year'] as const;
export type Earlier = (typeof EARLIER)[number];

const WEEK_MS = 7 * DAY_MS;

/** Midnight UTC of a date. */
export function utcOf({ year, month, day }: LocalDate): number {
  return Date.UTC(year, month - 1, day);
}

function moved(date: LocalDate, days: number): LocalDate {
  return { ...date, day: date.day + days };
}

/** The same date a year before; of 29 February 28 February. */
export function yearBefore({ year, month, day }: LocalDate): LocalDate {
  return { year: year - 1, month, day: month === 2 ? Math.min(day, 28) : day };
}

/** Whether a local day starts at an instant. */
export function isDayStart(table: ZoneTable, instant: number): boolean {
  return localDayStart(table, localDate(table, instant)) === instant;
}

function earlierDays(span: Span, earlier: Earlier, table: ZoneTable): Span {
  const start = localDate(table, span.start);
  const end = localDate(table, span.end);
  const days = (utcOf(end) - utcOf(start)) / DAY_MS;
  if (earlier === 'weekdays') {
    const back = Math.ceil(days / 7) * 7;
    return {
      start: localDayStart(table, moved(start, -back)),
      end: localDayStart(table, moved(end, -back)),
    };
  }
  if (earlier === 'year') {
    const last = new Date(utcOf(end) - DAY_MS);
    const lastDate = {
      year: last.getUTCFullYear(),
      month: last.getUTCMonth() + 1,
      day: last.getUTCDate(),
    };
    return {
      start: localDayStart(table, yearBefore(start)),
      end: localDayStart(table, moved(yearBefore(lastDate), 1)),
    };
  }
  const months = (end.year - start.year) * 12 + end.month - start.month;
  const first =
    start.day === 1 && end.day === 1
      ? { ...start, month: start.month - months }
      : moved(start, -days);
  return { start: localDayStart(table, first), end: span.start };
}

/**
 * The earlier span that a span is held against, by the zone's own calendar.
 *
 * A span of whole local days stays one: `previous` is as many days before it, and of whole months (so of
 * quarters and years) as many months; `weekdays` is moved by the fewest whole weeks that clear it; `year` has
 * the same first and last date a year before, of 29 February 28 February. Any other span: `previous` is as
 * long before it in time; the other two keep the time of day and the length that the clock shows.
 *
 * @param table - The zone, reaching over both spans.
 * @returns The span, which may lie before what a source reaches and, of `year`, overlap a span longer than a
 *   year; null where the zone's clock skipped all of it.
 * @throws {RangeError} if the span is empty.
 */
export function earlierSpan(span: Span, earlier: Earlier, table: ZoneTable): Span | null {
  if (!(span.start < span.end)) {
    throw new RangeError(
      `expected a span that ends after its start, got ${span.start}–${span.end}`,
    );
  }
  const found =
    isDayStart(table, span.start) && isDayStart(table, span.end)
      ? earlierDays(span, earlier, table)
      : earlierClock(span, earlier, table);
  return found.start < found.end ? found : null;
}

function earlierClock(span: Span, earlier: Earlier, table: ZoneTable): Span {
  const elapsed = span.end - span.start;
  if (earlier === 'previous') return { start: span.start - elapsed, end: span.start };
  const wall = span.start + offsetAt(table, span.start);
  const shown = span.end + offsetAt(table, span.end) - wall;
  // The clock, turned back, may show the end before the start.
  const length = shown > 0 ? shown : elapsed;
  const day = Math.floor(wall / DAY_MS) * DAY_MS;
  const start =
    earlier === 'year'
      ? utcOf(yearBefore(localDate(table, span.start))) + wall - day
      : wall - Math.ceil(length / WEEK_MS) * WEEK_MS;
  return { start: localInstant(table, start), end: localInstant(table, start + length) };
}
