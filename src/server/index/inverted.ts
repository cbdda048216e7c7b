import type { Chunk } from './chunk.ts';
import { pack, type Ordinals } from './ordinals.ts';

/** Number of the empty token, which separates addresses and represents every absent term. */
export const GAP = 0;

/**
 * The Posts of each term, by the term's number. All lists are concatenated in two arrays: a chunk has
 * some hundred thousand terms, most of them in a single Post.
 */
export interface Inverted {
  readonly terms: readonly string[];
  /**
   * Positions of words and url tokens, `ordinal << 16 | position`; those of term t from `spotsAt[t]` to
   * `spotsAt[t + 1]`.
   */
  readonly spots: Uint32Array;
  readonly spotsAt: Uint32Array;
  /** Ordinals of Posts with a flag; those of term t from `flagsAt[t]` to `flagsAt[t + 1]`. */
  readonly flags: Uint16Array;
  readonly flagsAt: Uint32Array;
}

/** The occurrences of one term in a chunk. */
export interface TermPlaces {
  readonly term: string;
  /** Posts that contain it, ascending. */
  readonly ordinals: Uint16Array;
  /**
   * Its positions, `ordinal << 16 | position`, ascending; for a term that is a flag in some Posts,
   * without those.
   */
  readonly spots: Uint32Array;
}

/** The Posts of one term in a chunk. */
export interface TermList {
  readonly term: string;
  readonly list: Ordinals;
}

/** Everything needed to write a chunk. */
export interface ChunkContent extends Pick<
  Chunk,
  'n' | 'first' | 'last' | 'lowestId' | 'highestId' | 'times' | 'ids'
> {
  readonly inverted: Inverted;
}

export function spotsOf({ spots, spotsAt }: Inverted, term: number): Uint32Array {
  return spots.subarray(spotsAt[term], spotsAt[term + 1]);
}

export function ordinalsOf(
  { spots, spotsAt, flags, flagsAt }: Inverted,
  term: number,
): Uint16Array {
  return merged(
    spots.subarray(spotsAt[term], spotsAt[term + 1]),
    flags.subarray(flagsAt[term], flagsAt[term + 1]),
  );
}

/** Every term that some Post contains. */
export function* termsIn(inverted: Inverted): Generator<TermPlaces> {
  for (let t = GAP + 1; t < inverted.terms.length; t++) {
    const ordinals = ordinalsOf(inverted, t);
    if (ordinals.length === 0) continue;
    yield { term: inverted.terms[t]!, ordinals, spots: spotsOf(inverted, t) };
  }
}

/** The Posts of every accepted term that at least so many Posts contain. */
export function* listsIn(
  inverted: Inverted,
  least: number,
  accepts: (term: string) => boolean,
): Generator<TermList> {
  const { terms, spotsAt, flagsAt } = inverted;
  for (let t = GAP + 1; t < terms.length; t++) {
    if (spotsAt[t + 1]! - spotsAt[t]! + flagsAt[t + 1]! - flagsAt[t]! < least) continue;
    if (!accepts(terms[t]!)) continue;
    const ordinals = ordinalsOf(inverted, t);
    if (ordinals.length >= least) yield { term: terms[t]!, list: pack(ordinals) };
  }
}

/** The distinct ordinals of spots and flags, both ascending and with repeats. */
export function merged(spots: Uint32Array, flags: Uint16Array): Uint16Array {
  const out = new Uint16Array(spots.length + flags.length);
  let n = 0;
  let i = 0;
  let j = 0;
  while (i < spots.length || j < flags.length) {
    const a = i < spots.length ? spots[i]! >>> 16 : 65_536;
    const b = j < flags.length ? flags[j]! : 65_536;
    const o = a < b ? a : b;
    if (a <= b) i++;
    if (b <= a) j++;
    if (n === 0 || out[n - 1] !== o) out[n++] = o;
  }
  return out.subarray(0, n);
}

/**
 * Turns Posts with their terms into terms with their Posts, with a counting sort: since Posts are
 * visited in order, the positions of every term ascend.
 *
 * @param order - For each ordinal the position of its Post.
 * @param numbers - Terms of all Posts by number.
 * @param ends - Three per Post: where in `numbers` its words, url tokens and flags end.
 */
export function invert(
  terms: readonly string[],
  order: Uint32Array,
  numbers: Uint32Array,
  ends: Uint32Array,
): Inverted {
  const spotsAt = new Uint32Array(terms.length + 1);
  const flagsAt = new Uint32Array(terms.length + 1);
  for (const i of order) {
    const start = i === 0 ? 0 : ends[i * 3 - 1]!;
    const tokensEnd = ends[i * 3 + 1]!;
    const flagsEnd = ends[i * 3 + 2]!;
    for (let k = start; k < tokensEnd; k++) spotsAt[numbers[k]! + 1]!++;
    for (let k = tokensEnd; k < flagsEnd; k++) flagsAt[numbers[k]! + 1]!++;
  }
  spotsAt[GAP + 1] = 0;
  for (let t = 0; t < terms.length; t++) {
    spotsAt[t + 1]! += spotsAt[t]!;
    flagsAt[t + 1]! += flagsAt[t]!;
  }
  const spots = new Uint32Array(spotsAt[terms.length]!);
  const flags = new Uint16Array(flagsAt[terms.length]!);
  const nextSpot = spotsAt.slice();
  const nextFlag = flagsAt.slice();
  for (let o = 0; o < order.length; o++) {
    const i = order[o]!;
    const high = o << 16;
    let from = i === 0 ? 0 : ends[i * 3 - 1]!;
    for (let part = 0; part < 2; part++) {
      const end = ends[i * 3 + part]!;
      for (let k = from; k < end; k++) {
        const t = numbers[k]!;
        if (t !== GAP) spots[nextSpot[t]!++] = high | (k - from);
      }
      from = end;
    }
    const end = ends[i * 3 + 2]!;
    for (let k = from; k < end; k++) flags[nextFlag[numbers[k]!]!++] = o;
  }
  return { terms, spots, spotsAt, flags, flagsAt };
}
