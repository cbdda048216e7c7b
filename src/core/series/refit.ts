import { STATE, type Curve } from './series.ts';

/**
 * Sums the buckets of a curve to other ones: exact where every part of a bucket is a whole bucket of the curve.
 *
 * @param curve - Ascending, without gaps between its bounds; what is missing in it is NaN.
 * @param bounds - Edges of the buckets wanted, epoch ms, ascending.
 * @returns One bucket per pair of edges. NaN and `never` where the curve does not reach, where a count in it is
 *   missing, or where an edge splits one of its buckets: what a part of a bucket holds is not known.
 */
export function refit(curve: Curve, bounds: Float64Array): Curve {
  const size = Math.max(0, bounds.length - 1);
  const counts = new Float64Array(size).fill(Number.NaN);
  const states = new Uint8Array(size);
  const fetchedAt = new Float64Array(size).fill(Number.NaN);
  let at = 0;
  for (let i = 0; i < size; i += 1) {
    const [start = 0, end = 0] = bounds.subarray(i, i + 2);
    while (at < curve.counts.length && (curve.bounds[at] ?? 0) < start) at += 1;
    if (curve.bounds[at] !== start) continue;
    let sum = 0;
    let weakest: number = STATE.settled;
    let oldest = Infinity;
    let part = at;
    while (part < curve.counts.length && (curve.bounds[part] ?? 0) < end) {
      sum += curve.counts[part] ?? Number.NaN;
      weakest = Math.min(weakest, curve.states[part] ?? 0);
      oldest = Math.min(oldest, curve.fetchedAt[part] ?? Infinity);
      part += 1;
    }
    if (part === at || curve.bounds[part] !== end) continue;
    states[i] = weakest;
    if (weakest < STATE.partial || Number.isNaN(sum)) continue;
    counts[i] = sum;
    if (oldest !== Infinity) fetchedAt[i] = oldest;
  }
  return { bounds, counts, states, fetchedAt };
}
