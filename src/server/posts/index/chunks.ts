import type { ChunkContent } from '#server/index/inverted.ts';
import { lowerBound } from '#server/index/ordinals.ts';
import type { Db } from '#server/db/driver.ts';
import { metaOf } from '#server/db/meta.ts';
import { finish } from '#server/index/steps.ts';
import type { PostRow } from '#server/posts/store/post-table.ts';
import { checksIn } from './checks.ts';
import { chunkReader, type StoredChunk } from './chunk-reader.ts';
import { chunkWriter, prepareChunk } from './chunk-writer.ts';
import { liveSum } from './sums.ts';

/** The place at which a Post is indexed: ordinal `o` of chunk `c` or, with c = 0, number `o` of the open set. */
export interface PostPlace {
  readonly c: number;
  readonly o: number;
}

/**
 * The sealed chunks of a file. Those that are not live are being written, or remain from an interrupted
 * write.
 */
export type ChunkTable = ReturnType<typeof chunkTable>;

/** Writes a chunk that counts at once, within a write transaction. */
export function addChunk(chunks: ChunkTable, content: ChunkContent): void {
  chunks.swap([finish(chunks.write(prepareChunk(content)))], []);
}

export function chunkTable(db: Db) {
  const meta = metaOf(db);
  const live = db.prepare('SELECT c FROM live ORDER BY c');
  const show = db.prepare('INSERT INTO live (c) VALUES (?)');
  const hide = db.prepare('DELETE FROM live WHERE c = ?');
  const obsolete = db.prepare(
    `SELECT c FROM (SELECT c FROM chunk UNION SELECT c FROM tombstone WHERE c > 0)
     WHERE c NOT IN (SELECT c FROM live) ORDER BY c`,
  );
  const missing = db.prepare('SELECT c FROM live WHERE c NOT IN (SELECT c FROM chunk) ORDER BY c');
  const between = db.prepare(
    `SELECT c, t0, t1 FROM live JOIN chunk USING (c)
     WHERE t0 <= ? AND t1 >= ? AND id0 <= ? AND id1 >= ? ORDER BY c DESC`,
  );
  const isDead = db.prepare('SELECT 1 FROM tombstone WHERE c = ? AND o = ?');
  const read = chunkReader(db);
  const { write, clear } = chunkWriter(db);

  // Deletions usually concern Posts of one time, so the last chunk is cached.
  let sought: StoredChunk | undefined;
  const ordinalIn = (c: number, id: bigint, createdAt: number): number => {
    if (sought?.c !== c) sought = read(c);
    const seconds = sought.times();
    const second = Math.floor(createdAt / 1000);
    const names = sought.ids();
    for (let o = lowerBound(seconds, second); o < seconds.length && seconds[o] === second; o++) {
      if (names[o] === id && !isDead.get([c, o])) return o;
    }
    return -1;
  };

  const numbers = (): number[] => live.all().map(([c]) => Number(c));
  return {
    /** Numbers of the live chunks, ascending, without verification. */
    live: numbers,
    /**
     * {@link ChunkTable.live}, verified, for counting. @throws {@link StoreError} `index-damaged` if they
     * differ from what was written.
     */
    counting: (): number[] => {
      const all = numbers();
      if (liveSum(all) !== meta.number('live')) throw checksIn(db).damaged();
      return all;
    },
    /** Incremented with every change of the live chunks. */
    shape: (): number => meta.number('shape'),
    /**
     * Reads a chunk, whose parts are verified when first read.
     *
     * @param unverified - For repairs of the index, and to find out what is wrong with it.
     * @throws {@link StoreError} `index-damaged`, also by every function of the chunk, if it differs from
     *   what was written.
     */
    read,
    /** The places of Posts that count, by their ids and their instants in epoch ms. Those in no live chunk are left out. */
    findAll: (posts: readonly Pick<PostRow, 'id' | 'createdAt'>[]): Map<bigint, PostPlace> => {
      const found = new Map<bigint, PostPlace>();
      const times = posts.map(({ createdAt }) => createdAt);
      const first = times.reduce((low, at) => Math.min(low, at), Infinity);
      const last = times.reduce((high, at) => Math.max(high, at), -Infinity);
      const ids = posts.map(({ id }) => id).sort((a, b) => (a < b ? -1 : 1));
      if (ids.length === 0) return found;
      for (const [number, t0, t1] of between.all([last, first, ids.at(-1)!, ids[0]!])) {
        const c = Number(number);
        for (const { id, createdAt } of posts) {
          if (found.has(id) || createdAt < Number(t0) || createdAt > Number(t1)) continue;
          const o = ordinalIn(c, id, createdAt);
          if (o !== -1) found.set(id, { c, o });
        }
      }
      return found;
    },
    /**
     * Writes a chunk under a new number, not yet live. Runs within write transactions: all of it in one,
     * or each part of about {@link PART_BYTES} in its own.
     *
     * @returns The chunk's number.
     */
    write,
    /** Makes `shown` count instead of `hidden`, within a write transaction. */
    swap: (shown: readonly number[], hidden: readonly number[]): void => {
      for (const c of hidden) hide.run([c]);
      for (const c of shown) show.run([c]);
      meta.put('live', liveSum(numbers()));
      meta.put('shape', meta.number('shape') + 1);
    },
    /** Numbers of chunks, and of tombstones' chunks, that are not live. */
    obsolete: (): number[] => obsolete.all().map(([c]) => Number(c)),
    /** Live numbers without a chunk: damage. */
    missing: (): number[] => missing.all().map(([c]) => Number(c)),
    /** Removes a chunk that is not live, in parts like {@link ChunkTable.write}. */
    clear,
  };
}
