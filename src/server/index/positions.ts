import { BITMAP_FROM, emptyBitmap, lowerBound, NONE } from './ordinals.ts';
import type { Ordinals } from './ordinals.ts';

/** Above this ratio of lengths the longer array is searched instead of walked. */
const SEARCH_RATIO = 32;

/** Positions with their own bit in {@link MASKS}: most Posts have no more words. */
const MASK_BITS = 32;

/**
 * For each ordinal a mask of its occurrences at positions below 32; all zero between calls. The masks
 * intersect two arrays without a branch, where a merge would branch unpredictably at every step.
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

function isSearched(starts: Uint32Array, spots: Uint32Array, offset: number): boolean {
  return spots.length > starts.length * SEARCH_RATIO || Math.abs(offset) >= MASK_BITS;
}

/**
 * The elements of `starts` that have an element of `spots` exactly `offset` further on, or back if it
 * is negative.
 *
 * @param starts - Spots (`ordinal << 16 | position`), ascending, as `spots` are.
 * @returns Ascending. Across a Post's border, where positions exceed 65,535 or fall below 0, it may
 *   include too many.
 */
export function adjacent(starts: Uint32Array, spots: Uint32Array, offset: number): Uint32Array {
  const out = new Uint32Array(starts.length);
  let n = 0;
  let j = 0;
  if (isSearched(starts, spots, offset)) {
    for (let i = 0; i < starts.length; i++) {
      const wanted = starts[i]! + offset;
      j = lowerBound(spots, wanted, j);
      if (j === spots.length) break;
      if (spots[j] === wanted) out[n++] = starts[i]!;
    }
    return out.subarray(0, n);
  }
  mark(starts);
  const up = Math.max(offset, 0);
  const down = Math.max(-offset, 0);
  for (let i = 0; i < spots.length; i++) {
    const spot = spots[i]!;
    const position = spot & 0xffff;
    const start = (spot - offset) >>> 0;
    if (position < MASK_BITS - down) {
      if ((((MASKS[spot >>> 16]! << up) >>> down) >>> position) & 1) out[n++] = start;
    } else {
      while (j < starts.length && starts[j]! < start) j++;
      if (starts[j] === start) out[n++] = start;
    }
  }
  unmark(starts);
  return out.subarray(0, n);
}

/** The elements of `spots` that are in some of the Posts, if these are comparatively few; else all. */
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

/** The Posts of {@link adjacent}. */
export function postsAdjacent(starts: Uint32Array, spots: Uint32Array, offset: number): Ordinals {
  if (starts.length < BITMAP_FROM || isSearched(starts, spots, offset)) {
    return postsOf(adjacent(starts, spots, offset));
  }
  const bits = emptyBitmap();
  mark(starts);
  const up = Math.max(offset, 0);
  const down = Math.max(-offset, 0);
  let j = 0;
  for (let i = 0; i < spots.length; i++) {
    const spot = spots[i]!;
    const position = spot & 0xffff;
    const o = spot >>> 16;
    if (position < MASK_BITS - down) {
      bits[o >>> 5]! |= ((((MASKS[o]! << up) >>> down) >>> position) & 1) << (o & 31);
    } else {
      const start = (spot - offset) >>> 0;
      while (j < starts.length && starts[j]! < start) j++;
      if (starts[j] === start) bits[o >>> 5]! |= 1 << (o & 31);
    }
  }
  unmark(starts);
  return bits;
}

/** The Posts of ascending spots. */
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
