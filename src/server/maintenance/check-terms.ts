import { GEO } from '#core/text/geo.ts';
import { NO_SPOTS, urlTerm } from '#server/index/chunk.ts';
import {
  GAP,
  spotsOf,
  type ChunkContent,
  type Inverted,
  type TermPlaces,
} from '#server/index/inverted.ts';
import { BITMAP_FROM, listed } from '#server/index/ordinals.ts';
import { isPair, pairsOf } from '#server/index/pairs.ts';
import { spotsIn } from '#server/index/positions.ts';
import { termHash } from '#server/index/rare-terms.ts';
import { blobList, blobPositions } from '#server/posts/index/blobs.ts';
import type { Inspection } from '#server/posts/index/inspection.ts';
import type { Findings } from './check-findings.ts';

/** Half a surrogate pair becomes this in a stored text. */
const REPLACED = '\ufffd';

/** Terms as they read after being stored. */
export function* asStored(terms: Iterable<TermPlaces>): Generator<TermPlaces> {
  for (const { term, ...places } of terms) {
    yield { term: term.replaceAll(/\p{Surrogate}/gu, REPLACED), ...places };
  }
}

/** True if the lists of a term are in order and point at Posts of a chunk of `n`. */
function inOrder({ ordinals, spots }: TermPlaces, n: number): boolean {
  for (let i = 0; i < ordinals.length; i++) {
    if (ordinals[i]! >= n || (i > 0 && ordinals[i]! <= ordinals[i - 1]!)) return false;
  }
  let at = 0;
  for (let i = 0; i < spots.length; i++) {
    if (i > 0 && spots[i]! <= spots[i - 1]!) return false;
    while (at < ordinals.length && ordinals[at]! < spots[i]! >>> 16) at++;
    if (ordinals[at] !== spots[i]! >>> 16) return false;
  }
  return ordinals.length > 0;
}

/** The stored terms of a chunk in sequence, each checked as a query would find it. */
export class StoredTerms {
  readonly #c: number;
  readonly #n: number;
  readonly #inspection: Inspection;
  readonly #found: Findings;
  readonly #seen = new Set<string>();
  /** Terms whose lists are out of order; reported already, and not returned. */
  readonly unsound = new Set<string>();
  /** The terms from which the pairs should be made, and their stored terms. */
  readonly #common: TermPlaces[] = [];
  readonly #pairs = new Map<string, Uint16Array>();

  constructor(c: number, n: number, inspection: Inspection, found: Findings) {
    this.#c = c;
    this.#n = n;
    this.#inspection = inspection;
    this.#found = found;
  }

  #report(term: string, what: string): void {
    this.#found.add(`Chunk ${this.#c}, term "${term}": ${what}.`);
  }

  *#take(places: TermPlaces): Generator<TermPlaces> {
    const { term } = places;
    const twice = this.#seen.has(term);
    this.#seen.add(term);
    if (twice) this.#report(term, 'it is there twice, and one of them is never read');
    else if (inOrder(places, this.#n)) {
      if (isPair(term)) this.#pairs.set(term, places.ordinals);
      else {
        if (places.spots.length > 0 && places.ordinals.length >= BITMAP_FROM) {
          this.#common.push(places);
        }
        yield places;
      }
    } else {
      this.unsound.add(term);
      this.#report(term, 'its list of Posts is out of order, or empty, or points beyond the chunk');
    }
  }

  /** The sound terms; those of pairs are compared with the positions of their words at the end. */
  *all(): Generator<TermPlaces> {
    const mayHold = this.#inspection.filter(this.#c);
    for (const { term, list, spots } of this.#inspection.postings(this.#c)) {
      const posts = blobList(list);
      const places = spots === null ? null : blobPositions(spots, posts);
      if (!mayHold(term, 'frequent')) this.#report(term, "the chunk's filter denies it");
      if (spots !== null && !places) {
        this.unsound.add(term);
        this.#report(term, 'its positions do not fit its list of Posts');
      } else {
        const ordinals = listed(posts);
        yield* this.#take({ term, ordinals, spots: places ? spotsIn(places) : NO_SPOTS });
      }
    }
    let before = -1;
    for (const { h, entries } of this.#inspection.tail(this.#c)) {
      let first = true;
      for (const { hash, ...places } of entries) {
        const { term } = places;
        // The hash is of the term before it was stored.
        const expected = term.includes(REPLACED) ? hash : termHash(term);
        const isInPlace =
          hash >= before && hash === expected && (!first || (hash === h && h > before));
        if (!isInPlace || term.startsWith(GEO)) {
          this.#report(term, 'it is stored where no query looks for it');
        } else if (expected === termHash(term) && !mayHold(term, 'rare')) {
          this.#report(term, "the chunk's filter denies it");
        }
        first = false;
        before = Math.max(before, hash);
        yield* this.#take(places);
      }
    }
    this.#comparePairs();
  }

  #comparePairs(): void {
    for (const { term, ordinals } of pairsOf(this.#common)) {
      const stored = this.#pairs.get(term) ?? [];
      this.#pairs.delete(term);
      const { done } = difference(stored, ordinals).next();
      if (!done)
        this.#report(term, 'it does not have the Posts in which these words follow each other');
    }
    for (const term of this.#pairs.keys()) {
      this.#report(term, 'it is there, but these words are not common, or never follow each other');
    }
  }
}

/** Elements of two ascending lists that are in only one of them. */
function* difference(a: ArrayLike<number>, b: ArrayLike<number>): Generator<number> {
  let i = 0;
  let j = 0;
  while (i < a.length || j < b.length) {
    if (i < a.length && j < b.length && a[i] === b[j]) {
      i++;
      j++;
    } else if (j === b.length || (i < a.length && a[i]! < b[j]!)) yield a[i++]!;
    else yield b[j++]!;
  }
}

function flagsOf({ flags, flagsAt }: Inverted, t: number): Uint16Array {
  return flags.subarray(flagsAt[t], flagsAt[t + 1]);
}

/** Ordinals at which a term differs, ascending. */
function differing(a: Inverted, t: number, b: Inverted, u: number): number[] {
  const found = new Set<number>();
  for (const spot of difference(spotsOf(a, t), spotsOf(b, u))) found.add(spot >>> 16);
  for (const o of difference(flagsOf(a, t), flagsOf(b, u))) found.add(o);
  return [...found].sort((x, y) => x - y);
}

function bears(inverted: Inverted, t: number, o: number): boolean {
  return flagsOf(inverted, t).includes(o) || spotsOf(inverted, t).some((spot) => spot >>> 16 === o);
}

/**
 * Compares the terms of a chunk with those of its Posts' rows; both without deleted Posts, with the
 * same ordinals.
 *
 * @param doubtful - Ordinals whose rows may give other terms than the Posts were added with: for these,
 *   only words must agree.
 */
export function compareTerms(
  {
    c,
    stored,
    built,
    unsound,
    doubtful,
  }: {
    c: number;
    stored: Inverted;
    built: ChunkContent;
    unsound: ReadonlySet<string>;
    doubtful: ReadonlySet<number>;
  },
  found: Findings,
): void {
  const ids = built.ids();
  const rows = built.inverted;
  const numberOf = new Map(stored.terms.map((term, t) => [term, t]));
  const unsure = new Set<number>();
  const compare = (term: string, t: number, u: number): void => {
    const isWord =
      !term.startsWith(urlTerm('')) && spotsOf(stored, t).length + spotsOf(rows, u).length > 0;
    const wrong = differing(stored, t, rows, u).filter((o) => {
      if (isWord || !doubtful.has(o)) return true;
      unsure.add(o);
      return false;
    });
    const o = wrong[0];
    if (o === undefined) return;
    const post = `Post ${ids[o]}`;
    const [indexed, borne] = [bears(stored, t, o), bears(rows, u, o)];
    const what =
      indexed && borne
        ? `${post} has it at other places`
        : indexed
          ? `it finds ${post}, which does not have it`
          : `it does not find ${post}, which has it`;
    const more = wrong.length === 1 ? '' : ` (${wrong.length} Posts in all)`;
    found.add(`Chunk ${c}, term "${term}": ${what}${more}.`);
  };
  for (let u = GAP + 1; u < rows.terms.length; u++) {
    const term = rows.terms[u]!;
    const t = numberOf.get(term) ?? GAP;
    numberOf.delete(term);
    if (!unsound.has(term)) compare(term, t, u);
  }
  numberOf.delete('');
  for (const [term, t] of numberOf) compare(term, t, GAP);
  found.uncertain += unsure.size;
}
