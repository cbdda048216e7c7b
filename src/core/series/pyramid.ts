import { firstIndex } from '#core/first-index.ts';
import { STATE, byFours } from './series.ts';

/** Values in one block of the lowest level. */
export const LEAF = 64;
/** Blocks of one level in one block of the next. */
const RADIX = 4;

/**
 * Minima, maxima and sums of a sequence of counts, so that any stretch of it can be drawn in a few
 * hundred columns without reading every value and without losing a peak.
 */
export interface Pyramid {
  readonly values: Float64Array;
  /**
   * Level 0 summarises {@link LEAF} values per block, each further level {@link RADIX} blocks of the
   * one below. Contains no NaN: a block without a value has min Infinity, max -Infinity.
   */
  readonly levels: readonly { readonly min: Float64Array; readonly max: Float64Array }[];
  /** Sum of the known values before each leaf block; one entry more than blocks. */
  readonly sums: Float64Array;
  /** Number of missing values (NaN) before each leaf block; one entry more than blocks. */
  readonly holes: Uint32Array;
  /** {@link evenState} of each leaf block, plus one. */
  readonly even: Uint8Array;
}

/** A stretch reduced to columns; column k covers `[edges[k], edges[k + 1])` of the indices. */
export interface Columns {
  readonly edges: Float64Array;
  /** NaN if the column has no known value. */
  readonly min: Float64Array;
  readonly max: Float64Array;
  /** Sum of the known values. */
  readonly sum: Float64Array;
  /** Number of missing values in each column. */
  readonly missing: Uint32Array;
}

/**
 * Summarises counts (NaN is missing), in linear time. Stores the values without a copy.
 *
 * @param states - Of the same buckets; without them no block counts as even.
 */
export function buildPyramid(values: Float64Array, states: Uint8Array | null = null): Pyramid {
  const blocks = Math.ceil(values.length / LEAF);
  let min = new Float64Array(blocks).fill(Infinity);
  let max = new Float64Array(blocks).fill(-Infinity);
  const sums = new Float64Array(blocks + 1);
  const holes = new Uint32Array(blocks + 1);
  const even = new Uint8Array(blocks);
  const fours = states && byFours(states);
  for (let b = 0; b < blocks; b++) {
    const end = Math.min(values.length, (b + 1) * LEAF);
    const first = b * LEAF;
    let low = Infinity;
    let high = -Infinity;
    let sum = 0;
    let gone = 0;
    for (let i = first; i < end; i++) {
      const value = values[i] ?? NaN;
      sum += value;
      if (value < low) low = value;
      if (value > high) high = value;
    }
    // Search for holes only if there are any, which halves the time for millions of values.
    if (sum !== sum) [sum, gone] = withHoles(values, first, end);
    min[b] = low;
    max[b] = high;
    sums[b + 1] = (sums[b] ?? 0) + sum;
    holes[b + 1] = (holes[b] ?? 0) + gone;
    if (fours && end === first + LEAF) even[b] = commonState(fours, b, gone) + 1;
  }
  const levels = [{ min, max }];
  while (min.length > RADIX) {
    const size = Math.ceil(min.length / RADIX);
    const nextMin = new Float64Array(size).fill(Infinity);
    const nextMax = new Float64Array(size).fill(-Infinity);
    for (let i = 0; i < min.length; i++) {
      const b = Math.floor(i / RADIX);
      nextMin[b] = Math.min(nextMin[b] ?? Infinity, min[i] ?? Infinity);
      nextMax[b] = Math.max(nextMax[b] ?? -Infinity, max[i] ?? -Infinity);
    }
    min = nextMin;
    max = nextMax;
    levels.push({ min, max });
  }
  return { values, levels, sums, holes, even };
}

/** Sum and number of holes of values of which some are missing. */
function withHoles(values: Float64Array, from: number, to: number): [sum: number, gone: number] {
  let sum = 0;
  let gone = 0;
  for (let i = from; i < to; i++) {
    const value = values[i] ?? NaN;
    if (value !== value) gone++;
    else sum += value;
  }
  return [sum, gone];
}

/**
 * The common state of all buckets of a leaf block that either all have a value or all have none; -1 if
 * they differ in either, or if the block is not full.
 */
export function evenState({ even }: Pyramid, block: number): number {
  return (even[block] ?? 0) - 1;
}

/** {@link evenState} of a full block. @param fours - From {@link byFours}. */
function commonState(fours: Uint32Array, block: number, gone: number): number {
  const [first, end] = [(block * LEAF) / 4, ((block + 1) * LEAF) / 4];
  const four = fours[first] ?? 0;
  const state = four & 0xff;
  if (gone !== (state < STATE.partial ? LEAF : 0) || four !== state * 0x0101_0101) return -1;
  for (let i = first + 1; i < end; i++) if (fours[i] !== four) return -1;
  return state;
}

/** Extremes, sum and gaps of a stretch of indices; min Infinity and max -Infinity without a known value. */
export interface Extent {
  readonly min: number;
  readonly max: number;
  readonly sum: number;
  readonly missing: number;
}

/**
 * The {@link Extent} that is being computed, in the order of its members: a frame has thousands of columns, and numbers in
 * objects are allocated one by one.
 */
const extent = new Float64Array(4);

function addValues(values: Float64Array, from: number, to: number): void {
  let min = Infinity;
  let max = -Infinity;
  let sum = 0;
  let missing = 0;
  for (let i = from; i < to; i++) {
    const value = values[i] ?? NaN;
    if (value !== value) {
      missing++;
      continue;
    }
    sum += value;
    if (value < min) min = value;
    if (value > max) max = value;
  }
  addExtent(min, max, sum, missing);
}

function addExtent(min: number, max: number, sum: number, missing: number): void {
  if (min < (extent[0] ?? 0)) extent[0] = min;
  if (max > (extent[1] ?? 0)) extent[1] = max;
  extent[2] = (extent[2] ?? 0) + sum;
  extent[3] = (extent[3] ?? 0) + missing;
}

function addBlocks({ sums, holes, levels }: Pyramid, first: number, end: number): void {
  let min = Infinity;
  let max = -Infinity;
  let from = first;
  let to = end;
  const top = levels.length - 1;
  for (let l = 0; l <= top && from < to; l++) {
    const level = levels[l];
    if (!level) break;
    // Blocks outside any whole block of the next level: those before and after its edges; at the top,
    // all.
    const inner = l === top ? to : Math.min(to, Math.ceil(from / RADIX) * RADIX);
    const outer = Math.max(inner, Math.floor(to / RADIX) * RADIX);
    for (let b = from; b < to; b++) {
      if (b === inner) b = outer;
      if (b >= to) break;
      const low = level.min[b] ?? Infinity;
      const high = level.max[b] ?? -Infinity;
      if (low < min) min = low;
      if (high > max) max = high;
    }
    from = inner / RADIX;
    to = outer / RADIX;
  }
  const sum = (sums[end] ?? 0) - (sums[first] ?? 0);
  addExtent(min, max, sum, (holes[end] ?? 0) - (holes[first] ?? 0));
}

/** Computes {@link extent} of the values `[from, to)`; reads at most two leaf blocks. */
function measure(pyramid: Pyramid, from: number, to: number): void {
  extent[0] = Infinity;
  extent[1] = -Infinity;
  extent[2] = extent[3] = 0;
  const firstBlock = Math.ceil(from / LEAF);
  const endBlock = Math.floor(to / LEAF);
  if (firstBlock >= endBlock) {
    addValues(pyramid.values, from, to);
    return;
  }
  if (from < firstBlock * LEAF) addValues(pyramid.values, from, firstBlock * LEAF);
  addBlocks(pyramid, firstBlock, endBlock);
  if (endBlock * LEAF < to) addValues(pyramid.values, endBlock * LEAF, to);
}

/** Extremes, sum and gaps of the values `[from, to)`; reads at most two leaf blocks. */
export function extentOf(pyramid: Pyramid, from: number, to: number): Extent {
  measure(pyramid, from, to);
  const [min = 0, max = 0, sum = 0, missing = 0] = extent;
  return { min, max, sum, missing };
}

/** Reduces values to columns with the given edges, ascending, which are stored. */
export function columnsBetween(pyramid: Pyramid, edges: Float64Array): Columns {
  const size = Math.max(0, edges.length - 1);
  const min = new Float64Array(size);
  const max = new Float64Array(size);
  const sum = new Float64Array(size);
  const missing = new Uint32Array(size);
  for (let k = 0; k < size; k++) {
    const start = edges[k] ?? 0;
    measure(pyramid, start, edges[k + 1] ?? start);
    const low = extent[0] ?? 0;
    const high = extent[1] ?? 0;
    min[k] = low === Infinity ? NaN : low;
    max[k] = high === -Infinity ? NaN : high;
    sum[k] = extent[2] ?? 0;
    missing[k] = extent[3] ?? 0;
  }
  return { edges, min, max, sum, missing };
}

/**
 * Values per column to reduce `size` of them to at most `columns`. Wide columns are whole leaf blocks,
 * so that no single value needs reading.
 */
export function columnStep(size: number, columns: number): number {
  const step = Math.max(1, Math.ceil(size / Math.max(1, columns)));
  return step < 4 * LEAF ? step : Math.ceil(step / LEAF) * LEAF;
}

/** Edges of columns of `step` values over `[from, to)`: its ends, and between them multiples of `step`. */
export function gridEdges(from: number, to: number, step: number): Float64Array {
  if (to <= from) return new Float64Array(0);
  const first = (Math.floor(from / step) + 1) * step;
  const inner = Math.max(0, Math.ceil((to - first) / step));
  const edges = new Float64Array(inner + 2);
  edges[0] = from;
  for (let k = 0; k < inner; k++) edges[k + 1] = first + k * step;
  edges[inner + 1] = to;
  return edges;
}

/**
 * Reduces the values `[from, to)` to at most `columns` columns of equal width (up to one value).
 *
 * @throws {RangeError} if the stretch is not within the values or `columns` is below 1.
 */
export function columns(pyramid: Pyramid, from: number, to: number, columns: number): Columns {
  if (!(from >= 0 && from <= to && to <= pyramid.values.length) || columns < 1) {
    throw new RangeError(
      `expected a stretch within 0–${pyramid.values.length} and a column, got ${from}–${to} in ${columns}`,
    );
  }
  const size = Math.min(columns, to - from);
  const edges = Float64Array.from({ length: size + 1 }, (_, k) =>
    k === 0 ? from : from + Math.round((k * (to - from)) / size),
  );
  return columnsBetween(pyramid, edges);
}

/** Sum of the known values before an index; reads at most one leaf block. */
export function sumBefore({ values, sums }: Pyramid, index: number): number {
  const block = Math.floor(index / LEAF);
  let sum = sums[block] ?? 0;
  for (let i = block * LEAF; i < index; i++) {
    const value = values[i] ?? NaN;
    if (value === value) sum += value;
  }
  return sum;
}

/** Number of missing values before an index; reads at most one leaf block. */
export function holesBefore({ values, holes }: Pyramid, index: number): number {
  const block = Math.floor(index / LEAF);
  let gone = holes[block] ?? 0;
  for (let i = block * LEAF; i < index; i++) {
    const value = values[i] ?? NaN;
    if (value !== value) gone++;
  }
  return gone;
}

/** Index of the last known value of `[from, to)`, -1 if none; logarithmic in its length. */
export function lastKnown(pyramid: Pyramid, from: number, to: number): number {
  const gone = holesBefore(pyramid, to);
  const after = firstIndex(from, to, (i) => to - i <= gone - holesBefore(pyramid, i));
  return after > from ? after - 1 : -1;
}

/** Index of the first known value of `[from, to)`, `to` if none; logarithmic in its length. */
export function firstKnown(pyramid: Pyramid, from: number, to: number): number {
  const gone = holesBefore(pyramid, from);
  return firstIndex(from, to, (i) => holesBefore(pyramid, i + 1) - gone < i + 1 - from);
}

/** Index of the first value of `[from, to)` above a floor, -1 if none; skips whole blocks. */
export function firstAbove(pyramid: Pyramid, from: number, to: number, floor: number): number {
  return firstHigh(pyramid, from, to, (value) => value > floor);
}

/** Index of the first of the highest values of `[from, to)`, -1 if none is known; skips whole blocks. */
export function firstHighest(pyramid: Pyramid, from: number, to: number): number {
  const { max } = extentOf(pyramid, from, to);
  return max === -Infinity ? -1 : firstHigh(pyramid, from, to, (value) => value >= max);
}

/** Index of the first value that is high enough, -1 if none. @param enough - False for NaN and -Infinity. */
function firstHigh(
  pyramid: Pyramid,
  from: number,
  to: number,
  enough: (value: number) => boolean,
): number {
  let i = from;
  while (i < to) {
    let width = i % LEAF === 0 ? LEAF : 0;
    let passed = 0;
    for (const { max } of pyramid.levels) {
      if (width === 0 || i % width !== 0 || enough(max[i / width] ?? Infinity)) break;
      passed = width;
      width *= RADIX;
    }
    if (passed > 0) i += passed;
    else if (enough(pyramid.values[i] ?? NaN)) return i;
    else i++;
  }
  return -1;
}
