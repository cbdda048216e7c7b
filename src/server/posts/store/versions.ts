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
  const firsts = db.prepare(
    'SELECT DISTINCT first FROM version WHERE post IN (SELECT value FROM json_each(?))',
    'exact',
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
    /**
     * Records Posts as versions of one, within a write transaction, also those that are not in the file yet.
     *
     * @param ids - Together with the known versions of each of them. A later version has a higher id.
     */
    unite: (ids: readonly bigint[]): void => {
      const known = ids.map(of);
      const all = [...new Set(known.flat())].sort((a, b) => (a < b ? -1 : 1));
      const [first] = all;
      if (first === undefined || known.some(({ length }) => length === all.length)) return;
      for (const id of all) remove.run([id]);
      for (const [n, id] of all.entries()) add.run([id, first, n]);
    },
    /** The versions, oldest first, of each edited Post among some Posts, given by any of them. */
    chains: (ids: readonly bigint[]): bigint[][] =>
      firsts.all([`[${ids.join()}]`]).map(([first]) => of(first as bigint)),
    /** Removes all versions of a Post, given by any of them, within a write transaction. */
    remove: (id: bigint): void => void remove.run([id]),
  };
}
