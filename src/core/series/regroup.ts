import { STATE, stateOfParts, type Curve } from './series.ts';

/**
 * The first bucket after `i` that begins in another group. For buckets of one length it is computed,
 * not searched.
 */
function nextGroup(bounds: Float64Array, i: number, size: number, width: number): number {
  const at = bounds[i] ?? 0;
  const end = (Math.floor(at / width) + 1) * width;
  const likely = i + Math.round((end - at) / ((bounds[i + 1] ?? 0) - at));
  let next = likely <= size && (bounds[likely - 1] ?? Infinity) < end ? likely : i + 1;
  while (next < size && (bounds[next] ?? 0) < end) next += 1;
  return next;
}

/**
 * Sums short buckets to longer ones of one width, cut at its multiples in UTC.
 *
 * @param width - In ms; a multiple of the buckets' own.
 * @returns The sums, at most `partial` where the curve begins or ends within one, NaN where a part is
 *   missing, without fetch times; and the first bucket of each, with one extra entry.
 */
export function regroup(
  { bounds, counts, states }: Curve,
  width: number,
): { readonly curve: Curve; readonly firsts: Uint32Array } {
  const size = counts.length;
  const firsts: number[] = [];
  for (let i = 0; i < size;) {
    firsts.push(i);
    i = nextGroup(bounds, i, size, width);
  }
  const edges = Float64Array.from([...firsts, size], (i) => bounds[i] ?? 0);
  const sums = new Float64Array(firsts.length);
  const weakest = new Uint8Array(firsts.length);
  for (let g = 0; g < firsts.length; g += 1) {
    const end = firsts[g + 1] ?? size;
    let sum = 0;
    let uncovered = 0;
    let state: number = STATE.settled;
    const first = firsts[g] ?? 0;
    for (let i = first; i < end; i += 1) {
      if (states[i] === STATE.uncovered) {
        uncovered += 1;
        continue;
      }
      sum += counts[i] ?? NaN;
      state = Math.min(state, states[i] ?? 0);
    }
    state = stateOfParts(state, uncovered, end - first);
    sums[g] = state < STATE.partial ? NaN : sum;
    const whole = (edges[g + 1] ?? 0) - (edges[g] ?? 0) >= width;
    weakest[g] = whole ? state : Math.min(state, STATE.partial);
  }
  const fetchedAt = new Float64Array(firsts.length).fill(NaN);
  return {
    curve: { bounds: edges, counts: sums, states: weakest, fetchedAt },
    firsts: Uint32Array.from([...firsts, size]),
  };
}
