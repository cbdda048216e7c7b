import type { PostTerms } from '#core/text/post.ts';
import type { Db } from '#server/db/driver.ts';
import { metaOf } from '#server/db/meta.ts';
import type { BuiltChunk, ChunkBuilder } from '#server/index/builder.ts';
import { OPEN_POSTS } from '#server/index/chunk.ts';
import type { OpenTerms } from '#server/index/segments.ts';
import { addChunk, type ChunkTable } from '#server/posts/index/chunks.ts';
import { openSum } from '#server/posts/index/sums.ts';
import { tombstoneTable } from '#server/posts/store/tombstones.ts';
import { StoreError } from '#server/db/store-error.ts';

/** A Post that counts but is in no chunk yet. */
export interface OpenPost extends OpenTerms {
  /** Checksum of the row. */
  readonly sum: number;
}

/** The open set of a file, with the terms of its Posts, so that a start need not parse texts. */
export type OpenPostTable = ReturnType<typeof openPostTable>;

const EVERY = 2 ** 40;
const ROWS_CLEARED = 500;

export function openPostTable(db: Db) {
  const meta = metaOf(db);
  const count = db.prepare('SELECT count(*) FROM open_post WHERE n > ?');
  const highest = db.prepare('SELECT max(n) FROM open_post');
  const add = db.prepare(
    'INSERT INTO open_post (n, id, created_at, terms, sum) VALUES (?, ?, ?, ?, ?)',
  );
  const after = db.prepare(
    `SELECT n, id, created_at, CAST(terms AS BLOB), sum FROM open_post
     WHERE n > ? ORDER BY n LIMIT ?`,
    'exact',
  );
  const find = db.prepare(
    `SELECT n FROM open_post WHERE id = ? AND n > ?
     AND NOT EXISTS (SELECT 1 FROM tombstone WHERE c = 0 AND o = open_post.n)`,
  );
  const idOf = db.prepare('SELECT id FROM open_post WHERE n = ?', 'exact');
  const until = db.prepare('SELECT max(n) FROM (SELECT n FROM open_post ORDER BY n LIMIT ?)');
  const remove = db.prepare('DELETE FROM open_post WHERE n <= ?');
  const forget = db.prepare('DELETE FROM tombstone WHERE c = 0 AND o <= ?');
  const forgetStray = db.prepare(
    'DELETE FROM tombstone WHERE c = 0 AND o NOT IN (SELECT n FROM open_post)',
  );
  const sumAbove = db.prepare('SELECT coalesce(sum(sum), 0) FROM open_post WHERE n > ?');
  const tombstones = tombstoneTable(db);
  const sealed = (): number => meta.number('sealed');
  const last = (): number => Math.max(Number(highest.get()?.[0] ?? 0), sealed());
  return {
    count: (): number => Number(count.get([sealed()])?.[0]),
    /** The highest number in a chunk; 0 if there is none. */
    sealed,
    /** Sum of the checksums of all rows that are not in a chunk. */
    sum: (): number => meta.number('open'),
    /** The highest number assigned; 0 if there is none. */
    last,
    /** Adds a Post, within a write transaction. */
    add: (id: bigint, createdAt: number, terms: PostTerms) => {
      const [n, text] = [last() + 1, JSON.stringify(terms)];
      const sum = openSum(n, id, createdAt, text);
      add.run([n, id, createdAt, text, sum]);
      meta.put('open', meta.number('open') + sum);
    },
    /**
     * Posts with a number above `after`, including deleted ones, ascending; at most `limit`.
     *
     * @throws {@link StoreError} `index-damaged` if one differs from what was written.
     */
    after: (from: number, limit: number = EVERY): OpenPost[] =>
      after.all([Math.max(from, sealed()), limit]).map(([n, id, createdAt, terms, sum]) => {
        const place = [Number(n), id as bigint, Number(createdAt)] as const;
        if (!Buffer.isBuffer(terms) || openSum(...place, terms) !== Number(sum)) {
          throw new StoreError('index-damaged', db.file);
        }
        return {
          n: place[0],
          id: place[1],
          createdAt: place[2],
          terms: JSON.parse(terms.toString('utf8')) as PostTerms,
          sum: Number(sum),
        };
      }),
    /** Number of the Post with that id that counts; null if there is none. */
    find: (id: bigint): number | null => {
      const row = find.get([id, sealed()]);
      return row ? Number(row[0]) : null;
    },
    /** Id of the Post of a number; null if there is none. */
    id: (n: number): bigint | null => (idOf.get([n])?.[0] as bigint | undefined) ?? null,
    /** Removes the Posts up to a number from the set, within the transaction that puts them into a chunk. */
    seal: (last: number) => {
      meta.put('sealed', last);
      meta.put('open', Number(sumAbove.get([last])?.[0]));
    },
    /** Removes rows of sealed Posts, and tombstones without a Post, in parts of one write transaction each. */
    *clear(): Generator<void> {
      for (const last = sealed(); ;) {
        const [some] = until.get([ROWS_CLEARED]) ?? [];
        if (typeof some !== 'number') break;
        const border = Math.min(some, last);
        forget.run([border]);
        tombstones.recount(0);
        if (remove.run([border]) < ROWS_CLEARED) break;
        yield;
      }
      forgetStray.run();
      tombstones.recount(0);
    },
  };
}

/**
 * Adds new Posts to the index, within a write transaction: to the open set, or as a chunk where they do not fit it.
 *
 * @param builder - It has built the chunk.
 */
export function indexPosts(
  { open, chunks }: { readonly open: OpenPostTable; readonly chunks: ChunkTable },
  chunk: BuiltChunk,
  builder: ChunkBuilder,
): void {
  if (chunk.n >= OPEN_POSTS || open.count() >= OPEN_POSTS) {
    // However small; compaction merges it.
    addChunk(chunks, chunk);
    return;
  }
  const ids = chunk.ids();
  for (const [o, i] of chunk.order.entries()) {
    open.add(ids[o]!, chunk.instant(o), builder.termsOf(i));
  }
}
