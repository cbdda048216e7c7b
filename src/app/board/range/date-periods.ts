import { add, startOf } from '#core/time/calendar.ts';
import { DAY_MS } from '#core/time/span.ts';
import { wallTime } from '#core/time/zone.ts';
import type { CalendarStep, DateUnit } from './date-vocabulary.ts';
import type { DateContext, DatePart } from './date-context.ts';

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

/**
 * A numbered half, quarter or ISO week, whose words or signs are the same in every order: "H1 2026", "Q2 2026",
 * "2. Quartal", "KW 40".
 */
const NUMBERED = [
  /^(?<sign>[hqtw]) ?(?<number>\d{1,2})(?:[ /,]+(?<year>\d{4}))?$/,
  /^(?<year>\d{4})[- ]?(?<sign>[hqtw]) ?(?<number>\d{1,2})$/,
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
    const months = sign === 'h' ? 6 : 3;
    const [n, wall] = [Number(number), wallTime(context.table, context.now)];
    const startIn = (at: number): number =>
      week ? add('week', firstWeek(at), n - 1) : Date.UTC(at, months * (n - 1));
    let at = Number(year ?? new Date(wall).getUTCFullYear());
    if (year === undefined && startIn(at) > wall) at -= 1;
    const first = startIn(at);
    const most = week ? (firstWeek(at + 1) - firstWeek(at)) / (7 * DAY_MS) : 12 / months;
    if (week && year && n > most) return { kind: 'none', why: `${at} has ${most} weeks.` };
    const next = week ? add('week', first, 1) : add('month', first, months);
    return n >= 1 && n <= most ? { kind: 'days', first, last: add('day', next, -1) } : null;
  }
  return null;
}

/** A year, or one of its quarters or weeks. */
export function periodDate(text: string, context: DateContext): DatePart | null {
  const [, year] = /^(\d{4})年?$/.exec(text) ?? [];
  if (!year) return ofNumbered(text, context);
  const first = Date.UTC(Number(year), 0);
  return { kind: 'days', first, last: add('day', add('year', first, 1), -1) };
}

/** The most recent weekend that has begun, or ended before today for "last weekend". */
export function weekendDate(text: string, { languages, table, now }: DateContext): DatePart | null {
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
export function stepDate(
  { unit, steps }: CalendarStep,
  { table, now, weekStart }: DateContext,
): DatePart {
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
