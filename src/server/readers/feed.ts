import { dirname, join } from 'node:path';
import { existsSync } from 'node:fs';
import type { ArchiveOwner } from '#core/import/archive.ts';
import { peek, texts } from './bytes.ts';
import type { ReadOptions, Stretch } from './bytes.ts';
import { CsvReader, csvShape, MAX_ROW } from '#core/readers/csv.ts';
import type { CsvShape } from '#core/readers/csv.ts';
import { FeedError, shown } from '#core/readers/error.ts';
import { DocumentReader, LineReader, ObjectProbe } from '#core/readers/json.ts';
import type { ObjectShape } from '#core/readers/json.ts';
import type { Row } from '#core/readers/row.ts';
import { contentOf, KINDS, OWN_FILE_BYTES, ownFile, wideText } from '#core/readers/signature.ts';
import { zipEntries, zipStretch } from './zip.ts';

/**
 * The kind of a file, by its content: JSON `lines`, a JSON `list`, a `document` that is one answer with
 * `data` and `includes`, or the Posts of a user's `archive`.
 */
export type FeedKind = 'csv' | 'lines' | 'list' | 'document' | 'archive';

/** One text with rows: a file, or an entry of a zip. */
export interface Feed {
  /** Name for messages; inside a zip the entry's name follows the zip's. */
  readonly file: string;
  readonly kind: FeedKind;
  /** Bytes on disk. */
  readonly bytes: number;
  /** Column names of a CSV file, else empty. */
  readonly header: readonly string[];
  /** Set for archives with their account.js. */
  readonly owner: ArchiveOwner | null;
  /** Reads from the beginning at each call, without the header. */
  rows(options?: ReadOptions): AsyncGenerator<Row[]>;
}

const GZIP_MAGIC = 0x8b1f;
const ZIP_MAGIC = 0x04034b50;
const EMPTY_ZIP_MAGIC = 0x06054b50;
/** Entries of an archive with Posts: tweets.js, its parts, and tweet.js of archives from before 2022. */
const ARCHIVE_POSTS = /^(.*\/)?(tweets?)(-part\d+)?\.js$/;
/** Entries of an archive about whom and what its account follows, likes, blocks and mutes, and its lists. */
const ARCHIVE_RELATIONS =
  /^(.*\/)?(follower|following|like|block|mute|lists-created|lists-member|lists-subscribed)(-part\d+)?\.js$/;
const PLAIN_POSTS = /\.(csv|tsv|txt|json|jsonl|ndjson)$/i;

/** Maximum length of account.js, in UTF-16 units: it names one account. */
const MAX_ACCOUNT = 1024 * 1024;
/** Enough to distinguish an archive's assignment from a line of CSV. */
const ARCHIVE_HEAD = 256;

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

/** How to read the text of a stretch. */
type Reading =
  | ObjectShape
  | { readonly kind: 'list' | 'archive' }
  | { readonly kind: 'csv'; readonly shape: CsvShape; readonly header: readonly string[] };

function noKind(stretch: Pick<Stretch, 'file'>, found: string): FeedError {
  return new FeedError(
    'unknown-kind',
    stretch.file,
    `is none of the kinds that are read: ${KINDS}; ${found}.`,
  );
}

/** The names of the columns, from the first row that is not blank. */
function columnsOf(stretch: Stretch, head: string): Reading {
  const shape = csvShape(head);
  const reader = new CsvReader(shape);
  const first = [...reader.push(head), ...reader.end()][0];
  const content = contentOf(head);
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

/**
 * Determines how to read a stretch. Reads as much text as needed: for JSON to the end of the first
 * line, for CSV to the end of the header, wherever blocks end.
 *
 * @throws {@link FeedError} `empty`, `unknown-kind` or `columns`.
 */
async function readingOf(stretch: Stretch): Promise<Reading> {
  let head = '';
  let probe: ObjectProbe | null = null;
  for await (const block of texts(stretch)) {
    const begin = probe || head !== '' ? block : block.trimStart();
    if (begin === '') continue;
    if (head === '' && begin.startsWith('[')) return { kind: 'list' };
    if (head === '' && begin.startsWith('{')) probe ??= new ObjectProbe();
    if (probe) {
      const shape = probe.push(begin);
      if (shape) return shape;
      continue;
    }
    // Including leading white space: the first column of a table may have no name.
    head += block;
    if (head.length < ARCHIVE_HEAD) continue;
    if (isArchive(head)) return { kind: 'archive' };
    if (head.length > MAX_ROW || hasRow(head)) return columnsOf(stretch, head);
  }
  if (probe) return probe.end();
  if (head === '') throw new FeedError('empty', stretch.file, 'is empty.');
  return isArchive(head) ? { kind: 'archive' } : columnsOf(stretch, head);
}

function isArchive(head: string): boolean {
  return /^\s*[\w.]+\s*=\s*\[/.test(head);
}

/** Whether a line that is not blank ends outside quotes. */
function hasRow(head: string): boolean {
  let quoted = false;
  for (let at = head.search(/\S/); at < head.length; at += 1) {
    const c = head[at];
    if (c === '"') quoted = !quoted;
    else if (!quoted && (c === '\n' || c === '\r')) return true;
  }
  return false;
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
  reading: Exclude<Reading, { kind: 'csv' }>,
  options: ReadOptions,
): AsyncGenerator<Row[]> {
  const reader =
    reading.kind === 'lines' ? new LineReader(reading.newline) : new DocumentReader(stretch.file);
  for await (const text of texts(stretch, options)) yield reader.push(text);
  yield reader.end();
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
  const reading = await readingOf(stretch);
  const common = { file: stretch.file, kind: reading.kind, bytes: stretch.length };
  if (reading.kind === 'csv') {
    const { shape, header } = reading;
    const rows = (options: ReadOptions = {}) => csvRows(stretch, shape, options);
    return { ...common, header, owner: null, rows };
  }
  const owner = reading.kind === 'archive' ? await account() : null;
  const rows = (options: ReadOptions = {}) => jsonRows(stretch, reading, options);
  return { ...common, header: [], owner, rows };
}

/** Describes the first entries of a zip. */
function listOf(entries: readonly { readonly name: string }[]): string {
  if (entries.length === 0) return 'it is empty';
  const names = entries.slice(0, 3).map(({ name }) => `"${shown(name)}"`);
  const more = entries.length - names.length;
  return `it contains ${names.join(', ')}${more > 0 ? ` and ${more} more` : ''}`;
}

async function zipFeeds(path: string): Promise<Feed[]> {
  const entries = zipEntries(path);
  const account = entries.find((e) => /^(.*\/)?account\.js$/.test(e.name));
  const owner = async () =>
    account ? ownerOf(await accountText(zipStretch(path, account))) : null;
  let posts = entries.filter((e) => ARCHIVE_POSTS.test(e.name) || ARCHIVE_RELATIONS.test(e.name));
  if (posts.length === 0) posts = entries.filter((e) => PLAIN_POSTS.test(e.name));
  if (posts.length === 0) {
    const workbook = entries.some((e) => e.name === 'xl/workbook.xml');
    const why = workbook
      ? 'is an Excel workbook; save its sheet as CSV (UTF-8).'
      : `contains neither data/tweets.js of a user archive nor CSV or JSON files; ${listOf(entries)}.`;
    throw new FeedError('unknown-kind', path, why);
  }
  const feeds: Feed[] = [];
  for (const entry of posts) feeds.push(await feedOf(zipStretch(path, entry), owner));
  return feeds;
}

/**
 * Opens a file of Posts; its content decides what it is, not its name. A zip gives one feed for each of
 * its entries with Posts.
 *
 * @throws {@link FeedError} if it is missing, a folder, empty, may not be read, is cut off or damaged
 *   in its first part, or of an unknown kind.
 */
export async function openFeeds(path: string): Promise<Feed[]> {
  const { size, head } = peek(path, OWN_FILE_BYTES);
  if (size === 0) throw new FeedError('empty', path, 'is empty.');
  const magic = head.length >= 4 ? head.readUInt32LE(0) : 0;
  const own = ownFile(head);
  if (own !== null) throw noKind({ file: path }, `it looks like ${own}`);
  if (magic === ZIP_MAGIC || magic === EMPTY_ZIP_MAGIC) return zipFeeds(path);
  const packing = (magic & 0xffff) === GZIP_MAGIC ? 'gzip' : 'plain';
  const account = async (): Promise<ArchiveOwner | null> => {
    const sibling = join(dirname(path), 'account.js');
    if (!existsSync(sibling)) return null;
    const length = peek(sibling, 0).size;
    return ownerOf(
      await accountText({ path: sibling, file: sibling, packing: 'plain', start: 0, length }),
    );
  };
  return [await feedOf({ path, file: path, packing, start: 0, length: size }, account)];
}
