import { BITMAP_FROM, emptyBitmap, lowerBound, NONE } from './ordinals.ts';
import type { Ordinals } from './ordinals.ts';

/** Above this ratio of lengths the longer array is searched instead of walked. */
const SEARCH_RATIO = 32;

/** Positions that have a bit of their own in {@link MASKS}: most Posts have no more words. */
const MASK_BITS = 32;

/**
 * For each ordinal the positions below 32 at which something stands; all zero between calls. With them two
 * arrays meet without a branch: a merge decides anew at every step what no processor can foresee.
 */
const MASKS = new Int32Array(65_536);

function mark(spots: Uint32Array): void {
  for (let i = 0; i < spots.length; i++) {
    const spot = spots[i]!;
    const position = spot & 0xffff;
    if (position < MASK_BITS) MASKS[spot >>> 16]! |= 1 << position;
  }
}

function unmark(spots: Uint32Array): void {
  if (spots.length >= BITMAP_FROM) MASKS.fill(0);
  else for (let i = 0; i < spots.length; i++) MASKS[spots[i]! >>> 16] = 0;
}

function isSearched(stands: Uint32Array, spots: Uint32Array, offset: number): boolean {
  return spots.length > stands.length * SEARCH_RATIO || Math.abs(offset) >= MASK_BITS;
}

/**
 * Those of `stands` that have an element of `spots` exactly `offset` further on, or back if it is negative.
 *
 * @param stands - spots (`ordinal << 16 | position`), ascending, as `spots` are.
 * @returns Ascending. Across a Post's border, where positions run past 65,535 or below 0, it may tell too much.
 */
export function beside(stands: Uint32Array, spots: Uint32Array, offset: number): Uint32Array {
  const out = new Uint32Array(stands.length);
  let n = 0;
  let j = 0;
  if (isSearched(stands, spots, offset)) {
    for (let i = 0; i < stands.length; i++) {
      const wanted = stands[i]! + offset;
      j = lowerBound(spots, wanted, j);
      if (j === spots.length) break;
      if (spots[j] === wanted) out[n++] = stands[i]!;
    }
    return out.subarray(0, n);
  }
  mark(stands);
  const left = Math.max(offset, 0);
  const right = Math.max(-offset, 0);
  for (let i = 0; i < spots.length; i++) {
    const spot = spots[i]!;
    const position = spot & 0xffff;
    const stand = (spot - offset) >>> 0;
    if (position < MASK_BITS - right) {
      if ((((MASKS[spot >>> 16]! << left) >>> right) >>> position) & 1) out[n++] = stand;
    } else {
      while (j < stands.length && stands[j]! < stand) j++;
      if (stands[j] === stand) out[n++] = stand;
    }
  }
  unmark(stands);
  return out.subarray(0, n);
}

/** Those of `spots` that are in some of the Posts, where these are few next to them; else all. */
export function spotsWithin(spots: Uint32Array, posts: Ordinals): Uint32Array {
  if (posts instanceof Uint32Array || spots.length <= posts.length * SEARCH_RATIO) return spots;
  const parts: Uint32Array[] = [];
  let from = 0;
  let n = 0;
  for (const o of posts) {
    from = lowerBound(spots, o * 65_536, from);
    const to = lowerBound(spots, (o + 1) * 65_536, from);
    parts.push(spots.subarray(from, to));
    n += to - from;
    from = to;
  }
  const out = new Uint32Array(n);
  let at = 0;
  for (const part of parts) {
    out.set(part, at);
    at += part.length;
  }
  return out;
}

/** The Posts of {@link beside}. */
export function postsBeside(stands: Uint32Array, spots: Uint32Array, offset: number): Ordinals {
  if (stands.length < BITMAP_FROM || isSearched(stands, spots, offset)) {
    return postsOf(beside(stands, spots, offset));
  }
  const bits = emptyBitmap();
  mark(stands);
  const left = Math.max(offset, 0);
  const right = Math.max(-offset, 0);
  let j = 0;
  for (let i = 0; i < spots.length; i++) {
    const spot = spots[i]!;
    const position = spot & 0xffff;
    const o = spot >>> 16;
    if (position < MASK_BITS - right) {
      bits[o >>> 5]! |= ((((MASKS[o]! << left) >>> right) >>> position) & 1) << (o & 31);
    } else {
      const stand = (spot - offset) >>> 0;
      while (j < stands.length && stands[j]! < stand) j++;
      if (stands[j] === stand) bits[o >>> 5]! |= 1 << (o & 31);
    }
  }
  unmark(stands);
  return bits;
}

/** The Posts of spots that ascend. */
export function postsOf(spots: Uint32Array): Ordinals {
  if (spots.length === 0) return NONE;
  if (spots.length >= BITMAP_FROM) {
    const bits = emptyBitmap();
    for (let i = 0; i < spots.length; i++) {
      const o = spots[i]! >>> 16;
      bits[o >>> 5]! |= 1 << (o & 31);
    }
    return bits;
  }
  const found = new Uint16Array(spots.length);
  let n = 0;
  for (let i = 0; i < spots.length; i++) {
    const o = spots[i]! >>> 16;
    if (n === 0 || found[n - 1] !== o) found[n++] = o;
  }
  return found.subarray(0, n);
}
