import type { BuiltChunk } from '#server/index/builder.ts';
import type { Chunk } from '#server/index/chunk.ts';
import { GAP, ordinalsOf, spotsOf } from '#server/index/inverted.ts';
import { NONE, pack } from '#server/index/ordinals.ts';
import type { Ordinals } from '#server/index/ordinals.ts';
import { findInTail, hashOf, isRare, packTail } from '#server/index/tail.ts';
import type { PostTerms } from '#core/text/post.ts';
import type { Cell, Db } from './db.ts';

/** Bytes of the machine's order as stored: every platform that the program runs on is little-endian. */
function bytesOf(array: Uint16Array | Uint32Array | BigInt64Array): Buffer {
  return Buffer.from(array.buffer, array.byteOffset, array.byteLength);
}

/** A blob at an address that wider elements may be read from: itself, or a copy if it lies askew. */
function aligned(cell: Cell | undefined): Buffer {
  if (!Buffer.isBuffer(cell)) throw new TypeError(`expected a blob, got ${typeof cell}`);
  return cell.byteOffset % 8 === 0 ? cell : Buffer.from(Uint8Array.from(cell).buffer);
}

function words(cell: Cell | undefined): Uint32Array {
  const blob = aligned(cell);
  return new Uint32Array(blob.buffer, blob.byteOffset, blob.byteLength / 4);
}

const BITMAP_BYTES = 8192;

function listOf(cell: Cell | undefined): Ordinals {
  const blob = aligned(cell);
  if (blob.byteLength === BITMAP_BYTES) return words(blob);
  return new Uint16Array(blob.buffer, blob.byteOffset, blob.byteLength / 2);
}

const NO_SPOTS = new Uint32Array(0);

/** The sealed chunks of a file and the rows of the open set. */
export interface ChunkTable {
  /** Writes a chunk with all its terms under the next number. */
  add(chunk: BuiltChunk): void;
  /** The chunks numbered from `from` on, ascending. */
  from(from: number): { c: number; chunk: Chunk }[];
  openCount(): number;
  addOpen(id: bigint, createdAt: number, terms: PostTerms): void;
  /** Rows of the open set with a number above `after`, ascending. */
  open(after: number): OpenPost[];
  clearOpen(): void;
}

export interface OpenPost {
  readonly n: number;
  readonly id: bigint;
  readonly createdAt: number;
  readonly terms: PostTerms;
}

export function chunkTable(db: Db): ChunkTable {
  const addChunk = db.prepare(
    'INSERT INTO chunk (c, n, t0, t1, id0, id1, times, ids) VALUES (?, ?, ?, ?, ?, ?, ?, ?)',
  );
  const nextChunk = db.prepare('SELECT coalesce(max(c), 0) + 1 FROM chunk');
  const chunks = db.prepare(
    'SELECT c, n, t0, t1, id0, id1, dead FROM chunk WHERE c >= ? ORDER BY c',
    'exact',
  );
  const timesOf = db.prepare('SELECT times FROM chunk WHERE c = ?');
  const idsOf = db.prepare('SELECT ids FROM chunk WHERE c = ?');
  const addPosting = db.prepare('INSERT INTO posting (c, term, list, spots) VALUES (?, ?, ?, ?)');
  const listFor = db.prepare('SELECT list FROM posting WHERE c = ? AND term = ?');
  const spotsFor = db.prepare('SELECT spots FROM posting WHERE c = ? AND term = ?');
  const termsBetween = db.prepare(
    'SELECT term FROM posting WHERE c = ? AND term >= ? AND term < ?',
  );
  const addTail = db.prepare('INSERT INTO tail (c, h, block) VALUES (?, ?, ?)');
  const tailFor = db.prepare(
    'SELECT block FROM tail WHERE c = ? AND h <= ? ORDER BY h DESC LIMIT 1',
  );
  const openCount = db.prepare('SELECT count(*) FROM open_post');
  const addOpen = db.prepare('INSERT INTO open_post (id, created_at, terms) VALUES (?, ?, ?)');
  const openAfter = db.prepare(
    'SELECT n, id, created_at, terms FROM open_post WHERE n > ? ORDER BY n',
    'exact',
  );

  const inTail = (c: number, term: string): ReturnType<typeof findInTail> => {
    const block = tailFor.get([c, hashOf(term)])?.[0];
    return Buffer.isBuffer(block) ? findInTail(block, term) : undefined;
  };
  const stored = (row: Cell[]): { c: number; chunk: Chunk } => {
    const [number, n, t0, t1, id0, id1, dead] = row;
    const c = Number(number);
    let times: Uint32Array | undefined;
    let ids: BigInt64Array | undefined;
    const chunk: Chunk = {
      n: Number(n),
      first: Number(t0),
      last: Number(t1),
      lowestId: BigInt(id0 as bigint),
      highestId: BigInt(id1 as bigint),
      dead: dead === null ? NONE : listOf(dead),
      times: () => (times ??= words(timesOf.get([c])?.[0])),
      ids: () => {
        if (!ids) {
          const blob = aligned(idsOf.get([c])?.[0]);
          ids = new BigInt64Array(blob.buffer, blob.byteOffset, blob.byteLength / 8);
        }
        return ids;
      },
      list: (term) => {
        const row = listFor.get([c, term]);
        return row ? listOf(row[0]) : (inTail(c, term)?.ordinals ?? NONE);
      },
      termsFrom: (prefix) =>
        termsBetween.all([c, prefix, `${prefix}\uffff`]).map(([term]) => String(term)),
      spots: (term) => {
        const row = spotsFor.get([c, term]);
        if (!row) return inTail(c, term)?.spots ?? NO_SPOTS;
        return row[0] === null ? NO_SPOTS : words(row[0]);
      },
    };
    return { c, chunk };
  };

  return {
    add: (chunk) => {
      const c = Number(nextChunk.get()?.[0]);
      const { n, first, last, lowestId, highestId } = chunk;
      const placed = [c, n, first, last, lowestId, highestId];
      addChunk.run([...placed, bytesOf(chunk.times()), bytesOf(chunk.ids())]);
      const { inverted } = chunk;
      const { terms, spotsAt, flagsAt } = inverted;
      const rare: number[] = [];
      const frequent: number[] = [];
      for (let t = GAP + 1; t < terms.length; t++) {
        const places = spotsAt[t + 1]! - spotsAt[t]! + flagsAt[t + 1]! - flagsAt[t]!;
        if (places > 0) (isRare(inverted, t) ? rare : frequent).push(t);
      }
      // In the order of the key, so that pages fill one after another.
      frequent.sort((a, b) => (terms[a]! < terms[b]! ? -1 : 1));
      for (const t of frequent) {
        const spots = spotsOf(inverted, t);
        const list = bytesOf(pack(ordinalsOf(inverted, t)));
        addPosting.run([c, terms[t]!, list, spots.length === 0 ? null : bytesOf(spots)]);
      }
      for (const { hash, bytes } of packTail(inverted, rare)) addTail.run([c, hash, bytes]);
    },
    from: (from) => chunks.all([from]).map(stored),
    openCount: () => Number(openCount.get()?.[0]),
    addOpen: (id, createdAt, terms) => {
      addOpen.run([id, createdAt, JSON.stringify(terms)]);
    },
    open: (after) =>
      openAfter.all([after]).map(([n, id, createdAt, terms]) => ({
        n: Number(n),
        id: BigInt(id as bigint),
        createdAt: Number(createdAt),
        terms: JSON.parse(String(terms)) as PostTerms,
      })),
    clearOpen: () => db.exec('DELETE FROM open_post'),
  };
}
