import type ICAL from 'ical.js';
import { icsDate, icsInstant, icsText, type IcsEvent } from '#core/export/ics.ts';
import type { EventRow } from '#core/import/event-rows.ts';
import { DAY_MS, type Span } from '#core/time/span.ts';
import { wallTime, zoneTable } from '#core/time/zone.ts';
import { eventsIn, KIND_FACTS, type BoardEvent } from './event.ts';

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
    return wall % DAY_MS === 0 ? icsDate(wall) : null;
  };
  const all = inside.map(({ kind, id, start, end, title, detail, source, url }): IcsEvent => {
    const [first, last] = end === null ? [] : [dateAt(start), dateAt(end)];
    const areDays = first && last;
    // Within one second, it is a moment.
    const lasts = end !== null && Math.floor(end / 1000) > Math.floor(start / 1000);
    return {
      uid: `${kind} ${id}@groundswell`,
      start: areDays ? first : icsInstant(start),
      end: areDays ? last : lasts ? icsInstant(end) : null,
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
    const timeOf = time.kind === 'days' ? icsDate : icsInstant;
    const end = time.end === null ? null : timeOf(time.end);
    const about = { uid: `${line}@table.groundswell`, title, description: detail };
    return { ...about, start: timeOf(time.start), end };
  });
  return icsText(name, events, now);
}
