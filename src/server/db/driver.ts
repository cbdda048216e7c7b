import { closeSync, openSync } from 'node:fs';
import Driver from 'libsql';

/** Why a store cannot be used or written. */
export type StoreReason =
  | 'newer-version' // made by a later version of this program
  | 'not-a-store' // not a database, or one of another program
  | 'empty' // the file has 0 bytes, which no store ever has
  | 'missing' // the file is gone and its log is not
  | 'unindexed' // its index is of another version, or does not fit its Posts
  | 'index-damaged' // a part of its index is not as it was written
  | 'row-damaged' // the row of a Post is not as it was written
  | 'unopenable' // the file or its folder cannot be opened or created
  | 'full' // no room on the disk
  | 'busy' // another process is writing and did not finish in time
  | 'damaged' // the file's content is broken
  | 'io'; // the disk reported an error

const SENTENCES: Readonly<Record<StoreReason, string>> = {
  'newer-version': 'was written by a newer version of this program; use that version',
  'not-a-store':
    'is not a store of this program; restore it from a backup, or move it away to begin again',
  empty: 'is empty: what it held is lost; restore it from a backup, or delete it to begin again',
  missing:
    'is missing, though its log (the file of the same name that ends in -wal) is there; put both back as they were, or delete the log to begin again',
  unindexed: 'must have its index made anew: run groundswell reindex',
  'index-damaged':
    'has a damaged index: groundswell check says where, groundswell reindex rebuilds it from the Posts',
  'row-damaged':
    'holds a Post that is not as it was written: groundswell check says which; restore the file from a backup',
  unopenable: 'cannot be opened or created',
  full: 'cannot grow: the disk is full; nothing of the last step was kept, what was there before is intact',
  busy: 'is being written by another process; try again when it has finished',
  damaged: 'is damaged; restore it from a backup or import the posts again into a new one',
  io: 'could not be read or written: the disk reported an error',
};

/** A store file that cannot be opened, read or written, for a reason outside the program. */
export class StoreError extends Error {
  override readonly name = 'StoreError';
  readonly reason: StoreReason;
  readonly file: string;
  /** What is wrong and what to do about it: the end of a sentence that begins with the file. */
  readonly fault: string;

  constructor(reason: StoreReason, file: string, options?: ErrorOptions) {
    super(`${file} ${SENTENCES[reason]}`, options);
    this.fault = SENTENCES[reason];
    this.reason = reason;
    this.file = file;
  }
}

/** What a column can hold; whole numbers beyond 2^53 are bigint. The driver aborts on anything else. */
export type Value = string | number | bigint | Uint8Array | null;
export type Cell = string | number | bigint | Buffer | null;

export interface Statement {
  /** Runs a statement that gives no rows; tells how many rows it changed. */
  run(values?: readonly Value[]): number;
  get(values?: readonly Value[]): Cell[] | undefined;
  all(values?: readonly Value[]): Cell[][];
}

/** One connection. Blobs come as Buffer over memory of their own; nothing is copied a second time. */
export interface Db {
  readonly file: string;
  /** @param exact - whole numbers of the rows come as bigint. */
  prepare(sql: string, exact?: 'exact'): Statement;
  exec(sql: string): void;
  /**
   * Runs `work` in one write transaction: all of it is kept, or (when it throws) nothing.
   *
   * @param step - what it does, such as `create`; told to {@link DbOptions.onStep}.
   */
  write<T>(step: string, work: () => T): T;
  /** Runs `work` over one unchanging state of the file. */
  read<T>(work: () => T): T;
  close(): void;
}

/** How far a write transaction is: before it begins, before it is committed, and after. */
export type StepAt = 'begin' | 'commit' | 'done';

export interface DbOptions {
  /** Hears of every write transaction, by the name of its step. */
  readonly onStep?: (step: string, at: StepAt) => void;
  /** How long a writer waits for another one, in ms. A bulk import's commit takes under two seconds. */
  readonly busyMs?: number;
  /** Pages that the file may grow to, below SQLite's own limit. */
  readonly mostPages?: number | undefined;
  /** Whether commits go to a log next to the file, as they do unless this is false: for a file that nobody else has. */
  readonly logged?: boolean;
  /** The mark that the file's header must have; a file with another one is left as it is. */
  readonly application?: number;
  /** Whether pages are read through mapped memory: faster for reading much, but counted as the process's own. */
  readonly mapped?: boolean;
}

const BUSY_MS = 10_000;
const MAPPED_BYTES = 2 ** 34;

/** Primary result codes of SQLite (sqlite.org/rescode.html). */
const REASONS: ReadonlyMap<number, StoreReason> = new Map([
  [3, 'unopenable'],
  [5, 'busy'],
  [6, 'busy'],
  [8, 'unopenable'],
  [10, 'io'],
  [11, 'damaged'],
  [13, 'full'],
  [14, 'unopenable'],
  [26, 'not-a-store'],
] as const);

/** Extended codes that say more than their primary one, an error of the disk. */
const EXACT_REASONS: ReadonlyMap<number, StoreReason> = new Map([
  [522, 'damaged'], // SQLITE_IOERR_SHORT_READ: the file ends before a page that it points to
  [4874, 'full'], // SQLITE_IOERR_SHMSIZE: no room for the few pages that connections share
] as const);

function storeError(file: string, error: unknown): unknown {
  if (!(error instanceof Error)) return error;
  const raw = 'rawCode' in error && typeof error.rawCode === 'number' ? error.rawCode : undefined;
  const told = raw ?? /ConnectionFailed\(.*: (\d+)/s.exec(error.message)?.[1];
  if (told === undefined) return error;
  const reason = EXACT_REASONS.get(Number(told)) ?? REASONS.get(Number(told) & 0xff);
  return reason === undefined ? error : new StoreError(reason, file, { cause: error });
}

function cells(row: unknown): Cell[] {
  const values = row as (string | number | bigint | Buffer | ArrayBuffer | null)[];
  for (let i = 0; i < values.length; i++) {
    const value = values[i];
    if (value instanceof ArrayBuffer) values[i] = Buffer.from(value);
  }
  return values as Cell[];
}

/**
 * Makes an absent file for this user's eyes alone, whatever the mode of its folder and the process's umask. SQLite
 * gives the files next to it the same mode. What keeps the file from being made, the driver reports.
 */
function makePrivate(file: string): void {
  try {
    closeSync(openSync(file, 'ax', 0o600));
  } catch (error) {
    if (!(error instanceof Error && 'code' in error)) throw error;
  }
}

/**
 * Opens a connection to a SQLite file, made if it is absent: write-ahead log, every commit on the disk,
 * 8 KiB pages.
 *
 * @throws {@link StoreError} if the file cannot be opened, or is no database; `not-a-store` where it has not the mark.
 */
export function openDb(
  file: string,
  {
    busyMs = BUSY_MS,
    logged = true,
    mapped = false,
    application,
    mostPages,
    onStep,
  }: DbOptions = {},
): Db {
  const guard = <T>(work: () => T): T => {
    try {
      return work();
    } catch (error) {
      throw storeError(file, error);
    }
  };
  makePrivate(file);
  const driver = guard(() => new Driver(file, { timeout: busyMs }));
  const exec = (sql: string): void => guard(() => void driver.exec(sql));
  const prepare = (sql: string, exact?: 'exact'): Statement =>
    guard(() => {
      const statement = driver.prepare(sql);
      if (statement.reader) statement.raw();
      if (exact) statement.safeIntegers();
      return {
        run: (values = []) => guard(() => statement.run(values).changes),
        get: (values = []) =>
          guard(() => {
            const row = statement.get(values);
            return row === undefined ? undefined : cells(row);
          }),
        all: (values = []) => guard(() => statement.all(values).map(cells)),
      };
    });
  const within = <T>(begin: string, work: () => T, tell?: (at: StepAt) => void): T => {
    tell?.('begin');
    exec(begin);
    try {
      const result = work();
      tell?.('commit');
      exec('COMMIT');
      tell?.('done');
      return result;
    } catch (error) {
      // A full disk or a broken file has rolled back already.
      if (driver.inTransaction) exec('ROLLBACK');
      throw error;
    }
  };
  try {
    // Before anything that writes.
    if (application !== undefined) {
      const [mark] = prepare('PRAGMA application_id').get() ?? [];
      if (Number(mark) !== application) throw new StoreError('not-a-store', file);
    }
    const journal = logged ? 'WAL' : 'MEMORY';
    exec(`PRAGMA page_size = 8192; PRAGMA journal_mode = ${journal}; PRAGMA synchronous = FULL;`);
    exec(`PRAGMA mmap_size = ${mapped ? MAPPED_BYTES : 0}; PRAGMA cache_size = -32768;`);
    if (mostPages !== undefined) exec(`PRAGMA max_page_count = ${mostPages};`);
    exec('PRAGMA temp_store = MEMORY; PRAGMA journal_size_limit = 67108864;');
  } catch (error) {
    driver.close();
    throw error;
  }
  return {
    file,
    prepare,
    exec,
    write: (step, work) => within('BEGIN IMMEDIATE', work, (at) => onStep?.(step, at)),
    read: (work) => within('BEGIN', work),
    close: () => {
      if (!driver.open) return;
      // The driver lets go of the file only when its statements are collected, so what is being read is let go
      // and what the log holds is moved now; not waiting for others. What cannot be moved stays in the log,
      // where it is safe.
      try {
        if (driver.inTransaction) driver.exec('ROLLBACK');
        driver.exec('PRAGMA busy_timeout = 0; PRAGMA wal_checkpoint(TRUNCATE);');
      } catch (error) {
        if (!(storeError(file, error) instanceof StoreError)) throw error;
      } finally {
        driver.close();
      }
    },
  };
}

/** What SQLite finds wrong with a file, at most `most` lines; none where all is well. */
export function integrityOf(db: Db, most: number): string[] {
  const lines = db.prepare(`PRAGMA integrity_check(${most})`).all();
  return lines.map(([line]) => String(line)).filter((line) => line !== 'ok');
}
