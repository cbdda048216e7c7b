import type { Place } from './chunks.ts';
import type { Db } from './db.ts';

/** Places of Posts that no longer count. */
export interface TombstoneTable {
  /** Marks a place as dead since a revision, within a write transaction. */
  add(place: Place, revision: number): void;
  /** What died after a revision. */
  since(revision: number): Place[];
  /** Ordinals of a chunk that are dead, ascending; numbers of open Posts for chunk 0. */
  of(c: number): number[];
  /** How many there are of each chunk that has some. */
  counts(): Map<number, number>;
}

export function tombstoneTable(db: Db): TombstoneTable {
  const add = db.prepare('INSERT INTO tombstone (c, o, revision) VALUES (?, ?, ?)');
  const since = db.prepare('SELECT c, o FROM tombstone WHERE revision > ?');
  const of = db.prepare('SELECT o FROM tombstone WHERE c = ? ORDER BY o');
  const counts = db.prepare('SELECT c, count(*) FROM tombstone GROUP BY c');
  return {
    add: ({ c, o }, revision) => void add.run([c, o, revision]),
    since: (revision) => since.all([revision]).map(([c, o]) => ({ c: Number(c), o: Number(o) })),
    of: (c) => of.all([c]).map(([o]) => Number(o)),
    counts: () => new Map(counts.all().map(([c, n]) => [Number(c), Number(n)])),
  };
}
