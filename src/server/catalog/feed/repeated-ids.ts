import { rmSync } from 'node:fs';
import { openDb } from '#server/db/driver.ts';

/** The ids of a feed, in a file: a feed of several gigabytes has too many for memory. */
export interface RepeatedIds {
  add(ids: readonly string[]): void;
  /** Whether an id was added more than once. */
  has(id: string): boolean;
  /** Removes the file. */
  close(): void;
}

const SUFFIXES = ['', '-journal', '-wal', '-shm'];

/** @param file - Is replaced; it need not survive a crash. */
export function openRepeatedIds(file: string): RepeatedIds {
  const remove = (): void => {
    for (const suffix of SUFFIXES) rmSync(file + suffix, { force: true });
  };
  remove();
  const db = openDb(file, { logged: false, flushed: false });
  db.exec(
    'CREATE TABLE seen (id TEXT PRIMARY KEY, again INTEGER NOT NULL DEFAULT 0) WITHOUT ROWID',
  );
  const insert = db.prepare('INSERT INTO seen (id) VALUES (?) ON CONFLICT DO UPDATE SET again = 1');
  const find = db.prepare('SELECT again FROM seen WHERE id = ?');
  const some = db.prepare('SELECT 1 FROM seen WHERE again = 1 LIMIT 1');
  let isAny: boolean | null = null;
  return {
    add: (ids) => {
      isAny = null;
      db.write('seen', () => {
        for (const id of ids) insert.run([id]);
      });
    },
    has: (id) => {
      isAny ??= some.get() !== undefined;
      return isAny && find.get([id])?.[0] === 1;
    },
    close: () => {
      db.close();
      remove();
    },
  };
}
