import ICAL from 'ical.js';
import type { EventRow } from '#core/import/event-rows.ts';
import { DAY_MS, type Span } from '#core/time/span.ts';
import { wallTime, zoneTable } from '#core/time/zone.ts';
import { eventsIn, KIND_FACTS, type BoardEvent } from './event.ts';

/** A text without control characters, which calendars may not have, and halves of characters (RFC 5545, section 3.3.11). */
function plain(text: string): string {
  return text.replace(/\r\n?/g, '\n').replace(/(?![\n\t])[\p{Cc}\p{Cs}]/gu, ' ');
}

/** An event as a calendar has it. */
interface IcsEvent {
  readonly uid: string;
  readonly start: ICAL.Time;
  /** Exclusive; null for a moment. */
  readonly end: ICAL.Time | null;
  readonly title: string;
  /** Empty if there is nothing else. */
  readonly description: string;
  readonly url?: string | undefined;
  readonly category?: string;
}

/** The text of a calendar. @param name - Empty for none. @param now - Epoch ms. */
function icsText(name: string, events: readonly IcsEvent[], now: number): string {
  const calendar = new ICAL.Component('vcalendar');
  calendar.addPropertyWithValue('version', '2.0');
  calendar.addPropertyWithValue('prodid', '-//Groundswell//Events//EN');
  if (name !== '') calendar.addPropertyWithValue('name', plain(name));
  for (const { uid, start, end, title, description, url, category } of events) {
    const event = new ICAL.Component('vevent');
    const add = (name: string, value: string | ICAL.Time): void =>
      void event.addPropertyWithValue(name, value);
    add('uid', plain(uid));
    add('dtstamp', utcTime(now));
    add('dtstart', start);
    if (end) add('dtend', end);
    add('summary', plain(title));
    if (description !== '') add('description', plain(description));
    if (url !== undefined && URL.canParse(url)) add('url', new URL(url).href);
    if (category !== undefined) add('categories', category);
    calendar.addSubcomponent(event);
  }
  return `${calendar.toString()}\r\n`;
}

/** The date of a local time, as if it were UTC, epoch ms. */
function dateOfWall(wall: number): ICAL.Time {
  const day = new Date(wall);
  const [year, month] = [day.getUTCFullYear(), day.getUTCMonth() + 1];
  return ICAL.Time.fromData({ year, month, day: day.getUTCDate(), isDate: true });
}

/** UTC to the second, as calendars have it. */
function utcTime(at: number): ICAL.Time {
  return ICAL.Time.fromJSDate(new Date(at), true);
}

/**
 * The events of a time as a calendar (RFC 5545): instants in UTC to the second, and as dates those from one midnight of the
 * zone to another.
 *
 * @param zone - IANA name.
 * @param now - The time at which it is written, epoch ms.
 */
export function eventsIcs(
  events: readonly BoardEvent[],
  span: Span,
  zone: string,
  now: number,
): string {
  const inside = eventsIn(events, span);
  const times = inside.flatMap(({ start, end }) => [start, end ?? start]);
  const reach = times.reduce(
    ({ start, end }, at) => ({ start: Math.min(start, at), end: Math.max(end, at) }),
    span,
  );
  const table = zoneTable(zone, reach);
  /** The date that begins at an instant; null if none does. */
  const dateAt = (at: number): ICAL.Time | null => {
    const wall = wallTime(table, at);
    return wall % DAY_MS === 0 ? dateOfWall(wall) : null;
  };
  const all = inside.map(({ kind, id, start, end, title, detail, source, url }): IcsEvent => {
    const [first, last] = end === null ? [] : [dateAt(start), dateAt(end)];
    const areDays = first && last;
    // Within one second, it is a moment.
    const lasts = end !== null && Math.floor(end / 1000) > Math.floor(start / 1000);
    return {
      uid: `${kind} ${id}@groundswell`,
      start: areDays ? first : utcTime(start),
      end: areDays ? last : lasts ? utcTime(end) : null,
      title,
      description: [detail, source].filter(Boolean).join('\n'),
      url,
      category: KIND_FACTS[kind].one,
    };
  });
  return icsText('', all, now);
}

/**
 * The events of a table as a calendar (RFC 5545): its instants in UTC, its days as dates of no zone.
 *
 * @param name - Of the calendar.
 * @param now - The time at which it is written, epoch ms.
 */
export function rowsIcs(name: string, rows: readonly EventRow[], now: number): string {
  const events = rows.map(({ line, time, title, detail }): IcsEvent => {
    const timeOf = time.kind === 'days' ? dateOfWall : utcTime;
    const end = time.end === null ? null : timeOf(time.end);
    const about = { uid: `${line}@table.groundswell`, title, description: detail };
    return { ...about, start: timeOf(time.start), end };
  });
  return icsText(name, events, now);
}
