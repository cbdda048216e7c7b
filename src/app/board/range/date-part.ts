import { add } from '#core/time/calendar.ts';
import { MINUTE_MS } from '#core/time/span.ts';
import { offsetAt, wallTime } from '#core/time/zone.ts';
import type { DateLanguage } from './date-finder.ts';
import type { DateContext, DatePart } from './date-context.ts';
import { stepOf, periodDate, stepDate, weekendDate } from './date-periods.ts';
import { numericDate } from './date-numbers.ts';

/** `14:30`, also after the `T` of ISO; `2:30 pm`, `2pm`; `14:30 Uhr`, `14 Uhr`. */
const TIME = /^(.*?)(?:[, ]*\b|(?<=\d)t)(\d{1,2})(?::(\d{2}))?(?: ?([ap])m|( uhr))?$/;
const ORDINAL = /^(\d{1,2}|\d{4})(?:st|nd|rd|th|er|[ºªo.])?$/;

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
  const [, rest, typed, minutes, half, hours] = TIME.exec(text) ?? [];
  const timed = (minutes ?? half ?? hours) !== undefined;
  const minute = minutes ?? '00';
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
    numericDate(text, context) ??
    periodDate(text, context) ??
    (step && stepDate(step, context)) ??
    weekendDate(text, context) ??
    ofMonth(text, context) ??
    ofChrono(text, context)
  );
}
