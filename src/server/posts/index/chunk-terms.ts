import { NO_SPOTS } from '#server/index/chunk.ts';
import type { TermList, TermPlaces } from '#server/index/inverted.ts';
import { BITMAP_FROM, listed, pack, size } from '#server/index/ordinals.ts';
import { isPair } from '#server/index/pairs.ts';
import { spotsIn } from '#server/index/positions.ts';
import { entriesOf, RARE_POSTS } from '#server/index/rare-terms.ts';
import type { Db } from '#server/db/driver.ts';
import type { ChunkLists } from '#server/posts/store/list-cache.ts';
import { blobList, blobPositions, blobText } from './blobs.ts';
import type { Checks } from './checks.ts';
import { TAIL_END } from './chunk-writer.ts';
import { isAsWritten, linkSum, NO_SPOTS_SUM, placeOf } from './sums.ts';

/** Rows of terms read at a time. */
const TERMS_READ = 512;

/** The positions at which the terms of a chunk begin, by its head, and what verifies them. */
export interface TermsOfChunk {
  readonly c: number;
  readonly firstTerm: number;
  readonly firstTail: number;
  readonly checks: Checks;
}

/** Reads all terms of a chunk in batches, in the order in which they are stored. */
export function termReader(db: Db) {
  const postingsFrom = db.prepare(
    `SELECT CAST(term AS BLOB), list, spots, list_sum, spots_sum, link
     FROM posting WHERE c = ? AND term > ? ORDER BY term LIMIT ?`,
  );
  const listsFrom = db.prepare(
    `SELECT CAST(term AS BLOB), list, list_sum FROM posting
     WHERE c = ? AND term > ? AND length(list) >= ? ORDER BY term LIMIT ?`,
  );
  const tailFrom = db.prepare(
    'SELECT h, block, next, sum FROM tail WHERE c = ? AND h > ? ORDER BY h LIMIT ?',
  );

  /** The terms that share blocks, of at least so many Posts. */
  function* tailOf({ c, firstTail, checks }: TermsOfChunk, min = 0): Generator<TermPlaces> {
    const { verify } = checks;
    let expected = firstTail;
    for (let rows = tailFrom.all([c, -1, TERMS_READ]); rows.length > 0;) {
      for (const [h, block, next, sum] of rows) {
        const place = placeOf.block(c, Number(h), Number(next));
        verify(() => Number(h) === expected && isAsWritten(block, place, sum));
        expected = Number(next);
        if (Buffer.isBuffer(block)) yield* entriesOf(block, min);
      }
      rows = tailFrom.all([c, Number(rows.at(-1)![0]), TERMS_READ]);
    }
    verify(() => expected === TAIL_END);
  }

  /** Every term with its places. */
  function* terms(chunk: TermsOfChunk): Generator<TermPlaces> {
    const { c, firstTerm, checks } = chunk;
    const { verify } = checks;
    let before: readonly [term: string, link: number] = ['', firstTerm];
    const follow = (term: string, link: number): void => {
      verify(() => linkSum(c, before[0], term) === before[1]);
      before = [term, link];
    };
    for (let rows = postingsFrom.all([c, '', TERMS_READ]); rows.length > 0;) {
      for (const [name, list, spots, listSum, spotsSum, link] of rows) {
        const term = blobText(name);
        follow(term, Number(link));
        verify(() => isAsWritten(list, placeOf.list(c, term), listSum));
        verify(() =>
          spots === null
            ? Number(spotsSum) === NO_SPOTS_SUM
            : isAsWritten(spots, placeOf.spots(c, term), spotsSum),
        );
        if (isPair(term)) continue;
        const posts = blobList(list);
        const places = spots === null ? null : blobPositions(spots, posts);
        verify(() => spots === null || places !== null);
        yield { term, ordinals: listed(posts), spots: places ? spotsIn(places) : NO_SPOTS };
      }
      rows = postingsFrom.all([c, blobText(rows.at(-1)![0]), TERMS_READ]);
    }
    follow('', 0);
    for (const places of tailOf(chunk)) if (!isPair(places.term)) yield places;
  }

  /** The accepted lists of at least `min` Posts, without positions; those with a row of their own are cached. */
  function* lists(
    chunk: TermsOfChunk,
    min: number,
    accepts: (term: string) => boolean,
    cached: ChunkLists,
  ): Generator<TermList> {
    const { c, checks } = chunk;
    // A list has two bytes a Post, and a bitmap as many as the longest list.
    const bytes = Math.min(min, BITMAP_FROM) * Uint16Array.BYTES_PER_ELEMENT;
    for (let rows = listsFrom.all([c, '', bytes, TERMS_READ]); rows.length > 0;) {
      for (const [name, cell, sum] of rows) {
        const term = blobText(name);
        if (isPair(term) || !accepts(term)) continue;
        const list = blobList(checks.whole(cell, placeOf.list(c, term), sum));
        if (size(list) < min) continue;
        cached.put(term, list);
        yield { term, list };
      }
      rows = listsFrom.all([c, blobText(rows.at(-1)![0]), bytes, TERMS_READ]);
    }
    if (min >= RARE_POSTS) return;
    for (const { term, ordinals } of tailOf(chunk, min)) {
      if (ordinals.length >= min && !isPair(term) && accepts(term))
        yield { term, list: pack(ordinals) };
    }
  }

  return { terms, lists };
}
