import { closeSync, openSync } from 'node:fs';
import Driver from 'libsql';
import { storeError, StoreError } from './store-error.ts';

/** The largest whole number that a column can have. */
export const LARGEST_INTEGER = 2n ** 63n - 1n;

/** Possible values of a column; whole numbers beyond 2^53 are bigint. The driver aborts on anything else. */
export type Value = string | number | bigint | Uint8Array | null;
export type Cell = string | number | bigint | Buffer | null;

/** The text of a cell; null if it has none. */
export function textOrNull(cell: Cell | undefined): string | null {
  return typeof cell === 'string' ? cell : null;
}

/** The number of a cell; null if it has none. */
export function numberOrNull(cell: Cell | undefined): number | null {
  return cell === null || cell === undefined ? null : Number(cell);
}

export interface Statement {
  /** Runs a statement without result rows; returns how many rows it changed. */
  run(values?: readonly Value[]): number;
  get(values?: readonly Value[]): Cell[] | undefined;
  all(values?: readonly Value[]): Cell[][];
}

/** The end of a part of a write. */
export type Attempt<T> =
  | { readonly ok: true; readonly value: T }
  | { readonly ok: false; readonly error: unknown };

/** One connection. A blob arrives as a Buffer with its own memory, without another copy. */
export interface Db {
  readonly file: string;
  /**
   * A statement, which its first use compiles: a service has hundreds, and a start uses few.
   *
   * @param exact - Whole numbers of the rows arrive as bigint.
   */
  prepare(sql: string, exact?: 'exact'): Statement;
  exec(sql: string): void;
  /**
   * Runs `work` in one write transaction, which is committed, or rolled back if `work` throws. Within another
   * write, `work` becomes part of that one.
   *
   * @param step - Its name, such as `create`; passed to {@link DbOptions.onStep}.
   */
  write<T>(step: string, work: () => T): T;
  /**
   * Runs `work` within a write. If it throws, only what it did is undone, and the write goes on.
   *
   * @throws {@link StoreError} if the whole write was undone, as on a full disk.
   */
  attempt<T>(work: () => T): Attempt<T>;
  /** Runs `work` over one unchanging state of the file. */
  read<T>(work: () => T): T;
  close(): void;
}

/** The phase of a write transaction: before it begins, before it commits, and after. */
export type StepAt = 'begin' | 'commit' | 'done';

export interface DbOptions {
  /** Called for every write transaction with the name of its step. */
  readonly onStep?: (step: string, at: StepAt) => void;
  /** The time that a writer waits for another one, ms. A bulk import's commit takes under two seconds. */
  readonly busyMs?: number;
  /** Maximum number of pages of the file, below SQLite's own limit. */
  readonly maxPages?: number | undefined;
  /**
   * True if commits go to a log next to the file (the default); false for a file that no other process
   * uses.
   */
  readonly logged?: boolean;
  /**
   * True if a commit waits for the disk (the default); otherwise it survives the end of this process, but perhaps not
   * that of the machine.
   */
  readonly flushed?: boolean;
  /** The application id that the file's header must have; a file with another one is left unchanged. */
  readonly application?: number;
  /**
   * True if pages are read through mapped memory: faster for large reads, but counted as the process's
   * own.
   */
  readonly mapped?: boolean;
}

const BUSY_MS = 10_000;
const MAPPED_BYTES = 2 ** 34;

function cells(row: unknown): Cell[] {
  const values = row as (string | number | bigint | Buffer | ArrayBuffer | null)[];
  for (let i = 0; i < values.length; i++) {
    const value = values[i];
    if (value instanceof ArrayBuffer) values[i] = Buffer.from(value);
  }
  return values as Cell[];
}

/**
 * Creates an absent file readable by this user alone, whatever the mode of its folder and the process's
 * umask. SQLite gives the files next to it the same mode. If creating it fails, the driver reports why.
 */
function makePrivate(file: string): void {
  try {
    closeSync(openSync(file, 'ax', 0o600));
  } catch (error) {
    if (!(error instanceof Error && 'code' in error)) throw error;
  }
}

/**
 * Opens a connection to a SQLite file, and creates it if it does not exist: write-ahead log, every
 * commit flushed to the disk, 8 KiB pages.
 *
 * @throws {@link StoreError} if the file cannot be opened, or is not a database; `not-a-store` if it
 *   has another application id.
 */
export function openDb(
  file: string,
  {
    busyMs = BUSY_MS,
    logged = true,
    flushed = true,
    mapped = false,
    application,
    maxPages,
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
  const prepare = (sql: string, exact?: 'exact'): Statement => {
    let compiled: ReturnType<typeof driver.prepare> | null = null;
    const compile = (): NonNullable<typeof compiled> => {
      const statement = driver.prepare(sql);
      if (statement.reader) statement.raw();
      if (exact) statement.safeIntegers();
      return statement;
    };
    const statement = (): NonNullable<typeof compiled> => (compiled ??= compile());
    return {
      run: (values = []) => guard(() => statement().run(values).changes),
      get: (values = []) =>
        guard(() => {
          const row = statement().get(values);
          return row === undefined ? undefined : cells(row);
        }),
      all: (values = []) => guard(() => statement().all(values).map(cells)),
    };
  };
  let writing = false;
  const within = <T>(begin: string, work: () => T, report?: (at: StepAt) => void): T => {
    report?.('begin');
    exec(begin);
    try {
      const result = work();
      report?.('commit');
      exec('COMMIT');
      report?.('done');
      return result;
    } catch (error) {
      // A full disk or a broken file has already rolled back.
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
    const synchronous = flushed ? 'FULL' : 'NORMAL';
    exec(`PRAGMA page_size = 8192; PRAGMA journal_mode = ${journal};`);
    exec(`PRAGMA synchronous = ${synchronous};`);
    exec(`PRAGMA mmap_size = ${mapped ? MAPPED_BYTES : 0}; PRAGMA cache_size = -32768;`);
    if (maxPages !== undefined) exec(`PRAGMA max_page_count = ${maxPages};`);
    exec('PRAGMA temp_store = MEMORY; PRAGMA journal_size_limit = 67108864;');
  } catch (error) {
    driver.close();
    throw error;
  }
  return {
    file,
    prepare,
    exec,
    write: (step, work) => {
      if (writing) return work();
      writing = true;
      try {
        return within('BEGIN IMMEDIATE', work, (at) => onStep?.(step, at));
      } finally {
        writing = false;
      }
    },
    attempt: (work) => {
      exec('SAVEPOINT attempt');
      try {
        const value = work();
        exec('RELEASE attempt');
        return { ok: true, value };
      } catch (error) {
        if (!driver.inTransaction) throw error;
        exec('ROLLBACK TO attempt; RELEASE attempt;');
        return { ok: false, error };
      }
    },
    read: (work) => within('BEGIN', work),
    close: () => {
      if (!driver.open) return;
      // The driver releases the file only when its statements are garbage-collected. So reads end and
      // the log moves into the file now, without waiting for others; whatever cannot move stays in the
      // log, where it is safe.
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

/** The faults that SQLite finds in a file, at most `limit` lines. */
export function integrityOf(db: Db, limit: number): string[] {
  const lines = db.prepare(`PRAGMA integrity_check(${limit})`).all();
  return lines.map(([line]) => String(line)).filter((line) => line !== 'ok');
}
