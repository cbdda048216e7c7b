import ICAL from 'ical.js';
import { DAY_MS, type Span } from '#core/time/span.ts';
import { wallTime, zoneTable } from '#core/time/zone.ts';
import { eventsIn, KIND_FACTS, type BoardEvent } from './event.ts';

/** A text without control characters, which calendars may not have, and halves of characters (RFC 5545, section 3.3.11). */
function plain(text: string): string {
  return text.replace(/\r\n?/g, '\n').replace(/(?![\n\t])[\p{Cc}\p{Cs}]/gu, ' ');
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
    const day = new Date(wall);
    const [year, month] = [day.getUTCFullYear(), day.getUTCMonth() + 1];
    return wall % DAY_MS === 0
      ? ICAL.Time.fromData({ year, month, day: day.getUTCDate(), isDate: true })
      : null;
  };
  const calendar = new ICAL.Component('vcalendar');
  calendar.addPropertyWithValue('version', '2.0');
  calendar.addPropertyWithValue('prodid', '-//Groundswell//Events//EN');
  for (const { kind, id, start, end, title, detail, source, url } of inside) {
    const event = new ICAL.Component('vevent');
    const add = (name: string, value: string | ICAL.Time): void =>
      void event.addPropertyWithValue(name, value);
    add('uid', plain(`${kind} ${id}@groundswell`));
    add('dtstamp', utcTime(now));
    const [first, last] = end === null ? [] : [dateAt(start), dateAt(end)];
    if (first && last) {
      add('dtstart', first);
      add('dtend', last);
    } else {
      add('dtstart', utcTime(start));
      // Within one second, it is a moment.
      if (end !== null && Math.floor(end / 1000) > Math.floor(start / 1000))
        add('dtend', utcTime(end));
    }
    add('summary', plain(title));
    const description = [detail, source].filter(Boolean).join('\n');
    if (description !== '') add('description', plain(description));
    if (url !== undefined && URL.canParse(url)) add('url', new URL(url).href);
    add('categories', KIND_FACTS[kind].one);
    calendar.addSubcomponent(event);
  }
  return `${calendar.toString()}\r\n`;
}
