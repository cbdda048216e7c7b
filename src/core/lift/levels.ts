import { firstIndex } from '#core/first-index.ts';
import type { CurveCounts } from '#core/series/series.ts';
import type { Buckets } from '#core/series/window.ts';

/** The Posts of a window, and what its length usually has. */
export interface Level {
  readonly posts: number;
  /** The sum over its buckets of the mean of the same weekday or hour before it; NaN if one has none. */
  readonly usual: number;
}

/** Reads the levels of windows of a series. */
export interface LevelReader {
  /** @param before - The buckets from which the usual level is computed. */
  readonly levelOf: (window: Buckets, before: Buckets) => Level;
  /** The usual Posts of each bucket of a window; they sum to its `usual`. */
  readonly usualOf: (window: Buckets, before: Buckets) => Float64Array;
}

/** The rhythm of buckets: which are alike, and which do not count as before-time. */
export interface Rhythm {
  /** Number of the weekday or of the hour of the day of each bucket, from 0 on. */
  readonly slots: ArrayLike<number>;
  /** Number of different slots. */
  readonly cycle: number;
  /** 1 for a bucket of another campaign. */
  readonly omitted: Uint8Array;
}

/** A day counts for at most so many times the median of the before-time, and so many Posts more. */
const CAP = { times: 2, more: 5 };

/** Sums before each bucket by slot: entry `i * cycle + s` is that of the buckets before `i` with slot `s`. */
function sumsBySlot({ slots, cycle }: Rhythm, values: ArrayLike<number>): Float64Array {
  const size = values.length;
  const sums = new Float64Array((size + 1) * cycle);
  for (let i = 0; i < size; i += 1) {
    sums.copyWithin((i + 1) * cycle, i * cycle, (i + 1) * cycle);
    const at = (i + 1) * cycle + (slots[i] ?? 0);
    sums[at] = (sums[at] ?? 0) + (values[i] ?? 0);
  }
  return sums;
}

/**
 * Levels of whole counts, each in time that depends on the rhythm alone, from sums before each bucket.
 *
 * @param counts - Unknown ones may be NaN or anything else: a window with one has no meaning.
 */
export function plainLevels(counts: CurveCounts, rhythm: Rhythm): LevelReader {
  const { slots, cycle, omitted } = rhythm;
  const size = counts.length;
  const known = Float64Array.from(counts, (count) => count || 0);
  const total = new Float64Array(size + 1);
  for (let i = 0; i < size; i += 1) total[i + 1] = (total[i] ?? 0) + (known[i] ?? 0);
  const inWindow = sumsBySlot(rhythm, new Uint8Array(size).fill(1));
  const days = sumsBySlot(
    rhythm,
    omitted.map((out) => 1 - out),
  );
  const posts = sumsBySlot(
    rhythm,
    known.map((count, i) => (omitted[i] ? 0 : count)),
  );
  const between = (sums: Float64Array, { first, end }: Buckets, slot: number): number =>
    (sums[end * cycle + slot] ?? NaN) - (sums[first * cycle + slot] ?? NaN);
  const meanOf = (before: Buckets, slot: number): number =>
    between(posts, before, slot) / between(days, before, slot);
  return {
    levelOf: (window, before) => {
      let usual = 0;
      for (let slot = 0; slot < cycle; slot += 1) {
        const times = between(inWindow, window, slot);
        if (times > 0) usual += times * meanOf(before, slot);
      }
      return { posts: (total[window.end] ?? NaN) - (total[window.first] ?? NaN), usual };
    },
    usualOf: ({ first, end }, before) =>
      Float64Array.from({ length: end - first }, (_, i) => meanOf(before, slots[first + i] ?? 0)),
  };
}

/** The different accounts of Posts, of which each counts once wherever it posts more. */
export interface AccountCounts {
  /** Of each bucket. */
  readonly buckets: Float64Array;
  /** Of the window that begins with each bucket, as long as the campaign; those that would end after the last have none. */
  readonly windows: Float64Array;
}

/**
 * Levels of different accounts. An account that posts on several days counts once in a window, so the usual accounts of
 * a window are less than the sum of its days: they are as many of it as in the windows of the before-time, all together.
 *
 * @param length - Buckets of a window.
 */
export function accountLevels(
  { buckets, windows }: AccountCounts,
  rhythm: Rhythm,
  length: number,
): LevelReader {
  const daily = plainLevels(buckets, rhythm);
  const size = windows.length;
  /** Sums over the windows that begin before each bucket and have no omitted one. */
  const [once, each] = [new Float64Array(size + 1), new Float64Array(size + 1)];
  let [sum, omitted] = [0, 0];
  for (let i = 0; i < size + length - 1; i += 1) {
    sum += (buckets[i] ?? NaN) - (buckets[i - length] ?? 0);
    omitted += (rhythm.omitted[i] ?? 0) - (rhythm.omitted[i - length] ?? 0);
    const first = i - length + 1;
    if (first < 0) continue;
    const counts = omitted === 0;
    once[first + 1] = (once[first] ?? NaN) + (counts ? (windows[first] ?? NaN) : 0);
    each[first + 1] = (each[first] ?? NaN) + (counts ? sum : 0);
  }
  /** The accounts of windows as a part of the sum of their days; NaN if no window of the before-time has any. */
  const partOf = ({ first, end }: Buckets): number => {
    const last = end - length + 1;
    const between = (sums: Float64Array): number => (sums[last] ?? NaN) - (sums[first] ?? NaN);
    return between(once) / between(each);
  };
  return {
    levelOf: (window, before) => ({
      posts: windows[window.first] ?? NaN,
      usual: daily.levelOf(window, before).usual * partOf(before),
    }),
    usualOf: (window, before) => {
      const part = partOf(before);
      return daily.usualOf(window, before).map((accounts) => accounts * part);
    },
  };
}

/**
 * The median of the counts of a window that are not omitted. If a window begins one bucket after the last one read, only
 * the two counts that differ are sorted out and in, which takes a third of the time.
 */
function slidingMedian(counts: CurveCounts, omitted: Uint8Array): (window: Buckets) => number {
  const sorted = new Float64Array(counts.length);
  let size = 0;
  let last: Buckets = { first: 0, end: 0 };
  const placeOf = (value: number): number =>
    firstIndex(0, size, (i) => (sorted[i] ?? NaN) >= value);
  const remove = (bucket: number): void => {
    if (omitted[bucket]) return;
    const at = placeOf(counts[bucket] ?? NaN);
    sorted.copyWithin(at, at + 1, size);
    size -= 1;
  };
  const insert = (bucket: number): void => {
    if (omitted[bucket]) return;
    const value = counts[bucket] ?? NaN;
    const at = placeOf(value);
    sorted.copyWithin(at + 1, at, size);
    sorted[at] = value;
    size += 1;
  };
  return (window) => {
    const { first, end } = window;
    if (first === last.first + 1 && end === last.end + 1) {
      remove(last.first);
      insert(last.end);
    } else {
      size = 0;
      for (let i = first; i < end; i += 1) if (!omitted[i]) sorted[size++] = counts[i] ?? NaN;
      sorted.subarray(0, size).sort();
    }
    last = window;
    const middle = size >> 1;
    const upper = sorted[middle] ?? NaN;
    return size % 2 === 1 ? upper : ((sorted[middle - 1] ?? NaN) + upper) / 2;
  };
}

/**
 * Levels of counts that are capped at twice the median of the before-time plus 5 Posts, so that one burst does not
 * decide them. The cap differs from window to window, so each is read in full.
 *
 * @param counts - As for {@link plainLevels}.
 */
export function cappedLevels(counts: CurveCounts, rhythm: Rhythm): LevelReader {
  const { slots, cycle, omitted } = rhythm;
  const sums = new Float64Array(cycle);
  const sizes = new Float64Array(cycle);
  const medianOf = slidingMedian(counts, omitted);
  /** Fills the sums and sizes of the slots. @returns The cap. */
  const readBefore = (before: Buckets): number => {
    const cap = CAP.times * medianOf(before) + CAP.more;
    sums.fill(0);
    sizes.fill(0);
    for (let i = before.first; i < before.end; i += 1) {
      if (omitted[i]) continue;
      const slot = slots[i] ?? 0;
      sums[slot] = (sums[slot] ?? 0) + Math.min(counts[i] ?? NaN, cap);
      sizes[slot] = (sizes[slot] ?? 0) + 1;
    }
    return cap;
  };
  const mean = (bucket: number): number => {
    const slot = slots[bucket] ?? 0;
    return (sums[slot] ?? NaN) / (sizes[slot] ?? NaN);
  };
  return {
    levelOf: ({ first, end }, before) => {
      const cap = readBefore(before);
      let [posts, usual] = [0, 0];
      for (let i = first; i < end; i += 1) {
        posts += Math.min(counts[i] ?? NaN, cap);
        usual += mean(i);
      }
      return { posts, usual };
    },
    usualOf: ({ first, end }, before) => {
      readBefore(before);
      return Float64Array.from({ length: end - first }, (_, i) => mean(first + i));
    },
  };
}
