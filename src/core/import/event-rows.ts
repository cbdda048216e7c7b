import { shown } from '#core/readers/error.ts';
import type { ColumnRow, Row } from '#core/readers/row.ts';
import { DAY_MS } from '#core/time/span.ts';
import { localInstant, zoneTable } from '#core/time/zone.ts';
import { widthFault } from './columns.ts';
import { plainName } from './fields.ts';
import { isStamp, readEitherStamp, readStamp, type Stamp } from './stamp.ts';
import {
  headedRows,
  planTable,
  shareOf,
  timesOf,
  valuesOf,
  type TableChoice,
  type TablePlan,
} from './table.ts';
import { zoneIn } from './header-words.ts';

/**
 * The fields of an event that a column of a table can be, and the names by which it is recognised, the better ones first.
 * Those of exports of calendars are among them: `Subject,Start Date,Start Time,…`, and Groundswell's own.
 */
const EVENT_NAMES = {
  start: [
    'start utc',
    'start date',
    'start',
    'starts',
    'starts at',
    'starts on',
    'begin',
    'begins',
    'from',
    'date',
    'day',
    'when',
    'datetime',
    'start time',
    'beginn',
    'startdatum',
    'von',
    'datum',
    'debut',
    'date de debut',
    'inicio',
    'fecha de inicio',
    'fecha',
    'inizio',
    'data',
    '日付',
  ],
  start_clock: ['start time', 'time', 'startzeit', 'uhrzeit'],
  end: [
    'end utc',
    'end date',
    'end',
    'ends',
    'ends at',
    'ends on',
    'to',
    'until',
    'last day',
    'end time',
    'ende',
    'enddatum',
    'bis',
    'fin',
    'date de fin',
    'fecha de fin',
    'hasta',
    'fine',
    'fim',
  ],
  end_clock: ['end time', 'endzeit'],
  title: [
    'title',
    'event',
    'event name',
    'event title',
    'name',
    'subject',
    'summary',
    'holiday',
    'what',
    'titel',
    'ereignis',
    'veranstaltung',
    'anlass',
    'betreff',
    'titre',
    'evenement',
    'titulo',
    'evento',
    'titolo',
  ],
  detail: [
    'detail',
    'details',
    'description',
    'notes',
    'note',
    'comment',
    'location',
    'place',
    'where',
    'beschreibung',
    'ort',
    'lieu',
    'descripcion',
    'lugar',
    'descrizione',
    'luogo',
  ],
} as const;

export type EventField = keyof typeof EVENT_NAMES;
export const EVENT_FIELDS = Object.keys(EVENT_NAMES) as EventField[];

/** The way to read a table of events, as far as it was chosen; the rest is guessed. */
export interface EventChoice extends Omit<TableChoice, 'columns'> {
  /** Positions of columns by field, 1-based. If present, no other column is a field. */
  readonly columns?: Readonly<Partial<Record<EventField, number>>>;
}

/** The way a table of events is read. */
export interface EventPlan extends Pick<
  TablePlan,
  'header' | 'names' | 'width' | 'order' | 'times'
> {
  /** Position of each field's column; -1 if the table has none. */
  readonly at: Readonly<Record<EventField, number>>;
  /** IANA name of the zone of times that state no offset. */
  readonly zone: string;
  readonly missing: readonly ('start' | 'title' | 'dates')[];
}

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

const isClock = (value: string): boolean => /^\d{1,2}:\d{2}/.test(value);

/** Guesses the columns of fields by their names, then by their values. */
function guessFields(names: readonly string[], rows: readonly ColumnRow[]) {
  const at = Object.fromEntries(EVENT_FIELDS.map((field) => [field, -1])) as Record<
    EventField,
    number
  >;
  const plain = names.map(plainName);
  const free = (n: number): boolean => !Object.values(at).includes(n);
  const named = (field: EventField, canBe: (values: readonly string[]) => boolean): number =>
    EVENT_NAMES[field]
      .map((name) => plain.findIndex((each, n) => each === name && free(n)))
      .find((n) => n !== -1 && canBe(valuesOf(rows, n))) ?? -1;
  // Half: a table in which many dates cannot be read still has its dates there.
  const areStamps = (values: readonly string[]): boolean =>
    values.length === 0 || shareOf(values, isStamp) >= 0.5;
  const areClocks = (values: readonly string[]): boolean =>
    values.length === 0 || shareOf(values, isClock) > 0.5;
  at.start = named('start', areStamps);
  if (at.start === -1) {
    at.start = names.findIndex((_, n) => shareOf(valuesOf(rows, n), isStamp) > 0.5);
  }
  // Its rows are refused then, with what they have.
  if (at.start === -1) at.start = named('start', () => true);
  at.end = named('end', areStamps);
  if (at.end === -1) at.end = plain.findIndex((name, n) => name.startsWith('end') && free(n));
  if (at.start !== -1) at.start_clock = named('start_clock', areClocks);
  if (at.end !== -1) at.end_clock = named('end_clock', areClocks);
  at.title = named('title', () => true);
  at.detail = named('detail', () => true);
  if (at.title === -1) {
    at.title = names.findIndex((_, n) => {
      const values = valuesOf(rows, n);
      return free(n) && shareOf(values, (value) => /\p{L}/u.test(value) && !isStamp(value)) > 0.5;
    });
  }
  return at;
}

/** The text of a day with its time of day, if that has a column of its own. */
function stampText(
  at: EventPlan['at'],
  day: 'start' | 'end',
  clock: 'start_clock' | 'end_clock',
  fields: readonly string[],
): string {
  const cell = (field: EventField): string => (fields[at[field]] ?? '').trim();
  return [cell(day), cell(day) === '' ? '' : cell(clock)].filter(Boolean).join(' ');
}

const startText = (at: EventPlan['at'], fields: readonly string[]): string =>
  stampText(at, 'start', 'start_clock', fields);
const endText = (at: EventPlan['at'], fields: readonly string[]): string =>
  stampText(at, 'end', 'end_clock', fields);

/**
 * Plans how to read a table of events from its rows: finds the header, the column of each field and the order of dates,
 * as far as they were not chosen.
 *
 * @param zone - IANA name of the zone of times that state no offset, unless another is chosen or the header states one.
 * @throws {RangeError} if the header that is chosen is not the line of a row.
 */
export function planEvents(rows: readonly Row[], choice: EventChoice, zone: string): EventPlan {
  const known = (cells: readonly string[]): number => {
    const plain = cells.map(plainName);
    return EVENT_FIELDS.filter((field) =>
      EVENT_NAMES[field].some((name) => plain.includes(plainName(name))),
    ).length;
  };
  const { head, body, width, names } = headedRows(rows, choice.header, known);
  const { columns } = choice;
  const at = columns
    ? (Object.fromEntries(
        EVENT_FIELDS.map((field) => [field, (columns[field] ?? 0) - 1]),
      ) as Record<EventField, number>)
    : guessFields(names, body);
  const texts = body
    .flatMap(({ fields }) => [startText(at, fields), endText(at, fields)])
    .filter((text) => text !== '');
  const cells = body.filter(({ dates }) => dates?.includes(at.start)).length;
  const { order, times: seen } = timesOf(texts, cells, choice.dates);
  const isTimed = (text: string): boolean => {
    const read = readEitherStamp(text, order);
    return read !== null && !read.isExact && !read.isDay;
  };
  const times = { ...seen, isLocal: texts.some(isTimed) };
  return {
    header: head?.line ?? 0,
    names,
    width,
    at,
    order,
    zone: choice.zone ?? zoneIn(names[at.start] ?? '') ?? zone,
    times,
    missing: [
      ...(at.start === -1 ? (['start'] as const) : []),
      ...(at.title === -1 ? (['title'] as const) : []),
      ...(times.needsOrder && order === null ? (['dates'] as const) : []),
    ],
  };
}

/**
 * True if a table is rather one of events than of Posts: its header names a start and a title, and no author, address,
 * id, figure or text of Posts.
 *
 * @param now - Epoch ms.
 */
export function looksLikeEvents(rows: readonly Row[], zone: string, now: number): boolean {
  const { at, names, header } = planEvents(rows, {}, zone);
  const isNamed = (field: 'start' | 'title'): boolean =>
    EVENT_NAMES[field].some((name) => name === plainName(names[at[field]] ?? ''));
  if (header === 0 || !isNamed('start') || !isNamed('title')) return false;
  const posts = planTable(rows, {}, {}, now);
  const others = ['id', 'url', 'author', 'likes', 'reposts', 'replies'] as const;
  const isOfPosts = others.some((field) => posts.at[field] !== -1) || posts.product !== null;
  // A title is the text of Posts only where no other column is.
  return !isOfPosts && [-1, at.title, at.detail].includes(posts.at.text);
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
  const [from, to] = [startText(at, fields), endText(at, fields)];
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
