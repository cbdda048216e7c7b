import { LEAF, evenState, type Pyramid } from '#core/series/pyramid/pyramid.ts';
import { STATE, type Curve } from './series.ts';
import { bucketsIn, sameBounds } from './window.ts';

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
  /** Those whole in all curves. */
  readonly whole: number;
  /** Length of the buckets that are left out because the curves differ in them, and of all buckets, ms. */
  readonly leftOutMs: number;
  readonly elapsedMs: number;
}

const areWhole = (states: readonly number[]): boolean =>
  states.every((state) => state >= STATE.provisional);

/** True if a bucket has the same extent in each curve. */
function areAlike(states: readonly number[]): boolean {
  return areWhole(states) || states.every((state) => state === STATE.partial);
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
  let whole = 0;
  let uncovered = 0;
  let leftOutMs = 0;
  const blocks = curves.flatMap(({ counts }, k) => {
    const pyramid = pyramids[k];
    return pyramid?.values === counts ? pyramid : [];
  });
  for (let i = first, next = first; i < end; i = next) {
    const b = i / LEAF;
    const readsBlocks = blocks.length === curves.length && i % LEAF === 0 && i + LEAF <= end;
    const blockStates = readsBlocks ? blocks.map((block) => evenState(block, b)) : [-1];
    const isEven = blockStates.every((state) => state >= 0);
    const states = isEven ? blockStates : curves.map((curve) => curve.states[i] ?? 0);
    const size = isEven ? LEAF : 1;
    next = i + size;
    if (!areAlike(states)) {
      leftOutMs += (bounds[next] ?? 0) - (bounds[i] ?? 0);
      if (states.includes(STATE.uncovered)) uncovered += size;
      continue;
    }
    complete += size;
    if (areWhole(states)) whole += size;
    for (const [k, { counts }] of curves.entries()) {
      const before = blocks[k]?.sums;
      const sum = isEven ? (before?.[b + 1] ?? NaN) - (before?.[b] ?? NaN) : (counts[i] ?? NaN);
      sums[k] = (sums[k] ?? 0) + sum;
    }
  }
  const total = sums.reduce((sum, count) => sum + count, 0);
  return {
    shares: sums.map((sum) => (total === 0 ? NaN : sum / total)),
    sums,
    total,
    buckets: end - first - uncovered,
    complete,
    whole,
    leftOutMs,
    elapsedMs: (bounds[end] ?? 0) - (bounds[first] ?? 0),
  };
}
