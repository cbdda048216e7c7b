import type { Encoding } from '#core/readers/encoding.ts';
import type { Row } from '#core/readers/row.ts';
import { ARCHIVE_START } from '#core/time/span.ts';
import { zoneTable, type ZoneTable } from '#core/time/zone.ts';
import { fieldOf } from './fields.ts';
import { readPostUrl } from './post-url.ts';
import { dateSurvey, readEitherStamp, type DateOrder, type StampForm } from './stamp.ts';
import { FIELDS, type Field } from './field-names.ts';
import { isGerman, zoneIn } from './header-words.ts';
import { productOf } from './products.ts';
import { headedRows } from './table-header.ts';
import { guessColumns, valuesOf } from './guess-columns.ts';
import type { Delimiter, Quotes } from '#core/readers/csv-reader.ts';

/** The way to read a table, as far as it was chosen; the rest is guessed. */
export interface TableChoice {
  readonly encoding?: Encoding;
  readonly delimiter?: Delimiter;
  /** The meaning of quotes in a table of text. */
  readonly quotes?: Quotes;
  /** Name of the sheet of a workbook; the first by default. */
  readonly sheet?: string;
  /** Line, or row of the sheet, of the names of the columns, 1-based; 0 if the first row is a Post. */
  readonly header?: number;
  /** Positions of columns by field, 1-based. If present, no other column is a field. */
  readonly columns?: Readonly<Partial<Record<Field, number>>>;
  readonly dates?: DateOrder;
  /** Zone of times that state no offset. */
  readonly zone?: string;
}

/** The fields that a Post needs and the table does not give. */
export type Missing = 'text' | 'created_at' | 'dates';

/** The appearance of the times of a sample. */
export interface SampleTimes {
  /** The most frequent form; null without a readable time. */
  readonly form: StampForm | null;
  /** True if some times state no offset, so that the zone matters. */
  readonly isLocal: boolean;
  /** True if there are only days. */
  readonly isDays: boolean;
  /** True if only an order tells which number of some dates is the day. */
  readonly needsOrder: boolean;
  /** A date that has two readings; null if there is none. */
  readonly ambiguous: string | null;
  /** The first date with a day and a month in numbers; null if there is none. */
  readonly numeric: string | null;
}

/** The way a table is read. */
export interface TablePlan {
  /** Line of the header; 0 if there is none. */
  readonly header: number;
  readonly names: readonly string[];
  readonly width: number;
  /** Position of each field's column; -1 if the table has none. */
  readonly at: Readonly<Record<Field, number>>;
  /** Columns stored apart from the Post's own fields. */
  readonly others: readonly { readonly name: string; readonly at: number }[];
  /** Null where no date needs it, or where it must be chosen. */
  readonly order: DateOrder | null;
  readonly zone: ZoneTable;
  /** True if the file is in German and nothing in it states the zone of its times. */
  readonly isZoneOpen: boolean;
  readonly times: SampleTimes;
  /** The tool that wrote the table, if its header is recognised. */
  readonly product: string | null;
  readonly missing: readonly Missing[];
  /** Columns that a map names and the table does not have, by field. */
  readonly absent: readonly (readonly [field: Field, column: string])[];
}

/**
 * The order of dates, and the appearance of times.
 *
 * @param cells - The number of them that a workbook has as dates.
 * @param chosen - The order, if it was chosen.
 */
export function timesOf(
  texts: readonly string[],
  cells: number,
  chosen: DateOrder | undefined,
): { readonly order: DateOrder | null; readonly times: SampleTimes } {
  const dates = dateSurvey();
  for (const text of texts) dates.add(text);
  const order = chosen ?? dates.order();
  const times = new Map<StampForm, number>();
  let numeric: string | null = null;
  let isLocal = false;
  let isDays = texts.length > 0;
  for (const text of texts) {
    const read = readEitherStamp(text, order);
    if (!read) continue;
    times.set(read.form, (times.get(read.form) ?? 0) + 1);
    if (read.form === 'numeric') numeric ??= text;
    isLocal ||= !read.isExact;
    isDays &&= read.isDay;
  }
  // Cells with a date come as ISO 8601, which nobody wrote.
  const written = (times.get('iso') ?? 0) - cells;
  if (cells > 0) times.set('iso', written).set('cell', cells);
  const [form = null] = [...times].sort(([, a], [, b]) => b - a).map(([each]) => each);
  const needsOrder = dates.isNeeded();
  const ambiguous = dates.ambiguous();
  return { order, times: { form, isLocal, isDays, needsOrder, ambiguous, numeric } };
}

const NO_COLUMNS = Object.fromEntries(FIELDS.map((field) => [field, -1])) as Record<Field, number>;

/** The text of a row's time: that of its day and, if it has its own column, that of its time of day. */
export function timeText(at: TablePlan['at'], fields: readonly string[]): string {
  const day = at.created_at === -1 ? '' : (fields[at.created_at] ?? '');
  const clock = at.time_of_day === -1 ? '' : (fields[at.time_of_day] ?? '');
  return clock === '' || day === '' ? day : `${day.trim()} ${clock.trim()}`;
}

/**
 * Plans how to read a table from its first rows: finds the header, the column of each field, the order of dates and the
 * zone, as far as they were not chosen.
 *
 * @param rows - The first rows, header and lines above it included.
 * @param map - Names of columns by field, which replace guesses.
 * @param now - Epoch ms.
 * @throws {RangeError} if the chosen zone is unknown, `header` is not the line of a row, or a field or position does
 *   not exist.
 */
export function planTable(
  rows: readonly Row[],
  choice: TableChoice,
  map: Readonly<Record<string, string>>,
  now: number,
): TablePlan {
  const { head, body, width, names } = headedRows(rows, choice.header);
  const at = { ...NO_COLUMNS };
  const absent: [Field, string][] = [];
  for (const [name, column] of Object.entries(map)) {
    const field = fieldOf(name);
    if (field === null) throw new RangeError(`expected the name of a field, got "${name}"`);
    const n = names.indexOf(column);
    if (n === -1) absent.push([field, column]);
    else at[field] = n;
  }
  if (choice.columns) {
    for (const [field, position] of Object.entries(choice.columns) as [Field, number][]) {
      if (position < 1 || position > width) {
        throw new RangeError(`expected a position from 1 to ${width} of ${field}, got ${position}`);
      }
      at[field] = position - 1;
    }
  } else guessColumns(names, body, at);
  const texts = body.map(({ fields }) => timeText(at, fields)).filter((text) => text !== '');
  const cells = body.filter(({ dates }) => dates?.includes(at.created_at)).length;
  const { order, times } = timesOf(texts, cells, choice.dates);
  const named = zoneIn(names[at.created_at] ?? '');
  const zone = choice.zone ?? named ?? 'UTC';
  const missing: Missing[] = [];
  if (at.text === -1) missing.push('text');
  const urls = valuesOf(body, at.url);
  const isDatedByUrl = at.url !== -1 && (urls.length === 0 || urls.some((url) => readPostUrl(url)));
  if (at.created_at === -1 && at.id === -1 && !isDatedByUrl) missing.push('created_at');
  if (times.needsOrder && order === null) missing.push('dates');
  const own = new Set(Object.values(at));
  return {
    header: head?.line ?? 0,
    names,
    width,
    at,
    others: names.flatMap((name, n) => (own.has(n) ? [] : [{ name, at: n }])),
    order,
    zone: zoneTable(zone, { start: ARCHIVE_START, end: now }),
    isZoneOpen: times.isLocal && named === null && isGerman(names),
    times,
    product: head ? productOf(names) : null,
    missing,
    absent,
  };
}
