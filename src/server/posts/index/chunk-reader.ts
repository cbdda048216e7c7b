import type { VerifiedWords } from '#server/index/chunk.ts';
import type { WholeChunk } from '#server/index/merge.ts';
import { listed, or, pack, type Ordinals } from '#server/index/ordinals.ts';
import type { Db } from '#server/db/driver.ts';
import { blobIds } from './blobs.ts';
import { checksIn } from './checks.ts';
import { forwardReader } from './forward-reader.ts';
import { postingReader } from './postings.ts';
import { deadSum, headSum, placeOf } from './sums.ts';

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

/**
 * Reads chunks, whose parts are verified when first read.
 *
 * @returns A function of a chunk's number. Its results throw a {@link StoreError} `index-damaged`, and so do their
 *   functions, if the chunk differs from what was written, unless it is read `unverified`.
 */
export function chunkReader(db: Db) {
  const chunkOf = db.prepare(
    `SELECT n, t0, t1, id0, id1, first_tail, first_term, geo, ids_sum, chunk.sum, dead.sum
     FROM chunk LEFT JOIN dead USING (c) WHERE c = ?`,
    'exact',
  );
  const timesFor = db.prepare('SELECT times, times_parts FROM chunk WHERE c = ?');
  const idsFor = db.prepare('SELECT ids FROM chunk WHERE c = ?');
  const instantOf = db.prepare('SELECT created_at FROM post WHERE id = ?');
  const deadIn = db.prepare('SELECT o FROM tombstone WHERE c = ? ORDER BY o');
  const postingBytes = db.prepare(
    // In memory a position has four bytes in place of one.
    'SELECT coalesce(sum(length(list) + 4 * coalesce(length(spots), 0)), 0) FROM posting WHERE c = ?',
  );
  const tailBytes = db.prepare('SELECT coalesce(sum(length(block)), 0) FROM tail WHERE c = ?');
  const postingsOf = postingReader(db);
  const forwardOf = forwardReader(db);

  return (c: number, unverified?: 'unverified'): StoredChunk => {
    const checks = checksIn(db, unverified);
    const { verify, whole, inParts, damaged } = checks;
    const row = chunkOf.get([c]) as bigint[] | undefined;
    if (!row)
      throw unverified ? new RangeError(`expected the number of a chunk, got ${c}`) : damaged();
    const [n, t0, t1, id0, id1, firstTail, firstTerm, geo, idsSum, sum, deadSumOf] = row;
    verify(() => headSum([c, ...row.slice(0, -2)]) === Number(sum));
    let cachedSeconds: VerifiedWords | undefined;
    let cachedIds: BigInt64Array | undefined;
    const seconds = (): VerifiedWords => {
      if (!cachedSeconds) {
        cachedSeconds = inParts(timesFor.get([c]), placeOf.times(c));
        verify(() => cachedSeconds?.words.length === Number(n));
      }
      return cachedSeconds;
    };
    const times = (): Uint32Array => {
      seconds().verifyAll();
      return seconds().words;
    };
    const ids = (): BigInt64Array =>
      (cachedIds ??= blobIds(whole(idsFor.get([c])?.[0], placeOf.ids(c), Number(idsSum))));
    const { places, rareTerms, verifyFilter, ...postings } = postingsOf(
      { c, firstTerm: Number(firstTerm), firstTail: Number(firstTail), checks },
      Number(geo),
    );
    const { forward, vocabulary, read: readForward } = forwardOf(c, checks, rareTerms);
    const withDead = (dead: Ordinals, sumOfDead: number): StoredChunk => ({
      c,
      n: Number(n),
      first: Number(t0),
      last: Number(t1),
      lowestId: id0!,
      highestId: id1!,
      hasPairs: true,
      ...postings,
      forward,
      vocabulary,
      seconds,
      times,
      ids,
      instant: (o) => Number(instantOf.get([ids()[o]!])?.[0]),
      weight: () => Number(postingBytes.get([c])?.[0]) + Number(tailBytes.get([c])?.[0]),
      verifyAll: () => {
        times();
        ids();
        verifyFilter();
        places();
        readForward();
        for (const _ of postings.terms());
      },
      dead,
      deadSum: sumOfDead,
      withDeleted: (ordinals) => {
        const before = new Set(listed(dead));
        const more = ordinals.filter((o) => !before.has(o));
        const sum = more.reduce((sum, o) => sum + deadSum(c, o), sumOfDead);
        return withDead(or([dead, pack(Uint16Array.from(more))]), sum);
      },
    });
    const dead = deadIn.all([c]).map(([o]) => Number(o));
    const sumOfDead = dead.reduce((sum, o) => sum + deadSum(c, o), 0);
    verify(() => sumOfDead === Number(deadSumOf ?? 0));
    return withDead(pack(Uint16Array.from(dead)), sumOfDead);
  };
}
