import { DATE } from '#core/export/csv.ts';
import { COUNTS_SHEET } from '#app/export/xlsx.ts';
import { archiveOwner } from '#core/import/archive.ts';
import { sheetOfPosts, type OpenSheet } from '#core/import/posts-sheet.ts';
import { JsonTable, sampleOfJson } from '#core/import/json-table.ts';
import type { RowReading } from '#core/import/preview.ts';
import type { TableChoice } from '#core/import/table.ts';
import { readTextTable } from '#core/import/text-table.ts';
import {
  decodeSample,
  guessEncoding,
  SAMPLE_BYTES,
  type Encoding,
} from '#core/readers/encoding.ts';
import { FeedError } from '#core/readers/error.ts';
import { KindProbe } from '#core/readers/kind.ts';
import { otherDocument, otherKind } from '#core/readers/other-kind.ts';
import type { Row } from '#core/readers/row.ts';
import { openWorkbook, sheetSample } from '#core/readers/workbook.ts';
import { zipContent, zipEntries, type RandomAccess, type ZipEntry } from '#core/readers/zip.ts';
import { WIDE_SHEET } from '#app/export/xlsx/counts-sheet.ts';
import { CsvReader, type CsvShape, type Delimiter, type Quotes } from '#core/readers/csv-reader.ts';
import { sharedTexts } from '#core/readers/shared-texts.ts';
import { sheetRows } from '#core/readers/sheet-rows.ts';
import {
  textStream,
  entryStream,
  type Bytes,
  fileBlocks,
  accessTo,
  headBytes,
  begins,
  ZIP,
  EMPTY_ZIP,
  GZIP,
} from './file-bytes.ts';

/** The first rows of a table, and how they were found. */
export interface TableSample {
  readonly rows: readonly Row[];
  /** Of a table of text. */
  readonly text: {
    readonly encoding: Encoding;
    readonly delimiter: Delimiter;
    readonly quotes: Quotes;
  } | null;
  /** Names of the sheets of a workbook; empty for a table of text. */
  readonly sheets: readonly string[];
  /** The sheet of the rows. */
  readonly sheet: string | null;
}

/** A file of Posts, or one that is refused, as the sheet of an import shows it. */
export type SheetFile =
  | {
      readonly kind: 'table';
      /** The kind of the file: `CSV`, `XLSX workbook`. */
      readonly what: string;
      /** The number of tables that the file has, all read alike; the first one is shown. */
      readonly tables: number;
      /** The first rows, with encoding, delimiter and sheet as chosen. @throws {@link FeedError} */
      sample(choice: TableChoice): Promise<TableSample>;
      /** All rows, likewise; absent where they are not read before the import. */
      rows?(choice: TableChoice): AsyncGenerator<readonly Row[]>;
    }
  | {
      readonly kind: 'posts';
      readonly what: string;
      readonly rows: readonly Row[];
      readonly reading: RowReading;
    }
  /** A file that is not imported: what it is, and what to do. */
  | { readonly kind: 'refused'; readonly what: string; readonly advice: string };

/** A file that was opened for an import, by its first bytes. */
export type OpenedFile =
  | SheetFile
  /** A workbook of counts that Groundswell wrote and a spreadsheet saved again. */
  | { readonly kind: 'counts' };

/** Files above this, in bytes, are not read whole before their import. */
const MOST_READ = 128 * 1024 * 1024;
/** Workbooks likewise: the texts of their cells are in memory at once. */
const MOST_READ_WORKBOOK = 8 * 1024 * 1024;

/** True if a row names the columns of counts as Groundswell writes them. */
function namesCounts(row: Row | undefined): boolean {
  if (row?.kind !== 'columns') return false;
  return row.fields[0] === DATE && WIDE_SHEET.every((name) => row.fields.includes(name));
}

async function openSheets(
  file: File,
  zip: RandomAccess,
  entries: readonly ZipEntry[],
): Promise<OpenedFile> {
  const open = async (name: string): Promise<AsyncIterable<string> | null> => {
    const entry = entries.find((each) => each.name === name);
    return entry ? textStream(await entryStream(file, zip, entry)) : null;
  };
  const book = await openWorkbook(file.name, open);
  const sheets = book.sheets.map(({ name }) => name);
  const openSheet = async ({ sheet: named }: Pick<TableChoice, 'sheet'>): Promise<OpenSheet> => {
    const sheet = book.sheets.find(({ name }) => name === named);
    return sheet
      ? { sheet, rows: await sheetSample(file.name, book, sheet.part, open) }
      : await sheetOfPosts(file.name, book, open, {}, Date.now());
  };
  const sample = async (choice: Pick<TableChoice, 'sheet'>): Promise<TableSample> => {
    const { sheet, rows } = await openSheet(choice);
    return { rows, text: null, sheets, sheet: sheet.name };
  };
  const rows = async function* (choice: TableChoice): AsyncGenerator<readonly Row[]> {
    const { sheet } = await openSheet(choice);
    const blocks = await open(sheet.part);
    if (!blocks) return;
    const texts = await sharedTexts(file.name, open, Infinity);
    yield* sheetRows(file.name, book, blocks, (index) => texts[index] ?? '');
  };
  if (sheets.includes(COUNTS_SHEET)) {
    const { rows } = await sample({ sheet: COUNTS_SHEET });
    if (namesCounts(rows[0])) return { kind: 'counts' };
  }
  const all = file.size > MOST_READ_WORKBOOK ? {} : { rows };
  return { kind: 'table', what: 'XLSX workbook', tables: 1, sample, ...all };
}

const DELIMITED: Readonly<Record<Delimiter, string>> = {
  ',': 'CSV',
  ';': 'CSV',
  '\t': 'TSV',
  '|': 'CSV',
};

const JSON_NAMES = { lines: 'JSON lines', list: 'JSON', document: 'JSON' };

async function* textRows(
  stream: Bytes,
  encoding: Encoding,
  shape: CsvShape,
): AsyncGenerator<readonly Row[]> {
  const decoder = new TextDecoder(encoding);
  const reader = new CsvReader(shape);
  for await (const block of fileBlocks(stream))
    yield reader.push(decoder.decode(block, { stream: true }));
  yield [...reader.push(decoder.decode()), ...reader.end()];
}

/**
 * Opens a text by its first bytes.
 *
 * @param stream - Opens all of it; absent where it is not read.
 * @param inside - The whole of which it is a part, such as ` in a zip`.
 * @throws {@link FeedError}
 */
async function openText(
  name: string,
  sample: Uint8Array,
  inside: string,
  stream?: () => Bytes,
): Promise<SheetFile> {
  const other = await otherKind(sample);
  if (other) return { kind: 'refused', what: `${other.name}${inside}`, advice: other.advice };
  const whole = sample.length < SAMPLE_BYTES;
  const encoding = guessEncoding(sample);
  // JSON is UTF-8, or UTF-16 with a byte-order mark; only tables are written in other encodings.
  const isUnicode = encoding.startsWith('utf-');
  const text = decodeSample(sample, isUnicode ? encoding : 'utf-8', whole);
  const probe = new KindProbe();
  const kind = probe.push(text) ?? probe.end();
  if (!kind) {
    return { kind: 'refused', what: 'an empty file', advice: 'There is nothing to import.' };
  }
  if (kind.kind === 'table') {
    const first = readTextTable(sample, whole, {});
    return {
      kind: 'table',
      what: `${DELIMITED[first.shape.delimiter]}${inside}`,
      tables: 1,
      sample: async (choice) => {
        const { rows, encoding, shape } = readTextTable(sample, whole, choice);
        const { delimiter, quotes } = shape;
        return { rows, text: { encoding, delimiter, quotes }, sheets: [], sheet: null };
      },
      ...(stream && {
        rows: (choice: TableChoice) => {
          const { encoding, shape } = readTextTable(sample, whole, choice);
          return textRows(stream(), encoding, shape);
        },
      }),
    };
  }
  const newline = kind.kind === 'lines' ? kind.newline : null;
  const rows = sampleOfJson(name, text, newline, whole);
  if (kind.kind === 'archive') {
    const reading = { kind: 'archive', owner: null } as const;
    return { kind: 'posts', what: `Posts of an archive${inside}`, rows, reading };
  }
  const what = `${JSON_NAMES[kind.kind]}${inside}`;
  const columns = kind.kind === 'document' ? null : JsonTable.of(rows, {}, Date.now());
  if (columns) {
    const table = { rows: columns.sample(rows), text: null, sheets: [], sheet: null };
    return { kind: 'table', what, tables: 1, sample: () => Promise.resolve(table) };
  }
  return {
    kind: 'posts',
    what,
    rows,
    reading: { kind: 'json' },
  };
}

async function openZip(file: File): Promise<OpenedFile> {
  const zip = accessTo(file);
  const entries = await zipEntries(zip);
  const open = async (entry: ZipEntry): Promise<Uint8Array> =>
    await headBytes(file, await entryStream(file, zip, entry));
  const content = zipContent(file.name, entries);
  if (content.kind === 'workbook') return await openSheets(file, zip, entries);
  if (content.kind === 'files') {
    const [first] = content.files;
    const tables = content.files.length;
    const inside = tables === 1 ? ' in a zip' : `, the first of ${tables} files in a zip`;
    const opened = await openText(file.name, first ? await open(first) : new Uint8Array(), inside);
    return opened.kind === 'table' ? { ...opened, tables } : opened;
  }
  const [posts] = content.posts;
  const text = content.account ? new TextDecoder().decode(await open(content.account)) : '';
  const reading = { kind: 'archive', owner: archiveOwner(text) } as const;
  const sample = posts ? await open(posts) : new Uint8Array();
  const whole = sample.length < SAMPLE_BYTES;
  const rows = sampleOfJson(file.name, decodeSample(sample, 'utf-8', whole), null, whole);
  return { kind: 'posts', what: 'archive of an account', rows, reading };
}

async function open(file: File): Promise<OpenedFile> {
  if (file.size === 0) {
    return { kind: 'refused', what: 'an empty file', advice: 'There is nothing to import.' };
  }
  const sample = new Uint8Array(await file.slice(0, SAMPLE_BYTES).arrayBuffer());
  if (begins(sample, ZIP) || begins(sample, EMPTY_ZIP)) {
    try {
      return await openZip(file);
    } catch (error) {
      const other = await otherDocument(sample);
      const isOther = error instanceof FeedError && error.problem === 'unknown-kind' && other;
      if (isOther) return { kind: 'refused', what: other.name, advice: other.advice };
      throw error;
    }
  }
  const isGzip = begins(sample, GZIP);
  const stream = (): Bytes =>
    isGzip ? file.stream().pipeThrough(new DecompressionStream('gzip')) : file.stream();
  const first = isGzip ? await headBytes(file, stream()) : sample;
  const all = file.size > MOST_READ ? undefined : stream;
  return await openText(file.name, first, isGzip ? ', gzipped' : '', all);
}

/**
 * Opens a file for an import. Reads its first bytes only, and the directory of a zip, whatever its size.
 *
 * @throws {DOMException} if the browser cannot read it.
 */
export async function openFile(file: File): Promise<OpenedFile> {
  try {
    return await open(file);
  } catch (error) {
    if (!(error instanceof FeedError)) throw error;
    const why = error.message.slice(error.message.indexOf(': ') + 2);
    return { kind: 'refused', what: '', advice: `${file.name} ${why}` };
  }
}
