import type { Db } from '#server/db/driver.ts';

/** The state of a pool's limit; `seen` (last use) and `reset` (end) in Unix seconds. */
export interface LimitWindow {
  used: number;
  seen: number;
  reset: number;
}

/**
 * Windows of limits that last a day or longer, by the limit's name and the caller's pool. A stored window survives the
 * end of the process, however it ends, but not that of the machine.
 */
export type LimitTable = ReturnType<typeof limitTable>;

/** @param db - A connection whose commits do not wait for the disk, because a request waits for them. */
export function limitTable(db: Db) {
  const find = db.prepare('SELECT used, seen, reset FROM limit_window WHERE name = ? AND pool = ?');
  const put = db.prepare('INSERT OR REPLACE INTO limit_window VALUES (?, ?, ?, ?, ?)');
  const sweep = db.prepare('DELETE FROM limit_window WHERE name = ? AND (reset <= ? OR reset > ?)');
  return {
    get: (name: string, pool: string): LimitWindow | undefined => {
      const [used, seen, reset] = find.get([name, pool]) ?? [];
      return used === undefined
        ? undefined
        : { used: Number(used), seen: Number(seen), reset: Number(reset) };
    },
    put: (name: string, pool: string, { used, seen, reset }: LimitWindow): void =>
      void db.write('limit', () => put.run([name, pool, used, seen, reset])),
    /** Removes a limit's windows that end by `from` or after `until`. */
    sweep: (name: string, from: number, until: number): void =>
      void db.write('limit', () => sweep.run([name, from, until])),
  };
}
