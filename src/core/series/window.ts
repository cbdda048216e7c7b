import { firstIndex } from '#core/first-index.ts';

/** Number of the bucket that contains an instant; -1 outside the curve. */
export function bucketAt(bounds: Float64Array, at: number): number {
  const last = bounds.length - 1;
  if (last < 1 || at < (bounds[0] ?? 0) || at >= (bounds[last] ?? 0)) return -1;
  return firstIndex(0, last, (i) => (bounds[i] ?? 0) > at) - 1;
}

/** Consecutive buckets by number, `end` exclusive. */
export interface Buckets {
  readonly first: number;
  readonly end: number;
}

/** The buckets that a window `[from, to)` in epoch ms touches; none if it ends before it starts. */
export function bucketsIn(bounds: Float64Array, from: number, to: number): Buckets {
  const size = Math.max(0, bounds.length - 1);
  const start = bounds[0] ?? 0;
  const end = bounds[size] ?? 0;
  if (size === 0 || !(from < to) || to <= start || from >= end) return { first: 0, end: 0 };
  const first = from <= start ? 0 : bucketAt(bounds, from);
  if (to >= end) return { first, end: size };
  const last = bucketAt(bounds, to);
  return { first, end: (bounds[last] ?? 0) < to ? last + 1 : last };
}

/**
 * Verifies that curves have the same buckets, so that they can be combined bucket by bucket.
 *
 * @throws {RangeError} if there is none or one has other bounds than the first.
 */
export function sameBounds(all: readonly { readonly bounds: Float64Array }[]): Float64Array {
  const bounds = all[0]?.bounds;
  if (!bounds) throw new RangeError('expected a curve, got none');
  for (const other of all) {
    if (other.bounds === bounds) continue;
    if (other.bounds.length !== bounds.length) {
      throw new RangeError(
        `expected curves of the same buckets, got ${bounds.length} and ${other.bounds.length} bounds`,
      );
    }
    for (let i = 0; i < bounds.length; i++) {
      if (bounds[i] !== other.bounds[i]) {
        throw new RangeError(
          `expected curves of the same buckets, got bound ${i} at ${bounds[i]} and ${other.bounds[i]}`,
        );
      }
    }
  }
  return bounds;
}
