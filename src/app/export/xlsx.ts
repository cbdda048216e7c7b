import { Zip, ZipPassThrough, type ZipInputFile } from 'fflate';
import { STATE, STATES } from '#core/series/series.ts';
import { DAY_MS, MINUTE_MS } from '#core/time/span.ts';
import { wallTime, type ZoneTable } from '#core/time/zone.ts';
import { ByteWriter, decimal, utf8 } from '#core/export/bytes.ts';
import {
  exportedBuckets,
  DATE,
  INCOMPLETE,
  listedLabel,
  rowCount,
  TIME,
  UNCOVERED,
  uniqueLabels,
  type CsvBlock,
  type ExportSeries,
} from '#core/export/csv.ts';
import type { FileEvent } from '#app/events/event-file.ts';
import type { NoteLine } from './note.ts';

/*
 * A workbook: the counts, the events of their time if there are any, and how it was counted. Written as parts of XML straight into a zip, in
 * constant memory. https://ecma-international.org/publications-and-standards/standards/ecma-376/
 */

/** Names of the sheets. */
export const COUNTS_SHEET = 'Counts';
const EVENTS_SHEET = 'Events';
export const METHOD_SHEET = 'Method';
/** Columns of a long sheet after {@link DATE} and, in a sheet with times, {@link TIME}. */
export const LONG_SHEET = [
  'label',
  'tweet_count',
  'status',
  'query',
  'source',
  'start_utc',
  'end_utc',
  'fetched_at',
] as const;
/** Columns of the sheet of events after {@link DATE} and {@link TIME}. */
const EVENT_COLUMNS = [
  'kind',
  'title',
  'detail',
  'source',
  'start_utc',
  'end_utc',
  'start_local',
  'id',
] as const;
/** See {@link XlsxJob.moment}. */
export const START_LOCAL = 'start_local';
/** Last columns of a wide sheet. */
export const WIDE_SHEET = ['start_utc', 'end_utc'] as const;
/**
 * Identifies the file by its first bytes: an extra field of the first entry, which readers of zips skip.
 * https://pkware.cachefly.net/webdocs/casestudies/APPNOTE.TXT, 4.5
 */
const MARK = { id: 0x5747, text: 'groundswell:counts' } as const;

/** Limits of Excel. https://support.microsoft.com/office/1672b34d-7043-467e-8e27-269d656771c3 */
const MOST_ROWS = 1_048_576;
const MOST_LETTERS = 32_767;
/** Serial number of 1 January 1970 in days, as Excel counts them. */
export const EPOCH_DAYS = 25_569;
const BLOCK = 1 << 20;
/** Maximum length of a cell, in bytes: its reference, its style and its number. */
const CELL_BYTES = 420;
/** Constant, so that the same data gives the same bytes. Zip has no zones: local noon is the same text everywhere. */
export const WRITTEN_AT = new Date(1980, 0, 1, 12);

/** Content of a workbook. */
export interface XlsxJob {
  readonly form: 'xlsx';
  /** A row per series and bucket, or a row per bucket. */
  readonly shape: 'long' | 'wide';
  /** True if buckets are shorter than a day, so that there is a column of times. */
  readonly timed: boolean;
  /** True if the local time follows once more in one cell, as an axis of a chart needs it. */
  readonly moment?: boolean;
  /** Boundaries of the buckets, epoch ms, ascending; one more than buckets. */
  readonly bounds: Float64Array;
  readonly series: readonly ExportSeries[];
  readonly method: readonly NoteLine[];
  /** Without any there is no sheet of them. */
  readonly events: readonly FileEvent[];
}

/** Formats of cells: indexes into `cellXfs` of {@link STYLES}. */
const FORMAT = {
  plain: 0,
  heading: 1,
  date: 2,
  time: 3,
  instant: 4,
  count: 5,
  wrapped: 6,
  percent: 7,
} as const;
const MAIN = 'http://schemas.openxmlformats.org/spreadsheetml/2006/main';
export const OFFICE = 'http://schemas.openxmlformats.org/officeDocument/2006/relationships';
export const PACKAGE = 'http://schemas.openxmlformats.org/package/2006';
export const XML = '<?xml version="1.0" encoding="UTF-8" standalone="yes"?>\n';
const SHEET_TYPE = 'application/vnd.openxmlformats-officedocument.spreadsheetml';

const xf = (format: number, rest = ''): string =>
  `<xf numFmtId="${format}" fontId="0" fillId="0" borderId="0" xfId="0" applyNumberFormat="1"${rest}/>`;
const STYLES = `${XML}<styleSheet xmlns="${MAIN}"><numFmts count="3"><numFmt numFmtId="164" formatCode="yyyy\\-mm\\-dd"/><numFmt numFmtId="165" formatCode="hh:mm"/><numFmt numFmtId="166" formatCode="yyyy\\-mm\\-dd\\ hh:mm:ss"/></numFmts><fonts count="2"><font><sz val="11"/><name val="Calibri"/></font><font><b/><sz val="11"/><name val="Calibri"/></font></fonts><fills count="2"><fill><patternFill patternType="none"/></fill><fill><patternFill patternType="gray125"/></fill></fills><borders count="1"><border><left/><right/><top/><bottom/><diagonal/></border></borders><cellStyleXfs count="1"><xf numFmtId="0" fontId="0" fillId="0" borderId="0"/></cellStyleXfs><cellXfs count="8">${xf(0)}<xf numFmtId="0" fontId="1" fillId="0" borderId="0" xfId="0" applyFont="1" applyAlignment="1"><alignment vertical="top"/></xf>${xf(164)}${xf(165)}${xf(166)}${xf(3)}<xf numFmtId="0" fontId="0" fillId="0" borderId="0" xfId="0" applyAlignment="1"><alignment vertical="top" wrapText="1"/></xf>${xf(10)}</cellXfs></styleSheet>`;
const types = (sheets: readonly string[]): string =>
  `${XML}<Types xmlns="${PACKAGE}/content-types"><Default Extension="rels" ContentType="application/vnd.openxmlformats-package.relationships+xml"/><Default Extension="xml" ContentType="application/xml"/><Override PartName="/xl/workbook.xml" ContentType="${SHEET_TYPE}.sheet.main+xml"/>${sheets.map((_, i) => `<Override PartName="/xl/worksheets/sheet${i + 1}.xml" ContentType="${SHEET_TYPE}.worksheet+xml"/>`).join('')}<Override PartName="/xl/styles.xml" ContentType="${SHEET_TYPE}.styles+xml"/><Override PartName="/xl/sharedStrings.xml" ContentType="${SHEET_TYPE}.sharedStrings+xml"/></Types>`;
const RELATIONS = `${XML}<Relationships xmlns="${PACKAGE}/relationships"><Relationship Id="rId1" Type="${OFFICE}/officeDocument" Target="xl/workbook.xml"/></Relationships>`;
const workbook = (sheets: readonly string[]): string =>
  `${XML}<workbook xmlns="${MAIN}" xmlns:r="${OFFICE}"><sheets>${sheets.map((name, i) => `<sheet name="${name}" sheetId="${i + 1}" r:id="rId${i + 1}"/>`).join('')}</sheets></workbook>`;
const workbookRelations = (sheets: readonly string[]): string =>
  `${XML}<Relationships xmlns="${PACKAGE}/relationships">${[...sheets.map((_, i) => `worksheets/sheet${i + 1}`), 'styles', 'sharedStrings'].map((target, i) => `<Relationship Id="rId${i + 1}" Type="${OFFICE}/${target.replace(/s\/sheet\d/, '')}" Target="${target}.xml"/>`).join('')}</Relationships>`;

/**
 * Escapes a text for a cell. Characters that XML does not allow are written as Excel does, `_x0000_`; texts of this form
 * are escaped themselves.
 */
function cellText(text: string): string {
  const code = (sign: string): string =>
    `_x${sign.charCodeAt(0).toString(16).toUpperCase().padStart(4, '0')}_`;
  return text
    .replaceAll(/\p{Surrogate}/gu, '\uFFFD')
    .replaceAll(/_(?=x[0-9A-Fa-f]{4}_)/g, '_x005F_')
    .replaceAll(/[\p{Cc}\uFFFE\uFFFF]/gu, (sign) => ('\t\n'.includes(sign) ? sign : code(sign)))
    .replaceAll('&', '&amp;')
    .replaceAll('<', '&lt;')
    .replaceAll('>', '&gt;');
}

/** The texts of all cells, each once. */
class SharedTexts {
  readonly #places = new Map<string, number>();

  /** @returns The number of a text. @throws {RangeError} if it is longer than a cell of Excel can hold. */
  place(text: string): number {
    if (text.length > MOST_LETTERS) {
      throw new RangeError(
        `An Excel cell holds at most ${MOST_LETTERS} characters, and “${text.slice(0, 40)}…” has ${text.length}. Choose CSV.`,
      );
    }
    const known = this.#places.get(text);
    if (known !== undefined) return known;
    this.#places.set(text, this.#places.size);
    return this.#places.size - 1;
  }

  xml(): string {
    const all = [...this.#places.keys()];
    const items = all.map((text) => `<si><t xml:space="preserve">${cellText(text)}</t></si>`);
    return `${XML}<sst xmlns="${MAIN}" uniqueCount="${all.length}">${items.join('')}</sst>`;
  }
}

/** Letters of a column: A, B … Z, AA. */
export function letters(column: number): string {
  const above = Math.floor(column / 26) - 1;
  return (above >= 0 ? letters(above) : '') + String.fromCharCode(65 + (column % 26));
}

/** Writes the rows of a sheet, cell by cell. */
class Rows {
  readonly #out: ByteWriter;
  readonly #texts: SharedTexts;
  readonly #columns: readonly Uint8Array[];
  readonly #formats: readonly Uint8Array[];
  /** The last instant of each column and its bytes: an end is the next start, and fetch times repeat. */
  readonly #instants: { at: number; bytes: Uint8Array }[] = [];
  #row = 0;
  #column = 0;

  constructor(out: ByteWriter, texts: SharedTexts, columns: number) {
    this.#out = out;
    this.#texts = texts;
    this.#columns = Array.from({ length: columns }, (_, i) => utf8(`<c r="${letters(i)}`));
    this.#formats = Object.values(FORMAT).map((format) =>
      utf8(format === FORMAT.plain ? '"' : `" s="${format}"`),
    );
  }

  begin(): void {
    const out = this.#out;
    this.#row += 1;
    this.#column = 0;
    out.bytes(ROW);
    out.integer(this.#row);
    out.bytes(TAG_END);
  }

  end(): void {
    this.#out.bytes(ROW_END);
  }

  #cell(format: number): void {
    this.#out.bytes(this.#columns[this.#column++] ?? new Uint8Array());
    this.#out.integer(this.#row);
    this.#out.bytes(this.#formats[format] ?? new Uint8Array());
  }

  skip(): void {
    this.#column += 1;
  }

  /** NaN leaves the cell empty. */
  number(value: number, format: number): void {
    if (Number.isNaN(value)) return this.skip();
    this.#cell(format);
    this.#out.bytes(VALUE);
    this.#out.number(value);
    this.#out.bytes(VALUE_END);
  }

  /** An instant in UTC, epoch ms; NaN leaves the cell empty. */
  instant(at: number): void {
    if (Number.isNaN(at)) return this.skip();
    const column = this.#column;
    const [own, before] = [this.#instants[column], this.#instants[column + 1]];
    const known = own?.at === at ? own : before?.at === at ? before : null;
    const bytes = known?.bytes ?? utf8(decimal(at / DAY_MS + EPOCH_DAYS));
    this.#instants[column] = { at, bytes };
    this.#cell(FORMAT.instant);
    this.#out.bytes(VALUE);
    this.#out.bytes(bytes);
    this.#out.bytes(VALUE_END);
  }

  /** An empty text leaves the cell empty. */
  text(value: string, format: number = FORMAT.plain): void {
    if (value === '') this.skip();
    else this.place(this.#texts.place(value), format);
  }

  /** A text by its number. */
  place(place: number, format: number = FORMAT.plain): void {
    this.#cell(format);
    this.#out.bytes(SHARED);
    this.#out.integer(place);
    this.#out.bytes(VALUE_END);
  }
}

const ROW = utf8('<row r="');
const TAG_END = utf8('">');
const ROW_END = utf8('</row>');
const VALUE = utf8('><v>');
const SHARED = utf8(' t="s"><v>');
const VALUE_END = utf8('</v></c>');

/**
 * The head of a sheet.
 *
 * @param widths - Of its columns, in letters.
 * @param shown - True for the sheet that is open at first.
 */
function sheetHead(widths: readonly number[], frozen: boolean, shown: boolean): string {
  const columns = widths.map(
    (width, i) => `<col min="${i + 1}" max="${i + 1}" width="${width}" customWidth="1"/>`,
  );
  const pane = '<pane ySplit="1" topLeftCell="A2" activePane="bottomLeft" state="frozen"/>';
  return `${XML}<worksheet xmlns="${MAIN}"><sheetViews><sheetView workbookViewId="0"${shown ? ' tabSelected="1"' : ''}>${frozen ? pane : ''}</sheetView></sheetViews><cols>${columns.join('')}</cols><sheetData>`;
}
const SHEET_END = '</sheetData></worksheet>';

/** Widths of columns by name, in letters; those of series depend on their labels. */
const WIDTHS: Readonly<Record<string, number>> = {
  [DATE]: 12,
  [TIME]: 8,
  kind: 10,
  title: 48,
  detail: 40,
  label: 24,
  tweet_count: 13,
  status: 12,
  query: 40,
  source: 10,
  start_utc: 20,
  end_utc: 20,
  fetched_at: 20,
  start_local: 26,
  id: 26,
  [INCOMPLETE]: 24,
  [UNCOVERED]: 24,
};

/** The format of a series' counts: whole numbers have separators. */
const formatOf = ({ counts }: ExportSeries): number =>
  counts.every((count) => Number.isNaN(count) || Number.isInteger(count))
    ? FORMAT.count
    : FORMAT.plain;

/** A sheet of counts while it is written. */
interface Writing {
  readonly job: XlsxJob;
  readonly labels: readonly string[];
  readonly rows: Rows;
  /** Writes the date and, if wanted, the time of an instant in the zone. */
  local(at: number): void;
}

/** Writes the rows one by one. @returns The row after each that was written. */
type RowWriter = (sheet: Writing) => Generator<void>;

function* longRows({ job: { bounds, series }, labels, rows, local }: Writing): Generator<void> {
  for (const [s, written] of series.entries()) {
    const format = formatOf(written);
    const [label, query, source] = [labels[s] ?? '', written.query, written.source];
    for (const [i, count] of written.counts.entries()) {
      const start = bounds[i] ?? Number.NaN;
      rows.begin();
      local(start);
      rows.text(label);
      rows.number(count, format);
      rows.text(STATES[written.states[i] ?? 0] ?? '');
      rows.text(query);
      rows.text(source);
      rows.instant(start);
      rows.instant(bounds[i + 1] ?? Number.NaN);
      rows.instant(written.fetchedAt[i] ?? Number.NaN);
      rows.end();
      yield;
    }
  }
}

function* wideRows({ job, labels, rows, local }: Writing): Generator<void> {
  const { bounds, series } = job;
  const formats = series.map(formatOf);
  const lists = listsOf(job);
  for (let i = 0; i + 1 < bounds.length; i += 1) {
    const start = bounds[i] ?? Number.NaN;
    rows.begin();
    local(start);
    for (const [s, { counts }] of series.entries()) {
      rows.number(counts[i] ?? Number.NaN, formats[s] ?? FORMAT.plain);
    }
    for (const { takes } of lists) {
      const open = labels.filter((_, s) => takes(series[s]?.states[i] ?? 0));
      rows.text(open.map(listedLabel).join('; '));
    }
    rows.instant(start);
    rows.instant(bounds[i + 1] ?? Number.NaN);
    rows.end();
    yield;
  }
}

/** The columns of lists of labels. */
function listsOf({ series }: Pick<XlsxJob, 'series'>) {
  const uncovered = series.some(({ states }) => states.includes(STATE.uncovered));
  return [
    { name: INCOMPLETE, takes: (state: number) => state !== STATE.settled },
    ...(uncovered
      ? [{ name: UNCOVERED, takes: (state: number) => state === STATE.uncovered }]
      : []),
  ];
}

/** A column of a sheet, with its width in letters. */
export interface SheetColumn {
  readonly name: string;
  readonly width: number;
}

const named = (names: readonly string[]): SheetColumn[] =>
  names.map((name) => ({ name, width: WIDTHS[name] ?? 20 }));

/** The columns of the sheet of counts. */
function columnsOf(job: XlsxJob, labels: readonly string[]): readonly SheetColumn[] {
  const dates = named([DATE, ...(job.timed ? [TIME] : []), ...(job.moment ? [START_LOCAL] : [])]);
  if (job.shape === 'long') return [...dates, ...named(LONG_SHEET)];
  const counts = labels.map((name) => ({
    name,
    width: Math.min(40, Math.max(12, name.length + 2)),
  }));
  return [...dates, ...counts, ...named([...listsOf(job).map(({ name }) => name), ...WIDE_SHEET])];
}

function* countsSheet(job: XlsxJob, table: ZoneTable, texts: SharedTexts): Generator<CsvBlock> {
  exportedBuckets(job);
  if (rowCount({ ...job, form: job.shape }) >= MOST_ROWS) {
    throw new RangeError(
      `An Excel sheet holds at most ${MOST_ROWS} rows, and this export needs more. Choose CSV, a shorter range or longer buckets.`,
    );
  }
  const labels = uniqueLabels(job.series.map(({ label }) => label));
  const local = (rows: Rows, at: number): void => {
    const wall = wallTime(table, at);
    wallCells(rows, wall, job.timed);
    if (job.moment) rows.instant(wall);
  };
  const write: RowWriter = job.shape === 'long' ? longRows : wideRows;
  yield* sheetBlocks(columnsOf(job, labels), texts, true, (rows) =>
    write({ job, labels, rows, local: (at) => local(rows, at) }),
  );
}

function* eventsSheet({ events }: XlsxJob, texts: SharedTexts): Generator<CsvBlock> {
  const columns = named([DATE, TIME, ...EVENT_COLUMNS]);
  const blocks = sheetBlocks(columns, texts, false, function* (rows) {
    for (const { kind, title, detail, source, start, end, startLocal, id } of events) {
      rows.begin();
      wallCells(rows, Date.parse(`${startLocal.slice(0, 19)}Z`), true);
      for (const text of [kind, title, detail, source]) rows.text(text);
      rows.instant(start);
      rows.instant(end ?? Number.NaN);
      for (const text of [startLocal, id]) rows.text(text);
      rows.end();
      yield;
    }
  });
  // Progress is that of the counts.
  for (const { bytes } of blocks) yield { bytes, rows: 0 };
}

/** The day of a wall time as Excel counts it. */
export const serialDay = (wall: number): number => Math.floor(wall / DAY_MS) + EPOCH_DAYS;

/** The whole minutes of a wall time since midnight, as a part of a day. */
const partOfDay = (wall: number): number =>
  (Math.floor((wall - Math.floor(wall / DAY_MS) * DAY_MS) / MINUTE_MS) * MINUTE_MS) / DAY_MS;

/** Writes the date and, if wanted, the time of day of a wall time, ms as if it were UTC. */
function wallCells(rows: Rows, wall: number, timed: boolean): void {
  rows.number(serialDay(wall), FORMAT.date);
  if (timed) rows.number(partOfDay(wall), FORMAT.time);
}

/** Writes a sheet with a frozen header. @param shown - See {@link sheetHead}. */
function* sheetBlocks(
  columns: readonly SheetColumn[],
  texts: SharedTexts,
  shown: boolean,
  write: (rows: Rows) => Generator<void>,
): Generator<CsvBlock> {
  const rowSize = CELL_BYTES * (columns.length + 1);
  const head = utf8(
    sheetHead(
      columns.map(({ width }) => width),
      true,
      shown,
    ),
  );
  const out = new ByteWriter(Math.max(BLOCK, head.length + 2 * rowSize));
  const rows = new Rows(out, texts, columns.length);
  out.bytes(head);
  rows.begin();
  for (const { name } of columns) rows.text(name, FORMAT.heading);
  rows.end();
  let done = 0;
  for (const _ of write(rows)) {
    done += 1;
    if (out.room < rowSize) yield { bytes: out.take(), rows: done };
  }
  out.bytes(utf8(SHEET_END));
  yield { bytes: out.take(), rows: done };
}

function methodSheet(method: readonly NoteLine[], texts: SharedTexts): string {
  const cell = (column: string, row: number, text: string, format: number): string =>
    text === '' ? '' : `<c r="${column}${row}" s="${format}" t="s"><v>${texts.place(text)}</v></c>`;
  const rows = method.map(({ of, name, value }, i) => {
    const title = of === 'series' ? value : name;
    const said = of === 'series' ? '' : value;
    const cells =
      cell('A', i + 1, title, of === 'fact' ? FORMAT.wrapped : FORMAT.heading) +
      cell('B', i + 1, said, FORMAT.wrapped);
    return `<row r="${i + 1}">${cells}</row>`;
  });
  return `${sheetHead([32, 96], false, false)}${rows.join('')}${SHEET_END}`;
}

/**
 * A cell: a text, which is never a formula; nothing; or a number. An instant is in UTC, epoch ms; a date and a time are
 * those of a wall time, ms as if it were UTC; NaN is empty.
 */
export type SheetCell =
  | string
  | null
  | { readonly value: number; readonly as: Exclude<keyof typeof FORMAT, 'heading' | 'wrapped'> };

/** A sheet that is small enough for memory. */
export interface PlainSheet {
  readonly name: string;
  readonly columns: readonly SheetColumn[];
  readonly rows: readonly (readonly SheetCell[])[];
}

function* plainRows(rows: Rows, sheet: PlainSheet): Generator<void> {
  for (const cells of sheet.rows) {
    rows.begin();
    for (const cell of cells) {
      if (cell === null) rows.skip();
      else if (typeof cell === 'string') rows.text(cell, FORMAT.wrapped);
      else if (cell.as === 'instant') rows.instant(cell.value);
      else if (cell.as === 'date') rows.number(serialDay(cell.value), FORMAT.date);
      else if (cell.as === 'time') rows.number(partOfDay(cell.value), FORMAT.time);
      else rows.number(cell.value, FORMAT[cell.as]);
    }
    rows.end();
    yield;
  }
}

const plainSheet = (sheet: PlainSheet, texts: SharedTexts, shown: boolean): Named => [
  sheet.name,
  () => sheetBlocks(sheet.columns, texts, shown, (rows) => plainRows(rows, sheet)),
];

/** Compresses blocks. @param see - Called with each block before it is compressed. */
function deflated(
  blocks: Iterator<CsvBlock>,
  see: (block: CsvBlock) => void,
): ReadableStreamDefaultReader<Uint8Array<ArrayBuffer>> {
  const source = new ReadableStream<Uint8Array<ArrayBuffer>>({
    pull: (to) => {
      const next = blocks.next();
      if (next.done) return to.close();
      see(next.value);
      // The writer fills its block again before this one is compressed.
      to.enqueue(next.value.bytes.slice());
    },
  });
  // Not by fflate, whose streaming compression can write invalid distances.
  // https://github.com/101arrowz/fflate/issues/260
  return source.pipeThrough(new CompressionStream('deflate-raw')).getReader();
}

/**
 * Writes a workbook in blocks: a sheet of counts with real dates and numbers under a frozen header, one of events, and a
 * sheet of method. Texts are never formulas. Columns are those of a CSV file of this shape in an order for people: dates first,
 * and instants in UTC last.
 *
 * @param table - Offsets of the view's zone, over all of `job.bounds`.
 * @param more - Further sheets.
 * @throws {RangeError} if there are more rows, or longer texts, than a sheet of Excel holds; if a series does not have
 *   one entry per bucket, or a count is infinite.
 */
export async function* xlsxBlocks(
  job: XlsxJob,
  table: ZoneTable,
  more: readonly PlainSheet[] = [],
): AsyncGenerator<CsvBlock> {
  const texts = new SharedTexts();
  const method = methodSheet(job.method, texts);
  yield* workbookBlocks(texts, MARK.text, [
    [COUNTS_SHEET, () => countsSheet(job, table, texts)],
    ...(job.events.length > 0 ? [[EVENTS_SHEET, () => eventsSheet(job, texts)] as const] : []),
    [METHOD_SHEET, () => block(method)],
    ...more.map((sheet) => plainSheet(sheet, texts, false)),
  ]);
}

/** Writes a workbook of small sheets in blocks, each under a frozen header. Texts are never formulas. */
export async function* plainWorkbook(sheets: readonly PlainSheet[]): AsyncGenerator<CsvBlock> {
  const texts = new SharedTexts();
  yield* workbookBlocks(
    texts,
    null,
    sheets.map((sheet, i) => plainSheet(sheet, texts, i === 0)),
  );
}

/** A sheet or another part of a workbook. */
type Named = readonly [name: string, blocks: () => Iterator<CsvBlock>];

const block = (text: string): Iterator<CsvBlock> =>
  [{ bytes: utf8(text) as Uint8Array<ArrayBuffer>, rows: 0 }].values();

/** @param mark - Identifies the file, see {@link MARK}; null for one that is not opened here. */
async function* workbookBlocks(
  texts: SharedTexts,
  mark: string | null,
  sheets: readonly Named[],
): AsyncGenerator<CsvBlock> {
  let pending: Uint8Array<ArrayBuffer>[] = [];
  let done = 0;
  const zip = new Zip((error, chunk) => {
    if (error) throw error;
    pending.push(chunk as Uint8Array<ArrayBuffer>);
  });
  const names = sheets.map(([name]) => name);
  const parts: readonly Named[] = [
    ['[Content_Types].xml', () => block(types(names))],
    ['_rels/.rels', () => block(RELATIONS)],
    ['xl/workbook.xml', () => block(workbook(names))],
    ['xl/_rels/workbook.xml.rels', () => block(workbookRelations(names))],
    ['xl/styles.xml', () => block(STYLES)],
    ...sheets.map(([, blocks], i) => [`xl/worksheets/sheet${i + 1}.xml`, blocks] as const),
    // The last one, because it has the texts of the sheets.
    ['xl/sharedStrings.xml', () => block(texts.xml())],
  ];
  for (const [i, [filename, blocks]] of parts.entries()) {
    const sum = new ZipPassThrough('');
    sum.ondata = () => undefined;
    const entry: ZipInputFile = { filename, size: 0, crc: 0, compression: 8, mtime: WRITTEN_AT };
    if (i === 0 && mark !== null) entry.extra = { [MARK.id]: utf8(mark) };
    zip.add(entry);
    const reader = deflated(blocks(), ({ bytes, rows }) => {
      sum.push(bytes);
      entry.size = (entry.size ?? 0) + bytes.length;
      done = Math.max(done, rows);
    });
    for (;;) {
      const { done: ended, value } = await reader.read();
      if (ended) break;
      entry.ondata?.(null, value, false);
      if (pending.length < 64) continue;
      for (const bytes of pending) yield { bytes, rows: done };
      pending = [];
    }
    sum.push(new Uint8Array(), true);
    entry.crc = sum.crc;
    entry.ondata?.(null, new Uint8Array(), true);
  }
  zip.end();
  for (const bytes of pending) yield { bytes, rows: done };
}
