import { dirname, join } from 'node:path';
import { existsSync } from 'node:fs';
import { archiveOwner, type ArchiveOwner } from '#core/import/archive.ts';
import { sampleOfJson } from '#core/import/json-table.ts';
import { texts } from './bytes.ts';
import { csvShape } from '#core/readers/csv.ts';
import { FeedError } from '#core/readers/error.ts';
import { DocumentReader } from '#core/readers/json.ts';
import { KindProbe } from '#core/readers/kind.ts';
import { otherDocument } from '#core/readers/other-kind.ts';
import type { Row } from '#core/readers/row.ts';
import {
  textKind,
  READABLE_KINDS,
  OWN_FILE_BYTES,
  ownFile,
  wideText,
} from '#core/readers/signature.ts';
import {
  zipContent,
  zipEntries,
  zipPart,
  type RandomAccess,
  type ZipContent,
  type ZipEntry,
} from '#core/readers/zip.ts';
import { CsvReader, type CsvShape } from '#core/readers/csv-reader.ts';
import { LineReader } from '#core/readers/line-reader.ts';
import type { ObjectShape } from '#core/readers/object-probe.ts';
import { onDisk, peek, type ReadOptions, type Stretch } from './stretch.ts';

/**
 * The kind of a file, by its content: JSON `lines`, a JSON `list`, a `document` that is one answer with
 * `data` and `includes`, the Posts of a user's `archive`, or a sheet of an XLSX `workbook`.
 */
export type FeedKind = 'csv' | 'workbook' | 'lines' | 'list' | 'document' | 'archive';

/** One text with rows: a file, or an entry of a zip. */
export interface Feed {
  /** Name for messages; inside a zip the entry's name follows the zip's. */
  readonly file: string;
  readonly kind: FeedKind;
  /** Bytes on disk. */
  readonly bytes: number;
  /** Column names of a table, else empty. */
  readonly header: readonly string[];
  /** Set for archives with their account.js. */
  readonly owner: ArchiveOwner | null;
  /** Reads from the beginning at each call, without the header. */
  rows(options?: ReadOptions): AsyncGenerator<Row[]>;
}

const GZIP_MAGIC = 0x8b1f;
const ZIP_MAGIC = 0x04034b50;
const EMPTY_ZIP_MAGIC = 0x06054b50;
/** First bytes that tell the documents of other programs apart. */
const PROBED_BYTES = 64 * 1024;

/** Maximum length of account.js, in UTF-16 units: it names one account. */
const MAX_ACCOUNT = 1024 * 1024;
async function accountText(stretch: Stretch): Promise<string> {
  let all = '';
  for await (const text of texts(stretch)) {
    all += text;
    if (all.length <= MAX_ACCOUNT) continue;
    const why = `is longer than ${MAX_ACCOUNT} characters; an archive's names one account.`;
    throw new FeedError('damaged', stretch.file, why);
  }
  return all;
}

/** The way to read the text of a stretch. */
type Reading =
  | ObjectShape
  | { readonly kind: 'list' | 'archive' | 'table' }
  | { readonly kind: 'csv'; readonly shape: CsvShape; readonly header: readonly string[] };

function noKind(stretch: Pick<Stretch, 'file'>, found: string): FeedError {
  return new FeedError(
    'unknown-kind',
    stretch.file,
    `is none of the kinds that are read: ${READABLE_KINDS}; ${found}.`,
  );
}

/** The names of the columns, from the first row that is not blank. */
function columnsOf(stretch: Stretch, head: string): Reading {
  const shape = csvShape(head);
  const reader = new CsvReader(shape);
  const first = [...reader.push(head), ...reader.end()][0];
  const content = textKind(head);
  if (content !== null) throw noKind(stretch, `it looks like ${content}`);
  const line = head.trimStart().split(/[\r\n]/, 1)[0] ?? '';
  if (wideText(line)) {
    const why = 'it looks like UTF-16 without a byte-order mark; save it as UTF-8';
    throw noKind(stretch, why);
  }
  // A NUL in a row concerns only that row; among the names of columns it means that this is not text.
  if (line.includes('\0')) throw noKind(stretch, 'its first line is not text');
  if (first?.kind !== 'columns') {
    const why = first?.kind === 'bad' ? `: its first line ${first.reason}` : '';
    throw new FeedError(
      'columns',
      stretch.file,
      `has no header line with the names of its columns${why}.`,
    );
  }
  return { kind: 'csv', shape, header: first.fields.map((name) => name.trim()) };
}

/** Reads as much text as it takes to determine the kind. @throws {@link FeedError} `empty`, `unknown-kind` or `columns`. */
async function readingOf(stretch: Stretch, hasTables: boolean): Promise<Reading> {
  const probe = new KindProbe();
  let kind = null;
  for await (const block of texts(stretch)) {
    kind = probe.push(block);
    if (kind) break;
  }
  kind ??= probe.end();
  if (!kind) throw new FeedError('empty', stretch.file, 'is empty.');
  if (kind.kind !== 'table') return kind;
  return hasTables ? { kind: 'table' } : columnsOf(stretch, kind.head);
}

async function* csvRows(
  stretch: Stretch,
  shape: CsvShape,
  options: ReadOptions,
): AsyncGenerator<Row[]> {
  const reader = new CsvReader(shape);
  let header = true;
  const withoutHeader = (rows: Row[]): Row[] => {
    if (!header || rows.length === 0) return rows;
    header = false;
    return rows.slice(1);
  };
  for await (const text of texts(stretch, options)) yield withoutHeader(reader.push(text));
  yield withoutHeader(reader.end());
}

async function* jsonRows(
  stretch: Stretch,
  reading: Exclude<Reading, { kind: 'csv' | 'table' }>,
  options: ReadOptions,
): AsyncGenerator<Row[]> {
  const reader =
    reading.kind === 'lines' ? new LineReader(reading.newline) : new DocumentReader(stretch.file);
  for await (const text of texts(stretch, options)) yield reader.push(text);
  yield reader.end();
}

async function feedOf(
  stretch: Stretch,
  account: () => Promise<ArchiveOwner | null>,
  tables: OpenTables | null,
): Promise<Feed> {
  const reading = await readingOf(stretch, tables !== null);
  if (reading.kind === 'table') {
    if (!tables) throw new TypeError('expected a reader of tables');
    return await tables.text(stretch);
  }
  const common = { file: stretch.file, kind: reading.kind, bytes: stretch.length };
  if (reading.kind === 'csv') {
    const { shape, header } = reading;
    const rows = (options: ReadOptions = {}) => csvRows(stretch, shape, options);
    return { ...common, header, owner: null, rows };
  }
  const owner = reading.kind === 'archive' ? await account() : null;
  const rows = (options: ReadOptions = {}) => jsonRows(stretch, reading, options);
  const feed: Feed = { ...common, header: [], owner, rows };
  if (!tables || (reading.kind !== 'lines' && reading.kind !== 'list')) return feed;
  const newline = reading.kind === 'lines' ? reading.newline : null;
  const sample = (text: string, whole: boolean): Row[] =>
    sampleOfJson(stretch.file, text, newline, whole);
  return (await tables.values(stretch, feed, sample)) ?? feed;
}

/** Opens tables of Posts, whose header need not be their first line. */
export interface OpenTables {
  text(stretch: Stretch): Promise<Feed>;
  /** Opens JSON lines or a list, of whose first rows `sample` makes a table; null if they are Posts as they are. */
  values(
    stretch: Stretch,
    feed: Feed,
    sample: (text: string, whole: boolean) => Row[],
  ): Promise<Feed | null>;
  workbook(zip: RandomAccess, entries: readonly ZipEntry[]): Promise<Feed>;
}

/** The content of a zip; a document of another program is named for what it is. @throws {@link FeedError} */
async function contentOfZip(zip: RandomAccess, entries: readonly ZipEntry[]): Promise<ZipContent> {
  try {
    return zipContent(zip.file, entries);
  } catch (error) {
    const other = await otherDocument(await zip.read(0, PROBED_BYTES));
    if (other === null) throw error;
    throw new FeedError('unknown-kind', zip.file, `is ${other.name}. ${other.advice}`);
  }
}

async function zipFeeds(path: string, tables: OpenTables | null): Promise<Feed[]> {
  const zip = onDisk(path);
  const entries = await zipEntries(zip);
  const content = await contentOfZip(zip, entries);
  if (content.kind === 'workbook') {
    if (tables) return [await tables.workbook(zip, entries)];
    const why = 'is an Excel workbook; save its sheet as CSV (UTF-8).';
    throw new FeedError('unknown-kind', path, why);
  }
  const open = async (entry: ZipEntry): Promise<Stretch> => ({
    path,
    ...(await zipPart(zip, entry)),
  });
  const account = content.kind === 'archive' ? content.account : null;
  const owner = async (): Promise<ArchiveOwner | null> =>
    account ? archiveOwner(await accountText(await open(account))) : null;
  const feeds: Feed[] = [];
  for (const entry of content.kind === 'archive' ? content.entries : content.files)
    feeds.push(await feedOf(await open(entry), owner, tables));
  return feeds;
}

/**
 * Opens a file of Posts; its content decides what it is, not its name. A zip gives one feed for each of
 * its entries with Posts.
 *
 * @param tables - Opens tables and workbooks; without it, a table's first line is its header, and workbooks are refused.
 * @throws {@link FeedError} if it is missing, a folder, empty, may not be read, is cut off or damaged
 *   in its first part, or of an unknown kind.
 */
export async function openFeeds(path: string, tables: OpenTables | null = null): Promise<Feed[]> {
  const { size, head } = peek(path, OWN_FILE_BYTES);
  if (size === 0) throw new FeedError('empty', path, 'is empty.');
  const magic = head.length >= 4 ? head.readUInt32LE(0) : 0;
  const own = ownFile(head);
  if (own !== null) throw noKind({ file: path }, `it looks like ${own}`);
  if (magic === ZIP_MAGIC || magic === EMPTY_ZIP_MAGIC) return zipFeeds(path, tables);
  const packing = (magic & 0xffff) === GZIP_MAGIC ? 'gzip' : 'plain';
  const account = async (): Promise<ArchiveOwner | null> => {
    const sibling = join(dirname(path), 'account.js');
    if (!existsSync(sibling)) return null;
    const length = peek(sibling, 0).size;
    return archiveOwner(
      await accountText({ path: sibling, file: sibling, packing: 'plain', start: 0, length }),
    );
  };
  return [await feedOf({ path, file: path, packing, start: 0, length: size }, account, tables)];
}
