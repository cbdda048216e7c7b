import { NO_SPOTS } from '#server/index/chunk.ts';
import { makeFilter, mayHold } from '#server/index/filter.ts';
import { GAP, ordinalsOf, spotsOf } from '#server/index/inverted.ts';
import type { ChunkContent, TermPlaces } from '#server/index/inverted.ts';
import type { WholeChunk } from '#server/index/join.ts';
import { listed, lowerBound, NONE, or, pack } from '#server/index/ordinals.ts';
import type { Ordinals } from '#server/index/ordinals.ts';
import { entriesOf, findInTail, hashOf, isRare, packTail } from '#server/index/tail.ts';
import type { TailBlock } from '#server/index/tail.ts';
import { bytesOf, idsOf, listOf, wordsOf } from './blobs.ts';
import type { Cell, Db, Statement } from './db.ts';
import { metaOf } from './meta.ts';

/** A chunk as it is written: its terms chosen and packed. Making one takes the time, writing it the lock. */
export interface PreparedChunk {
  readonly content: ChunkContent;
  /** Numbers of the terms with a row of their own, in the order of the key. */
  readonly frequent: readonly number[];
  readonly tail: readonly TailBlock[];
  /** Of the hashes of all terms, those of frequent ones turned by {@link FREQUENT}. */
  readonly filter: Uint8Array;
}

/** A filter holds the hashes of frequent terms turned by this, so that it tells where a term would be. */
export const FREQUENT = 0x7fffffff;

export function prepareChunk(content: ChunkContent): PreparedChunk {
  const { terms, spotsAt, flagsAt } = content.inverted;
  const rare: number[] = [];
  const frequent: number[] = [];
  for (let t = GAP + 1; t < terms.length; t++) {
    const places = spotsAt[t + 1]! - spotsAt[t]! + flagsAt[t + 1]! - flagsAt[t]!;
    if (places > 0) (isRare(content.inverted, t) ? rare : frequent).push(t);
  }
  // In the order of the key, so that pages fill one after another.
  frequent.sort((a, b) => (terms[a]! < terms[b]! ? -1 : 1));
  const hashes = new Uint32Array(frequent.length + rare.length);
  for (const [i, t] of frequent.entries()) hashes[i] = hashOf(terms[t]!) ^ FREQUENT;
  for (const [i, t] of rare.entries()) hashes[frequent.length + i] = hashOf(terms[t]!);
  return {
    content,
    frequent,
    tail: packTail(content.inverted, rare),
    filter: makeFilter(hashes),
  };
}

/** A chunk of the file. */
export interface StoredChunk extends WholeChunk {
  readonly c: number;
  /** Bytes of its lists and places: what joining it would hold in memory. */
  weight(): number;
  /** The same chunk with more ordinals dead; this one stays as it was, for whoever is reading it. */
  buried(ordinals: readonly number[]): StoredChunk;
}

/** Where a Post is indexed: ordinal `o` of chunk `c`, or, with c = 0, number `o` of the open set. */
export interface Place {
  readonly c: number;
  readonly o: number;
}

/** The sealed chunks of a file. Those that are not live are in the making, or left over from one that was cut off. */
export interface ChunkTable {
  /** Numbers of the live chunks, ascending. */
  live(): number[];
  /** Rises with every change of what is live. */
  shape(): number;
  read(c: number): StoredChunk;
  /** Where a Post that counts is, by its id and its instant in epoch ms; null where it is in no live chunk. */
  find(id: bigint, createdAt: number): Place | null;
  /**
   * Writes a chunk under a new number, not yet live. Runs within write transactions: all of it in one, or
   * each part, of about {@link PART_BYTES}, in one of its own.
   *
   * @returns The chunk's number.
   */
  write(chunk: PreparedChunk): Generator<void, number>;
  /** Makes `shown` count instead of `hidden`, within a write transaction. */
  swap(shown: readonly number[], hidden: readonly number[]): void;
  /** Numbers of chunks, and of tombstones' chunks, that are not live. */
  leftOver(): number[];
  /** Numbers that are live without a chunk: damage. */
  missing(): number[];
  /** Removes a chunk that is not live, in parts as {@link ChunkTable.write}. */
  clear(c: number): Generator<void>;
}

/** Bytes written in one part: a few milliseconds with what makes them durable. */
const PART_BYTES = 256 * 1024;
const ROWS_CLEARED = 400;
const TERMS_READ = 512;

export function chunkTable(db: Db): ChunkTable {
  const meta = metaOf(db);
  const addChunk = db.prepare(
    'INSERT INTO chunk (c, n, t0, t1, id0, id1, times, ids) VALUES (?, ?, ?, ?, ?, ?, ?, ?)',
  );
  const chunkOf = db.prepare('SELECT n, t0, t1, id0, id1 FROM chunk WHERE c = ?', 'exact');
  const live = db.prepare('SELECT c FROM live ORDER BY c');
  const show = db.prepare('INSERT INTO live (c) VALUES (?)');
  const hide = db.prepare('DELETE FROM live WHERE c = ?');
  const around = db.prepare(
    `SELECT c FROM live JOIN chunk USING (c)
     WHERE t0 <= ? AND t1 >= ? AND id0 <= ? AND id1 >= ? ORDER BY c DESC`,
  );
  const leftOver = db.prepare(
    `SELECT c FROM (SELECT c FROM chunk UNION SELECT c FROM tombstone WHERE c > 0)
     WHERE c NOT IN (SELECT c FROM live) ORDER BY c`,
  );
  const missing = db.prepare('SELECT c FROM live WHERE c NOT IN (SELECT c FROM chunk) ORDER BY c');
  const timesFor = db.prepare('SELECT times FROM chunk WHERE c = ?');
  const idsFor = db.prepare('SELECT ids FROM chunk WHERE c = ?');
  const instantOf = db.prepare('SELECT created_at FROM post WHERE id = ?');
  const deadIn = db.prepare('SELECT o FROM tombstone WHERE c = ? ORDER BY o');
  const isDead = db.prepare('SELECT 1 FROM tombstone WHERE c = ? AND o = ?');
  const addPosting = db.prepare('INSERT INTO posting (c, term, list, spots) VALUES (?, ?, ?, ?)');
  const listFor = db.prepare('SELECT list FROM posting WHERE c = ? AND term = ?');
  const spotsFor = db.prepare('SELECT spots FROM posting WHERE c = ? AND term = ?');
  const termsBetween = db.prepare(
    'SELECT term FROM posting WHERE c = ? AND term >= ? AND term < ?',
  );
  const postingsFrom = db.prepare(
    'SELECT term, list, spots FROM posting WHERE c = ? AND term > ? ORDER BY term LIMIT ?',
  );
  const postingBytes = db.prepare(
    'SELECT coalesce(sum(length(list) + coalesce(length(spots), 0)), 0) FROM posting WHERE c = ?',
  );
  const tailFrom = db.prepare('SELECT h, block FROM tail WHERE c = ? AND h > ? ORDER BY h LIMIT ?');
  const tailBytes = db.prepare('SELECT coalesce(sum(length(block)), 0) FROM tail WHERE c = ?');
  const addTail = db.prepare('INSERT INTO tail (c, h, block) VALUES (?, ?, ?)');
  const tailFor = db.prepare(
    'SELECT block FROM tail WHERE c = ? AND h <= ? ORDER BY h DESC LIMIT 1',
  );
  const addFilter = db.prepare('INSERT INTO filter (c, bits) VALUES (?, ?)');
  const filterFor = db.prepare('SELECT bits FROM filter WHERE c = ?');
  const clearing = [
    { table: 'posting', key: 'term' },
    { table: 'tail', key: 'h' },
  ].map(({ table, key }) => ({
    until: db.prepare(`SELECT ${key} FROM ${table} WHERE c = ? ORDER BY ${key} LIMIT 1 OFFSET ?`),
    some: db.prepare(`DELETE FROM ${table} WHERE c = ? AND ${key} < ?`),
    all: db.prepare(`DELETE FROM ${table} WHERE c = ?`),
  }));
  const clearOnce = ['tombstone', 'filter', 'chunk'].map((table) =>
    db.prepare(`DELETE FROM ${table} WHERE c = ?`),
  );

  // A query asks all chunks for the same few terms, one after another.
  const lately = { term: '', hash: hashOf('') };
  const hashed = (term: string): number => {
    if (term !== lately.term) Object.assign(lately, { term, hash: hashOf(term) });
    return lately.hash;
  };
  const read = (c: number): StoredChunk => {
    const row = chunkOf.get([c]);
    if (!row) throw new RangeError(`expected the number of a chunk, got ${c}`);
    const [n, t0, t1, id0, id1] = row as bigint[];
    let heldTimes: Uint32Array | undefined;
    let heldIds: BigInt64Array | undefined;
    const ids = (): BigInt64Array => (heldIds ??= idsOf(idsFor.get([c])?.[0]));
    let filter: Buffer | null | undefined;
    /** Chunks of the first formats have no filter: they may hold anything. */
    const mayBe = (hash: number): boolean => {
      if (filter === undefined) {
        const bits = filterFor.get([c])?.[0];
        filter = Buffer.isBuffer(bits) ? bits : null;
      }
      return filter === null || mayHold(filter, hash);
    };
    const posting = (statement: Statement, term: string): Cell[] | undefined =>
      mayBe(hashed(term) ^ FREQUENT) ? statement.get([c, term]) : undefined;
    const rare = (term: string): ReturnType<typeof findInTail> => {
      if (!mayBe(hashed(term))) return undefined;
      const block = tailFor.get([c, hashed(term)])?.[0];
      return Buffer.isBuffer(block) ? findInTail(block, term) : undefined;
    };
    const withDead = (dead: Ordinals): StoredChunk => ({
      c,
      n: Number(n),
      first: Number(t0),
      last: Number(t1),
      lowestId: id0!,
      highestId: id1!,
      dead,
      buried: (ordinals) => withDead(or([dead, pack(Uint16Array.from(ordinals))])),
      times: () => (heldTimes ??= wordsOf(timesFor.get([c])?.[0])),
      ids,
      instant: (o) => Number(instantOf.get([ids()[o]!])?.[0]),
      list: (term) => {
        const row = posting(listFor, term);
        return row ? listOf(row[0]) : (rare(term)?.ordinals ?? NONE);
      },
      terms: () => termsOf(c),
      weight: () => Number(postingBytes.get([c])?.[0]) + Number(tailBytes.get([c])?.[0]),
      termsFrom: (prefix) =>
        termsBetween.all([c, prefix, `${prefix}\uffff`]).map(([term]) => String(term)),
      spots: (term) => {
        const row = posting(spotsFor, term);
        if (!row) return rare(term)?.spots ?? NO_SPOTS;
        return row[0] === null ? NO_SPOTS : wordsOf(row[0]);
      },
    });
    return withDead(pack(Uint16Array.from(deadIn.all([c]), ([o]) => Number(o))));
  };

  /** Every term of a chunk, read in lots. */
  function* termsOf(c: number): Generator<TermPlaces> {
    for (let rows = postingsFrom.all([c, '', TERMS_READ]); rows.length > 0;) {
      for (const [term, list, spots] of rows) {
        const places = spots === null ? NO_SPOTS : wordsOf(spots);
        yield { term: String(term), ordinals: listed(listOf(list)), spots: places };
      }
      rows = postingsFrom.all([c, String(rows.at(-1)![0]), TERMS_READ]);
    }
    for (let rows = tailFrom.all([c, -1, TERMS_READ]); rows.length > 0;) {
      for (const [, block] of rows) if (Buffer.isBuffer(block)) yield* entriesOf(block);
      rows = tailFrom.all([c, Number(rows.at(-1)![0]), TERMS_READ]);
    }
  }

  // Who deletes, mostly deletes Posts of one time.
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

  function* write({ content, frequent, tail, filter }: PreparedChunk): Generator<void, number> {
    const c = meta.number('chunks') + 1;
    meta.put('chunks', c);
    const { n, first, last, lowestId, highestId, inverted } = content;
    const placed = [c, n, first, last, lowestId, highestId];
    addChunk.run([...placed, bytesOf(content.times()), bytesOf(content.ids())]);
    addFilter.run([c, filter]);
    yield;
    let bytes = 0;
    for (const t of frequent) {
      const spots = spotsOf(inverted, t);
      const list = bytesOf(pack(ordinalsOf(inverted, t)));
      const places = spots.length === 0 ? null : bytesOf(spots);
      addPosting.run([c, inverted.terms[t]!, list, places]);
      bytes += list.length + spots.byteLength;
      if (bytes < PART_BYTES) continue;
      bytes = 0;
      yield;
    }
    for (const { hash, bytes: block } of tail) {
      addTail.run([c, hash, block]);
      bytes += block.length;
      if (bytes < PART_BYTES) continue;
      bytes = 0;
      yield;
    }
    return c;
  }

  function* clear(c: number): Generator<void> {
    for (const { until, some, all } of clearing) {
      for (;;) {
        const border: Cell | undefined = until.get([c, ROWS_CLEARED])?.[0];
        if (border === undefined) break;
        some.run([c, border]);
        yield;
      }
      all.run([c]);
      yield;
    }
    for (const statement of clearOnce) statement.run([c]);
  }

  return {
    live: () => live.all().map(([c]) => Number(c)),
    shape: () => meta.number('shape'),
    read,
    find: (id, createdAt) => {
      for (const [c] of around.all([createdAt, createdAt, id, id])) {
        const o = ordinalIn(Number(c), id, createdAt);
        if (o !== -1) return { c: Number(c), o };
      }
      return null;
    },
    write,
    swap: (shown, hidden) => {
      for (const c of hidden) hide.run([c]);
      for (const c of shown) show.run([c]);
      meta.put('shape', meta.number('shape') + 1);
    },
    leftOver: () => leftOver.all().map(([c]) => Number(c)),
    missing: () => missing.all().map(([c]) => Number(c)),
    clear,
  };
}
