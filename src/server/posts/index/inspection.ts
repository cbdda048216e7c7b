import type { OpenTerms } from '#server/index/segments.ts';
import { isUtf8 } from 'node:buffer';
import { mayHold } from '#server/index/bloom-filter.ts';
import { entriesOf, termHash, type TailEntry } from '#server/index/rare-terms.ts';
import { FREQUENT } from './chunk-writer.ts';
import { integrityOf, type Cell, type Db } from '#server/db/driver.ts';
import { SUPERSEDED } from '#server/posts/store/post-table.ts';

/** A row of `chunk`, right or wrong. */
export interface ChunkRow {
  readonly n: number;
  /** Epoch ms. */
  readonly t0: number;
  readonly t1: number;
  readonly id0: bigint;
  readonly id1: bigint;
  readonly times: Buffer;
  readonly ids: Buffer;
}

/** A term with its own row. */
export interface PostingRow {
  readonly term: string;
  readonly list: Buffer;
  readonly spots: Buffer | null;
}

/** A block of rare terms. */
export interface TailRow {
  readonly h: number;
  readonly entries: Iterable<TailEntry>;
}

/** A row of the open set that is in no chunk. */
export interface OpenRow extends Omit<OpenTerms, 'terms'> {
  /** JSON in UTF-8. */
  readonly terms: Buffer;
}

/** A file of Posts as it is, row by row, for checks. */
export type Inspection = ReturnType<typeof inspectionOf>;

const ROWS_READ = 512;
const MAX_STRAYS = 64;
const BATCH = 64;
const EMPTY = Buffer.alloc(0);
const TEXTS = ['author_id', 'username', 'text', 'lang', 'rest', 'facts'];

function blob(cell: Cell | undefined): Buffer {
  return Buffer.isBuffer(cell) ? cell : EMPTY;
}

export function inspectionOf(db: Db) {
  const chunk = db.prepare(
    'SELECT n, t0, t1, id0, id1, times, ids FROM chunk WHERE c = ?',
    'exact',
  );
  // The driver aborts the process if a text is not UTF-8, so texts are read as bytes.
  const postings = db.prepare(
    `SELECT CAST(term AS BLOB), list, spots FROM posting
     WHERE c = ? AND term > CAST(? AS TEXT) ORDER BY term LIMIT ?`,
  );
  const open = db.prepare(
    `SELECT n, id, created_at, CAST(terms AS BLOB) FROM open_post
     WHERE n > max(?, (SELECT CAST(value AS INTEGER) FROM meta WHERE key = 'sealed'))
     ORDER BY n LIMIT ?`,
    'exact',
  );
  const texts = db.prepare(
    `SELECT id, CAST(${TEXTS.map((name) => `ifnull(${name}, '')`).join(` || ' ' || `)} AS BLOB)
     FROM post WHERE id IN (${Array(BATCH).fill('?').join()})`,
    'exact',
  );
  const tail = db.prepare('SELECT h, block FROM tail WHERE c = ? AND h > ? ORDER BY h LIMIT ?');
  const filter = db.prepare('SELECT bits FROM filter WHERE c = ?');
  const counting = db.prepare(
    `SELECT id FROM post WHERE id > ? AND flags & ${SUPERSEDED} = 0 ORDER BY id LIMIT ?`,
    'exact',
  );
  const stray = db.prepare(
    `SELECT c, o FROM tombstone WHERE CASE c WHEN 0 THEN o NOT IN (SELECT n FROM open_post)
     ELSE c NOT IN (SELECT c FROM chunk) END LIMIT ${MAX_STRAYS}`,
  );
  const sealedRows = db.prepare(
    `SELECT count(*) FROM open_post WHERE n <= (SELECT CAST(value AS INTEGER) FROM meta WHERE key = 'sealed')`,
  );
  return {
    /** The faults that SQLite finds in the file, at most `limit` lines. */
    damage: (limit: number): string[] => integrityOf(db, limit),
    /** Null if there is no such chunk. */
    chunk: (c: number): ChunkRow | null => {
      const row = chunk.get([c]);
      if (!row) return null;
      const [n, t0, t1, id0, id1, times, ids] = row;
      return {
        n: Number(n),
        t0: Number(t0),
        t1: Number(t1),
        id0: id0 as bigint,
        id1: id1 as bigint,
        times: blob(times),
        ids: blob(ids),
      };
    },
    *postings(c: number): Generator<PostingRow> {
      for (let rows = postings.all([c, EMPTY, ROWS_READ]); rows.length > 0;) {
        for (const [term, list, spots] of rows) {
          yield {
            term: blob(term).toString('utf8'),
            list: blob(list),
            spots: spots === null ? null : blob(spots),
          };
        }
        rows = postings.all([c, blob(rows.at(-1)![0]), ROWS_READ]);
      }
    },
    /** Rows of the open set above number `after`, ascending, at most `limit`. */
    open: (after: number, limit: number): OpenRow[] =>
      open.all([after, limit]).map(([n, id, createdAt, terms]) => ({
        n: Number(n),
        id: id as bigint,
        createdAt: Number(createdAt),
        terms: blob(terms),
      })),
    /** The ids whose rows have a text that is not UTF-8: reading it would end the program. */
    unreadable: (ids: readonly bigint[]): Set<bigint> => {
      const found = new Set<bigint>();
      for (let at = 0; at < ids.length; at += BATCH) {
        const batch = ids.slice(at, at + BATCH);
        while (batch.length < BATCH) batch.push(batch[0]!);
        for (const [id, bytes] of texts.all(batch)) {
          if (Buffer.isBuffer(bytes) && !isUtf8(bytes)) found.add(id as bigint);
        }
      }
      return found;
    },
    *tail(c: number): Generator<TailRow> {
      for (let rows = tail.all([c, -1, ROWS_READ]); rows.length > 0;) {
        for (const [h, block] of rows) yield { h: Number(h), entries: entriesOf(blob(block)) };
        rows = tail.all([c, Number(rows.at(-1)![0]), ROWS_READ]);
      }
    },
    /** Returns whether a chunk's filter allows a term; without a filter every term is allowed. */
    filter: (c: number): ((term: string, kind: 'frequent' | 'rare') => boolean) => {
      const bits = filter.get([c])?.[0];
      if (!Buffer.isBuffer(bits)) return () => true;
      return (term, kind) => mayHold(bits, termHash(term) ^ (kind === 'frequent' ? FREQUENT : 0));
    },
    /** Ids above `after` of Posts that count, ascending, at most `limit`. */
    counting: (after: bigint, limit: number): bigint[] =>
      counting.all([after, limit]).map(([id]) => id as bigint),
    /** Some of the tombstones whose chunk or open Post does not exist. */
    strayTombstones: (): { readonly c: number; readonly o: number }[] =>
      stray.all().map(([c, o]) => ({ c: Number(c), o: Number(o) })),
    /** Number of rows of open Posts that are in a chunk by now. */
    sealedRows: (): number => Number(sealedRows.get()?.[0]),
  };
}
