import { readFileSync, statSync } from 'node:fs';
import { createStore } from './create.ts';
import { integrityOf, openDb, type Db, type DbOptions } from './driver.ts';
import { metaOf } from './meta.ts';
import { StoreError } from './store-error.ts';

/** A kind of store file: an id in the header, and the steps from one format to the next. */
export interface StoreKind {
  /** SQLite's application id, which identifies the program of a file. */
  readonly application: number;
  /** Number of the oldest format that can be read. */
  readonly first: number;
  /** The statements that create a file of the first format, then those that convert each format to the next. */
  readonly steps: readonly string[];
}

/** Number of the format that this program writes. */
export function newestFormat({ first, steps }: StoreKind): number {
  return first + steps.length - 1;
}

/** @throws {@link StoreError} `earlier-version` or `newer-version` if the format of a file cannot be read. */
export function formatOf(db: Db, kind: StoreKind): number {
  const format = metaOf(db).number('format');
  if (format < kind.first) throw new StoreError('earlier-version', db.file);
  if (format > newestFormat(kind)) throw new StoreError('newer-version', db.file);
  return format;
}

const MAGIC = Buffer.from('SQLite format 3\0');
/** The smallest store file: one page. */
const PAGE_BYTES = 8192;

/** Bytes of the log next to a file; 0 if there is none. */
function logBytes(file: string): number {
  return statSync(`${file}-wal`, { throwIfNoEntry: false })?.size ?? 0;
}

/** True if any part of a store exists: its file, or a log with content. */
export function isStoreThere(file: string): boolean {
  return statSync(file, { throwIfNoEntry: false }) !== undefined || logBytes(file) > 0;
}

/**
 * Refuses a file that is shorter than a page, before SQLite opens it: SQLite takes an empty file for a
 * new database, and deletes the log next to it.
 *
 * A longer file may be open in this process, and is not read here: closing it would release the locks
 * of all of the process's connections to it (sqlite.org/howtocorrupt.html, 2.2), and another process
 * would then delete their log.
 *
 * @throws {@link StoreError} `empty`, `damaged` or `not-a-store`.
 */
function refuseShort(file: string): void {
  const { size } = statSync(file);
  if (size === 0) throw new StoreError('empty', file);
  if (size >= PAGE_BYTES) return;
  try {
    const magic = readFileSync(file).subarray(0, MAGIC.length);
    if (!magic.equals(MAGIC.subarray(0, magic.length))) throw new StoreError('not-a-store', file);
  } catch (error) {
    throw error instanceof StoreError
      ? error
      : new StoreError('unopenable', file, { cause: error });
  }
  throw new StoreError('damaged', file);
}

/** Opens an existing file of a kind, in whatever format it is. @throws {@link StoreError} like {@link openStore}. */
export function openKind(file: string, { application }: StoreKind, options: DbOptions): Db {
  refuseShort(file);
  return openDb(file, { ...options, application });
}

/** @throws {@link StoreError} `missing` if the file is absent but its log exists. */
function isAbsent(file: string): boolean {
  if (statSync(file, { throwIfNoEntry: false })) return false;
  if (logBytes(file) > 0) throw new StoreError('missing', file);
  return true;
}

/**
 * The faults that SQLite finds in a file of a kind, at most `limit` lines; none also if it does not exist.
 * Only reads, and may run while others write.
 *
 * @throws {@link StoreError} like {@link openStore}; `damaged` if the file cannot be read that far.
 */
export function damageOf(file: string, kind: StoreKind, limit: number): string[] {
  if (isAbsent(file)) return [];
  const db = openKind(file, kind, {});
  try {
    return integrityOf(db, limit);
  } finally {
    db.close();
  }
}

/**
 * Opens a store file of a kind; creates it if it does not exist, and upgrades it to the newest format.
 *
 * @param made - Called once, in the transaction that creates the file.
 * @throws {@link StoreError} `empty` if the file has 0 bytes; `missing` if it is absent but its log
 *   exists; `not-a-store` if it is another program's; `damaged` if it is shorter than a page;
 *   `newer-version` or `earlier-version` if this program does not know its format; otherwise like
 *   {@link openDb}.
 */
export function openStore(
  file: string,
  kind: StoreKind,
  made: (db: Db) => void,
  options: DbOptions = {},
): Db {
  const newest = newestFormat(kind);
  const upgrade = (db: Db, steps: readonly string[]): void => {
    for (const step of steps) db.exec(step);
    metaOf(db).put('format', newest);
  };
  if (isAbsent(file)) {
    const fill = (db: Db): void => {
      upgrade(db, kind.steps);
      db.exec(`PRAGMA application_id = ${kind.application}`);
      made(db);
    };
    createStore(file, fill, options);
  }
  const db = openKind(file, kind, options);
  try {
    const missing = (): readonly string[] => kind.steps.slice(formatOf(db, kind) - kind.first + 1);
    if (missing().length > 0) db.write('migrate', () => upgrade(db, missing()));
    return db;
  } catch (error) {
    db.close();
    throw error;
  }
}
