import ICAL from 'ical.js';

/** An event as a calendar has it. */
export interface IcsEvent {
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

/** A text without control characters, which calendars may not have, and halves of characters (RFC 5545, section 3.3.11). */
function plain(text: string): string {
  return text.replace(/\r\n?/g, '\n').replace(/(?![\n\t])[\p{Cc}\p{Cs}]/gu, ' ');
}

/** An instant as a calendar has it: UTC to the second. @param at - Epoch ms. */
export function icsInstant(at: number): ICAL.Time {
  return ICAL.Time.fromJSDate(new Date(at), true);
}

/** The date of a local time, as if it were UTC, epoch ms. */
export function icsDate(wall: number): ICAL.Time {
  const day = new Date(wall);
  const [year, month] = [day.getUTCFullYear(), day.getUTCMonth() + 1];
  return ICAL.Time.fromData({ year, month, day: day.getUTCDate(), isDate: true });
}

/** Writes a calendar (RFC 5545). @param name - Empty for none. @param now - The time at which it is written, epoch ms. */
export function icsText(name: string, events: readonly IcsEvent[], now: number): string {
  const calendar = new ICAL.Component('vcalendar');
  calendar.addPropertyWithValue('version', '2.0');
  calendar.addPropertyWithValue('prodid', '-//Groundswell//Events//EN');
  if (name !== '') calendar.addPropertyWithValue('name', plain(name));
  for (const { uid, start, end, title, description, url, category } of events) {
    const event = new ICAL.Component('vevent');
    const add = (name: string, value: string | ICAL.Time): void =>
      void event.addPropertyWithValue(name, value);
    add('uid', plain(uid));
    add('dtstamp', icsInstant(now));
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
