import type { ColumnRow, Row } from '#core/readers/row.ts';
import { plainName } from './fields.ts';
import { isStamp, readEitherStamp } from './stamp.ts';
import { planTable, timesOf, type TableChoice, type TablePlan } from './table.ts';
import { zoneIn } from './header-words.ts';
import { type EventField, EVENT_FIELDS, EVENT_COLUMN_NAMES } from './event-names.ts';
import { headedRows } from './table-header.ts';
import { shareOf, valuesOf } from './guess-columns.ts';

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
    EVENT_COLUMN_NAMES[field]
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

/** The text of an event's start. */
export const eventStartText = (at: EventPlan['at'], fields: readonly string[]): string =>
  stampText(at, 'start', 'start_clock', fields);
/** The text of an event's end. */
export const eventEndText = (at: EventPlan['at'], fields: readonly string[]): string =>
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
      EVENT_COLUMN_NAMES[field].some((name) => plain.includes(plainName(name))),
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
    .flatMap(({ fields }) => [eventStartText(at, fields), eventEndText(at, fields)])
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
    EVENT_COLUMN_NAMES[field].some((name) => name === plainName(names[at[field]] ?? ''));
  if (header === 0 || !isNamed('start') || !isNamed('title')) return false;
  const posts = planTable(rows, {}, {}, now);
  const others = ['id', 'url', 'author', 'likes', 'reposts', 'replies'] as const;
  const isOfPosts = others.some((field) => posts.at[field] !== -1) || posts.product !== null;
  // A title is the text of Posts only where no other column is.
  return !isOfPosts && [-1, at.title, at.detail].includes(posts.at.text);
}
