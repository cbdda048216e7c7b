import type { Db } from './driver.ts';

/** Numbers that a file stores about itself. */
export interface Meta {
  /** The number under a key; 0 if there is none. */
  number(key: string): number;
  /** Stores a number under a key, within a write transaction. */
  put(key: string, value: number): void;
}

export function metaOf(db: Db): Meta {
  const get = db.prepare('SELECT value FROM meta WHERE key = ?');
  const put = db.prepare('INSERT OR REPLACE INTO meta (key, value) VALUES (?, ?)');
  return {
    number: (key) => Number(get.get([key])?.[0] ?? 0),
    put: (key, value) => void put.run([key, String(value)]),
  };
}
