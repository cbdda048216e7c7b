import { randomUUID } from 'node:crypto';
import { copyFileSync, existsSync, readdirSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import { errorCode } from '#core/thrown.ts';
import { placeFile, syncFile } from './place-file.ts';
import { openDb, type Db, type DbOptions } from './driver.ts';
import { StoreError } from './store-error.ts';

const UNFINISHED = /\.begun-[0-9a-f-]{36}(-journal|-wal|-shm)?$/;

/** Removes a file under its temporary name; if it is in use, {@link removeUnfinished} does so later. */
function remove(begun: string): void {
  try {
    rmSync(begun, { force: true });
  } catch (error) {
    if (errorCode(error) === '') throw error;
  }
}

/**
 * Creates a store file. It gets its name only once it is complete and on the disk, so a process that
 * ends meanwhile leaves none. If another process creates it at the same time, the first one's stays.
 *
 * @param fill - Writes everything a new store has; called in one write transaction.
 * @throws {@link StoreError} if it cannot be written, also `full`.
 */
export function createStore(file: string, fill: (db: Db) => void, options: DbOptions): void {
  const begun = `${file}.begun-${randomUUID()}`;
  const copy = `${file}.begun-${randomUUID()}`;
  try {
    const db = openDb(begun, { ...options, logged: false });
    try {
      db.write('migrate', () => fill(db));
    } finally {
      db.close();
    }
    // From here on commits go to a log. Changed now, because later several processes may open the file
    // at once.
    openDb(begun).close();
    // SQLite keeps locks and the index of the log by inode, and the driver may keep a closed file open
    // for a while: the file in use must have another inode.
    copyFileSync(begun, copy);
    syncFile(copy, 'r+');
    options.onStep?.('place', 'begin');
    placeFile(copy, file);
    options.onStep?.('place', 'done');
  } catch (error) {
    if (existsSync(file)) return;
    if (error instanceof StoreError) throw new StoreError(error.reason, file, { cause: error });
    const code = errorCode(error);
    if (code === '') throw error;
    throw new StoreError(code === 'ENOSPC' ? 'full' : 'unopenable', file, { cause: error });
  } finally {
    remove(begun);
    remove(copy);
  }
}

/**
 * Removes store files that processes began and did not finish. No other process may create stores in
 * the folder at the same time.
 */
export function removeUnfinished(folder: string): void {
  for (const name of readdirSync(folder)) {
    if (UNFINISHED.test(name)) remove(join(folder, name));
  }
}
