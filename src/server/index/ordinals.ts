import { ones } from '#core/bits.ts';

/**
 * A set of ordinals of one chunk (0 to 65,535): sorted without repeats as Uint16Array, or as a bitmap
 * of 65,536 bits in a Uint32Array. Sets are immutable; they may be views of stored bytes.
 */
export type Ordinals = Uint16Array | Uint32Array;

/** From this size on a set is stored as a bitmap, which is then the smaller form. */
export const BITMAP_FROM = 4096;
const BITMAP_WORDS = 2048;

export const NONE: Ordinals = new Uint16Array(0);

/** Number of set bits of the bitmap in `[from, to)`. */
export function bitsBetween(bits: Uint32Array, from: number, to: number): number {
  if (from >= to) return 0;
  const first = from >>> 5;
  const last = (to - 1) >>> 5;
  const head = -1 << (from & 31);
  const end = -1 >>> (31 - ((to - 1) & 31));
  if (first === last) return ones(bits[first]! & head & end);
  let n = ones(bits[first]! & head) + ones(bits[last]! & end);
  for (let i = first + 1; i < last; i++) n += ones(bits[i]!);
  return n;
}

/** Number of ordinals in a set. */
export function size(set: Ordinals): number {
  return set instanceof Uint16Array ? set.length : bitsBetween(set, 0, 65_536);
}

/** The set in its smaller form. */
export function pack(sorted: Uint16Array): Ordinals {
  return sorted.length < BITMAP_FROM ? sorted : toBitmap(sorted);
}

/** The set in its smaller form: a bitmap may have few ordinals remaining, or none. */
export function smallerForm(set: Ordinals): Ordinals {
  return set instanceof Uint32Array && size(set) < BITMAP_FROM ? listed(set) : set;
}

/** A new, writable bitmap of nothing. */
export function emptyBitmap(): Uint32Array {
  return new Uint32Array(BITMAP_WORDS);
}

/** A new, writable bitmap of the set. */
function toBitmap(set: Ordinals): Uint32Array {
  if (set instanceof Uint32Array) return set.slice();
  const bits = emptyBitmap();
  addTo(bits, set);
  return bits;
}

/** All ordinals below `n`. */
export function below(n: number): Ordinals {
  const bits = new Uint32Array(BITMAP_WORDS);
  bits.fill(0xffffffff, 0, n >>> 5);
  if (n & 31) bits[n >>> 5] = (1 << (n & 31)) - 1;
  return bits;
}

/**
 * The ordinals of `set` that are in the bitmap, or are not. Branch-free, since the branch would be
 * unpredictable.
 */
function keep(set: Uint16Array, bits: Uint32Array, wanted: 0 | 1): Uint16Array {
  const out = new Uint16Array(set.length);
  let n = 0;
  for (let i = 0; i < set.length; i++) {
    const o = set[i]!;
    out[n] = o;
    n += ((bits[o >>> 5]! >>> (o & 31)) & 1) ^ wanted ^ 1;
  }
  return out.subarray(0, n);
}

/** A bitmap to mark lists in during a call; all zero between calls. */
const MARKS = new Uint32Array(BITMAP_WORDS);

/**
 * {@link keep} with a list: marking it costs less than a merge, which branches unpredictably at every
 * step.
 */
function keepListed(set: Uint16Array, other: Uint16Array, wanted: 0 | 1): Uint16Array {
  addTo(MARKS, other);
  const out = keep(set, MARKS, wanted);
  MARKS.fill(0);
  return out;
}

function addTo(bits: Uint32Array, set: Uint16Array): void {
  for (let i = 0; i < set.length; i++) {
    const o = set[i]!;
    bits[o >>> 5]! |= 1 << (o & 31);
  }
}

/** First index of `set`, from `from` on, whose value is not below `o`. */
export function lowerBound(
  set: Uint16Array | Uint32Array | BigInt64Array,
  o: number | bigint,
  from = 0,
  to = set.length,
): number {
  let low = from;
  let high = to;
  while (low < high) {
    const middle = (low + high) >>> 1;
    if (set[middle]! < o) low = middle + 1;
    else high = middle;
  }
  return low;
}

/** Above this ratio of lengths the longer array is searched instead of walked. */
const SEARCH_RATIO = 32;

/**
 * For each ordinal of a subset how many ordinals of the set are below it.
 *
 * @param among - Ascending, all of them in the set.
 */
export function placesIn(set: Ordinals, among: Uint16Array): Uint16Array {
  const out = new Uint16Array(among.length);
  if (set instanceof Uint16Array) {
    const isSearched = set.length > among.length * SEARCH_RATIO;
    let place = 0;
    for (let i = 0; i < among.length; i++) {
      const o = among[i]!;
      if (isSearched) place = lowerBound(set, o, place);
      else while (set[place]! < o) place++;
      out[i] = place;
    }
    return out;
  }
  let before = 0;
  let w = 0;
  for (let i = 0; i < among.length; i++) {
    const o = among[i]!;
    for (; w < o >>> 5; w++) before += ones(set[w]!);
    out[i] = before + ones(set[w]! & ((1 << (o & 31)) - 1));
  }
  return out;
}

function andArrays(a: Uint16Array, b: Uint16Array): Uint16Array {
  const [small, large] = a.length <= b.length ? [a, b] : [b, a];
  if (large.length <= small.length * SEARCH_RATIO) return keepListed(small, large, 1);
  const out = new Uint16Array(small.length);
  let n = 0;
  let j = 0;
  for (let i = 0; i < small.length; i++) {
    const o = small[i]!;
    j = lowerBound(large, o, j);
    if (j === large.length) break;
    if (large[j] === o) out[n++] = o;
  }
  return out.subarray(0, n);
}

/** The intersection of two sets. */
export function and(a: Ordinals, b: Ordinals): Ordinals {
  if (a instanceof Uint16Array) return b instanceof Uint16Array ? andArrays(a, b) : keep(a, b, 1);
  if (b instanceof Uint16Array) return keep(b, a, 1);
  const out = new Uint32Array(BITMAP_WORDS);
  for (let i = 0; i < BITMAP_WORDS; i++) out[i] = a[i]! & b[i]!;
  return out;
}

/** The ordinals of `a` that are not in `b`. */
export function andNot(a: Ordinals, b: Ordinals): Ordinals {
  if (a instanceof Uint16Array) {
    return b instanceof Uint32Array ? keep(a, b, 0) : keepListed(a, b, 0);
  }
  const out = a.slice();
  if (b instanceof Uint16Array) {
    for (let i = 0; i < b.length; i++) out[b[i]! >>> 5]! &= ~(1 << (b[i]! & 31));
  } else {
    for (let i = 0; i < BITMAP_WORDS; i++) out[i]! &= ~b[i]!;
  }
  return out;
}

function orArrays(a: Uint16Array, b: Uint16Array): Uint16Array {
  const out = new Uint16Array(a.length + b.length);
  let n = 0;
  let i = 0;
  let j = 0;
  while (i < a.length && j < b.length) {
    const x = a[i]!;
    const y = b[j]!;
    out[n++] = x < y ? x : y;
    if (x <= y) i++;
    if (y <= x) j++;
  }
  while (i < a.length) out[n++] = a[i++]!;
  while (j < b.length) out[n++] = b[j++]!;
  return out.subarray(0, n);
}

/** Lists with fewer ordinals together are merged; for more, a bitmap is cheaper to make and to read. */
const MERGED_BELOW = 256;

/** The union of sets. */
export function or(sets: readonly Ordinals[]): Ordinals {
  const filled = sets.filter((set) => set.length > 0);
  let total = 0;
  for (const set of filled) total += set instanceof Uint16Array ? set.length : BITMAP_FROM;
  const [first, ...others] = filled;
  if (!first) return NONE;
  if (others.length === 0) return first;
  if (total < MERGED_BELOW) {
    let out: Uint16Array | undefined;
    for (const set of filled) {
      if (set instanceof Uint16Array) out = out ? orArrays(out, set) : set;
    }
    return out ?? NONE;
  }
  const out = toBitmap(first);
  for (const set of others) {
    if (set instanceof Uint16Array) addTo(out, set);
    else for (let i = 0; i < BITMAP_WORDS; i++) out[i]! |= set[i]!;
  }
  return out;
}

/** The ordinals of a set as an ascending list; read-only. */
export function listed(set: Ordinals): Uint16Array {
  if (set instanceof Uint16Array) return set;
  const out = new Uint16Array(size(set));
  let n = 0;
  for (let w = 0; w < set.length; w++) {
    for (let word = set[w]!; word !== 0; word &= word - 1) {
      out[n++] = (w << 5) + (31 - Math.clz32(word & -word));
    }
  }
  return out;
}
