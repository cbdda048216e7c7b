import type { PostPlace } from '#server/posts/index/chunks.ts';
import type { Db } from '#server/db/driver.ts';
import { deadSum } from '#server/posts/index/sums.ts';

/** Places of Posts that no longer count. */
export type TombstoneTable = ReturnType<typeof tombstoneTable>;

export function tombstoneTable(db: Db) {
  const add = db.prepare('INSERT INTO tombstone (c, o, revision) VALUES (?, ?, ?)');
  const addSum = db.prepare(
    `INSERT INTO dead (c, sum) VALUES (?, ?) ON CONFLICT (c) DO UPDATE SET sum = sum + excluded.sum`,
  );
  const putSum = db.prepare('INSERT OR REPLACE INTO dead (c, sum) VALUES (?, ?)');
  const sums = db.prepare('SELECT c, sum FROM dead');
  const since = db.prepare('SELECT c, o FROM tombstone WHERE revision > ?');
  const of = db.prepare('SELECT o FROM tombstone WHERE c = ? ORDER BY o');
  const counts = db.prepare('SELECT c, count(*) FROM tombstone GROUP BY c');
  return {
    /** Marks a place as deleted since a revision, within a write transaction. */
    add: ({ c, o }: PostPlace, revision: number) => {
      add.run([c, o, revision]);
      addSum.run([c, deadSum(c, o)]);
    },
    /** Sums of the checksums of all tombstones, by chunk. */
    sums: (): Map<number, number> =>
      new Map(sums.all().map(([c, sum]) => [Number(c), Number(sum)])),
    /** Computes the sum of a chunk again, within a write transaction that removed some. */
    recount: (c: number): void =>
      void putSum.run([c, of.all([c]).reduce((sum, [o]) => sum + deadSum(c, Number(o)), 0)]),
    /** The places deleted after a revision. */
    since: (revision: number): PostPlace[] =>
      since.all([revision]).map(([c, o]) => ({ c: Number(c), o: Number(o) })),
    /** Deleted ordinals of a chunk, ascending; for chunk 0 the numbers of open Posts. */
    of: (c: number): number[] => of.all([c]).map(([o]) => Number(o)),
    /** Number of tombstones of each chunk that has some. */
    counts: (): Map<number, number> =>
      new Map(counts.all().map(([c, n]) => [Number(c), Number(n)])),
  };
}
