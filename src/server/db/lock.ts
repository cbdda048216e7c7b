import { openDb } from './driver.ts';
import { StoreError } from './store-error.ts';

export interface Lock {
  release(): void;
}

/**
 * Takes the lock of a file for this process; creates the file if it does not exist. The system releases
 * the lock when the process ends, however that happens.
 *
 * @returns The lock, or null if another process, or this one, holds it.
 * @throws {@link StoreError} if the file cannot be opened or is not a database.
 */
export function takeLock(file: string): Lock | null {
  const db = openDb(file);
  try {
    db.exec('PRAGMA busy_timeout = 0');
    db.exec('BEGIN EXCLUSIVE');
  } catch (error) {
    db.close();
    if (error instanceof StoreError && error.reason === 'busy') return null;
    throw error;
  }
  return {
    release: () => {
      db.exec('ROLLBACK');
      db.close();
    },
  };
}
