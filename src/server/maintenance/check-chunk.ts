import type { PostTerms } from '#core/text/post.ts';
import { ChunkBuilder } from '#server/index/builder.ts';
import { mergeChunks } from '#server/index/merge.ts';
import { pack } from '#server/index/ordinals.ts';
import { blobIds, blobWords } from '#server/posts/index/blobs.ts';
import type { ChunkTable } from '#server/posts/index/chunks.ts';
import type { ChunkRow, Inspection } from '#server/posts/index/inspection.ts';
import { SUPERSEDED, type PostRow, type PostTable } from '#server/posts/store/post-table.ts';
import type { TombstoneTable } from '#server/posts/store/tombstones.ts';
import type { Findings } from './check-findings.ts';
import { asStored, compareTerms, StoredTerms } from './check-terms.ts';
import { restIsBare } from '#server/posts/json/facts.ts';
import { storedTerms } from '#server/posts/store/stored-post.ts';
import { StoreError } from '#server/db/store-error.ts';

/** The tables that a check reads. */
export interface CheckTables {
  readonly inspection: Inspection;
  readonly posts: PostTable;
  readonly chunks: ChunkTable;
  readonly tombstones: TombstoneTable;
}

const ROWS_READ = 1024;
const MAX_POSTS = 65_536;

/** The row of an indexed Post; null, and reported, if there is none that counts. */
export function indexedRow(
  id: bigint,
  row: PostRow | 'unreadable' | undefined,
  where: string,
  found: Findings,
): PostRow | null {
  if (row === 'unreadable') return null;
  if (!row) found.add(`Post ${id} counts in ${where} but is not in the store.`);
  else if ((row.flags & SUPERSEDED) !== 0) {
    found.add(`Post ${id} was edited but still counts in ${where}.`);
  } else return row;
  return null;
}

/** The rows of ids, by id, except unreadable ones, which are reported. */
export function readableRows(
  ids: readonly bigint[],
  { inspection, posts }: Pick<CheckTables, 'inspection' | 'posts'>,
  found: Findings,
): Map<bigint, PostRow | 'unreadable'> {
  const rows = new Map<bigint, PostRow | 'unreadable'>();
  for (const id of inspection.unreadable(ids)) {
    found.add(`The row of Post ${id} cannot be read: a text of it is not UTF-8.`, 'restore');
    rows.set(id, 'unreadable');
  }
  const utf8 = rows.size === 0 ? ids : ids.filter((id) => !rows.has(id));
  for (const id of posts.damaged(utf8)) {
    found.add(`The row of Post ${id} cannot be read: it does not match its checksum.`, 'restore');
    rows.set(id, 'unreadable');
  }
  const readable = rows.size === 0 ? ids : ids.filter((id) => !rows.has(id));
  for (const row of posts.rows(readable)) rows.set(row.id, row);
  return rows;
}

/** The terms of a row; null, and reported, if it cannot be read. */
export function rowTerms(row: PostRow, posts: PostTable, found: Findings): PostTerms | null {
  try {
    return storedTerms(row, posts.object);
  } catch (error) {
    // Errors of JSON that this program did not write.
    if (!(error instanceof SyntaxError || error instanceof TypeError)) throw error;
    found.add(`The row of Post ${row.id} cannot be read: ${error.message}.`, 'restore');
    return null;
  }
}

/** True if a row is of a format that did not store everything its terms came from. */
export function isOfOlderFormat({ facts, rest }: PostRow): boolean {
  return facts === null && !restIsBare(rest);
}

/** True if everything in a chunk matches its checksum. */
export function isChunkAsWritten(c: number, chunks: ChunkTable): boolean {
  try {
    chunks.read(c).verifyAll();
    return true;
  } catch (error) {
    if (error instanceof StoreError && error.reason === 'index-damaged') return false;
    throw error;
  }
}

/** Checks a chunk's own record; null if it is too wrong for further checks. */
function readHead(c: number, row: ChunkRow | null, found: Findings) {
  if (!row) {
    found.add(`Chunk ${c} counts but is not in the store.`);
    return null;
  }
  const { n } = row;
  const [times, ids] = [blobWords(row.times), blobIds(row.ids)];
  const fits = row.times.length === n * 4 && row.ids.length === n * 8;
  if (!fits || n < 1 || n > MAX_POSTS) {
    const content = `times of ${times.length} Posts and ids of ${ids.length}`;
    found.add(`Chunk ${c} says that it has ${n} Posts but has ${content}.`);
    return null;
  }
  const back = times.findIndex((second, o) => o > 0 && second < times[o - 1]!);
  if (back !== -1) found.add(`Chunk ${c}: Post ${ids[back]} is out of the order of time.`);
  const lowest = ids.reduce((low, id) => (id < low ? id : low));
  const highest = ids.reduce((high, id) => (id > high ? id : high));
  if (row.id0 !== lowest || row.id1 !== highest) {
    const said = `${row.id0} to ${row.id1}`;
    found.add(`Chunk ${c} says that its ids are ${said}; they are ${lowest} to ${highest}.`);
  }
  return { ...row, times, ids, inOrder: back === -1 };
}

/** The instants of Posts in the first, or last, second of a chunk. */
class Edge {
  readonly #name: string;
  readonly #second: number;
  readonly #best: (...instants: number[]) => number;
  #instant: number | null = null;
  /** True if a Post of that second is deleted: it may have been the first or last. */
  #broken = false;

  constructor(name: string, second: number, best: (...instants: number[]) => number) {
    this.#name = name;
    this.#second = second;
    this.#best = best;
  }

  markDeleted(second: number): void {
    if (second === this.#second) this.#broken = true;
  }

  see(instant: number): void {
    if (Math.floor(instant / 1000) !== this.#second) return;
    this.#instant = this.#best(instant, this.#instant ?? instant);
  }

  compare(c: number, stated: number, found: Findings): void {
    const own = this.#instant ?? stated;
    const agrees = this.#broken ? this.#best(stated, own) === stated : stated === own;
    if (agrees && Math.floor(stated / 1000) === this.#second) return;
    const is = this.#instant ?? this.#second * 1000;
    found.add(
      `Chunk ${c} says that its ${this.#name} Post is from ${isoOf(stated)}; it is from ${isoOf(is)}.`,
    );
  }
}

function isoOf(instant: number): string {
  const date = new Date(instant);
  return Number.isNaN(date.getTime()) ? String(instant) : date.toISOString();
}

/**
 * Checks one chunk that counts: its own record, that each of its living Posts has its row, and that its
 * terms are those of the rows. Yields how many Posts were read.
 *
 * @returns Ids of the Posts that count in it.
 */
export function* checkChunk(
  c: number,
  { inspection, posts, chunks, tombstones }: CheckTables,
  found: Findings,
): Generator<number, BigInt64Array> {
  const head = readHead(c, inspection.chunk(c), found);
  if (!head) return new BigInt64Array(0);
  const { n, times, ids } = head;
  const dead = tombstones.of(c);
  const beyond = dead.find((o) => !(o >= 0 && o < n));
  if (beyond !== undefined) {
    found.add(`Chunk ${c}: place ${beyond} is marked as deleted, but there are ${n} places.`);
  }
  const gone = new Uint8Array(n);
  for (const o of dead) if (o < n) gone[o] = 1;
  const living = Array.from({ length: n }, (_, o) => o).filter((o) => gone[o] === 0);
  const counted = BigInt64Array.from(living, (o) => ids[o]!);

  const builder = new ChunkBuilder();
  const older = new Set<bigint>();
  const edges = [
    new Edge('first', times[0]!, Math.min),
    new Edge('last', times[n - 1]!, Math.max),
  ] as const;
  for (const o of dead) for (const edge of edges) edge.markDeleted(times[o] ?? -1);
  const rightRow = (o: number, read: PostRow | 'unreadable' | undefined): PostRow | null => {
    const row = indexedRow(ids[o]!, read, `chunk ${c}`, found);
    if (!row || Math.floor(row.createdAt / 1000) === times[o]) return row;
    const [stated, is] = [isoOf(times[o]! * 1000), isoOf(row.createdAt)];
    found.add(`Chunk ${c} has Post ${row.id} at ${stated}; it is from ${is}.`);
    return null;
  };
  for (let at = 0; at < living.length; at += ROWS_READ) {
    const lot = living.slice(at, at + ROWS_READ);
    const rows = readableRows(
      lot.map((o) => ids[o]!),
      { inspection, posts },
      found,
    );
    for (const o of lot) {
      const row = rightRow(o, rows.get(ids[o]!));
      const terms = row && rowTerms(row, posts, found);
      if (!terms) {
        gone[o] = 1;
        for (const edge of edges) edge.markDeleted(times[o]!);
        continue;
      }
      for (const edge of edges) edge.see(row.createdAt);
      builder.add(row.id, row.createdAt, terms);
      if (isOfOlderFormat(row)) older.add(row.id);
    }
    yield lot.length;
  }
  edges[0].compare(c, head.t0, found);
  edges[1].compare(c, head.t1, found);
  if (!head.inOrder || builder.size === 0) return counted;

  const terms = new StoredTerms(c, n, inspection, found);
  const absent = Uint16Array.from(Array.from(gone.keys()).filter((o) => gone[o] === 1));
  const stored = mergeChunks([
    { ...chunks.read(c, 'unverified'), dead: pack(absent), terms: () => terms.all() },
  ]);
  yield 0;
  const built = builder.build();
  const whole = mergeChunks([{ ...built, terms: () => asStored(built.terms()) }]);
  yield 0;
  if (!stored || !whole) return counted;
  const doubtful = new Set<number>();
  if (older.size > 0) {
    for (const [o, id] of whole.ids().entries()) if (older.has(id)) doubtful.add(o);
  }
  const { unsound } = terms;
  compareTerms({ c, stored: stored.inverted, built: whole, unsound, doubtful }, found);
  return counted;
}
