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

/** Sums of longer buckets, and the first short bucket of each, with one extra entry. */
export interface Regrouped {
  readonly curve: Curve;
  readonly firsts: Uint32Array;
}

/**
 * Sums short buckets to longer ones of one width, cut at its multiples in UTC.
 *
 * @param width - In ms; a multiple of the buckets' own.
 * @returns The sums, at most `partial` where the curve begins or ends within one, NaN where a part is
 *   missing, without fetch times.
 */
export function regroup(curve: Curve, width: number): Regrouped {
  const steps = regroupBySteps(curve, width, Infinity);
  for (;;) {
    const { done, value } = steps.next();
    if (done) return value;
  }
}

/** {@link regroup}, which pauses after about each `step` buckets. */
export function* regroupBySteps(
  { bounds, counts, states }: Curve,
  width: number,
  step: number,
): Generator<void, Regrouped> {
  const size = counts.length;
  const multiple = (i: number): number => Math.floor((bounds[i] ?? 0) / width);
  const most = size > 0 ? multiple(size - 1) - multiple(0) + 1 : 0;
  const firsts = new Uint32Array(most + 1);
  const edges = new Float64Array(most + 1);
  const sums = new Float64Array(most);
  const weakest = new Uint8Array(most);
  let groups = 0;
  let paused = 0;
  for (let first = 0; first < size;) {
    const end = nextGroup(bounds, first, size, width);
    let sum = 0;
    let uncovered = 0;
    let state: number = STATE.settled;
    for (let i = first; i < end; i += 1) {
      if (states[i] === STATE.uncovered) {
        uncovered += 1;
        continue;
      }
      sum += counts[i] ?? NaN;
      state = Math.min(state, states[i] ?? 0);
    }
    state = stateOfParts(state, uncovered, end - first);
    const whole = (bounds[end] ?? 0) - (bounds[first] ?? 0) >= width;
    firsts[groups] = first;
    edges[groups] = bounds[first] ?? 0;
    sums[groups] = state < STATE.partial ? NaN : sum;
    weakest[groups] = whole ? state : Math.min(state, STATE.partial);
    groups += 1;
    first = end;
    if (end - paused < step) continue;
    paused = end;
    yield;
  }
  firsts[groups] = size;
  edges[groups] = bounds[size] ?? 0;
  const curve = {
    bounds: edges.slice(0, groups + 1),
    counts: sums.slice(0, groups),
    states: weakest.slice(0, groups),
    fetchedAt: new Float64Array(groups).fill(NaN),
  };
  return { curve, firsts: firsts.slice(0, groups + 1) };
}
