import type { Separator } from '#core/export/csv.ts';
import type { Span } from '#core/time/span.ts';
import { isoLocal, zoneTable } from '#core/time/zone.ts';
import { eventsIn, type BoardEvent } from './event.ts';
import { textCell } from '#core/export/csv-text.ts';

/** An event as files have it. */
export interface FileEvent extends Omit<BoardEvent, 'url'> {
  /** Its start in the zone of the board, to the second, with the offset: `2026-03-29T03:00:00+02:00`. */
  readonly startLocal: string;
}

/** The columns of a file of events. */
export const EVENT_COLUMNS = [
  'kind',
  'start_utc',
  'end_utc',
  'start_local',
  'title',
  'detail',
  'source',
  'id',
] as const;

/**
 * The events of a time as every file has them, in their order.
 *
 * @param zone - IANA name.
 */
export function fileEvents(
  events: readonly BoardEvent[],
  span: Span,
  zone: string,
): readonly FileEvent[] {
  const inside = eventsIn(events, span);
  // A bar may begin long before the time.
  const start = inside.reduce((first, event) => Math.min(first, event.start), span.start);
  const table = zoneTable(zone, { start, end: span.end });
  return inside.map(({ kind, id, start, end, title, detail, source }) => {
    const startLocal = isoLocal(table, start);
    return { kind, id, start, end, title, detail, source, startLocal };
  });
}

/** The rest of an event, after its time and title, in one line; empty if that is all. */
export function eventDetails({ detail, source }: Pick<BoardEvent, 'detail' | 'source'>): string {
  return [detail, source].filter(Boolean).join(' · ');
}

/** The cells of an event in the order of {@link EVENT_COLUMNS}: UTC to the millisecond; no end for a moment. */
export function eventCells({
  kind,
  start,
  end,
  startLocal,
  title,
  detail,
  source,
  id,
}: FileEvent): readonly string[] {
  const utc = (at: number): string => new Date(at).toISOString();
  return [kind, utc(start), end === null ? '' : utc(end), startLocal, title, detail, source, id];
}

/** A CSV file of events (RFC 4180), in which no text is a formula. */
export function eventsCsv(events: readonly FileEvent[], separator: Separator): string {
  const rows = events.map((event) => eventCells(event).map(textCell).join(separator));
  return [EVENT_COLUMNS.join(separator), ...rows, ''].join('\r\n');
}
