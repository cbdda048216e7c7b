import type { VerifiedWords } from './chunk.ts';
import { bitsBetween, lowerBound, type Ordinals } from './ordinals.ts';

/** Buckets of a histogram: bucket i is `[base + i * width, base + (i + 1) * width)` in whole seconds. */
interface Grid {
  readonly counts: Uint32Array;
  readonly base: number;
  readonly width: number;
}

/**
 * With this many hits per bucket, searching for a bucket's border and counting the hits between is
 * faster.
 */
const SEARCH_FROM = 16;

/** With this many hits, seconds are verified all at once. */
const VERIFY_ALL_FROM = 512;

/** The first ordinal whose second is not below a given one. */
export function firstFrom(
  { words, verify }: VerifiedWords,
  second: number,
  from = 0,
  to = words.length,
): number {
  const o = lowerBound(words, second, from, to);
  // Seconds ascend, so these two prove the result, whatever the search read on its way.
  if (o > from) verify(o - 1);
  if (o < to) verify(o);
  return o;
}

/** Adds the hits among the ordinals `[from, to)` to their buckets. */
export function addHits(
  grid: Grid,
  hits: Ordinals,
  seconds: VerifiedWords,
  from: number,
  to: number,
): void {
  if (from >= to || hits.length === 0) return;
  const times = seconds.words;
  seconds.verify(from);
  seconds.verify(to - 1);
  const buckets = bucketOf(grid, times[to - 1]!) - bucketOf(grid, times[from]!) + 1;
  if (hits instanceof Uint32Array) {
    if ((to - from) / buckets >= SEARCH_FROM) addRanges(grid, hits, seconds, from, to);
    else {
      seconds.verifyAll();
      addBits(grid, hits, times, from, to);
    }
    return;
  }
  const start = lowerBound(hits, from);
  const end = lowerBound(hits, to, start);
  if (end - start >= buckets * SEARCH_FROM) addRuns(grid, hits, seconds, start, end);
  else {
    const { counts, base, width } = grid;
    if (end - start >= VERIFY_ALL_FROM) seconds.verifyAll();
    else for (let i = start; i < end; i++) seconds.verify(hits[i]!);
    for (let i = start; i < end; i++) counts[((times[hits[i]!]! - base) / width) >>> 0]!++;
  }
}

function bucketOf(grid: Grid, second: number): number {
  return Math.floor((second - grid.base) / grid.width);
}

/** For each bucket: finds the first ordinal of the next one, and counts the bits between. */
function addRanges(
  grid: Grid,
  bits: Uint32Array,
  seconds: VerifiedWords,
  from: number,
  to: number,
): void {
  for (let o = from; o < to;) {
    const bucket = bucketOf(grid, seconds.words[o]!);
    const next = firstFrom(seconds, grid.base + (bucket + 1) * grid.width, o, to);
    grid.counts[bucket]! += bitsBetween(bits, o, next);
    o = next;
  }
}

/** For each bucket: finds the first hit of the next one. */
function addRuns(
  grid: Grid,
  hits: Uint16Array,
  { words: times, verify }: VerifiedWords,
  from: number,
  to: number,
): void {
  if (from < to) verify(hits[from]!);
  for (let i = from; i < to;) {
    const bucket = bucketOf(grid, times[hits[i]!]!);
    const border = grid.base + (bucket + 1) * grid.width;
    let low = i + 1;
    let high = to;
    while (low < high) {
      const middle = (low + high) >>> 1;
      if (times[hits[middle]!]! < border) low = middle + 1;
      else high = middle;
    }
    verify(hits[low - 1]!);
    if (low < to) verify(hits[low]!);
    grid.counts[bucket]! += low - i;
    i = low;
  }
}

function addBits(
  grid: Grid,
  bits: Uint32Array,
  times: Uint32Array,
  from: number,
  to: number,
): void {
  const { counts, base, width } = grid;
  const last = (to - 1) >>> 5;
  for (let w = from >>> 5; w <= last; w++) {
    let word = bits[w]!;
    if (w === from >>> 5) word &= -1 << (from & 31);
    if (w === last) word &= -1 >>> (31 - ((to - 1) & 31));
    while (word !== 0) {
      const o = (w << 5) + (31 - Math.clz32(word & -word));
      counts[((times[o]! - base) / width) >>> 0]!++;
      word &= word - 1;
    }
  }
}
