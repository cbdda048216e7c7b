import { add, startOf } from '#core/time/calendar.ts';
import { PRESETS } from '#core/time/presets.ts';
import type { WeekStart } from '#core/time/resolution.ts';
import { HOUR_MS, MINUTE_MS } from '#core/time/span.ts';
import { wallTime, type ZoneTable } from '#core/time/zone.ts';
import { typedRange, type ViewRange } from '#core/time/range.ts';
import type { DateLanguages } from './date-finder.ts';
import { plainDateText } from './date-names.ts';
import { readDatePart } from './date-part.ts';
import type { DateUnit } from './date-vocabulary.ts';
import { stepOf, unitOf } from './date-periods.ts';
import type { DateContext, DatePart } from './date-context.ts';

/** A range read from words, or why there is none. */
export type RangeReading =
  | {
      readonly ok: true;
      readonly range: ViewRange;
      /** True if words were read as English, although the locale has another language. */
      readonly english: boolean;
    }
  | {
      readonly ok: false;
      /** In a sentence or two; empty if nothing is typed. */
      readonly why: string;
      /** Ranges that the text may mean. */
      readonly offers: readonly { readonly from: string; readonly to: string }[];
    };

/** The facts on which reading a typed date depends, besides the languages. */
export interface ReadingTime {
  readonly table: ZoneTable;
  readonly weekStart: WeekStart;
  /** Epoch ms. */
  readonly now: number;
}

/** The facts for reading a date. The time of a board has its members as accessors, which a spread would lose. */
const contextOf = (
  { table, weekStart, now }: ReadingTime,
  languages: DateContext['languages'],
  order: DateContext['order'],
): DateContext => ({ languages, order, table, weekStart, now });

type Found = { readonly range: ViewRange } | { readonly why: string };
type DateFields = Extract<DatePart, { kind: 'date' }>;

/** A wall time as the fields of a range take it. */
const dayText = (wall: number): string => new Date(wall).toISOString().slice(0, 10);
const minuteText = (wall: number): string =>
  new Date(wall).toISOString().slice(0, 16).replace('T', ' ');
const refusal = (why: string): RangeReading => ({ ok: false, why, offers: [] });

/** The first and last day of a typed date, as the fields of a range take them; or what is wrong with it. */
type Ends =
  | { readonly first: string; readonly last: string; readonly start: number }
  | { readonly why: string };

/** @param near - The year of a date without one; by default the most recent that is not in the future. */
function endsOf(part: DatePart, wall: number, near?: number): Ends | null {
  if (part.kind === 'none') return part;
  const timed = (day: string): string => (part.time ? `${day} ${part.time}` : day);
  if (part.kind === 'days') {
    const { first, last } = part;
    return { first: timed(dayText(first)), last: timed(dayText(last)), start: first };
  }
  const today = new Date(wall);
  const { day } = part;
  if (part.month === undefined && day === undefined && part.time !== undefined) {
    const text = timed(dayText(wall));
    return { first: text, last: text, start: startOf('day', wall) };
  }
  if (part.month === undefined) return null;
  if (part.month < 1 || part.month > 12) return { why: `There is no month ${part.month}.` };
  let year = part.year ?? near ?? today.getUTCFullYear();
  const at = (): number => Date.UTC(year, part.month! - 1, day ?? 1);
  if (part.year === undefined && near === undefined && at() > wall) year--;
  if (day !== undefined && new Date(at()).getUTCDate() !== day) {
    const month = dayText(Date.UTC(year, part.month - 1)).slice(0, 7);
    return { why: `${month} has no day ${day}.` };
  }
  const last = day === undefined ? add('day', add('month', at(), 1), -1) : at();
  return { first: timed(dayText(at())), last: timed(dayText(last)), start: at() };
}

/** Two dates, each with the parts that only the other one names: `3` of `3 to 9 May`. */
function filled(left: DatePart, right: DatePart): readonly [DatePart, DatePart] {
  const onlyTime = (part: DatePart): boolean =>
    part.kind === 'date' && part.month === undefined && part.day === undefined;
  if (left.kind !== 'date' || right.kind !== 'date') {
    // "yesterday 14:00 to 16:00"
    return [left, onlyTime(right) && left.time ? { ...left, time: right.time } : right];
  }
  const fill = (part: DateFields, other: DateFields): DateFields => {
    if (onlyTime(part)) return { ...other, time: part.time };
    return { ...part, year: part.year ?? other.year, month: part.month ?? other.month };
  };
  return [fill(left, right), fill(right, left)];
}

/** The range from one date to another. */
function between(left: DatePart, right: DatePart, wall: number): Found | null {
  const [a, b] = filled(left, right);
  const end = endsOf(b, wall);
  let start = endsOf(a, wall);
  if (!start || !end) return null;
  if (a.kind === 'days' && a.weekday && b.kind === 'days' && b.weekday && a.first > b.first) {
    // "Monday to Friday", typed on a Tuesday: both of last week.
    const first = add('week', a.first, -1);
    start = endsOf({ ...a, first, last: first }, wall);
    if (!start) return null;
  }
  if ('why' in start) return start;
  if ('why' in end) return end;
  const shared = left.kind === 'date' && left.year === undefined;
  // "20 December to 3 January 2017" begins the year before.
  if (shared && a.kind === 'date' && start.start > end.start) {
    const year = new Date(end.start).getUTCFullYear() - 1;
    start = endsOf({ ...a, year }, wall);
    if (!start || 'why' in start) return start;
  }
  return { range: { from: start.first, to: end.last } };
}

function lastOf(count: number, unit: DateUnit, table: ZoneTable, now: number): ViewRange {
  const preset = PRESETS.find(({ label }) => label === `Last ${count} ${unit}s`);
  if (preset) return { preset: preset.id };
  const wall = wallTime(table, now);
  if (unit === 'minute' || unit === 'hour') {
    const start = now - count * (unit === 'hour' ? HOUR_MS : MINUTE_MS);
    return { from: minuteText(wallTime(table, start)), to: minuteText(wall) };
  }
  // As many as asked for, today included.
  return { from: dayText(add('day', add(unit, wall, -count), 1)), to: dayText(wall) };
}

/** "The last 6 weeks", and "last week" where `Intl` has another name for it. */
function readLast(text: string, context: DateContext): ViewRange | null {
  for (const { vocabulary } of context.languages) {
    const { last, fillers } = vocabulary;
    const lead = `(?:(?:${fillers})\\s*)*`;
    const form = `^${lead}(\\d{1,4})?\\s*(?:${last})\\s*(\\d{1,4})?\\s*(\\p{L}+)(?: (?:${last}))?$`;
    const after = `^${lead}(\\d{1,4})?\\s*(\\p{L}+)\\s+(?:${last})$`;
    const [, before, count, word] = new RegExp(form, 'u').exec(text) ?? [];
    const [, many, name] = new RegExp(after, 'u').exec(text) ?? [];
    const unit = unitOf(word ?? name ?? '', context);
    if (!unit || (before && count)) continue;
    const number = before ?? count ?? many;
    if (number !== undefined) {
      return Number(number) > 0 ? lastOf(Number(number), unit, context.table, context.now) : null;
    }
    const preset = PRESETS.find(({ id }) => id === `last-${unit}`);
    if (preset) return { preset: preset.id };
  }
  return null;
}

/** The pieces between which a range can be split, from the first to the last. */
function* splits(text: string, { languages }: DateContext): Generator<[string, string]> {
  const words = languages.map(({ vocabulary }) => vocabulary.to).join('|');
  const dash = '\\s*[–—~〜]\\s*|\\s*\\.\\.+\\s*|\\s-\\s|から|(?<=\\d{4}-\\d\\d(?:-\\d\\d)?)/|-';
  let asked = text;
  let and = '';
  for (const { vocabulary } of languages) {
    const both = new RegExp(`^(?:${vocabulary.between})\\s+(?=.+\\s(?:${vocabulary.and})\\s)`, 'u');
    if (both.test(text)) {
      [asked, and] = [text.replace(both, ''), `|\\s(?:${vocabulary.and})\\s`];
      break;
    }
  }
  const join = new RegExp(`\\s(?:${words})\\s|${dash}${and}`, 'gu');
  const starts = languages.map(({ vocabulary }) => vocabulary.from).join('|');
  for (const { index, 0: sign } of asked.matchAll(join)) {
    const left = asked.slice(0, index).replace(new RegExp(`^(?:${starts})\\s`, 'u'), '');
    const right = asked.slice(index + sign.length).replace(/まで$/, '');
    if (left.trim() !== '' && right.trim() !== '') yield [left.trim(), right.trim()];
  }
}

/** The start of a range that lasts until today. */
function sinceOf(text: string, { languages }: DateContext): string | null {
  for (const { vocabulary } of languages) {
    const { since, onward, fillers } = vocabulary;
    const before = new RegExp(`^(?:${since})\\s+(?:(?:${fillers})\\s)?(.+)$`, 'u').exec(text);
    const after = onward ? new RegExp(`^(.+?)(?:${onward})$`, 'u').exec(text) : null;
    const start = before?.[1] ?? after?.[1];
    if (start !== undefined) return start;
  }
  return null;
}

/** Reads a text in some languages and one order of the numbers. */
function found(text: string, context: DateContext): Found | null {
  const { table, now } = context;
  const wall = wallTime(table, now);
  const step = stepOf(text, context);
  const named =
    step && PRESETS.find(({ id }) => id === `${step.steps ? 'last' : 'this'}-${step.unit}`);
  if (named && step.steps >= -1 && step.steps <= 0) return { range: { preset: named.id } };
  const last = readLast(text, context);
  if (last) return { range: last };
  const start = sinceOf(text, context);
  if (start !== null) {
    const part = readDatePart(start, context);
    const ends = part && endsOf(part, wall);
    if (ends) return 'why' in ends ? ends : { range: { from: ends.first, to: dayText(wall) } };
  }
  const part = readDatePart(text, context);
  const ends = part && endsOf(part, wall);
  if (ends && 'why' in ends) return ends;
  // A time is a minute, and lasts until now.
  if (ends) return { range: { from: ends.first, to: part.time ? minuteText(wall) : ends.last } };
  for (const [left, right] of splits(text, context)) {
    const [a, b] = [readDatePart(left, context), readDatePart(right, context)];
    const both = a && b && between(a, b, wall);
    if (both) return both;
  }
  return null;
}

/** Refuses what cannot be counted. */
function checked(range: ViewRange, typed: string, time: ReadingTime): string | null {
  if ('preset' in range) return null;
  if (range.from.slice(0, 10) > dayText(wallTime(time.table, time.now))) {
    return `“${typed}” is in the future, so it has no counts yet.`;
  }
  const result = typedRange(range.from, range.to, time.table, time.now);
  return result.ok ? null : (result.from ?? result.to ?? null);
}

/** True if chrono-node reads a time to come in words that are no range here: "in 3 weeks". */
function isToCome(text: string, { languages, now }: DateContext): boolean {
  return languages.some(({ chrono }) => {
    const [parsed] = chrono.parse(text, new Date(now));
    return (
      parsed?.text.length === text.length && parsed.start.date().getTime() > now + 24 * HOUR_MS
    );
  });
}

const isSame = (a: Found | null, b: Found | null): boolean =>
  JSON.stringify(a) === JSON.stringify(b);

/**
 * Reads a range as people type it: "last 6 weeks", "May 2026", "since March", "yesterday", "3 to 9 May", "Q2 2026", and
 * the names of the preset ranges, in a language and in English. A date without a year is the most recent one, and a
 * month is all of it. All dates of numbers have the same order: the locale's, or the other one if only that is
 * possible.
 *
 * @returns A preset, or texts as the fields of a range take them; or why not, if not all of the text is one range that
 *   can be counted.
 */
export function readRange(
  typed: string,
  { languages, order, yearFirst, unread }: DateLanguages,
  time: ReadingTime,
): RangeReading {
  const text = plainDateText(typed);
  if (text === '') return refusal('');
  const preset = PRESETS.find(
    ({ label, button }) =>
      plainDateText(label) === text || button?.text.replace(' ', '') === text.replace(' ', ''),
  );
  if (preset) return { ok: true, range: { preset: preset.id }, english: false };
  const read = (of: DateContext['order'], among = languages): Found | null =>
    found(text, contextOf(time, among, of));
  const other = order === 'day-month' ? 'month-day' : 'day-month';
  const [usual, swapped] = [read(order), read(other)];
  if (yearFirst && usual && swapped && !isSame(usual, swapped) && /\d[/.-] ?\d{4}\b/.test(text)) {
    const offers = [usual, swapped].flatMap((answer) =>
      'range' in answer && !('preset' in answer.range) ? [answer.range] : [],
    );
    const why = 'This can be day-first or month-first. Which is it?';
    return { ok: false, why, offers };
  }
  const chosen = usual ?? swapped;
  if (!chosen) {
    if (read('any')) {
      return refusal('These dates mix day-first and month-first. Use one order, or 2026-03-08.');
    }
    if (isToCome(text, contextOf(time, languages, order))) {
      return refusal(`“${typed.trim()}” is in the future, so it has no counts yet.`);
    }
    const lead = unread
      ? `Dates in ${unread} aren’t read here. Type English`
      : 'Not a range yet. Try';
    return refusal(`${lead}: “last 6 weeks”, “May 2026”, “3 to 9 May” or 2026-03-08.`);
  }
  if ('why' in chosen) return refusal(chosen.why);
  const why = checked(chosen.range, typed.trim(), time);
  if (why !== null) return refusal(why);
  const [own] = languages;
  const english =
    languages.length > 1 && own !== undefined && !(read(order, [own]) ?? read(other, [own]));
  return { ok: true, range: chosen.range, english };
}

/** A date typed into a field, as ISO; or why it is none. */
export type DateReading =
  | { readonly ok: true; readonly text: string }
  | { readonly ok: false; readonly why: string };

/**
 * Reads a date typed into a field in any form that a range in words has.
 *
 * @param end - The end of a month, week or year that is meant.
 * @param near - A date, as ISO, whose year one without a year has.
 */
export function readDate(
  typed: string,
  { languages, order, yearFirst }: DateLanguages,
  time: ReadingTime,
  end: 'first' | 'last',
  near?: string,
): DateReading {
  const text = plainDateText(typed);
  const wall = wallTime(time.table, time.now);
  const year = near === undefined ? undefined : Number(near.slice(0, 4));
  const read = (of: DateContext['order']): Ends | null => {
    const part = readDatePart(text, contextOf(time, languages, of));
    return part && endsOf(part, wall, year);
  };
  const other = order === 'day-month' ? 'month-day' : 'day-month';
  const [usual, swapped] = [read(order), read(other)];
  const sure = (read: Ends): string => ('why' in read ? read.why : read[end]);
  if (
    yearFirst &&
    usual &&
    swapped &&
    sure(usual) !== sure(swapped) &&
    /\d[/.-] ?\d{4}\b/.test(text)
  ) {
    return { ok: false, why: `Type ${sure(usual)} or ${sure(swapped)}: this can mean either.` };
  }
  const ends = usual ?? swapped;
  if (!ends) {
    return { ok: false, why: `“${typed.trim()}” is not a date. Try 2026-03-08, or 8 March 2026.` };
  }
  return 'why' in ends ? { ok: false, why: ends.why } : { ok: true, text: ends[end] };
}
