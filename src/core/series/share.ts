import { LEAF, evenState, type Pyramid } from './pyramid.ts';
import { STATE, type Curve } from './series.ts';
import { bucketsIn, sameBounds } from './window.ts';

/** Each curve's share of all their Posts together, bucket by bucket. */
export interface Shares {
  readonly bounds: Float64Array;
  /**
   * For each curve, in order: 0 to 1 in each bucket, 1 over all curves. NaN if a bucket is not complete
   * in all of them (a state below `provisional`), or if it is but none has a Post.
   */
  readonly shares: readonly Float64Array[];
  /** The weakest state over the curves. */
  readonly states: Uint8Array;
  /** Posts of all curves together; NaN if the bucket is not complete in all. */
  readonly totals: Float64Array;
}

/**
 * Shares of voice by bucket.
 *
 * @throws {RangeError} if there is no curve or their bounds differ.
 */
export function shareByBucket(curves: readonly Curve[]): Shares {
  const bounds = sameBounds(curves);
  const size = Math.max(0, bounds.length - 1);
  const states = new Uint8Array(size).fill(STATE.settled);
  const totals = new Float64Array(size);
  for (const { counts, states: own } of curves) {
    for (let i = 0; i < size; i++) {
      const state = own[i] ?? 0;
      if (state < (states[i] ?? 0)) states[i] = state;
      totals[i] = (totals[i] ?? NaN) + (counts[i] ?? NaN);
    }
  }
  for (let i = 0; i < size; i++) if ((states[i] ?? 0) < STATE.provisional) totals[i] = NaN;
  const shares = curves.map(({ counts }) => {
    const share = new Float64Array(size);
    for (let i = 0; i < size; i++) {
      const total = totals[i] ?? NaN;
      share[i] = total === 0 ? NaN : (counts[i] ?? NaN) / total;
    }
    return share;
  });
  return { bounds, shares, states, totals };
}

/** Each curve's share of all their Posts in a window, and how much of the window that covers. */
export interface WindowShare {
  /** For each curve, 0 to 1, together 1; all NaN if no bucket is comparable in all, or those have no Post. */
  readonly shares: readonly number[];
  /** For each curve, Posts in the comparable buckets: `k` of a share; `total` is its `n`. */
  readonly sums: readonly number[];
  readonly total: number;
  /** Buckets that the source covers, and those comparable in all curves: whole, or partial in each. */
  readonly buckets: number;
  readonly complete: number;
  /** Length of the buckets that are left out because the curves differ in them, and of all buckets, ms. */
  readonly leftOutMs: number;
  readonly elapsedMs: number;
}

/** True if a bucket has the same extent in each curve. */
function areAlike(states: readonly number[]): boolean {
  const whole = states.every((state) => state >= STATE.provisional);
  return whole || states.every((state) => state === STATE.partial);
}

/**
 * Shares of voice over a window: shares of the sums over buckets that are comparable in every curve,
 * never means of shares. A bucket that is partial in all, because it is running or at an edge of the
 * covered time, has the same extent in each.
 *
 * @param from - Start of the window, epoch ms; buckets that it cuts count whole.
 * @param to - Its end, exclusive; at most now, or buckets that have not begun count as left out.
 * @param pyramids - Of the curves, whose counts are whole numbers: most of a long curve then needs no
 *   reading.
 * @throws {RangeError} if there is no curve or their bounds differ.
 */
export function shareOver(
  curves: readonly Curve[],
  from: number,
  to: number,
  pyramids: readonly (Pyramid | null)[] = [],
): WindowShare {
  const bounds = sameBounds(curves);
  const { first, end } = bucketsIn(bounds, from, to);
  const sums = curves.map(() => 0);
  let complete = 0;
  let uncovered = 0;
  let leftOutMs = 0;
  const blocks = curves.flatMap(({ counts }, k) => {
    const pyramid = pyramids[k];
    return pyramid?.values === counts ? pyramid : [];
  });
  for (let i = first; i < end; i++) {
    if (blocks.length === curves.length && i % LEAF === 0 && i + LEAF <= end) {
      const b = i / LEAF;
      const states = blocks.map((block) => evenState(block, b));
      if (states.every((state) => state >= 0)) {
        const alike = areAlike(states);
        if (alike) {
          complete += LEAF;
          for (const [k, { sums: before }] of blocks.entries())
            sums[k] = (sums[k] ?? 0) + (before[b + 1] ?? NaN) - (before[b] ?? NaN);
        } else {
          leftOutMs += (bounds[i + LEAF] ?? 0) - (bounds[i] ?? 0);
          if (states.includes(STATE.uncovered)) uncovered += LEAF;
        }
        i += LEAF - 1;
        continue;
      }
    }
    const states = curves.map((curve) => curve.states[i] ?? 0);
    if (!areAlike(states)) {
      leftOutMs += (bounds[i + 1] ?? 0) - (bounds[i] ?? 0);
      if (states.includes(STATE.uncovered)) uncovered++;
      continue;
    }
    complete++;
    for (const [k, curve] of curves.entries()) sums[k] = (sums[k] ?? 0) + (curve.counts[i] ?? NaN);
  }
  const total = sums.reduce((sum, count) => sum + count, 0);
  return {
    shares: sums.map((sum) => (total === 0 ? NaN : sum / total)),
    sums,
    total,
    buckets: end - first - uncovered,
    complete,
    leftOutMs,
    elapsedMs: (bounds[end] ?? 0) - (bounds[first] ?? 0),
  };
}
