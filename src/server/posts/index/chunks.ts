import { GEO } from '#core/text/geo.ts';
import { NO_SPOTS, verifiedWords, type VerifiedWords } from '#server/index/chunk.ts';
import { blockOf, makeFilter, mayHold } from '#server/index/bloom-filter.ts';
import {
  forwardOf,
  packForward,
  storedForward,
  storedVocabulary,
  type Forward,
  type PackedForward,
  type Vocabulary,
} from '#server/index/forward.ts';
import {
  GAP,
  ordinalsOf,
  spotsOf,
  type ChunkContent,
  type Inverted,
  type TermList,
  type TermPlaces,
} from '#server/index/inverted.ts';
import type { WholeChunk } from '#server/index/merge.ts';
import {
  BITMAP_FROM,
  listed,
  lowerBound,
  NONE,
  or,
  pack,
  size,
  type Ordinals,
} from '#server/index/ordinals.ts';
import { isPair, withPairs } from '#server/index/pairs.ts';
import {
  packPositions,
  positionsOf as positionsInMemory,
  spotsIn,
} from '#server/index/positions.ts';
import {
  entriesOf,
  findInTail,
  hashOf,
  packTail,
  RARE_POSTS,
  traitsOf,
  type TailBlock,
} from '#server/index/rare-terms.ts';
import { bytesOf, idsOf, listOf, positionsOf, wordsOf } from './blobs.ts';
import { StoreError, type Cell, type Db, type Statement } from '#server/db/driver.ts';
import { metaOf } from '#server/db/meta.ts';
import { listCache } from '#server/posts/store/list-cache.ts';
import type { PostRow } from '#server/posts/store/post-table.ts';
import { Parts, sumsOfParts } from './parts.ts';
import {
  byKey,
  deadSum,
  geoSum,
  headSum,
  isAsWritten,
  linkSum,
  liveSum,
  NO_SPOTS_SUM,
  placeOf,
  sumOf,
} from './sums.ts';

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
    filter: wordsOf(Buffer.from(makeFilter(hashes).buffer)),
    forward: packForward(forwardOf(content.inverted, content.n, traits)),
  };
}

/** A chunk of the file. */
export interface StoredChunk extends WholeChunk {
  readonly c: number;
  /** Bytes of its lists and positions: the memory that merging it takes. */
  weight(): number;
  /** Reads all of it. @throws {@link StoreError} `index-damaged` if a part differs from what was written. */
  verifyAll(): void;
  /** The same chunk with more deleted ordinals; this one stays unchanged for its readers. */
  withDeleted(ordinals: readonly number[]): StoredChunk;
  /** Checksum of the tombstones known to this reader. */
  readonly deadSum: number;
}

/** Where a Post is indexed: ordinal `o` of chunk `c` or, with c = 0, number `o` of the open set. */
export interface Place {
  readonly c: number;
  readonly o: number;
}

/**
 * The sealed chunks of a file. Those that are not live are being written, or remain from an interrupted
 * write.
 */
export interface ChunkTable {
  /** Numbers of the live chunks, ascending, without verification. */
  live(): number[];
  /**
   * {@link ChunkTable.live}, verified, for counting. @throws {@link StoreError} `index-damaged` if they
   * differ from what was written.
   */
  counting(): number[];
  /** Incremented with every change of the live chunks. */
  shape(): number;
  /**
   * Reads a chunk, whose parts are verified when first read.
   *
   * @param unverified - For repairs of the index, and to find out what is wrong with it.
   * @throws {@link StoreError} `index-damaged`, also by every function of the chunk, if it differs from
   *   what was written.
   */
  read(c: number, unverified?: 'unverified'): StoredChunk;
  /** Where a Post that counts is, by its id and its instant in epoch ms; null if it is in no live chunk. */
  find(id: bigint, createdAt: number): Place | null;
  /** {@link ChunkTable.find} for many Posts: reads each chunk once. Those in no live chunk are left out. */
  findAll(posts: readonly Pick<PostRow, 'id' | 'createdAt'>[]): Map<bigint, Place>;
  /**
   * Writes a chunk under a new number, not yet live. Runs within write transactions: all of it in one,
   * or each part of about {@link PART_BYTES} in its own.
   *
   * @returns The chunk's number.
   */
  write(chunk: PreparedChunk): Generator<void, number>;
  /** Makes `shown` count instead of `hidden`, within a write transaction. */
  swap(shown: readonly number[], hidden: readonly number[]): void;
  /** Numbers of chunks, and of tombstones' chunks, that are not live. */
  obsolete(): number[];
  /** Live numbers without a chunk: damage. */
  missing(): number[];
  /** Removes a chunk that is not live, in parts like {@link ChunkTable.write}. */
  clear(c: number): Generator<void>;
}

/** Bytes written in one part: a few milliseconds, including making them durable. */
const PART_BYTES = 256 * 1024;
const ROWS_CLEARED = 400;
/** The same for rows that fill a part each. */
const PARTS_CLEARED = 4;
/** Bytes of forward terms in memory: those of twenty full chunks, or of a span of a million Posts. */
const FORWARD_BYTES = 128 * 2 ** 20;
const TERMS_READ = 512;
/** Maximum number of cells of a chunk remembered as verified; beyond it, some are verified again. */
const MAX_VERIFIED = 2048;

/** The forward terms of the chunks that were used last. */
function forwardCache() {
  const chunks = new Map<number, { readonly forward: Forward; readonly bytes: number }>();
  let bytes = 0;
  return {
    get: (c: number): Forward | undefined => {
      const cached = chunks.get(c);
      if (!cached) return undefined;
      chunks.delete(c);
      chunks.set(c, cached);
      return cached.forward;
    },
    put: (c: number, forward: Forward, size: number): void => {
      bytes += size - (chunks.get(c)?.bytes ?? 0);
      chunks.delete(c);
      chunks.set(c, { forward, bytes: size });
      for (const [oldest, { bytes: freed }] of chunks) {
        if (bytes <= FORWARD_BYTES || oldest === c) break;
        chunks.delete(oldest);
        bytes -= freed;
      }
    },
  };
}

function textOf(cell: Cell | undefined): string {
  return Buffer.isBuffer(cell) ? cell.toString('utf8') : '';
}

/** Writes a chunk that counts at once, within a write transaction. */
export function addChunk(chunks: ChunkTable, content: ChunkContent): void {
  const writing = chunks.write(prepareChunk(content));
  let part = writing.next();
  while (!part.done) part = writing.next();
  chunks.swap([part.value], []);
}

export function chunkTable(db: Db): ChunkTable {
  const meta = metaOf(db);
  const addChunk = db.prepare(
    `INSERT INTO chunk (c, n, t0, t1, id0, id1, first_tail, first_term, geo, ids_sum, sum, times_parts, times, ids)
     VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)`,
  );
  const chunkOf = db.prepare(
    `SELECT n, t0, t1, id0, id1, first_tail, first_term, geo, ids_sum, chunk.sum, dead.sum
     FROM chunk LEFT JOIN dead USING (c) WHERE c = ?`,
    'exact',
  );
  const live = db.prepare('SELECT c FROM live ORDER BY c');
  const show = db.prepare('INSERT INTO live (c) VALUES (?)');
  const hide = db.prepare('DELETE FROM live WHERE c = ?');
  const around = db.prepare(
    `SELECT c FROM live JOIN chunk USING (c)
     WHERE t0 <= ? AND t1 >= ? AND id0 <= ? AND id1 >= ? ORDER BY c DESC`,
  );
  const obsolete = db.prepare(
    `SELECT c FROM (SELECT c FROM chunk UNION SELECT c FROM tombstone WHERE c > 0)
     WHERE c NOT IN (SELECT c FROM live) ORDER BY c`,
  );
  const missing = db.prepare('SELECT c FROM live WHERE c NOT IN (SELECT c FROM chunk) ORDER BY c');
  const timesFor = db.prepare('SELECT times, times_parts FROM chunk WHERE c = ?');
  const idsFor = db.prepare('SELECT ids FROM chunk WHERE c = ?');
  const instantOf = db.prepare('SELECT created_at FROM post WHERE id = ?');
  const deadIn = db.prepare('SELECT o FROM tombstone WHERE c = ? ORDER BY o');
  const between = db.prepare(
    'SELECT c, t0, t1 FROM live JOIN chunk USING (c) WHERE t0 <= ? AND t1 >= ? ORDER BY c DESC',
  );
  const isDead = db.prepare('SELECT 1 FROM tombstone WHERE c = ? AND o = ?');
  const addPosting = db.prepare(
    `INSERT INTO posting (c, term, list_sum, spots_sum, link, list, spots) VALUES (?, ?, ?, ?, ?, ?, ?)`,
  );
  const listFor = db.prepare('SELECT list FROM posting WHERE c = ? AND term = ?');
  const listAndSum = db.prepare('SELECT list, list_sum FROM posting WHERE c = ? AND term = ?');
  const spotsFor = db.prepare('SELECT spots FROM posting WHERE c = ? AND term = ?');
  const spotsAndSum = db.prepare('SELECT spots, spots_sum FROM posting WHERE c = ? AND term = ?');
  // The driver aborts the process if a text is not UTF-8, so terms are read as bytes.
  const termBefore = db.prepare(
    `SELECT CAST(term AS BLOB), link FROM posting WHERE c = ? AND term < ? ORDER BY term DESC LIMIT 1`,
  );
  const termAfter = db.prepare(
    'SELECT CAST(term AS BLOB) FROM posting WHERE c = ? AND term > ? ORDER BY term LIMIT 1',
  );
  const termsBetween = db.prepare(
    'SELECT CAST(term AS BLOB) FROM posting WHERE c = ? AND term >= ? AND term < ? ORDER BY term',
  );
  const postingsFrom = db.prepare(
    `SELECT CAST(term AS BLOB), list, spots, list_sum, spots_sum, link
     FROM posting WHERE c = ? AND term > ? ORDER BY term LIMIT ?`,
  );
  const listsFrom = db.prepare(
    `SELECT CAST(term AS BLOB), list, list_sum FROM posting
     WHERE c = ? AND term > ? AND length(list) >= ? ORDER BY term LIMIT ?`,
  );
  // In the order of the terms, whose keys are their positions.
  const listsFor = db.prepare(
    `SELECT wanted.key, list, list_sum
     FROM json_each(?) AS wanted CROSS JOIN posting ON c = ? AND term = wanted.value`,
  );
  const postingBytes = db.prepare(
    // In memory a position has four bytes in place of one.
    'SELECT coalesce(sum(length(list) + 4 * coalesce(length(spots), 0)), 0) FROM posting WHERE c = ?',
  );
  const tailFrom = db.prepare(
    'SELECT h, block, next, sum FROM tail WHERE c = ? AND h > ? ORDER BY h LIMIT ?',
  );
  const tailBytes = db.prepare('SELECT coalesce(sum(length(block)), 0) FROM tail WHERE c = ?');
  const addTail = db.prepare('INSERT INTO tail (c, h, next, sum, block) VALUES (?, ?, ?, ?, ?)');
  const tailFor = db.prepare(
    'SELECT block, h, next, sum FROM tail WHERE c = ? AND h <= ? ORDER BY h DESC LIMIT 1',
  );
  const addFilter = db.prepare('INSERT INTO filter (c, parts, bits) VALUES (?, ?, ?)');
  const filterFor = db.prepare('SELECT bits, parts FROM filter WHERE c = ?');
  const forwardFor = db.prepare('SELECT data, sum, part FROM forward WHERE c = ? ORDER BY part');
  const forwardPart = db.prepare('SELECT data, sum FROM forward WHERE c = ? AND part = ?');
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

  // A query asks all chunks for the same few terms in sequence.
  const latest = { term: '', hash: hashOf('') };
  const hashed = (term: string): number => {
    if (term !== latest.term) Object.assign(latest, { term, hash: hashOf(term) });
    return latest.hash;
  };
  const cache = listCache();
  const forwards = forwardCache();
  /** One string for each word, however many chunks have it. */
  const spellings = new Map<string, string>();
  const damaged = (): StoreError => new StoreError('index-damaged', db.file);
  const read = (c: number, unverified?: 'unverified'): StoredChunk => {
    const row = chunkOf.get([c]) as bigint[] | undefined;
    if (!row)
      throw unverified ? new RangeError(`expected the number of a chunk, got ${c}`) : damaged();
    const [n, t0, t1, id0, id1, firstTail, firstTerm, geo, idsSum, sum, deadSumOf] = row;
    const verify = (isRight: () => boolean): void => {
      if (!unverified && !isRight()) throw damaged();
    };
    verify(() => headSum([c, ...row.slice(0, -2)]) === Number(sum));
    /** A blob that matches its checksum. */
    const whole = (cell: Cell | undefined, place: string, sum: Cell | undefined): Buffer => {
      verify(() => isAsWritten(cell, place, sum));
      return cell as Buffer;
    };
    /** Words whose parts are verified when used. */
    const inParts = ([cell, sums]: Cell[] = [], place: string): VerifiedWords => {
      if (unverified) return verifiedWords(wordsOf(cell));
      verify(() => Buffer.isBuffer(cell) && Buffer.isBuffer(sums));
      return new Parts(wordsOf(cell), wordsOf(sums), place, damaged);
    };
    let cachedSeconds: VerifiedWords | undefined;
    let cachedIds: BigInt64Array | undefined;
    let filter: (VerifiedWords & { readonly bits: Uint8Array }) | undefined;
    let geoTerms: readonly string[] | undefined;
    let forwardSeen = false;
    let vocabulary: Vocabulary | undefined;
    /** Cells verified before; the chunk never changes. */
    const seen = { lists: new Set<string>(), spots: new Set<string>(), blocks: new Set<number>() };
    const remember = <K>(known: Set<K>, key: K): void => {
      if (known.size >= MAX_VERIFIED) known.clear();
      known.add(key);
    };
    const filterNow = (): NonNullable<typeof filter> => {
      if (!filter) {
        const { words, verify, verifyAll } = inParts(filterFor.get([c]), placeOf.filter(c));
        filter = { words, verify, verifyAll, bits: bytesOf(words) };
      }
      return filter;
    };
    const mayBe = (hash: number): boolean => {
      const { bits, words, verify } = filterNow();
      if (bits.length === 0) return false;
      verify(blockOf(bits.length, hash) / words.BYTES_PER_ELEMENT);
      return mayHold(bits, hash);
    };
    const seconds = (): VerifiedWords => {
      if (!cachedSeconds) {
        cachedSeconds = inParts(timesFor.get([c]), placeOf.times(c));
        verify(() => cachedSeconds?.words.length === Number(n));
      }
      return cachedSeconds;
    };
    /** Throws unless the neighbouring rows confirm that a term has none. */
    const verifyAbsent = (term: string): void =>
      verify(() => {
        const [before, link] = termBefore.get([c, term]) ?? [];
        const after = textOf(termAfter.get([c, term])?.[0]);
        return before === undefined
          ? linkSum(c, '', after) === Number(firstTerm)
          : linkSum(c, textOf(before), after) === Number(link);
      });
    const posting = (statement: Statement, term: string): Cell[] | undefined => {
      if (!mayBe(hashed(term) ^ FREQUENT)) return undefined;
      const row = statement.get([c, term]);
      if (!row) verifyAbsent(term);
      return row;
    };
    const rare = (term: string): ReturnType<typeof findInTail> => {
      const hash = hashed(term);
      if (!mayBe(hash)) return undefined;
      const row = tailFor.get([c, hash]);
      if (!row) {
        verify(() => hash < Number(firstTail));
        return undefined;
      }
      const [block, h, next, sum] = row;
      if (!seen.blocks.has(Number(h))) {
        whole(block, placeOf.block(c, Number(h), Number(next)), sum);
        remember(seen.blocks, Number(h));
      }
      verify(() => hash < Number(next));
      return findInTail(block as Buffer, term);
    };
    const places = (): readonly string[] => {
      if (!geoTerms) {
        const terms = termsBetween.all([c, GEO, `${GEO}\uffff`]).map(([term]) => textOf(term));
        verify(() => geoSum(c, terms) === Number(geo));
        geoTerms = terms;
      }
      return geoTerms;
    };
    const terms = (): Generator<TermPlaces> =>
      termsOf(c, [Number(firstTerm), Number(firstTail)], verify);
    const times = (): Uint32Array => {
      seconds().verifyAll();
      return seconds().words;
    };
    const ids = (): BigInt64Array =>
      (cachedIds ??= idsOf(whole(idsFor.get([c])?.[0], placeOf.ids(c), Number(idsSum))));
    /** The rare terms with a hash. */
    function* rareTerms(hash: number): Generator<string> {
      const [block] = tailFor.get([c, hash]) ?? [];
      if (!Buffer.isBuffer(block)) return;
      for (const entry of entriesOf(block)) {
        if (entry.hash === hash && !isPair(entry.term)) yield entry.term;
      }
    }
    const readForward = (): Forward => {
      const rows = forwardFor.all([c]);
      const blobs = rows.map(([cell, sum, number], part) => {
        verify(() => Number(number) === part);
        if (!forwardSeen) whole(cell, placeOf.forward(c, part), sum);
        return cell as Buffer;
      });
      const [names, ...parts] = blobs;
      const numbers = new Uint32Array(parts.reduce((sum, part) => sum + part.length, 0) / 4);
      const bytes = bytesOf(numbers);
      let used = 0;
      for (const part of parts) used += part.copy(bytes, used);
      const found = names && storedForward(numbers, () => names.toString('utf8'), rareTerms);
      if (!found) throw damaged();
      forwardSeen = true;
      forwards.put(c, found, numbers.byteLength + names.length);
      return found;
    };
    const readVocabulary = (): Vocabulary => {
      const partAt = (part: number): Buffer => {
        const [cell, sum] = forwardPart.get([c, part]) ?? [];
        return whole(cell, placeOf.forward(c, part), sum);
      };
      const parts = new Map<number, Buffer>();
      const numbers = (from: number, to: number): Uint32Array => {
        const words = new Uint32Array(to - from);
        const bytes = bytesOf(words);
        for (let used = 0; used < bytes.length;) {
          const at = from * 4 + used;
          const part = 1 + Math.floor(at / PART_BYTES);
          const cell = parts.get(part) ?? partAt(part);
          parts.set(part, cell);
          const copied = cell.copy(bytes, used, at % PART_BYTES);
          if (copied === 0) throw damaged();
          used += copied;
        }
        return words;
      };
      const { words, languages } = storedVocabulary(numbers, partAt(0).toString('utf8'), rareTerms);
      const shared = (word: string): string => {
        const known = spellings.get(word) ?? word;
        spellings.set(known, known);
        return known;
      };
      return { words: words.map(shared), languages: languages.map(shared) };
    };
    const list = (term: string): Ordinals => {
      const cached = cache.of(c);
      const there = cached.get(term);
      if (there) return there;
      const known = seen.lists.has(term);
      const row = posting(known ? listFor : listAndSum, term);
      if (!row) {
        const entry = rare(term);
        // Reading its block takes longer than all else that a query does with it.
        if (entry) cached.put(term, entry.ordinals);
        return entry?.ordinals ?? NONE;
      }
      if (!known) {
        whole(row[0], placeOf.list(c, term), row[1]);
        remember(seen.lists, term);
      }
      return listOf(row[0]);
    };
    const withDead = (dead: Ordinals, sumOfDead: number): StoredChunk => ({
      c,
      n: Number(n),
      first: Number(t0),
      last: Number(t1),
      lowestId: id0!,
      highestId: id1!,
      dead,
      deadSum: sumOfDead,
      withDeleted: (ordinals) => {
        const before = new Set(listed(dead));
        const more = ordinals.filter((o) => !before.has(o));
        const sum = more.reduce((sum, o) => sum + deadSum(c, o), sumOfDead);
        return withDead(or([dead, pack(Uint16Array.from(more))]), sum);
      },
      seconds,
      times,
      ids,
      instant: (o) => Number(instantOf.get([ids()[o]!])?.[0]),
      list,
      terms,
      listsOf: (wanted) => {
        const known = cache.of(c);
        const sought = wanted.filter((term) => !known.get(term) && mayBe(hashOf(term) ^ FREQUENT));
        for (const [key, cell, sum] of listsFor.all([JSON.stringify(sought), c])) {
          const term = sought[Number(key)]!;
          known.put(term, listOf(whole(cell, placeOf.list(c, term), sum)));
        }
        return wanted.map((term) => {
          const there = known.get(term);
          if (there) return there;
          const found = list(term);
          known.put(term, found);
          return found;
        });
      },
      forward: () => forwards.get(c) ?? readForward(),
      vocabulary: () => (vocabulary ??= readVocabulary()),
      lists: (least, accepts) => listsOf([c, Number(firstTail)], least, accepts, verify),
      weight: () => Number(postingBytes.get([c])?.[0]) + Number(tailBytes.get([c])?.[0]),
      termsFrom: (prefix) => places().filter((term) => term.startsWith(prefix)),
      verifyAll: () => {
        times();
        ids();
        filterNow().verifyAll();
        places();
        readForward();
        for (const _ of terms());
      },
      hasPairs: true,
      positions: (term, posts) => {
        const known = seen.spots.has(term);
        const row = posting(known ? spotsFor : spotsAndSum, term);
        if (!row) {
          const entry = rare(term);
          return entry ? positionsInMemory(entry.ordinals, entry.spots) : null;
        }
        if (!known) {
          if (row[0] === null) verify(() => Number(row[1]) === NO_SPOTS_SUM);
          else whole(row[0], placeOf.spots(c, term), row[1]);
          remember(seen.spots, term);
        }
        if (row[0] === null) return null;
        const found = positionsOf(row[0], posts);
        if (!found) throw damaged();
        return found;
      },
    });
    const dead = deadIn.all([c]).map(([o]) => Number(o));
    const sumOfDead = dead.reduce((sum, o) => sum + deadSum(c, o), 0);
    verify(() => sumOfDead === Number(deadSumOf ?? 0));
    return withDead(pack(Uint16Array.from(dead)), sumOfDead);
  };

  /** Every term of a chunk, read in batches. @param firsts - From the head: where the terms begin. */
  function* termsOf(
    c: number,
    [firstTerm, firstTail]: readonly [number, number],
    verify: (isRight: () => boolean) => void,
  ): Generator<TermPlaces> {
    let before: readonly [term: string, link: number] = ['', firstTerm];
    const follow = (term: string, link: number): void => {
      verify(() => linkSum(c, before[0], term) === before[1]);
      before = [term, link];
    };
    for (let rows = postingsFrom.all([c, '', TERMS_READ]); rows.length > 0;) {
      for (const [name, list, spots, listSum, spotsSum, link] of rows) {
        const term = textOf(name);
        follow(term, Number(link));
        verify(() => isAsWritten(list, placeOf.list(c, term), listSum));
        verify(() =>
          spots === null
            ? Number(spotsSum) === NO_SPOTS_SUM
            : isAsWritten(spots, placeOf.spots(c, term), spotsSum),
        );
        if (isPair(term)) continue;
        const posts = listOf(list);
        const places = spots === null ? null : positionsOf(spots, posts);
        verify(() => spots === null || places !== null);
        yield { term, ordinals: listed(posts), spots: places ? spotsIn(places) : NO_SPOTS };
      }
      rows = postingsFrom.all([c, textOf(rows.at(-1)![0]), TERMS_READ]);
    }
    follow('', 0);
    for (const places of tailOf(c, firstTail, verify)) if (!isPair(places.term)) yield places;
  }

  /** The terms of a chunk that share blocks, of at least so many Posts. @param firstTail - As in {@link termsOf}. */
  function* tailOf(
    c: number,
    firstTail: number,
    verify: (isRight: () => boolean) => void,
    least = 0,
  ): Generator<TermPlaces> {
    let expected = firstTail;
    for (let rows = tailFrom.all([c, -1, TERMS_READ]); rows.length > 0;) {
      for (const [h, block, next, sum] of rows) {
        const place = placeOf.block(c, Number(h), Number(next));
        verify(() => Number(h) === expected && isAsWritten(block, place, sum));
        expected = Number(next);
        if (Buffer.isBuffer(block)) yield* entriesOf(block, least);
      }
      rows = tailFrom.all([c, Number(rows.at(-1)![0]), TERMS_READ]);
    }
    verify(() => expected === TAIL_END);
  }

  /** The lists of at least so many Posts in a chunk, read in batches, without positions. */
  function* listsOf(
    [c, firstTail]: readonly [number, number],
    least: number,
    accepts: (term: string) => boolean,
    verify: (isRight: () => boolean) => void,
  ): Generator<TermList> {
    const known = cache.of(c);
    // A list has two bytes a Post, and a bitmap as many as the longest list.
    const bytes = Math.min(least, BITMAP_FROM) * Uint16Array.BYTES_PER_ELEMENT;
    for (let rows = listsFrom.all([c, '', bytes, TERMS_READ]); rows.length > 0;) {
      for (const [name, cell, sum] of rows) {
        const term = textOf(name);
        if (isPair(term) || !accepts(term)) continue;
        verify(() => isAsWritten(cell, placeOf.list(c, term), sum));
        const list = listOf(cell);
        if (size(list) < least) continue;
        known.put(term, list);
        yield { term, list };
      }
      rows = listsFrom.all([c, textOf(rows.at(-1)![0]), bytes, TERMS_READ]);
    }
    if (least >= RARE_POSTS) return;
    for (const { term, ordinals } of tailOf(c, firstTail, verify, least)) {
      if (ordinals.length >= least && !isPair(term) && accepts(term))
        yield { term, list: pack(ordinals) };
    }
  }

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
    const ids = bytesOf(content.ids());
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
      sumOf(ids, placeOf.ids(c)),
    ];
    const timesParts = bytesOf(sumsOfParts(times, placeOf.times(c)));
    addChunk.run([...head, headSum(head), timesParts, bytesOf(times), ids]);
    addFilter.run([c, bytesOf(sumsOfParts(filter, placeOf.filter(c))), bytesOf(filter)]);
    yield;
    let bytes = 0;
    for (const [i, t] of frequent.entries()) {
      const spots = spotsOf(inverted, t);
      const ordinals = ordinalsOf(inverted, t);
      const list = bytesOf(pack(ordinals));
      const places = spots.length === 0 ? null : packPositions(ordinals, spots);
      const term = termAt(i);
      addPosting.run([
        c,
        term,
        sumOf(list, placeOf.list(c, term)),
        places === null ? NO_SPOTS_SUM : sumOf(places, placeOf.spots(c, term)),
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
      addTail.run([c, hash, next, sumOf(block, placeOf.block(c, hash, next)), block]);
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
      void addForward.run([c, part, sumOf(data, placeOf.forward(c, part)), data]);
    put(0, Buffer.from(names, 'utf8'));
    const bytes = bytesOf(numbers);
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

  const numbers = (): number[] => live.all().map(([c]) => Number(c));
  return {
    live: numbers,
    counting: () => {
      const all = numbers();
      if (liveSum(all) !== meta.number('live')) throw damaged();
      return all;
    },
    shape: () => meta.number('shape'),
    read,
    find: (id, createdAt) => {
      for (const [c] of around.all([createdAt, createdAt, id, id])) {
        const o = ordinalIn(Number(c), id, createdAt);
        if (o !== -1) return { c: Number(c), o };
      }
      return null;
    },
    findAll: (posts) => {
      const found = new Map<bigint, Place>();
      const times = posts.map(({ createdAt }) => createdAt);
      const first = times.reduce((low, at) => Math.min(low, at), Infinity);
      const last = times.reduce((high, at) => Math.max(high, at), -Infinity);
      for (const [number, t0, t1] of between.all([last, first])) {
        const c = Number(number);
        for (const { id, createdAt } of posts) {
          if (found.has(id) || createdAt < Number(t0) || createdAt > Number(t1)) continue;
          const o = ordinalIn(c, id, createdAt);
          if (o !== -1) found.set(id, { c, o });
        }
      }
      return found;
    },
    write,
    swap: (shown, hidden) => {
      for (const c of hidden) hide.run([c]);
      for (const c of shown) show.run([c]);
      meta.put('live', liveSum(numbers()));
      meta.put('shape', meta.number('shape') + 1);
    },
    obsolete: () => obsolete.all().map(([c]) => Number(c)),
    missing: () => missing.all().map(([c]) => Number(c)),
    clear,
  };
}
