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
  const firsts: number[] = [];
  const sums: number[] = [];
  const weakest: number[] = [];
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
    firsts.push(first);
    sums.push(state < STATE.partial ? NaN : sum);
    weakest.push(whole ? state : Math.min(state, STATE.partial));
    first = end;
    if (end - paused < step) continue;
    paused = end;
    yield;
  }
  const curve = {
    bounds: Float64Array.from([...firsts, size], (i) => bounds[i] ?? 0),
    counts: Float64Array.from(sums),
    states: Uint8Array.from(weakest),
    fetchedAt: new Float64Array(firsts.length).fill(NaN),
  };
  return { curve, firsts: Uint32Array.from([...firsts, size]) };
}
