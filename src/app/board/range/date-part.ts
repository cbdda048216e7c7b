import type { WeekStart } from '#core/time/resolution.ts';
import { add, startOf } from '#core/time/calendar.ts';
import { MINUTE_MS } from '#core/time/span.ts';
import { offsetAt, wallTime, type ZoneTable } from '#core/time/zone.ts';
import type { DateLanguage } from './date-finder.ts';
import type { CalendarStep, DateUnit } from './date-vocabulary.ts';

/** The facts on which reading a date depends. */
export interface DateContext {
  readonly languages: readonly DateLanguage[];
  /** The order that `3/4/2026` has; `any` takes what the numbers allow. */
  readonly order: 'day-month' | 'month-day' | 'any';
  readonly table: ZoneTable;
  readonly weekStart: WeekStart;
  /** Epoch ms. */
  readonly now: number;
}

/** A date as far as it is typed, or whole days. Days are wall times of their midnights. */
export type DatePart =
  | {
      readonly kind: 'date';
      readonly year?: number | undefined;
      /** From 1. */
      readonly month?: number | undefined;
      readonly day?: number | undefined;
      /** `14:30`. */
      readonly time?: string | undefined;
    }
  | {
      readonly kind: 'days';
      readonly first: number;
      readonly last: number;
      /** True if it is the most recent day of that name. */
      readonly weekday?: true;
      readonly time?: string | undefined;
    };

const YEAR_FIRST = /^(\d{4})(?:[-/.] ?|年)(\d{1,2})(?:(?:[-/.] ?|月)(\d{1,2}))?[.日月]?$/;
const MONTH_DAY = /^(?:(\d{1,2})月)?(?:(\d{1,2})日)?$/;
const YEAR_LAST = /^(\d{1,2})([-/.]) ?(\d{1,2})\2 ?(\d{4}|\d{2})$/;
const WITHOUT_YEAR = /^(\d{1,2})[/.] ?(\d{1,2})\.?$/;
const MONTH_YEAR = /^(\d{1,2})[-/.] ?(\d{4})$/;
/** `14:30`, also after the `T` of ISO; `2:30 pm`, `2pm`. */
const TIME = /^(.*?)(?:[, ]*\b|(?<=\d)t)(\d{1,2})(?::(\d{2}))?(?: ?([ap])m)?$/;
const ORDINAL = /^(\d{1,2}|\d{4})(?:st|nd|rd|th|er|[ºªo.])?$/;

const optional = (text: string | undefined): number | undefined =>
  text === undefined ? undefined : Number(text);

/** The years that two digits can mean: from the first Posts to the next year. */
function fullYear(text: string, now: number): number | null {
  const year = text.length === 2 ? 2000 + Number(text) : Number(text);
  return text.length === 4 || (year >= 2006 && year <= new Date(now).getUTCFullYear() + 1)
    ? year
    : null;
}

/** Two numbers as day and month; null where the order does not allow them. */
function inOrder(
  a: number,
  b: number,
  order: DateContext['order'],
): { day: number; month: number } | null {
  const first = order === 'day-month' || (order === 'any' && a > 12);
  const [day, month] = first ? [a, b] : [b, a];
  return month >= 1 && month <= 12 && day >= 1 && day <= 31 ? { day, month } : null;
}

/** A date of numbers. */
function ofNumbers(text: string, { order, now }: DateContext): DatePart | null {
  const [, year, month, day] = YEAR_FIRST.exec(text) ?? [];
  if (year) return { kind: 'date', year: Number(year), month: Number(month), day: optional(day) };
  const [, theMonth, theDay] = MONTH_DAY.exec(text) ?? [];
  if (theMonth ?? theDay) return { kind: 'date', month: optional(theMonth), day: optional(theDay) };
  const [, only, of] = MONTH_YEAR.exec(text) ?? [];
  if (only) return { kind: 'date', year: Number(of), month: Number(only) };
  const [, a, , b, typed] = YEAR_LAST.exec(text) ?? [];
  if (a) {
    const found = inOrder(Number(a), Number(b), order);
    const full = fullYear(typed ?? '', now);
    return found && full !== null ? { kind: 'date', year: full, ...found } : null;
  }
  const [, c, d] = WITHOUT_YEAR.exec(text) ?? [];
  const found = c ? inOrder(Number(c), Number(d), order) : null;
  return found && { kind: 'date', ...found };
}

/** The unit that a word of some language names; undefined for any other word. */
export function unitOf(
  word: string,
  { languages }: Pick<DateContext, 'languages'>,
): DateUnit | undefined {
  for (const { names, vocabulary } of languages) {
    const units = new Map([...names.units, ...Object.entries(vocabulary.units ?? {})]);
    const known = units.get(word);
    if (known) return known;
    // Another case or an article at the end: "Monaten", "veckorna".
    const near = [...units].find(
      ([name]) =>
        !/^[a-z]{1,2}$/.test(name) && word.startsWith(name) && word.length <= name.length + 2,
    );
    if (near) return near[1];
  }
  return undefined;
}

/** Monday of the first ISO week of a year, as a wall time. */
const firstWeek = (year: number): number => startOf('week', Date.UTC(year, 0, 4), 1);

/** A numbered quarter or ISO week, whose words or signs are the same in every order: "Q2 2026", "2. Quartal", "KW 40". */
const NUMBERED = [
  /^(?<sign>[qtw]) ?(?<number>\d{1,2})(?:[ /,]+(?<year>\d{4}))?$/,
  /^(?<year>\d{4})[- ]?(?<sign>[qtw]) ?(?<number>\d{1,2})$/,
  /^(?<word>\p{L}+) (?<number>\d{1,2})(?:[ /,]+(?:\p{L}+ )?(?<year>\d{4}))?$/u,
  /^(?<number>\d{1,2})(?:[.ºªo]|st|nd|rd|th|er?|[eè]me) ?(?<word>\p{L}+)(?: (?:\p{L}+ )?(?<year>\d{4}))?$/u,
  /^(?:(?<year>\d{4})年)?第(?<number>\d{1,2})(?<word>四半期|週)$/u,
];

function ofNumbered(text: string, context: DateContext): DatePart | null {
  for (const form of NUMBERED) {
    const { sign, word, number, year } = form.exec(text)?.groups ?? {};
    const unit = sign ? (sign === 'w' ? 'week' : 'quarter') : word && unitOf(word, context);
    if (unit !== 'week' && unit !== 'quarter') continue;
    const week = unit === 'week';
    const [n, wall] = [Number(number), wallTime(context.table, context.now)];
    const startIn = (at: number): number =>
      week ? add('week', firstWeek(at), n - 1) : Date.UTC(at, 3 * (n - 1));
    let at = Number(year ?? new Date(wall).getUTCFullYear());
    if (year === undefined && startIn(at) > wall) at -= 1;
    const first = startIn(at);
    const known = n >= 1 && (week ? first < firstWeek(at + 1) : n <= 4);
    return known ? { kind: 'days', first, last: add('day', add(unit, first, 1), -1) } : null;
  }
  return null;
}

/** A year, or one of its quarters or weeks. */
function ofPeriod(text: string, context: DateContext): DatePart | null {
  const [, year] = /^(\d{4})年?$/.exec(text) ?? [];
  if (!year) return ofNumbered(text, context);
  const first = Date.UTC(Number(year), 0);
  return { kind: 'days', first, last: add('day', add('year', first, 1), -1) };
}

/** The most recent weekend that has begun, or ended before today for "last weekend". */
function ofWeekend(text: string, { languages, table, now }: DateContext): DatePart | null {
  for (const { vocabulary } of languages) {
    const { fillers, last, weekend } = vocabulary;
    const form = `^(?:(?:${fillers})\\s*)*(${last})?\\s*(?:${weekend})(?: (${last}))?$`;
    const found = new RegExp(form, 'u').exec(text);
    if (!found) continue;
    const today = startOf('day', wallTime(table, now));
    const saturday = add('day', startOf('week', add('day', today, 2), 1), -2);
    const ended = (found[1] ?? found[2]) && add('day', saturday, 1) >= today;
    const first = ended ? add('week', saturday, -1) : saturday;
    return { kind: 'days', first, last: add('day', first, 1) };
  }
  return null;
}

/** The whole day, week, month, quarter or year at some steps from the current one. */
function ofStep({ unit, steps }: CalendarStep, { table, now, weekStart }: DateContext): DatePart {
  const first = add(unit, startOf(unit, wallTime(table, now), weekStart), steps);
  return { kind: 'days', first, last: add('day', add(unit, first, 1), -1) };
}

/** The step of the calendar that a text names in some language: "yesterday", "last month", "6 weeks ago". */
export function stepOf(
  text: string,
  { languages }: Pick<DateContext, 'languages'>,
): CalendarStep | undefined {
  const [count] = /\d{1,4}/.exec(text) ?? [];
  for (const { names, vocabulary } of languages) {
    const ago = count === undefined ? null : names.ago(Number(count));
    const step =
      new Map(Object.entries(vocabulary.steps ?? {})).get(text) ??
      names.steps.get(text) ??
      ago?.get(text) ??
      // Japanese is typed without the space that `Intl` writes.
      ago?.get(text.replace(/^(\d+)(?=\P{ASCII})/u, '$1 '));
    if (step) return step;
  }
  return undefined;
}

/** A month by its name or the beginning of it; undefined if there is none or several. */
function monthOf(word: string, languages: readonly DateLanguage[]): number | undefined {
  for (const { names } of languages) {
    const exact = names.months.get(word);
    if (exact !== undefined) return exact + 1;
    if (word.length < 3) continue;
    const begun = new Set(
      [...names.months].filter(([name]) => name.startsWith(word)).map(([, month]) => month),
    );
    const [month] = begun;
    if (begun.size === 1 && month !== undefined) return month + 1;
  }
  return undefined;
}

function isFiller(word: string, languages: readonly DateLanguage[]): boolean {
  return languages.some(
    ({ names, vocabulary }) =>
      new RegExp(`^(?:${vocabulary.fillers})$`, 'u').test(word) || names.weekdays.includes(word),
  );
}

/** A date with the name of its month, or a bare day, in any order of its parts. */
function ofMonth(text: string, { languages }: DateContext): DatePart | null {
  const found: { year?: number; month?: number; day?: number } = {};
  const put = (part: keyof typeof found, value: number): boolean => {
    if (found[part] !== undefined) return false;
    found[part] = value;
    return true;
  };
  for (const word of text.split(/[\s,]+/).filter(Boolean)) {
    const [, number] = ORDINAL.exec(word) ?? [];
    if (number !== undefined) {
      const day = number.length <= 2;
      if (day && (Number(number) < 1 || Number(number) > 31)) return null;
      if (!put(day ? 'day' : 'year', Number(number))) return null;
      continue;
    }
    const month = monthOf(word, languages);
    if (month !== undefined && put('month', month)) continue;
    if (!isFiller(word, languages)) return null;
  }
  return found.day === undefined && found.month === undefined ? null : { kind: 'date', ...found };
}

/** True if every number of a text is a part of the date read from it. */
function usesAll(text: string, parts: readonly (number | null)[]): boolean {
  return (text.match(/\d+/g) ?? []).every((number) => parts.includes(Number(number)));
}

/** A date with a weekday or a time, as chrono-node reads it; only if no word or number of the text is left over. */
function ofChrono(text: string, context: DateContext): DatePart | null {
  const { languages, table, now } = context;
  // Numbers alone are read above, in one order for all of the text; chrono-node takes a weekend for one day.
  if (/\d[-/.] ?\d|week-?end/.test(text)) return null;
  const wall = wallTime(table, now);
  const reference = { instant: new Date(now), timezone: offsetAt(table, now) / MINUTE_MS };
  for (const { chrono } of languages) {
    const [found, ...others] = chrono.parse(text, reference);
    if (!found || found.end || others.length > 0 || found.text.length < text.length) continue;
    const { start } = found;
    // "6 weeks ago", or words about a length of time: what is meant by them is read elsewhere.
    if (start.tags().has('result/relativeDate')) continue;
    const [year, month, day] = [start.get('year'), start.get('month'), start.get('day')];
    const [hour, minute] = [start.get('hour') ?? 0, start.get('minute') ?? 0];
    if (year === null || month === null || day === null) continue;
    if (!usesAll(text, [year, month, day, hour, minute, hour % 12 || 12])) continue;
    const time = start.isCertain('hour')
      ? { time: `${String(hour).padStart(2, '0')}:${String(minute).padStart(2, '0')}` }
      : {};
    if (start.isCertain('day') && start.isCertain('month')) {
      return { kind: 'date', month, day, ...(start.isCertain('year') && { year }), ...time };
    }
    if (!start.isCertain('weekday')) continue;
    let date = Date.UTC(year, month - 1, day);
    // A weekday alone is the most recent one.
    const alone = !/[\s,]/.test(text);
    if (date > wall && alone) date = add('week', date, -1);
    return { kind: 'days', first: date, last: date, ...time, ...(alone && { weekday: true }) };
  }
  return null;
}

/**
 * Reads a date, month, quarter, year or another step of the calendar.
 *
 * @param text - As {@link plainDateText}.
 * @returns Null unless all of the text is one. A part that the calendar lacks, such as day 31 of June, is returned.
 */
export function readDatePart(text: string, context: DateContext): DatePart | null {
  const [, rest, typed, minute = '00', half] = TIME.exec(text) ?? [];
  const timed = half !== undefined || /:\d\d$/.test(text);
  const hour = half ? (Number(typed) % 12) + (half === 'p' ? 12 : 0) : Number(typed);
  const sound = half ? Number(typed) >= 1 && Number(typed) <= 12 : hour <= 23;
  if (rest !== undefined && timed && sound && Number(minute) <= 59) {
    const time = `${String(hour).padStart(2, '0')}:${minute}`;
    const words = rest.replace(/,$/, '').split(' ');
    while (words.length > 0 && isFiller(words.at(-1) ?? '', context.languages)) words.pop();
    if (words.join('') === '') return { kind: 'date', time };
    const part = readDatePart(words.join(' '), context);
    return part && part.time === undefined ? { ...part, time } : null;
  }
  const step = stepOf(text, context);
  return (
    ofNumbers(text, context) ??
    ofPeriod(text, context) ??
    (step && ofStep(step, context)) ??
    ofWeekend(text, context) ??
    ofMonth(text, context) ??
    ofChrono(text, context)
  );
}
