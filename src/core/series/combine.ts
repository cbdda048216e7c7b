import { STATE, type Curve } from './series.ts';
import { bucketsIn, sameBounds } from './window.ts';

/**
 * Arithmetic of two curves by the displayed formula. Not a set operation: a Post that matches both
 * counts in both.
 */
export const OPERATIONS = {
  sum: 'A + B',
  difference: 'A − B',
  quotient: 'A ÷ B',
  part: 'A ÷ (A + B)',
} as const;
export type Operation = keyof typeof OPERATIONS;

/**
 * Whether the result is a quotient, which is not a count of Posts and can be neither summed nor
 * averaged over buckets.
 */
export function isQuotient(operation: Operation): boolean {
  return operation === 'quotient' || operation === 'part';
}

/** The result for two counts or two sums of counts; NaN if one is NaN or the divisor is zero. */
export function combineCounts(operation: Operation, a: number, b: number): number {
  if (operation === 'sum') return a + b;
  if (operation === 'difference') return a - b;
  const divisor = operation === 'quotient' ? b : a + b;
  return divisor === 0 ? NaN : a / divisor;
}

/**
 * Computes a curve from two, bucket by bucket. For {@link isQuotient quotients} a bucket is the
 * quotient of exact sums, so a computed curve comes from curves at the displayed resolution and is
 * never rolled up.
 *
 * @returns A curve with the same bounds. Its state is the weaker of the two and its fetch the older, so
 *   that a partial bucket gives a partial result. NaN has two meanings, distinguished by the state as
 *   in {@link isUndefined}: below `partial` a count is missing; from `partial` on both are known and
 *   the divisor is zero, so there is no value to fetch.
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

/** Whether a bucket is known but has no value: a quotient by zero. */
export function isUndefined(curve: Curve, bucket: number): boolean {
  return (curve.states[bucket] ?? 0) >= STATE.partial && Number.isNaN(curve.counts[bucket] ?? NaN);
}

/** The combined result of two curves over a window. */
export interface CombinedTotal {
  /** The result for the two sums; NaN if nothing is known or the divisor is zero. */
  readonly value: number;
  /** Sums of each over the buckets that are known in both. */
  readonly a: number;
  readonly b: number;
  /** Number of buckets, of those known in both, and of those among them that are partial. */
  readonly buckets: number;
  readonly known: number;
  readonly partial: number;
}

/**
 * Combines the sums of two curves over the buckets known in both: the total of a quotient is the
 * quotient of the sums, never the mean of quotients.
 *
 * @param from - Start of the window, epoch ms; buckets that it cuts count whole.
 * @param to - Its end, exclusive; at most now, or buckets that have not begun count as missing.
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
