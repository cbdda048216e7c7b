import { usualWidth, type Delimiter, type Quotes } from '#core/readers/csv.ts';
import type { Encoding } from '#core/readers/encoding.ts';
import type { ColumnRow, Row } from '#core/readers/row.ts';
import { ARCHIVE_START } from '#core/time/span.ts';
import { zoneTable, type ZoneTable } from '#core/time/zone.ts';
import { fieldOf, knownNames, namesOf, plainName } from './fields.ts';
import { instantOf } from './id.ts';
import { readExportedId, readPostUrl } from './post-url.ts';
import { dateSurvey, isStamp, readEitherStamp, type DateOrder, type StampForm } from './stamp.ts';
import { readYesNo } from './yes-no.ts';
import { FIELDS, type Field } from './field-names.ts';
import { isGerman, zoneIn } from './header-words.ts';
import { productOf } from './products.ts';

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

/** Rows among which the header is searched: exports put a handful of lines above it. */
const HEADER_ROWS = 40;
/** A value longer than this is no name of a column. */
const NAME_LENGTH = 200;

export function isColumns(row: Row): row is ColumnRow {
  return row.kind === 'columns';
}

/** True if a cell is a value of a Post rather than the name of a column. */
function isValue(cell: string): boolean {
  return (
    cell.length > NAME_LENGTH ||
    /^\d{9,}$/.test(cell) ||
    readPostUrl(cell) !== null ||
    isStamp(cell)
  );
}

/**
 * The row with the names of the columns: the one with the most known names; else the first as wide as most rows,
 * unless it has values. Null if there is no such row.
 *
 * @param knownIn - Counts the known names among the cells of a row.
 */
function headerOf(
  rows: readonly Row[],
  knownIn: (cells: readonly string[]) => number = knownNames,
): ColumnRow | null {
  const width = usualWidth(rows);
  const first = rows.slice(0, HEADER_ROWS).filter(isColumns);
  let best: ColumnRow | null = null;
  let most = 1;
  for (const row of first) {
    const known = knownIn(row.fields);
    if (known > most && !row.fields.some(isValue)) [best, most] = [row, known];
  }
  if (best) return best;
  const usual = first.find(({ fields }) => fields.length >= width);
  return usual && usual.fields.some(isValue) ? null : (usual ?? null);
}

/**
 * The row with the names of the columns, the rows after it, and the columns' number and names.
 *
 * @param line - Of the header; 0 for none, absent to find one by {@link headerOf}.
 * @throws {RangeError} if no row is on that line.
 */
export function headedRows(
  rows: readonly Row[],
  line: number | undefined,
  knownIn?: (cells: readonly string[]) => number,
) {
  const columns = rows.filter(isColumns);
  const head =
    line === undefined
      ? headerOf(rows, knownIn)
      : (columns.find((row) => row.line === line) ?? null);
  if (line !== undefined && line > 0 && !head) {
    throw new RangeError(`expected the line of a row as the header, got ${line}`);
  }
  const width = head?.fields.length ?? usualWidth(rows);
  return {
    head,
    body: columns.filter((row) => row.line > (head?.line ?? 0)),
    width,
    names: head
      ? head.fields.map((name) => name.trim())
      : Array.from({ length: width }, (_, n) => `Column ${n + 1}`),
  };
}

/** Values of a column that are not empty. */
export function valuesOf(rows: readonly ColumnRow[], at: number): string[] {
  return rows.flatMap(({ fields }) => fields[at] || []);
}

export function shareOf(values: readonly string[], test: (value: string) => boolean): number {
  return values.length === 0 ? 0 : values.filter(test).length / values.length;
}

/** True if the values of a column found by a name can be those of a field. */
function canBe(field: Field, name: string, values: readonly string[]): boolean {
  if (values.length === 0) return true;
  // `Retweet` and `Geteilt` head counts and answers of yes or no.
  if (field === 'reposts' && namesOf('is_retweet').includes(name))
    return (
      values.every((value) => /^\d/.test(value)) && values.some((value) => !/^[01]$/.test(value))
    );
  // `Data` heads other things than times too.
  if (field === 'created_at' && name === 'data') return shareOf(values, isStamp) > 0.5;
  if (field === 'url') return values.some((value) => readPostUrl(value) !== null);
  // Some tools list the accounts of a reply there.
  if (field === 'repost_of' || field === 'reply_to' || field === 'quote_of')
    return values.some((value) => typeof readExportedId(value) === 'bigint');
  if (field === 'time_of_day')
    return shareOf(values, (value) => /^\d{1,2}:\d{2}/.test(value)) > 0.5;
  if (field === 'is_retweet' || field === 'is_reply' || field === 'is_quote') {
    const share = shareOf(values, (value) => readYesNo(value) !== null);
    return name === plainName(field) ? share > 0.5 : share === 1;
  }
  return true;
}

/** True if the values of a column without a known name are those of a field. */
const LOOKS: Readonly<Partial<Record<Field, (values: readonly string[]) => boolean>>> = {
  id: (values) =>
    new Set(values).size === values.length &&
    shareOf(values, (value) => {
      const id = readExportedId(value);
      const isUrl = readPostUrl(value) !== null;
      return !isUrl && value.length >= 15 && typeof id === 'bigint' && instantOf(id) !== null;
    }) > 0.8,
  url: (values) => shareOf(values, (value) => readPostUrl(value) !== null) > 0.5,
  created_at: (values) => shareOf(values, isStamp) > 0.8,
  author: (values) => shareOf(values, (value) => /^@\w{1,15}$/.test(value)) > 0.8,
  text: (values) =>
    values.reduce((sum, value) => sum + value.length, 0) > 20 * values.length &&
    shareOf(values, (value) => /\S\s+\S/.test(value) && !/^https?:\S+$/.test(value)) > 0.6,
};

/** The column whose values are longest on average. */
function longest(rows: readonly ColumnRow[], columns: readonly number[]): number {
  const length = (at: number): number => {
    const values = valuesOf(rows, at);
    return values.reduce((sum, value) => sum + value.length, 0) / Math.max(1, values.length);
  };
  return [...columns].sort((a, b) => length(b) - length(a))[0] ?? -1;
}

/** Guesses the columns of fields by their names, then by their values. */
function guessColumns(
  names: readonly string[],
  rows: readonly ColumnRow[],
  at: Record<Field, number>,
): void {
  const plain = names.map(plainName);
  const free = (n: number): boolean => !Object.values(at).includes(n);
  for (const field of FIELDS) {
    if (at[field] !== -1) continue;
    const found = namesOf(field).flatMap((name) => {
      const n = plain.findIndex((each, i) => each === name && free(i));
      return n === -1 || !canBe(field, name, valuesOf(rows, n)) ? [] : [n];
    });
    // Exports have columns of other networks that are empty for Posts: `Likes` next to `X Likes`.
    const filled = found.find((n) => valuesOf(rows, n).length > 0);
    // Without a value, a column of engagements does not say that every Post is an original.
    const empty = field === 'engagement_type' ? -1 : (found[0] ?? -1);
    at[field] = filled ?? empty;
  }
  for (const [field, looks] of Object.entries(LOOKS) as [
    Field,
    NonNullable<(typeof LOOKS)[Field]>,
  ][]) {
    if (at[field] !== -1 || rows.length === 0) continue;
    const found = names.flatMap((_, n) => {
      const values = valuesOf(rows, n);
      return free(n) && values.length > 0 && looks(values) ? n : [];
    });
    at[field] = field === 'text' ? longest(rows, found) : (found[0] ?? -1);
  }
  // Posts of other networks have addresses too.
  if (at.url === -1) {
    const isNamed = (n: number): boolean => free(n) && namesOf('url').includes(plain[n] ?? '');
    at.url = names.findIndex((_, n) => {
      const values = valuesOf(rows, n);
      return isNamed(n) && values.length > 0 && values.every((value) => /^https?:/i.test(value));
    });
  }
  // A time of day says nothing without its day, and the day may have one itself.
  const days = valuesOf(rows, at.created_at);
  const isDays = shareOf(days, (day) => readEitherStamp(day)?.isDay ?? false);
  if (at.created_at === -1 || (days.length > 0 && isDays < 0.5)) at.time_of_day = -1;
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
