import type { Granularity } from '#core/time/bucket.ts';

/**
 * What is known of a bucket, weakest first (ledger rules 10 and 11); the number is its index here.
 * `empty` never stands for "no Posts": a bucket that was asked and holds none is settled with count 0.
 * `uncovered` is outside the time of which the source has data: nothing is missing there, and nothing is zero.
 */
export const STATES = [
  'never',
  'failed',
  'uncovered',
  'partial',
  'provisional',
  'settled',
] as const;
export type State = (typeof STATES)[number];
export const STATE: Readonly<Record<State, number>> = {
  never: 0,
  failed: 1,
  uncovered: 2,
  partial: 3,
  provisional: 4,
  settled: 5,
};

/**
 * The state of a bucket that is summed from parts: a part that the source does not cover holds nothing and leaves
 * the bucket partial at best.
 *
 * @param weakest - Weakest state of the parts that are covered.
 * @param uncovered - How many of the parts are not.
 */
export function stateOfParts(weakest: number, uncovered: number, parts: number): number {
  if (uncovered === 0) return weakest;
  return uncovered === parts ? STATE.uncovered : Math.min(weakest, STATE.partial);
}

/** States four at a time, without those at the end that are fewer: of millions the same ones are told apart at once. */
export function byFours(states: Uint8Array): Uint32Array {
  const { buffer, byteOffset, length } = states;
  const at = byteOffset % 4 === 0 ? byteOffset : null;
  return new Uint32Array(at === null ? states.slice().buffer : buffer, at ?? 0, length >> 2);
}

/** A gap-free run of UTC buckets of one query at one granularity. */
export interface Series {
  readonly granularity: Granularity;
  /** Start of the first bucket, on the grid; bucket i begins at `start + i * BUCKET_MS[granularity]`. */
  readonly start: number;
  /** Meaningless where the state is below `partial`. */
  readonly counts: Uint32Array | Float64Array;
  /** {@link STATE} of each bucket. */
  readonly states: Uint8Array;
  /** When each stretch was fetched, ascending, disjoint, in epoch ms; `to` exclusive. */
  readonly fetched: readonly { readonly from: number; readonly to: number; readonly at: number }[];
}

/**
 * What is shown and exported: counts by buckets of a resolution in a zone. Bucket i is
 * `[bounds[i], bounds[i + 1])` in epoch ms; so `bounds` has one entry more than the rest.
 */
export interface Curve {
  readonly bounds: Float64Array;
  /** NaN where any part of the bucket is not known. */
  readonly counts: Float64Array;
  /**
   * The weakest {@link STATE} among the parts of the bucket that lie before now; cut by the range, by now or by what
   * the source covers is `partial`.
   */
  readonly states: Uint8Array;
  /** The oldest fetch among the bucket's parts, epoch ms; NaN where missing. */
  readonly fetchedAt: Float64Array;
}

/** Edges that were found to be the same: long ones are compared once. */
const alike = new WeakMap<Float64Array, WeakSet<Float64Array>>();

/** Whether bucket i of one curve is bucket i of another: curves of one range, resolution and zone. */
export function sameBuckets(
  { bounds: a }: Pick<Curve, 'bounds'>,
  { bounds: b }: Pick<Curve, 'bounds'>,
): boolean {
  if (a === b) return true;
  if (a.length !== b.length || a[0] !== b[0] || a.at(-1) !== b.at(-1)) return false;
  if (alike.get(a)?.has(b)) return true;
  // Zones may differ by an hour in the middle of a year alone.
  for (let i = 1; i < a.length; i += 1) if (a[i] !== b[i]) return false;
  const known = alike.get(a) ?? new WeakSet();
  alike.set(a, known.add(b));
  return true;
}
