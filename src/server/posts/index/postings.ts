import { GEO } from '#core/text/geo.ts';
import { NONE, type Ordinals } from '#server/index/ordinals.ts';
import { positionsOf as positionsInMemory, type Positions } from '#server/index/positions.ts';
import { termHash, type findInTail } from '#server/index/rare-terms.ts';
import type { Cell, Db, Statement } from '#server/db/driver.ts';
import { listCache } from '#server/posts/store/list-cache.ts';
import { blobList, blobPositions, blobText } from './blobs.ts';
import { remember } from './checks.ts';
import { termReader, type TermsOfChunk } from './chunk-terms.ts';
import { FREQUENT } from './chunk-writer.ts';
import { rareReader } from './rare-postings.ts';
import { geoSum, linkSum, NO_SPOTS_SUM, placeOf } from './sums.ts';
import { filterReader } from './term-filter.ts';

/** Reads the lists and positions of single terms, and verifies that terms without them have none. */
export function postingReader(db: Db) {
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
  // In the order of the terms, whose keys are their positions.
  const listsFor = db.prepare(
    `SELECT wanted.key, list, list_sum
     FROM json_each(?) AS wanted CROSS JOIN posting ON c = ? AND term = wanted.value`,
  );
  const filterOf = filterReader(db);
  const rareOf = rareReader(db);
  const read = termReader(db);
  const cache = listCache();
  // A query asks all chunks for the same few terms in sequence.
  const latest = { term: '', hash: termHash('') };
  const hashed = (term: string): number => {
    if (term !== latest.term) Object.assign(latest, { term, hash: termHash(term) });
    return latest.hash;
  };

  return (chunk: TermsOfChunk, geo: number) => {
    const { c, firstTerm, checks } = chunk;
    const { verify, whole, damaged } = checks;
    const { mayBe, verifyFilter } = filterOf(chunk);
    const { rare, rareTerms } = rareOf(chunk);
    let cachedPlaces: readonly string[] | undefined;
    /** Cells verified before; the chunk never changes. */
    const seen = { lists: new Set<string>(), spots: new Set<string>() };

    /** Throws unless the neighbouring rows confirm that a term has none. */
    const verifyAbsent = (term: string): void =>
      verify(() => {
        const [before, link] = termBefore.get([c, term]) ?? [];
        const after = blobText(termAfter.get([c, term])?.[0]);
        return before === undefined
          ? linkSum(c, '', after) === firstTerm
          : linkSum(c, blobText(before), after) === Number(link);
      });
    const posting = (statement: Statement, term: string): Cell[] | undefined => {
      if (!mayBe(hashed(term) ^ FREQUENT)) return undefined;
      const row = statement.get([c, term]);
      if (!row) verifyAbsent(term);
      return row;
    };
    const entry = (term: string): ReturnType<typeof findInTail> => {
      const hash = hashed(term);
      return mayBe(hash) ? rare(term, hash) : undefined;
    };
    const list = (term: string): Ordinals => {
      const cached = cache.of(c);
      const there = cached.get(term);
      if (there) return there;
      const known = seen.lists.has(term);
      const row = posting(known ? listFor : listAndSum, term);
      if (!row) {
        const found = entry(term);
        // Reading its block takes longer than all else that a query does with it.
        if (found) cached.put(term, found.ordinals);
        return found?.ordinals ?? NONE;
      }
      if (!known) {
        whole(row[0], placeOf.list(c, term), row[1]);
        remember(seen.lists, term);
      }
      return blobList(row[0]);
    };
    const places = (): readonly string[] => {
      if (!cachedPlaces) {
        const terms = termsBetween.all([c, GEO, `${GEO}\uffff`]).map(([term]) => blobText(term));
        verify(() => geoSum(c, terms) === geo);
        cachedPlaces = terms;
      }
      return cachedPlaces;
    };

    return {
      list,
      listsOf: (wanted: readonly string[]): Ordinals[] => {
        const known = cache.of(c);
        const sought = wanted.filter(
          (term) => !known.get(term) && mayBe(termHash(term) ^ FREQUENT),
        );
        for (const [key, cell, sum] of listsFor.all([JSON.stringify(sought), c])) {
          const term = sought[Number(key)]!;
          known.put(term, blobList(whole(cell, placeOf.list(c, term), sum)));
        }
        return wanted.map((term) => {
          const there = known.get(term);
          if (there) return there;
          const found = list(term);
          known.put(term, found);
          return found;
        });
      },
      positions: (term: string, posts: Ordinals): Positions | null => {
        const known = seen.spots.has(term);
        const row = posting(known ? spotsFor : spotsAndSum, term);
        if (!row) {
          const found = entry(term);
          return found ? positionsInMemory(found.ordinals, found.spots) : null;
        }
        if (!known) {
          if (row[0] === null) verify(() => Number(row[1]) === NO_SPOTS_SUM);
          else whole(row[0], placeOf.spots(c, term), row[1]);
          remember(seen.spots, term);
        }
        if (row[0] === null) return null;
        const found = blobPositions(row[0], posts);
        if (!found) throw damaged();
        return found;
      },
      places,
      termsFrom: (prefix: string) => places().filter((term) => term.startsWith(prefix)),
      terms: () => read.terms(chunk),
      lists: (min: number, accepts: (term: string) => boolean) =>
        read.lists(chunk, min, accepts, cache.of(c)),
      rareTerms,
      verifyFilter,
    };
  };
}
