import type { Db } from '#server/db/driver.ts';

/** Most edits of a Post (platform-facts-additions, section 3: `edits_remaining` of a new Post). */
export const MAX_EDITS = 5;

/** The versions of edited Posts. */
export function versionTable(db: Db) {
  const all = db.prepare(
    'SELECT b.post FROM version a JOIN version b ON b.first = a.first WHERE a.post = ? ORDER BY b.n',
    'exact',
  );
  const add = db.prepare('INSERT INTO version (post, first, n) VALUES (?, ?, ?)');
  const remove = db.prepare(
    'DELETE FROM version WHERE first = (SELECT first FROM version WHERE post = ?)',
  );
  const of = (id: bigint): bigint[] => {
    const found = all.all([id]).map(([post]) => post as bigint);
    return found.length === 0 ? [id] : found;
  };
  return {
    /** Ids of all versions of a Post, given by any of them, oldest first: one if it was never edited. */
    of,
    /** Adds a version after the newest one, within a write transaction. */
    add: (previous: bigint, next: bigint) => {
      const before = of(previous);
      const [first = previous] = before;
      if (before.length === 1) add.run([first, first, 0]);
      add.run([next, first, before.length]);
    },
    /** Removes all versions of a Post, given by any of them, within a write transaction. */
    remove: (id: bigint): void => void remove.run([id]),
  };
}
