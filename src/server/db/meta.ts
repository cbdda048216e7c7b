import type { Db } from './driver.ts';

/** Numbers and texts that a file stores about itself. */
export function metaOf(db: Db) {
  const get = db.prepare('SELECT value FROM meta WHERE key = ?');
  const put = db.prepare('INSERT OR REPLACE INTO meta (key, value) VALUES (?, ?)');
  return {
    /** The number under a key; 0 if there is none. */
    number: (key: string): number => Number(get.get([key])?.[0] ?? 0),
    /** The text under a key; empty if there is none. */
    text: (key: string): string => String(get.get([key])?.[0] ?? ''),
    /** Stores a number under a key, within a write transaction. */
    put: (key: string, value: number): void => void put.run([key, String(value)]),
    /** Stores a text under a key, within a write transaction. */
    putText: (key: string, value: string): void => void put.run([key, value]),
  };
}
