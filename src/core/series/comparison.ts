import { add, daysBetween, monthsBetween, startOf } from '#core/time/calendar.ts';
import { checkSpan, DAY_MS, type Span } from '#core/time/span.ts';
import { localInstant, wallTime, type ZoneTable } from '#core/time/zone.ts';

/**
 * The earlier time that a span is compared with: just before it, the latest whole weeks before it, or a
 * year before.
 */
export const EARLIER = ['previous', 'weekdays', 'year'] as const;
export type Earlier = (typeof EARLIER)[number];

/** The most earlier periods that are drawn at once. */
export const MOST_PERIODS = 5;
type Several = 2 | 3 | 4 | 5;

/** Earlier periods by name: the latest one alone, or as many as the name says, `year-3` for three years. */
export type NamedPeriods = Earlier | `${Earlier}-${Several}`;

/** Reads the name of earlier periods; undefined for any other text. */
export function parseNamed(
  text: string,
): { readonly earlier: Earlier; readonly periods: number } | undefined {
  const [, name, number = '1'] = /^([a-z]+)(?:-([2-5]))?$/.exec(text) ?? [];
  const earlier = EARLIER.find((each) => each === name);
  return earlier && { earlier, periods: Number(number) };
}

/** The name that {@link parseNamed} reads. @param periods - 1 to {@link MOST_PERIODS}. */
export function namedPeriods(earlier: Earlier, periods: number): NamedPeriods {
  return periods === 1 ? earlier : `${earlier}-${periods as Several}`;
}

/** The earlier time in words, as in “compared with the previous period”. */
export const EARLIER_WORDS: Readonly<Record<Earlier, string>> = {
  previous: 'the previous period',
  weekdays: 'the same weekdays earlier',
  year: 'the year before',
};

const SEVERAL_WORDS: Readonly<Record<Earlier, (periods: number) => string>> = {
  previous: (periods) => `the ${periods} periods before`,
  weekdays: (periods) => `the same weekdays, ${periods} times`,
  year: (periods) => `the ${periods} years before`,
};

/** One or several earlier times in words: `the 3 years before`. */
export function earlierWords(earlier: Earlier, periods: number): string {
  return periods === 1 ? EARLIER_WORDS[earlier] : SEVERAL_WORDS[earlier](periods);
}

/**
 * The way earlier buckets are placed under those in view; for a chosen period by their day and time, also a whole
 * number of weeks apart, or in order.
 */
export type Alignment = Earlier | ChosenAlignment;
type ChosenAlignment = 'days' | 'weeks' | 'elapsed';

/** True if the earlier period was chosen: it may have any length, and its dates name it. */
export function isChosen(earlier: Alignment | null): earlier is ChosenAlignment {
  return earlier === 'days' || earlier === 'weeks' || earlier === 'elapsed';
}

/** A period chosen to compare a range with, as typed in local time of the range's zone. */
export interface ChosenPeriod {
  /** The beginning of the period with which the range is compared: a day, or a day with a time. */
  readonly from: string;
  /** Its end, a day included; empty if the period is as long as the range. */
  readonly to: string;
  /** True if it begins at `from`, or on the first later day with the weekday of the range's first day. */
  readonly by: 'start' | 'weekday';
}

export const WEEK_MS = 7 * DAY_MS;

/** True if a local day starts at an instant. */
export function isDayStart(table: ZoneTable, instant: number): boolean {
  return localInstant(table, startOf('day', wallTime(table, instant))) === instant;
}

function earlierDays(span: Span, earlier: Earlier, table: ZoneTable, times: number): Span {
  const start = startOf('day', wallTime(table, span.start));
  const end = startOf('day', wallTime(table, span.end));
  const days = daysBetween(start, end);
  if (earlier === 'weekdays') {
    const weeks = times * Math.ceil(days / 7);
    return {
      start: localInstant(table, add('week', start, -weeks)),
      end: localInstant(table, add('week', end, -weeks)),
    };
  }
  if (earlier === 'year') {
    const last = add('year', add('day', end, -1), -times);
    return {
      start: localInstant(table, add('year', start, -times)),
      end: localInstant(table, add('day', last, 1)),
    };
  }
  const wholeMonths = startOf('month', start) === start && startOf('month', end) === end;
  const back = (by: number): number =>
    localInstant(
      table,
      wholeMonths
        ? add('month', start, -by * monthsBetween(start, end))
        : add('day', start, -by * days),
    );
  return { start: back(times), end: back(times - 1) };
}

/**
 * The earlier span that a span is compared with, by the zone's calendar.
 *
 * A span of whole local days stays one: `previous` has as many days, and for whole months (so also
 * quarters and years) as many months; `weekdays` goes back the fewest whole weeks that clear the span;
 * `year` has the same first and last date a year before, 28 February for 29 February. For any other
 * span, `previous` has the same length in time; the other two keep the time of day and the length that
 * the clock shows.
 *
 * @param table - The zone, covering both spans.
 * @param times - The number of such steps back: 3 for three years before, always from the span itself, so that four
 *   years before 29 February is one too.
 * @returns The span, which may lie before the source's reach and, for `year`, overlap a span longer
 *   than a year; null if the zone's clock skipped all of it.
 * @throws {RangeError} if the span is empty.
 */
export function earlierSpan(
  span: Span,
  earlier: Earlier,
  table: ZoneTable,
  times = 1,
): Span | null {
  checkSpan(span);
  const found =
    isDayStart(table, span.start) && isDayStart(table, span.end)
      ? earlierDays(span, earlier, table, times)
      : earlierClock(span, earlier, table, times);
  return found.start < found.end ? found : null;
}

function earlierClock(span: Span, earlier: Earlier, table: ZoneTable, times: number): Span {
  const elapsed = span.end - span.start;
  if (earlier === 'previous') {
    const start = span.start - times * elapsed;
    return { start, end: start + elapsed };
  }
  const wall = wallTime(table, span.start);
  const shown = wallTime(table, span.end) - wall;
  // A clock that was turned back may show the end before the start.
  const length = shown > 0 ? shown : elapsed;
  const start =
    earlier === 'year'
      ? add('year', wall, -times)
      : add('week', wall, -times * Math.ceil(length / WEEK_MS));
  return { start: localInstant(table, start), end: localInstant(table, start + length) };
}

/** A chosen period as the address holds it: `2025-11-01`, `2025-11-01/2025-11-07`, `2025-11-01//weekday`. */
export function periodText({ from, to, by }: ChosenPeriod): string {
  return [from, to, by === 'weekday' ? by : ''].join('/').replace(/\/+$/, '');
}

const TIME = /^\d{4}-\d\d-\d\d( \d\d:\d\d)?$/;

/** Reads what {@link periodText} writes; undefined for any other text. */
export function parsePeriod(text: string): ChosenPeriod | undefined {
  const [from = '', to = '', by = ''] = text.split('/');
  const sound = TIME.test(from) && (!to || TIME.test(to)) && (!by || by === 'weekday');
  return sound ? { from, to, by: by ? 'weekday' : 'start' } : undefined;
}
