import type { Cut } from './rollup.ts';
import { STATE, stateOfParts, type Curve } from './series.ts';

const WHOLE: Cut = { first: false, last: false };

/**
 * Sums the buckets of a curve to other ones that consist of whole buckets of the curve.
 *
 * Buckets cannot be split. They are summed only if all counts of the curve are whole numbers, since
 * quotients do not add up.
 *
 * @param curve - Ascending; missing counts are NaN.
 * @param bounds - Edges of the wanted buckets, epoch ms, ascending.
 * @param cut - The outer buckets that are only parts: those are at most `partial`.
 * @returns One bucket per pair of edges. One that extends beyond the curve is `partial`; one outside
 *   the curve, or with an edge inside one of its buckets, is `uncovered`.
 */
export function refit(curve: Curve, bounds: Float64Array, cut: Cut = WHOLE): Curve {
  const size = bounds.length - 1;
  const counts = new Float64Array(size).fill(Number.NaN);
  const states = new Uint8Array(size).fill(STATE.uncovered);
  const fetchedAt = new Float64Array(size).fill(Number.NaN);
  const given = curve.bounds;
  const [first = 0, last = 0] = [given[0], given.at(-1)];
  const sums = curve.counts.every((count) => Number.isNaN(count) || Number.isInteger(count));
  let j = 0;
  for (let i = 0; i < size; i += 1) {
    const start = bounds[i] ?? 0;
    const end = bounds[i + 1] ?? 0;
    const from = Math.max(start, first);
    const to = Math.min(end, last);
    while (j < curve.counts.length && (given[j] ?? 0) < from) j += 1;
    if (from >= to || given[j] !== from) continue;
    let k = j;
    let sum = 0;
    let uncovered = 0;
    let weakest: number = from > start || to < end ? STATE.partial : STATE.settled;
    let oldest = Infinity;
    while (k < curve.counts.length && (given[k + 1] ?? Infinity) <= to) {
      if (curve.states[k] === STATE.uncovered) {
        uncovered += 1;
        k += 1;
        continue;
      }
      sum += curve.counts[k] ?? Number.NaN;
      weakest = Math.min(weakest, curve.states[k] ?? 0);
      const fetched = curve.fetchedAt[k] ?? Number.NaN;
      if (fetched < oldest) oldest = fetched;
      k += 1;
    }
    if (given[k] !== to || (k > j + 1 && !sums)) continue;
    const part = (cut.first && i === 0) || (cut.last && i === size - 1);
    const state = stateOfParts(weakest, uncovered, k - j);
    states[i] = part ? Math.min(state, STATE.partial) : state;
    counts[i] = state === STATE.uncovered ? Number.NaN : sum;
    if (oldest !== Infinity) fetchedAt[i] = oldest;
    j = k;
  }
  return { bounds, counts, states, fetchedAt };
}
