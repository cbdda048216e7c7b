import type { CurveCounts } from '#core/series/series.ts';

/** Values in one block of the lowest level. */
export const LEAF = 64;
/** Blocks of one level in one block of the next. */
export const RADIX = 4;

/**
 * Minima, maxima and sums of a sequence of counts, so that any stretch of it can be drawn in a few
 * hundred columns without reading every value and without losing a peak.
 */
export interface Pyramid {
  readonly values: CurveCounts;
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

/**
 * The common state of all buckets of a leaf block that either all have a value or all have none; -1 if
 * they differ in either, or if the block is not full.
 */
export function evenState({ even }: Pyramid, block: number): number {
  return (even[block] ?? 0) - 1;
}

/** Lowers and raises an extent to values. */
function addValues(extent: Float64Array, values: CurveCounts, from: number, to: number): void {
  let [min, max] = [Infinity, -Infinity];
  for (let i = from; i < to; i++) {
    const value = values[i] ?? NaN;
    if (value < min) min = value;
    if (value > max) max = value;
  }
  addExtent(extent, min, max);
}

function addExtent(extent: Float64Array, min: number, max: number): void {
  if (min < (extent[0] ?? 0)) extent[0] = min;
  if (max > (extent[1] ?? 0)) extent[1] = max;
}

/** Lowers and raises an extent to leaf blocks. */
function addBlocks(extent: Float64Array, { levels }: Pyramid, first: number, end: number): void {
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
  addExtent(extent, min, max);
}

/**
 * Minimum and maximum of the values `[from, to)`, Infinity and -Infinity without a known one; reads at most two leaf
 * blocks.
 *
 * @param extent - The object that receives them: a frame has thousands of columns, which would each allocate one.
 */
export function extentOf(
  pyramid: Pyramid,
  from: number,
  to: number,
  extent: Float64Array = new Float64Array(2),
): Float64Array {
  extent[0] = Infinity;
  extent[1] = -Infinity;
  const firstBlock = Math.ceil(from / LEAF);
  const endBlock = Math.floor(to / LEAF);
  const { values } = pyramid;
  if (firstBlock >= endBlock) addValues(extent, values, from, to);
  else {
    addValues(extent, values, from, firstBlock * LEAF);
    addBlocks(extent, pyramid, firstBlock, endBlock);
    addValues(extent, values, endBlock * LEAF, to);
  }
  return extent;
}

/**
 * {@link extentOf} between each two edges, interleaved minimum, maximum.
 *
 * @param edges - From {@link gridEdges} with this step.
 */
export function extentsBetween(pyramid: Pyramid, edges: Float64Array, step: number): Float64Array {
  const size = Math.max(0, edges.length - 1);
  const extents = new Float64Array(2 * size);
  const extent = new Float64Array(2);
  const put = (k: number): void => {
    extents.set(extentOf(pyramid, edges[k] ?? 0, edges[k + 1] ?? 0, extent), 2 * k);
  };
  // The coarsest blocks that all columns but the outer ones consist of.
  let width = LEAF;
  let l = 0;
  while (step % (width * RADIX) === 0 && l + 1 < pyramid.levels.length)
    [width, l] = [width * RADIX, l + 1];
  const level = step % width === 0 ? pyramid.levels[l] : undefined;
  if (!level || size < 3) {
    for (let k = 0; k < size; k++) put(k);
    return extents;
  }
  const { min, max } = level;
  const perColumn = step / width;
  let b = (edges[1] ?? 0) / width;
  for (let k = 1; k + 1 < size; k++) {
    let low = Infinity;
    let high = -Infinity;
    for (const end = b + perColumn; b < end; b++) {
      const least = min[b] ?? Infinity;
      const most = max[b] ?? -Infinity;
      if (least < low) low = least;
      if (most > high) high = most;
    }
    extents[2 * k] = low;
    extents[2 * k + 1] = high;
  }
  put(0);
  put(size - 1);
  return extents;
}

/**
 * Values per column to reduce `size` of them to at most `columns`. Wide columns are whole blocks of the pyramid, so that
 * no single value needs reading, and few blocks: an eighth of a column or less.
 */
export function columnStep(size: number, columns: number): number {
  const step = Math.max(1, Math.ceil(size / Math.max(1, columns)));
  if (step < 4 * LEAF) return step;
  let block = LEAF;
  while (8 * RADIX * block <= step) block *= RADIX;
  return Math.ceil(step / block) * block;
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
