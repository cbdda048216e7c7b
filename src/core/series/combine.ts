import { STATE, type Curve } from './series.ts';
import { bucketsIn, sameBounds } from './window.ts';

/** Arithmetic of two curves by the formula that is shown. No set operation: a Post that matches both counts in both. */
export const OPERATIONS = {
  sum: 'A + B',
  difference: 'A − B',
  quotient: 'A ÷ B',
  part: 'A ÷ (A + B)',
} as const;
export type Operation = keyof typeof OPERATIONS;

/** Whether the result is a quotient, so that it is no count of Posts and neither adds up nor averages over buckets. */
export function isQuotient(operation: Operation): boolean {
  return operation === 'quotient' || operation === 'part';
}

/** The result for two counts or two sums of counts; NaN where one is NaN or the divisor is zero. */
export function combineCounts(operation: Operation, a: number, b: number): number {
  if (operation === 'sum') return a + b;
  if (operation === 'difference') return a - b;
  const divisor = operation === 'quotient' ? b : a + b;
  return divisor === 0 ? NaN : a / divisor;
}

/**
 * Reckons with two curves bucket by bucket. For {@link isQuotient quotients} a bucket is the quotient of its
 * exact sums, so a computed curve is reckoned from curves at the resolution that is shown and never rolled up.
 *
 * @returns A curve of the same bounds. Its state is the weaker of the two and its fetch the older, so a
 *   partial bucket's result is partial. NaN has two meanings, told apart by the state as in {@link isUndefined}:
 *   below `partial` a count is missing; from `partial` on both are known and the divisor is zero, so there is
 *   no value to fetch.
 * @throws {RangeError} if the curves differ in their bounds.
 */
export function combine(operation: Operation, a: Curve, b: Curve): Curve {
  const bounds = sameBounds([a, b]);
  const size = Math.max(0, bounds.length - 1);
  const counts = new Float64Array(size);
  const states = new Uint8Array(size);
  const fetchedAt = new Float64Array(size);
  for (let i = 0; i < size; i++) {
    const state = Math.min(a.states[i] ?? 0, b.states[i] ?? 0);
    states[i] = state;
    if (state < STATE.partial) {
      counts[i] = NaN;
      fetchedAt[i] = NaN;
      continue;
    }
    counts[i] = combineCounts(operation, a.counts[i] ?? NaN, b.counts[i] ?? NaN);
    fetchedAt[i] = Math.min(a.fetchedAt[i] ?? NaN, b.fetchedAt[i] ?? NaN);
  }
  return { bounds, counts, states, fetchedAt };
}

/** Whether a bucket is known and yet has no value: a quotient by zero. */
export function isUndefined(curve: Curve, bucket: number): boolean {
  return (curve.states[bucket] ?? 0) >= STATE.partial && Number.isNaN(curve.counts[bucket] ?? NaN);
}

/** What two curves come to together over a window. */
export interface CombinedTotal {
  /** The result for the two sums; NaN where nothing is known or the divisor is zero. */
  readonly value: number;
  /** Sums of either over the buckets that are known in both. */
  readonly a: number;
  readonly b: number;
  /** Buckets that there are, those known in both, and how many of these are partial. */
  readonly buckets: number;
  readonly known: number;
  readonly partial: number;
}

/**
 * Reckons with the sums of two curves over the buckets that are known in both: a quotient's total is the
 * quotient of the sums, never the mean of quotients.
 *
 * @param from - Start of the window, epoch ms; every bucket it touches counts whole.
 * @param to - Its end, exclusive; at most now, or what has not begun counts as missing.
 * @throws {RangeError} if the curves differ in their bounds.
 */
export function combinedTotal(
  operation: Operation,
  a: Curve,
  b: Curve,
  from: number,
  to: number,
): CombinedTotal {
  const { first, end } = bucketsIn(sameBounds([a, b]), from, to);
  let sumA = 0;
  let sumB = 0;
  let known = 0;
  let partial = 0;
  for (let i = first; i < end; i++) {
    const state = Math.min(a.states[i] ?? 0, b.states[i] ?? 0);
    if (state < STATE.partial) continue;
    known++;
    if (state === STATE.partial) partial++;
    sumA += a.counts[i] ?? NaN;
    sumB += b.counts[i] ?? NaN;
  }
  const value = known > 0 ? combineCounts(operation, sumA, sumB) : NaN;
  return { value, a: sumA, b: sumB, buckets: end - first, known, partial };
}
