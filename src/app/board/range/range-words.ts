import type { ParsedResult, ParsingReference } from 'chrono-node';
import { add } from '#core/time/calendar.ts';
import { PRESETS } from '#core/time/presets.ts';
import { offsetAt, wallTime, type ZoneTable } from '#core/time/zone.ts';
import { HOUR_MS, MINUTE_MS } from '#core/time/span.ts';
import type { ViewRange } from '#core/time/range.ts';

/** Finds dates in a text, as chrono-node does in one language. */
export type FindDates = (text: string, reference: ParsingReference) => ParsedResult[];

/** The parts of a found date. */
type Found = ParsedResult['start'];

const UNITS = ['minute', 'hour', 'day', 'week', 'month', 'quarter', 'year'] as const;
const LAST = new RegExp(`^(?:the )?(?:last|past|previous) (\\d{1,4}) (${UNITS.join('|')})s?$`);
/** "Since" in the languages whose dates are read. */
const SINCE =
  /^(?:since|seit|depuis|desde|sinds|sedan|dal?|с|від)\s+(?:the |dem |der |le |el |o |a )?/;
/** "Between … and …" as "… to …", which chrono-node reads as one range. */
const BETWEEN = /^(?:between|zwischen|entre)\s+(.+?)\s+(?:and|und|et|y|e)\s+/;

const two = (value: number): string => String(value).padStart(2, '0');
/** A wall time as the fields of a range take it. */
const dayText = (wall: number): string => new Date(wall).toISOString().slice(0, 10);
const minuteText = (wall: number): string =>
  new Date(wall).toISOString().slice(0, 16).replace('T', ' ');

/** The first and the last day of a date of which only the month is known, else that day with its time if it has one. */
function endsOf(found: Found, now: number): { from: string; to: string } {
  const get = (part: Parameters<Found['get']>[0]): number => found.get(part) ?? 0;
  const named = found.isCertain('day') || found.isCertain('weekday');
  const month = found.isCertain('month') && !named;
  let wall = Date.UTC(get('year'), get('month') - 1, month ? 1 : get('day'));
  // Without a year, the most recent one.
  if (wall > now && !found.isCertain('year')) wall = add('year', wall, -1);
  if (month) return { from: dayText(wall), to: dayText(add('month', wall, 1) - 1) };
  if (!found.isCertain('hour')) return { from: dayText(wall), to: dayText(wall) };
  const time = `${dayText(wall)} ${two(get('hour'))}:${two(get('minute'))}`;
  return { from: time, to: time };
}

function lastOf(
  count: number,
  unit: (typeof UNITS)[number],
  table: ZoneTable,
  now: number,
): ViewRange {
  const wall = wallTime(table, now);
  if (unit === 'minute' || unit === 'hour') {
    const start = now - count * (unit === 'hour' ? HOUR_MS : MINUTE_MS);
    return { from: minuteText(wallTime(table, start)), to: minuteText(wall) };
  }
  // As many as asked for, today included.
  return { from: dayText(add('day', add(unit, wall, -count), 1)), to: dayText(wall) };
}

/** Years and quarters, which chrono-node does not know. */
function periodOf(text: string): ViewRange | null {
  const [, quarter, after, before] =
    /^(?:q([1-4])\s*)?(\d{4})$|^(\d{4})\s*q([1-4])$/.exec(text) ?? [];
  const [year, q] = after ? [after, quarter] : [before, /q([1-4])$/.exec(text)?.[1]];
  if (!year) return null;
  const start = Date.UTC(Number(year), q ? 3 * (Number(q) - 1) : 0);
  return { from: dayText(start), to: dayText(add(q ? 'quarter' : 'year', start, 1) - 1) };
}

/** A month by its name in a language, with or without a year. */
function monthOf(text: string, locale: string, wall: number): { from: string; to: string } | null {
  const [, name, year] = /^(\p{L}+)\.?(?: (\d{4}))?$/u.exec(text) ?? [];
  if (name === undefined) return null;
  const names = (['long', 'short'] as const).flatMap((month) => {
    const format = new Intl.DateTimeFormat(locale, { month, timeZone: 'UTC' });
    return Array.from({ length: 12 }, (_, i) => format.format(Date.UTC(2000, i)).toLowerCase());
  });
  const month = names.findIndex((one) => one.replace(/\.$/, '') === name);
  if (month < 0) return null;
  let start = Date.UTC(Number(year ?? new Date(wall).getUTCFullYear()), month % 12);
  if (start > wall && year === undefined) start = add('year', start, -1);
  return { from: dayText(start), to: dayText(add('month', start, 1) - 1) };
}

/**
 * Reads a range as people type it: "last 6 weeks", "May 2026", "since March", "yesterday", "3 to 9 May", "Q2 2026", and
 * the names of the preset ranges. A date without a year is the most recent one, and a month is all of it.
 *
 * @param find - Finds dates in the user's language.
 * @param locale - That language, BCP 47.
 * @param now - Epoch ms.
 * @returns A preset, or texts as the fields of a range take them; null if all of the text is not one range.
 */
export function readRange(
  text: string,
  find: FindDates,
  locale: string,
  table: ZoneTable,
  now: number,
): ViewRange | null {
  const typed = text.trim().toLowerCase().replaceAll(/\s+/g, ' ');
  const preset = PRESETS.find(({ label }) => label.toLowerCase() === typed);
  if (preset) return { preset: preset.id };
  const wall = wallTime(table, now);
  const [, count, unit] = LAST.exec(typed) ?? [];
  const known = UNITS.find((one) => one === unit);
  if (known) return lastOf(Number(count), known, table, now);
  const period = periodOf(typed);
  if (period) return period;
  const since = SINCE.test(typed);
  const asked = typed.replace(SINCE, '').replace(BETWEEN, '$1 - ');
  const month = monthOf(asked, locale, wall);
  if (month) return since ? { from: month.from, to: dayText(wall) } : month;
  const reference = { instant: new Date(now), timezone: offsetAt(table, now) / MINUTE_MS };
  const [first, ...others] = find(asked, reference);
  if (!first || others.length > 0 || first.text.length < asked.length) return null;
  const start = endsOf(first.start, wall);
  if (since) return { from: start.from, to: dayText(wall) };
  return { from: start.from, to: first.end ? endsOf(first.end, wall).to : pointEnd(start, wall) };
}

/** The end of a range that is one date; a time is a minute, and lasts until now. */
function pointEnd({ from, to }: { from: string; to: string }, wall: number): string {
  return from.length > 10 ? minuteText(wall) : to;
}
