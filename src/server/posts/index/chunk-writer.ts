import { GEO } from '#core/text/geo.ts';
import { makeFilter } from '#server/index/bloom-filter.ts';
import { forwardOf } from '#server/index/forward.ts';
import {
  GAP,
  ordinalsOf,
  spotsOf,
  type ChunkContent,
  type Inverted,
} from '#server/index/inverted.ts';
import { pack } from '#server/index/ordinals.ts';
import { withPairs } from '#server/index/pairs.ts';
import { packPositions } from '#server/index/positions.ts';
import { packTail, traitsOf, type TailBlock } from '#server/index/rare-terms.ts';
import type { Cell, Db } from '#server/db/driver.ts';
import { metaOf } from '#server/db/meta.ts';
import { blobOf, blobWords } from './blobs.ts';
import { sumsOfParts } from './parts.ts';
import { byKey, geoSum, headSum, linkSum, NO_SPOTS_SUM, placeOf, checksumOf } from './sums.ts';
import { packForward, type PackedForward } from '#server/index/stored-forward.ts';

/**
 * A chunk ready to be written, with its terms classified and packed. Preparing takes time; writing
 * takes the lock.
 */
export interface PreparedChunk {
  readonly content: ChunkContent;
  /** Its terms, and those of its pairs. */
  readonly inverted: Inverted;
  /** Numbers of the terms with their own row, in key order. */
  readonly frequent: readonly number[];
  readonly tail: readonly TailBlock[];
  /** Built from the hashes of all terms; those of frequent ones are inverted with {@link FREQUENT}. */
  readonly filter: Uint32Array;
  readonly forward: PackedForward;
}

/** XORed with the hashes of frequent terms, so that the filter shows where a term would be. */
export const FREQUENT = 0x7fffffff;

/** Above every hash: the successor of the last block of a tail. */
export const TAIL_END = 0x80000000;

export function prepareChunk(content: ChunkContent): PreparedChunk {
  const inverted = withPairs(content.inverted);
  const { terms, spotsAt, flagsAt } = inverted;
  const traits = traitsOf(inverted);
  const rare: number[] = [];
  const frequent: number[] = [];
  for (let t = GAP + 1; t < terms.length; t++) {
    const places = spotsAt[t + 1]! - spotsAt[t]! + flagsAt[t + 1]! - flagsAt[t]!;
    if (places > 0) (traits.rare[t] === 1 ? rare : frequent).push(t);
  }
  // In key order, so that pages fill one after another and each row links to the next.
  frequent.sort((a, b) => byKey(terms[a]!, terms[b]!));
  const hashes = new Uint32Array(frequent.length + rare.length);
  for (const [i, t] of frequent.entries()) hashes[i] = traits.hashes[t]! ^ FREQUENT;
  for (const [i, t] of rare.entries()) hashes[frequent.length + i] = traits.hashes[t]!;
  return {
    content,
    inverted,
    frequent,
    tail: packTail(inverted, rare, traits),
    filter: blobWords(Buffer.from(makeFilter(hashes).buffer)),
    forward: packForward(forwardOf(content.inverted, content.n, traits)),
  };
}

/** Bytes written in one part: a few milliseconds, including making them durable. */
export const PART_BYTES = 256 * 1024;
const ROWS_CLEARED = 400;
/** The same for rows that fill a part each. */
const PARTS_CLEARED = 4;

/** Writes and removes the rows of chunks. */
export function chunkWriter(db: Db) {
  const meta = metaOf(db);
  const addChunk = db.prepare(
    `INSERT INTO chunk (c, n, t0, t1, id0, id1, first_tail, first_term, geo, ids_sum, sum, times_parts, times, ids)
     VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)`,
  );
  const addPosting = db.prepare(
    `INSERT INTO posting (c, term, list_sum, spots_sum, link, list, spots) VALUES (?, ?, ?, ?, ?, ?, ?)`,
  );
  const addTail = db.prepare('INSERT INTO tail (c, h, next, sum, block) VALUES (?, ?, ?, ?, ?)');
  const addFilter = db.prepare('INSERT INTO filter (c, parts, bits) VALUES (?, ?, ?)');
  const addForward = db.prepare('INSERT INTO forward (c, part, sum, data) VALUES (?, ?, ?, ?)');
  const clearing = [
    { table: 'posting', key: 'term', rows: ROWS_CLEARED },
    { table: 'tail', key: 'h', rows: ROWS_CLEARED },
    { table: 'forward', key: 'part', rows: PARTS_CLEARED },
  ].map(({ table, key, rows }) => ({
    rows,
    until: db.prepare(`SELECT ${key} FROM ${table} WHERE c = ? ORDER BY ${key} LIMIT 1 OFFSET ?`),
    some: db.prepare(`DELETE FROM ${table} WHERE c = ? AND ${key} < ?`),
    all: db.prepare(`DELETE FROM ${table} WHERE c = ?`),
  }));
  const clearOnce = ['tombstone', 'dead', 'filter', 'chunk'].map((table) =>
    db.prepare(`DELETE FROM ${table} WHERE c = ?`),
  );

  function* write({
    content,
    inverted,
    frequent,
    tail,
    filter,
    forward,
  }: PreparedChunk): Generator<void, number> {
    const c = meta.number('chunks') + 1;
    meta.put('chunks', c);
    const { n, first, last, lowestId, highestId } = content;
    const termAt = (i: number): string => {
      const t = frequent[i];
      return t === undefined ? '' : inverted.terms[t]!;
    };
    const times = content.times();
    const ids = blobOf(content.ids());
    const geo = frequent.map((_, i) => termAt(i)).filter((term) => term.startsWith(GEO));
    const head = [
      c,
      n,
      first,
      last,
      lowestId,
      highestId,
      tail[0]?.hash ?? TAIL_END,
      linkSum(c, '', termAt(0)),
      geoSum(c, geo),
      checksumOf(ids, placeOf.ids(c)),
    ];
    const timesParts = blobOf(sumsOfParts(times, placeOf.times(c)));
    addChunk.run([...head, headSum(head), timesParts, blobOf(times), ids]);
    addFilter.run([c, blobOf(sumsOfParts(filter, placeOf.filter(c))), blobOf(filter)]);
    yield;
    let bytes = 0;
    for (const [i, t] of frequent.entries()) {
      const spots = spotsOf(inverted, t);
      const ordinals = ordinalsOf(inverted, t);
      const list = blobOf(pack(ordinals));
      const places = spots.length === 0 ? null : packPositions(ordinals, spots);
      const term = termAt(i);
      addPosting.run([
        c,
        term,
        checksumOf(list, placeOf.list(c, term)),
        places === null ? NO_SPOTS_SUM : checksumOf(places, placeOf.spots(c, term)),
        linkSum(c, term, termAt(i + 1)),
        list,
        places,
      ]);
      bytes += list.length + (places?.length ?? 0);
      if (bytes < PART_BYTES) continue;
      bytes = 0;
      yield;
    }
    for (const [i, { hash, bytes: block }] of tail.entries()) {
      const next = tail[i + 1]?.hash ?? TAIL_END;
      addTail.run([c, hash, next, checksumOf(block, placeOf.block(c, hash, next)), block]);
      bytes += block.length;
      if (bytes < PART_BYTES) continue;
      bytes = 0;
      yield;
    }
    yield* writeForward(c, forward);
    return c;
  }

  function* writeForward(c: number, { numbers, names }: PackedForward): Generator<void> {
    const put = (part: number, data: Buffer): void =>
      void addForward.run([c, part, checksumOf(data, placeOf.forward(c, part)), data]);
    put(0, Buffer.from(names, 'utf8'));
    const bytes = blobOf(numbers);
    for (let at = 0, part = 1; at < bytes.length; at += PART_BYTES, part++) {
      yield;
      put(part, bytes.subarray(at, at + PART_BYTES));
    }
  }

  function* clear(c: number): Generator<void> {
    for (const { rows, until, some, all } of clearing) {
      for (;;) {
        const border: Cell | undefined = until.get([c, rows])?.[0];
        if (border === undefined) break;
        some.run([c, border]);
        yield;
      }
      all.run([c]);
      yield;
    }
    for (const statement of clearOnce) statement.run([c]);
  }

  return { write, clear };
}
