import { closeSync, openSync, readSync, realpathSync, statSync } from 'node:fs';
import { createStore } from './begin.ts';
import { integrityOf, openDb, StoreError } from './db.ts';
import type { Db, DbOptions } from './db.ts';
import { metaOf } from './meta.ts';

/** What makes the files of one kind: a mark in the header, and the steps from one format to the next. */
export interface Kind {
  /** SQLite's application id, by which a file tells whose it is. */
  readonly application: number;
  /** Step i leads from format i to format i + 1. */
  readonly steps: readonly string[];
}

function pragma(db: Db, name: string): number {
  return Number(db.prepare(`PRAGMA ${name}`).get()?.[0] ?? 0);
}

const MAGIC = Buffer.from('SQLite format 3\0');
const HEADER_BYTES = 100;
const PAGE_SIZE_AT = 16;
const APPLICATION_AT = 68;

/** Bytes of the log next to a file; 0 where there is none. */
function logBytes(file: string): number {
  return statSync(`${file}-wal`, { throwIfNoEntry: false })?.size ?? 0;
}

/** Whether anything of a store is there: its file, or a log that holds something of it. */
export function isStoreThere(file: string): boolean {
  return statSync(file, { throwIfNoEntry: false }) !== undefined || logBytes(file) > 0;
}

/** The size of a file and the header that every database of SQLite begins with. */
function beginningOf(file: string): { size: number; header: Buffer } {
  const header = Buffer.alloc(HEADER_BYTES);
  try {
    const handle = openSync(file, 'r');
    try {
      const read = readSync(handle, header, 0, HEADER_BYTES, 0);
      return { size: statSync(file).size, header: header.subarray(0, read) };
    } finally {
      closeSync(handle);
    }
  } catch (error) {
    throw new StoreError('unopenable', file, { cause: error });
  }
}

/**
 * Refuses a file that is no store of a kind, before SQLite opens it: SQLite takes an empty file for a new
 * database, and deletes the log next to it.
 *
 * @throws {@link StoreError} `empty`, `damaged` or `not-a-store`.
 */
function refuseOthers(file: string, kind: Kind): void {
  const { size, header } = beginningOf(file);
  if (size === 0) throw new StoreError('empty', file);
  const magic = header.subarray(0, MAGIC.length);
  if (!magic.equals(MAGIC.subarray(0, magic.length))) throw new StoreError('not-a-store', file);
  if (header.length < HEADER_BYTES) throw new StoreError('damaged', file);
  // SQLite writes 65,536 as 1.
  const pageSize = header.readUInt16BE(PAGE_SIZE_AT);
  if (size < (pageSize === 1 ? 65_536 : pageSize)) throw new StoreError('damaged', file);
  const application = header.readUInt32BE(APPLICATION_AT);
  if (application === kind.application) return;
  // In a store that an earlier version had just made, it may be in the log alone.
  if (application !== 0 || logBytes(realpathSync(file)) === 0) {
    throw new StoreError('not-a-store', file);
  }
}

/** @throws {@link StoreError} `missing` where the file is absent and its log is not. */
function isAbsent(file: string): boolean {
  if (statSync(file, { throwIfNoEntry: false })) return false;
  if (logBytes(file) > 0) throw new StoreError('missing', file);
  return true;
}

/**
 * What SQLite finds wrong with a file of a kind, at most `most` lines; none where all is well or nothing is there.
 * It only reads, also while others write.
 *
 * @throws {@link StoreError} as {@link openStore}; `damaged` where the file cannot be read that far.
 */
export function damageOf(file: string, kind: Kind, most: number): string[] {
  if (isAbsent(file)) return [];
  refuseOthers(file, kind);
  const db = openDb(file);
  try {
    return integrityOf(db, most);
  } finally {
    db.close();
  }
}

/**
 * Opens a store file of a kind, made if it is absent, brought to the newest format if it is older.
 *
 * @param made - called once, in the transaction that makes the file.
 * @throws {@link StoreError} `empty` if the file has 0 bytes; `missing` if it is absent and its log is not;
 *   `not-a-store` if it is another program's; `damaged` if it is shorter than a page; `newer-version` if
 *   its format is newer than this program knows; else as {@link openDb}.
 */
export function openStore(
  file: string,
  kind: Kind,
  made: (db: Db) => void,
  options: DbOptions = {},
): Db {
  const newest = kind.steps.length;
  const bring = (db: Db, from: number): void => {
    for (const step of kind.steps.slice(from)) db.exec(step);
    metaOf(db).put('format', newest);
  };
  if (isAbsent(file)) {
    const fill = (db: Db): void => {
      bring(db, 0);
      db.exec(`PRAGMA application_id = ${kind.application}`);
      made(db);
    };
    createStore(file, fill, options);
  }
  refuseOthers(file, kind);
  const db = openDb(file, options);
  const format = (): number => {
    if (pragma(db, 'application_id') === kind.application) return metaOf(db).number('format');
    throw new StoreError('not-a-store', file);
  };
  try {
    if (format() < newest) db.write('migrate', () => bring(db, format()));
    if (format() > newest) throw new StoreError('newer-version', file);
    return db;
  } catch (error) {
    db.close();
    throw error;
  }
}
