import { shown } from '#core/readers/error.ts';
import type { ColumnRow, Row } from '#core/readers/row.ts';
import { DAY_MS } from '#core/time/span.ts';
import { localInstant, zoneTable } from '#core/time/zone.ts';
import { widthFault } from './columns.ts';
import { readStamp, type Stamp } from './stamp.ts';
import { type EventPlan, eventStartText, eventEndText } from './event-plan.ts';

/** The time of an event in a table: whole days of no zone, or instants. */
export type EventRowTime =
  /** Midnights as if they were UTC, epoch ms; the end exclusive. */
  | { readonly kind: 'days'; readonly start: number; readonly end: number }
  /** Epoch ms; the end exclusive, null for a moment. */
  | { readonly kind: 'instants'; readonly start: number; readonly end: number | null };

/** An event of a table. */
export interface EventRow {
  readonly line: number;
  readonly time: EventRowTime;
  readonly title: string;
  readonly detail: string;
}

/** The events of a table. */
export interface EventRows {
  readonly events: readonly EventRow[];
  readonly refused: readonly { readonly line: number; readonly reason: string }[];
}

const NUMERIC_EXAMPLES = { DMY: ', 31/01/2026', MDY: ', 01/31/2026' };

function readTime(text: string, field: 'start' | 'end', { order }: EventPlan): Stamp | string {
  const read = readStamp(text, order);
  if (read) return read;
  const numeric = order === null ? '' : NUMERIC_EXAMPLES[order];
  const forms = `2026-01-31${numeric}, 2026-01-31 08:00 or 2026-01-31T08:00:00-07:00`;
  return `the ${field} "${shown(text)}" is not a date such as ${forms}`;
}

/** More than any offset from UTC. */
const REACH_MS = 2 * DAY_MS;

function instantOf({ at, isExact }: Stamp, zone: string): number {
  if (isExact) return at;
  return localInstant(zoneTable(zone, { start: at - REACH_MS, end: at + REACH_MS }), at);
}

/** The time of a row, or the reason it has none. An end that is a day is the last one. */
function timeOfEvent(plan: EventPlan, fields: readonly string[]): EventRowTime | string {
  const { at, zone } = plan;
  const [from, to] = [eventStartText(at, fields), eventEndText(at, fields)];
  if (from === '') return 'has no start';
  const start = readTime(from, 'start', plan);
  if (typeof start === 'string') return start;
  const end = to === '' ? null : readTime(to, 'end', plan);
  if (typeof end === 'string') return end;
  const early = `the end "${shown(to)}" is before the start "${shown(from)}"`;
  if (start.isDay && (end?.isDay ?? true)) {
    const last = end?.at ?? start.at;
    return last < start.at ? early : { kind: 'days', start: start.at, end: last + DAY_MS };
  }
  const begins = instantOf(start, zone);
  if (!end) return { kind: 'instants', start: begins, end: null };
  const ends = instantOf(end.isDay ? { ...end, at: end.at + DAY_MS } : end, zone);
  if (ends < begins) return early;
  return { kind: 'instants', start: begins, end: ends === begins ? null : ends };
}

function readEvent(plan: EventPlan, row: ColumnRow): EventRow | string {
  const { at, width } = plan;
  const fault = widthFault(row.fields, width);
  if (fault !== null) return fault;
  const time = timeOfEvent(plan, row.fields);
  if (typeof time === 'string') return time;
  const title = (row.fields[at.title] ?? '').trim();
  if (title === '') return 'has no title';
  return { line: row.line, time, title, detail: (row.fields[at.detail] ?? '').trim() };
}

/** Reads the events of a table. Rows without a value are skipped. @param rows - All of them, with the header. */
export function readEvents(rows: readonly Row[], plan: EventPlan): EventRows {
  const events: EventRow[] = [];
  const refused: { line: number; reason: string }[] = [];
  for (const row of rows) {
    if (row.line <= plan.header) continue;
    if (row.kind === 'bad') refused.push({ line: row.line, reason: row.reason });
    if (row.kind !== 'columns' || row.fields.every((field) => field.trim() === '')) continue;
    const read = readEvent(plan, row);
    if (typeof read === 'string') refused.push({ line: row.line, reason: read });
    else events.push(read);
  }
  return { events, refused };
}
