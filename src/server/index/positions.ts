import { listed, lowerBound, NONE, pack, placesIn, size, type Ordinals } from './ordinals.ts';

/** In place of a first position that does not fit a byte, and where the term is a flag. */
const NO_FIRST = 255;

/** Above this ratio of lengths the longer array is searched instead of walked. */
const SEARCH_RATIO = 32;

/**
 * The positions of a word, or `url:` token, in the Posts of its list: usually one byte each. A phrase reads those of
 * the Posts that contain all its words.
 */
export interface Positions {
  /** The Posts that contain it. */
  readonly posts: Ordinals;
  /** The first position in each of them, in their order; {@link NO_FIRST} if it is among `others` or absent. */
  readonly first: Uint8Array;
  /** All others, `ordinal << 16 | position`, ascending. */
  readonly others: Uint32Array;
}

/** Bytes of the first positions, up to where words of 32 bits can begin. */
function firstBytes(posts: number): number {
  return (posts + 3) & ~3;
}

/**
 * Packs positions, for {@link positionsIn}.
 *
 * @param ordinals - The Posts that contain the term, ascending.
 * @param spots - Its positions in them, `ordinal << 16 | position`, ascending.
 * @returns A byte for each Post, filled up to whole words, then four for each further position.
 */
export function packPositions(ordinals: Uint16Array, spots: Uint32Array): Uint8Array {
  const first = new Uint8Array(firstBytes(ordinals.length)).fill(NO_FIRST);
  const others = new Uint32Array(spots.length);
  let n = 0;
  let at = -1;
  let before = -1;
  for (let i = 0; i < spots.length; i++) {
    const spot = spots[i]!;
    const [o, position] = [spot >>> 16, spot & 0xffff];
    if (o === before || position >= NO_FIRST) {
      others[n++] = spot;
      continue;
    }
    before = o;
    do at++;
    while (ordinals[at] !== o);
    first[at] = position;
  }
  const out = new Uint8Array(first.length + n * 4);
  out.set(first);
  out.set(new Uint8Array(others.buffer, 0, n * 4), first.length);
  return out;
}

/**
 * Views packed positions.
 *
 * @param bytes - From {@link packPositions}, at an address that four divides.
 * @returns Null if these cannot be the positions in so many Posts.
 */
export function positionsIn(posts: Ordinals, bytes: Uint8Array): Positions | null {
  const n = size(posts);
  const from = firstBytes(n);
  const words = (bytes.length - from) / 4;
  if (words < 0 || !Number.isInteger(words)) return null;
  return {
    posts,
    first: bytes.subarray(0, n),
    others: new Uint32Array(bytes.buffer, bytes.byteOffset + from, words),
  };
}

/** Positions in memory. @param spots - As for {@link packPositions}. */
export function positionsOf(ordinals: Uint16Array, spots: Uint32Array): Positions {
  return positionsIn(pack(ordinals), packPositions(ordinals, spots))!;
}

/** All positions, `ordinal << 16 | position`, ascending. */
export function spotsIn({ posts, first, others }: Positions): Uint32Array {
  const all = listed(posts);
  const out = new Uint32Array(all.length + others.length);
  let n = 0;
  let k = 0;
  for (let i = 0; i < all.length; i++) {
    const o = all[i]!;
    while (k < others.length && others[k]! >>> 16 < o) out[n++] = others[k++]!;
    if (first[i] !== NO_FIRST) out[n++] = (o * 65_536 + first[i]!) >>> 0;
  }
  while (k < others.length) out[n++] = others[k++]!;
  return out.subarray(0, n);
}

/** As {@link spotsIn}, of some of the Posts alone. @param among - Ascending, all of them among the Posts. */
function spotsAmong({ posts, first, others }: Positions, among: Uint16Array): Uint32Array {
  const places = placesIn(posts, among);
  const out = new Uint32Array(among.length + others.length);
  const isSearched = others.length > among.length * SEARCH_RATIO;
  let n = 0;
  let k = 0;
  for (let i = 0; i < among.length; i++) {
    const o = among[i]!;
    const position = first[places[i]!]!;
    if (position !== NO_FIRST) out[n++] = (o * 65_536 + position) >>> 0;
    if (isSearched) k = lowerBound(others, o * 65_536, k);
    else while (k < others.length && others[k]! >>> 16 < o) k++;
    while (k < others.length && others[k]! >>> 16 === o) out[n++] = others[k++]!;
  }
  return out.subarray(0, n);
}

/** The elements of `starts` that have, in the same Post, an element of `spots` `offset` further on, or back if negative. */
function adjacent(starts: Uint32Array, spots: Uint32Array, offset: number): Uint32Array {
  const out = new Uint32Array(starts.length);
  let n = 0;
  let j = 0;
  for (let i = 0; i < starts.length; i++) {
    const wanted = starts[i]! + offset;
    while (j < spots.length && spots[j]! < wanted) j++;
    if (j === spots.length) break;
    if (spots[j] === wanted && wanted >>> 16 === starts[i]! >>> 16) out[n++] = starts[i]!;
  }
  return out.subarray(0, n);
}

/** The Posts of ascending spots. */
function postsOf(spots: Uint32Array): Uint16Array {
  const found = new Uint16Array(spots.length);
  let n = 0;
  for (let i = 0; i < spots.length; i++) {
    const o = spots[i]! >>> 16;
    if (n === 0 || found[n - 1] !== o) found[n++] = o;
  }
  return found.subarray(0, n);
}

/** A word of a phrase, and how many words after the first one it comes. */
export interface PhrasePart {
  readonly offset: number;
  /** Null if it has none. */
  positions(): Positions | null;
}

/**
 * The Posts with all parts of a phrase at their offsets.
 *
 * @param parts - At least one. The positions of one at a time are read, and of no more once nothing can match.
 * @param together - The Posts that contain all of them.
 */
export function postsInSequence(parts: readonly PhrasePart[], together: Ordinals): Ordinals {
  let among = listed(together);
  let starts: Uint32Array | undefined;
  for (const part of parts) {
    if (among.length === 0) return NONE;
    const positions = part.positions();
    if (!positions) return NONE;
    const spots = spotsAmong(positions, among);
    starts = starts ? adjacent(starts, spots, part.offset - parts[0]!.offset) : spots;
    among = postsOf(starts);
  }
  return pack(among);
}
