import { dirname, join } from 'node:path';
import { existsSync } from 'node:fs';
import { peek, texts } from './bytes.ts';
import type { ReadOptions, Stretch } from './bytes.ts';
import { CsvReader, csvShape } from './csv.ts';
import type { CsvShape } from './csv.ts';
import { FeedError } from './error.ts';
import { DocumentReader, LineReader } from './json.ts';
import type { Row } from './row.ts';
import { zipEntries, zipStretch } from './zip.ts';

/**
 * What a file is, by its content: JSON `lines`, a JSON `list`, a `document` that is one answer with `data`
 * and `includes`, or the Posts of a user's `archive`.
 */
export type FeedKind = 'csv' | 'lines' | 'list' | 'document' | 'archive';

/** Whose archive it is (its account.js). */
export interface ArchiveOwner {
  readonly id: string | null;
  readonly username: string | null;
}

/** One text with rows: a file, or an entry of a zip. */
export interface Feed {
  /** Name for messages; inside a zip the entry's name stands behind the zip's. */
  readonly file: string;
  readonly kind: FeedKind;
  /** Bytes on disk. */
  readonly bytes: number;
  /** Column names of a CSV file, else empty. */
  readonly header: readonly string[];
  /** Set for archives whose account.js lies beside. */
  readonly owner: ArchiveOwner | null;
  /** Reads from the beginning, each time it is called. The header is not among the rows. */
  rows(options?: ReadOptions): AsyncGenerator<Row[]>;
}

const GZIP_MAGIC = 0x8b1f;
const ZIP_MAGIC = 0x04034b50;
const EMPTY_ZIP_MAGIC = 0x06054b50;
/** Entries with Posts of an archive: tweets.js, its parts, and tweet.js of archives before 2022. */
const ARCHIVE_POSTS = /^(.*\/)?(tweets?)(-part\d+)?\.js$/;
const PLAIN_POSTS = /\.(csv|tsv|txt|json|jsonl|ndjson)$/i;

async function firstText(stretch: Stretch): Promise<string> {
  for await (const text of texts(stretch)) return text;
  return '';
}

async function wholeText(stretch: Stretch): Promise<string> {
  let all = '';
  for await (const text of texts(stretch)) all += text;
  return all;
}

/** Whether a text that begins with `{` is one document over several lines, not a value per line. */
function isDocument(head: string): boolean {
  const end = head.indexOf('\n');
  const line = (end === -1 ? head : head.slice(0, end)).trim();
  try {
    JSON.parse(line);
    return false;
  } catch {
    return end === -1 || /[{[,:]$/.test(line);
  }
}

/** The one value of a short document that is a Post itself, or undefined. */
function lonePost(head: string): unknown {
  try {
    const value = JSON.parse(head) as unknown;
    const isPost = typeof value === 'object' && value !== null && 'text' in value;
    return isPost && !('data' in value) ? value : undefined;
  } catch {
    return undefined;
  }
}

function kindOf(stretch: Stretch, head: string): FeedKind {
  const begin = head.trimStart();
  if (begin === '') throw new FeedError('empty', stretch.file, 'is empty.');
  if (begin.startsWith('{')) return isDocument(begin) ? 'document' : 'lines';
  if (begin.startsWith('[')) return 'list';
  if (/^[\w.]+\s*=\s*\[/.test(begin)) return 'archive';
  // A NUL in the text of a row is a row's affair, one among the names of columns is no text at all.
  if (/^[^\n]*\0/.test(head)) {
    const kinds = 'CSV, JSON, JSON lines, tweets.js, or one of these gzipped or zipped';
    throw new FeedError(
      'unknown-kind',
      stretch.file,
      `is none of the kinds that are read: ${kinds}.`,
    );
  }
  return 'csv';
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
  kind: FeedKind,
  options: ReadOptions,
): AsyncGenerator<Row[]> {
  const reader = kind === 'lines' ? new LineReader() : new DocumentReader(stretch.file);
  for await (const text of texts(stretch, options)) yield reader.push(text);
  yield reader.end();
}

async function* loneRow(value: unknown, options: ReadOptions): AsyncGenerator<Row[]> {
  options.signal?.throwIfAborted();
  yield [{ kind: 'value', line: 1, place: '', value }];
}

/** `account.js` of an archive: `window.YTD.account.part0 = [ {"account": {"username", "accountId"}} ]`. */
function ownerOf(text: string): ArchiveOwner | null {
  const at = text.indexOf('[');
  if (at === -1) return null;
  try {
    const list = JSON.parse(text.slice(at, text.lastIndexOf(']') + 1)) as unknown;
    const first: unknown = Array.isArray(list) ? list[0] : null;
    if (typeof first !== 'object' || first === null || !('account' in first)) return null;
    const account = first.account;
    if (typeof account !== 'object' || account === null) return null;
    const username = 'username' in account ? account.username : null;
    const id = 'accountId' in account ? account.accountId : null;
    return {
      id: typeof id === 'string' ? id : null,
      username: typeof username === 'string' ? username : null,
    };
  } catch {
    return null;
  }
}

async function feedOf(
  stretch: Stretch,
  account: () => Promise<ArchiveOwner | null>,
): Promise<Feed> {
  const head = await firstText(stretch);
  const kind = kindOf(stretch, head);
  const common = { file: stretch.file, kind, bytes: stretch.length };
  if (kind !== 'csv') {
    const owner = kind === 'archive' ? await account() : null;
    const lone = kind === 'document' ? lonePost(head) : undefined;
    const rows = (options: ReadOptions = {}) =>
      lone === undefined ? jsonRows(stretch, kind, options) : loneRow(lone, options);
    return { ...common, header: [], owner, rows };
  }
  const shape = csvShape(head);
  const reader = new CsvReader(shape);
  const first = [...reader.push(head), ...reader.end()][0];
  if (first?.kind !== 'columns') {
    throw new FeedError(
      'columns',
      stretch.file,
      'has no header line with the names of its columns.',
    );
  }
  const rows = (options: ReadOptions = {}) => csvRows(stretch, shape, options);
  return { ...common, header: first.fields.map((name) => name.trim()), owner: null, rows };
}

async function zipFeeds(path: string): Promise<Feed[]> {
  const entries = zipEntries(path);
  const account = entries.find((e) => /^(.*\/)?account\.js$/.test(e.name));
  const owner = async () => (account ? ownerOf(await wholeText(zipStretch(path, account))) : null);
  let posts = entries.filter((e) => ARCHIVE_POSTS.test(e.name));
  if (posts.length === 0) posts = entries.filter((e) => PLAIN_POSTS.test(e.name));
  if (posts.length === 0) {
    const why = 'holds neither data/tweets.js of a user archive nor CSV or JSON files.';
    throw new FeedError('unknown-kind', path, why);
  }
  const feeds: Feed[] = [];
  for (const entry of posts) feeds.push(await feedOf(zipStretch(path, entry), owner));
  return feeds;
}

/**
 * Opens a file of Posts, whatever it is: what it holds decides, not its name. A zip gives a feed for each
 * of its entries with Posts.
 *
 * @throws {@link FeedError} if it is missing, a folder, empty, may not be read, is cut off or damaged in
 *   its first part, or of no kind that is read.
 */
export async function openFeeds(path: string): Promise<Feed[]> {
  const { size, head } = peek(path, 4);
  if (size === 0) throw new FeedError('empty', path, 'is empty.');
  const magic = head.length === 4 ? head.readUInt32LE(0) : 0;
  if (magic === ZIP_MAGIC || magic === EMPTY_ZIP_MAGIC) return zipFeeds(path);
  const packing = (magic & 0xffff) === GZIP_MAGIC ? 'gzip' : 'plain';
  const account = async (): Promise<ArchiveOwner | null> => {
    const beside = join(dirname(path), 'account.js');
    if (!existsSync(beside)) return null;
    const length = peek(beside, 0).size;
    return ownerOf(
      await wholeText({ path: beside, file: beside, packing: 'plain', start: 0, length }),
    );
  };
  return [await feedOf({ path, file: path, packing, start: 0, length: size }, account)];
}
