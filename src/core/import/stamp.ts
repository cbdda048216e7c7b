import { FeedError, shown } from '#core/readers/error.ts';
import { fold } from '#core/text/fold.ts';
import { readInstant } from './instant.ts';

/** The one of two numbers before the year that is the day. */
export const DATE_ORDERS = ['DMY', 'MDY'] as const;
export type DateOrder = (typeof DATE_ORDERS)[number];

/** The forms in which files write times; `cell` is a date of a spreadsheet's own. */
export type StampForm = 'iso' | 'epoch' | 'platform' | 'named' | 'kanji' | 'numeric' | 'cell';

/** A time as a file writes it. */
export interface Stamp {
  readonly form: StampForm;
  /** Epoch ms; without an offset, the local time as if it were UTC. */
  readonly at: number;
  /** True if the text states its offset from UTC. */
  readonly isExact: boolean;
  /** True if the text has a day without a time of day. */
  readonly isDay: boolean;
}

const MONTHS = 'janfebmaraprmayjunjulaugsepoctnovdec';
const CLOCK = String.raw`(\d{1,2}):(\d{2})(?::(\d{2})(?:[.,](\d{1,9}))?)?(?:[ \u00a0\u202f]?([ap])\.?m\.?)?`;
const OFFSET = String.raw`(?: ?(Z|UTC|GMT|[+-]\d{2}:?\d{2}))?`;
const REST = String.raw`(?:(?:,? (?:at )?|T)${CLOCK}${OFFSET})?$`;
const YEAR_FIRST = new RegExp(String.raw`^(\d{4})([-/.])(\d{1,2})\2(\d{1,2})${REST}`, 'i');
const NUMERIC = new RegExp(String.raw`^(\d{1,2})([-/.])(\d{1,2})\2(\d{4}|\d{2})${REST}`, 'i');
const WEEKDAY = String.raw`^(?:(?:mon|tue|wed|thu|fri|sat|sun)[a-z]*,? )?`;
const MONTH = '(jan|feb|mar|apr|may|jun|jul|aug|sep|oct|nov|dec)[a-z]*';
const DAY_NAMED = new RegExp(
  String.raw`${WEEKDAY}(\d{1,2})(?:st|nd|rd|th)?[ -]${MONTH}\.?,?[ -](\d{4})${REST}`,
  'i',
);
const NAMED_DAY = new RegExp(
  String.raw`${WEEKDAY}${MONTH}\.? (\d{1,2})(?:st|nd|rd|th)?,? (\d{4})${REST}`,
  'i',
);
const EPOCH = /^\d{10}(\d{3})?$/;
const PLATFORM = /^[A-Z][a-z]{2} [A-Z][a-z]{2} \d{2} /;

/** A day in Japanese and Chinese, with the time of day behind it, as in `2024年3月4日 5時06分`. */
const EAST_ASIAN =
  /^(\d{4})年(\d{1,2})月(\d{1,2})日(?:[(（].[)）])?[ \u3000]*(?:(\d{1,2})[時时:](\d{2})(?:分|:(?=\d)|$)(?:(\d{2})秒?)?)?$/;

/** Languages, other than English, whose months are read; those of the names of columns. */
const MONTH_LOCALES = ['de', 'fr', 'es', 'it', 'pt', 'nl', 'pl', 'tr'];
/** A day with the name of its month in one of these, as in `13. Okt. 2016 um 14:22` and `3 de octubre de 2016`. */
const LOCAL_NAMED = new RegExp(
  String.raw`^(?:\p{L}+\.?,? )?(\d{1,2})(?:\.|er|º)? (?:de )?(\p{L}{3,})\.?,? (?:de )?(\d{4})(?:,? (?:um |à |a las |alle |às |om )?${CLOCK}${OFFSET}(?: Uhr)?)?$`,
  'iu',
);
let localMonths: ReadonlyMap<string, number> | null = null;

/** Months by their long and short names in {@link MONTH_LOCALES}, folded. */
function localMonthsOf(): ReadonlyMap<string, number> {
  const months = new Map<string, number>();
  for (const locale of MONTH_LOCALES) {
    for (const month of ['long', 'short'] as const) {
      // With a day, some languages inflect the name.
      const format = new Intl.DateTimeFormat(locale, { month, day: 'numeric', timeZone: 'UTC' });
      for (let n = 1; n <= 12; n++) {
        const name = format
          .formatToParts(Date.UTC(2024, n - 1, 3))
          .find(({ type }) => type === 'month')?.value;
        if (name !== undefined) months.set(fold(name.replace(/\.$/, '')), n);
      }
    }
  }
  return months;
}

/** A calendar day in ms as if it were UTC; null if the calendar does not have it. */
function dayOf(year: number, month: number, day: number): number | null {
  if (month < 1 || month > 12 || day < 1 || day > 31) return null;
  const at = Date.UTC(year, month - 1, day);
  return new Date(at).getUTCDate() === day ? at : null;
}

/** The time of day in ms, with what the text states as its offset; null if no clock shows it. */
function clockOf(
  parts: readonly (string | undefined)[],
): { ms: number; offset: number | null } | null {
  const [h, m, s = '0', fraction = '', half, zone] = parts;
  let hour = Number(h);
  const minute = Number(m);
  const second = Number(s);
  if (half !== undefined) {
    if (hour < 1 || hour > 12) return null;
    hour = (hour % 12) + (half.toLowerCase() === 'p' ? 12 : 0);
  }
  if (hour > 23 || minute > 59 || second > 59) return null;
  const ms =
    ((hour * 60 + minute) * 60 + second) * 1000 + Number(fraction.padEnd(3, '0').slice(0, 3));
  const [, sign, hours, minutes] = /^([+-])(\d{2}):?(\d{2})$/.exec(zone ?? '') ?? [];
  const east = (Number(hours ?? 0) * 60 + Number(minutes ?? 0)) * 60_000;
  const offset = zone === undefined ? null : sign === '-' ? -east : east;
  return { ms, offset };
}

function stamp(
  form: StampForm,
  day: number | null,
  rest: readonly (string | undefined)[],
): Stamp | null {
  if (day === null) return null;
  if (rest[0] === undefined) return { form, at: day, isExact: false, isDay: true };
  const clock = clockOf(rest);
  if (clock === null) return null;
  const { ms, offset } = clock;
  return { form, at: day + ms - (offset ?? 0), isExact: offset !== null, isDay: false };
}

/** Years written with two digits are of this century: the archive begins in 2006. */
function yearOf(text: string): number {
  return text.length === 2 ? 2000 + Number(text) : Number(text);
}

/** The order that a date of two numbers and a year can only have; null if it can have both, or is none. */
function orderIn(text: string): DateOrder | null {
  const [, a, separator, b] = NUMERIC.exec(text.trim()) ?? [];
  if (a === undefined || separator === '.') return null;
  if (Number(a) > 12) return 'DMY';
  return Number(b) > 12 ? 'MDY' : null;
}

/** True if only an order tells which number of a date is the day. */
function needsOrder(text: string): boolean {
  const [, , separator] = NUMERIC.exec(text.trim()) ?? [];
  return separator !== undefined && separator !== '.';
}

/** The order of dates, from those of a file. */
export function dateSurvey() {
  const orders = new Set<DateOrder>();
  let isNeeded = false;
  let ambiguous: string | null = null;
  return {
    add: (text: string): void => {
      if (!needsOrder(text)) return;
      isNeeded = true;
      const order = orderIn(text);
      if (order === null) ambiguous ??= text;
      else orders.add(order);
    },
    /** The order that the dates can only have; null if they have both, or none shows it. */
    order: (): DateOrder | null => {
      const [only = null] = orders;
      return orders.size === 1 ? only : null;
    },
    /** True if only an order tells which number of some dates is the day. */
    isNeeded: (): boolean => isNeeded,
    /** A date that has two readings; null if there is none. */
    ambiguous: (): string | null => ambiguous,
  };
}

/** The fault of a file whose dates can be read in two orders. @param date - One of them, if it is known. */
export function undecidedDates(file: string, date: string | null): FeedError {
  const example = date === null ? '' : ` such as "${shown(date)}"`;
  const why = `has dates${example} whose day can be either number: --dates DMY or --dates MDY.`;
  return new FeedError('columns', file, why);
}

/**
 * Reads a time as files write it: ISO 8601 and other forms with the year first, names of months in nine languages, a day and a
 * month in numbers, the platform's `Sat Aug 12 16:10:37 +0000 2023`, seconds or milliseconds since 1970. Dates with
 * points have the day first, as everywhere that writes them.
 *
 * @param order - The way to read `04/03/2024` and `04-03-2024`; null refuses them.
 * @returns Null if the text is none of these, or not a day of the calendar.
 */
export function readStamp(text: string, order: DateOrder | null): Stamp | null {
  // The form of nearly all rows, read without patterns.
  if (text.charCodeAt(text.length - 1) === 90) {
    const at = readInstant(text);
    if (at !== null) return { form: 'iso', at, isExact: true, isDay: false };
  }
  const trimmed = text.trim();
  const first = YEAR_FIRST.exec(trimmed);
  if (first) {
    const [, year, , month, day, ...rest] = first;
    return stamp('iso', dayOf(Number(year), Number(month), Number(day)), rest);
  }
  const eastAsian = EAST_ASIAN.exec(trimmed);
  if (eastAsian) {
    const [, year, month, day, ...rest] = eastAsian;
    return stamp('kanji', dayOf(Number(year), Number(month), Number(day)), rest);
  }
  if (EPOCH.test(trimmed) || PLATFORM.test(trimmed)) {
    const at = readInstant(trimmed);
    if (at !== null) {
      const form = EPOCH.test(trimmed) ? 'epoch' : 'platform';
      return { form, at, isExact: true, isDay: false };
    }
  }
  const numeric = NUMERIC.exec(trimmed);
  if (numeric) {
    const [, a = '', separator, b = '', year = '', ...rest] = numeric;
    const read = separator === '.' ? 'DMY' : order;
    if (read === null) return null;
    const [day, month] = read === 'DMY' ? [a, b] : [b, a];
    return stamp('numeric', dayOf(yearOf(year), Number(month), Number(day)), rest);
  }
  const named = DAY_NAMED.exec(trimmed);
  if (named) {
    const [, day, month = '', year, ...rest] = named;
    return stamp('named', dayOf(Number(year), monthOf(month), Number(day)), rest);
  }
  const american = NAMED_DAY.exec(trimmed);
  if (!american) return localStamp(trimmed);
  const [, month = '', day, year, ...rest] = american;
  return stamp('named', dayOf(Number(year), monthOf(month), Number(day)), rest);
}

/** Reads a time whose day may be either number, the first where it can be. */
export function readEitherStamp(text: string, order: DateOrder | null = null): Stamp | null {
  return readStamp(text, order ?? 'DMY') ?? readStamp(text, 'MDY');
}

/** True if a text is a time, in one order of its numbers or the other. */
export function isStamp(text: string): boolean {
  return readEitherStamp(text) !== null;
}

/** A time with the name of its month in another language than English. */
function localStamp(text: string): Stamp | null {
  const [, day, name = '', year, ...rest] = LOCAL_NAMED.exec(text) ?? [];
  if (day === undefined) return null;
  localMonths ??= localMonthsOf();
  const month = localMonths.get(fold(name));
  return month === undefined ? null : stamp('named', dayOf(Number(year), month, Number(day)), rest);
}

function monthOf(name: string): number {
  return MONTHS.indexOf(name.toLowerCase()) / 3 + 1;
}
