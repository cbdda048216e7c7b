import type { Db } from './driver.ts';

/** Numbers that a file stores about itself. */
export function metaOf(db: Db) {
  const get = db.prepare('SELECT value FROM meta WHERE key = ?');
  const put = db.prepare('INSERT OR REPLACE INTO meta (key, value) VALUES (?, ?)');
  return {
    /** The number under a key; 0 if there is none. */
    number: (key: string): number => Number(get.get([key])?.[0] ?? 0),
    /** Stores a number under a key, within a write transaction. */
    put: (key: string, value: number): void => void put.run([key, String(value)]),
  };
}
