import type { Granularity } from '#core/time/bucket.ts';

/**
 * The state of a bucket, weakest first (ledger rules 10 and 11); the number is its index here. A
 * bucket without Posts is settled with count 0, not `never`. `uncovered` is outside the time for which
 * the source has data: nothing is missing there, and nothing is zero.
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
 * The state of a bucket that is summed from parts: an uncovered part contributes nothing and makes the
 * bucket at most partial.
 *
 * @param weakest - Weakest state of the covered parts.
 * @param uncovered - The number of parts that are not covered.
 */
export function stateOfParts(weakest: number, uncovered: number, parts: number): number {
  if (uncovered === 0) return weakest;
  return uncovered === parts ? STATE.uncovered : Math.min(weakest, STATE.partial);
}

/** States four at a time, without an incomplete rest, so that long runs of one state compare fast. */
export function byFours(states: Uint8Array): Uint32Array {
  const { buffer, byteOffset, length } = states;
  const at = byteOffset % 4 === 0 ? byteOffset : null;
  return new Uint32Array(at === null ? states.slice().buffer : buffer, at ?? 0, length >> 2);
}

/**
 * Counts of a curve. Those of minutes or hours are a Float32Array if all are whole numbers below 2^24, which it holds
 * exactly in half the memory: of twenty years, the first touch of that memory takes longer than any computation.
 */
export type CurveCounts = Float64Array | Float32Array;

/** A gap-free sequence of UTC buckets of one query at one granularity. */
export interface Series {
  readonly granularity: Granularity;
  /** Start of the first bucket, on the grid; bucket i begins at `start + i * BUCKET_MS[granularity]`. */
  readonly start: number;
  /** Meaningless if the state is below `partial`. */
  readonly counts: Uint32Array | CurveCounts;
  /** {@link STATE} of each bucket. */
  readonly states: Uint8Array;
  /** The time at which each stretch was fetched, ascending, disjoint, in epoch ms; `to` exclusive. */
  readonly fetched: readonly { readonly from: number; readonly to: number; readonly at: number }[];
}

/**
 * The counts that are shown and exported, by buckets of a resolution in a zone. Bucket i is `[bounds[i],
 * bounds[i + 1])` in epoch ms, so `bounds` has one entry more than the rest.
 */
export interface Curve {
  readonly bounds: Float64Array;
  /** NaN if any part of the bucket is unknown. */
  readonly counts: CurveCounts;
  /**
   * The weakest {@link STATE} among the parts of the bucket before now; `partial` if the range, now or
   * the limits of the source cut it.
   */
  readonly states: Uint8Array;
  /** The oldest fetch among the bucket's parts, epoch ms; NaN if missing. */
  readonly fetchedAt: Float64Array;
}

/** Edges known to be equal: long ones are compared once. */
const alike = new WeakMap<Float64Array, WeakSet<Float64Array>>();

/** True if two curves have the same buckets: the same range, resolution and zone. */
export function sameBuckets(
  { bounds: a }: Pick<Curve, 'bounds'>,
  { bounds: b }: Pick<Curve, 'bounds'>,
): boolean {
  if (a === b) return true;
  if (a.length !== b.length || a[0] !== b[0] || a.at(-1) !== b.at(-1)) return false;
  if (alike.get(a)?.has(b)) return true;
  // Zones may differ only by an hour in the middle of a year.
  for (let i = 1; i < a.length; i += 1) if (a[i] !== b[i]) return false;
  const known = alike.get(a) ?? new WeakSet();
  alike.set(a, known.add(b));
  return true;
}
