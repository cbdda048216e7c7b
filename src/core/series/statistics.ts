import type { Span } from '#core/time/span.ts';
import { LEAF, evenState, type Pyramid } from '#core/series/pyramid/pyramid.ts';
import { STATE, type Curve } from './series.ts';
import { bucketsIn, type Buckets } from './window.ts';

/**
 * The reason there is no value; the first that applies. `nothing`: no bucket has begun. `missing`: one is
 * unknown and can be requested. `uncovered`: the source has no data for any of them. `undefined`: one
 * of a computed curve is a quotient by zero. `partial`: none is whole.
 */
export type Reason = 'nothing' | 'missing' | 'uncovered' | 'undefined' | 'partial';

/** A value of complete data, or why there is none: incomplete data is never averaged silently. */
export type Result<T> =
  | { readonly ok: true; readonly value: T }
  | { readonly ok: false; readonly why: Reason };

/** A bucket by number and its count. */
export interface Extreme {
  readonly index: number;
  readonly value: number;
}

/** Statistics of the buckets of a curve that begin before now. */
export interface Statistics {
  /** Number of buckets: known, missing, not covered by the source, and quotients by zero. */
  readonly buckets: number;
  readonly known: number;
  readonly missing: number;
  readonly uncovered: number;
  readonly undefined: number;
  /** Known buckets that neither the range nor now cuts. */
  readonly whole: number;
  /** Known buckets that may still change slightly. */
  readonly provisional: number;
  /** Length of all these buckets, of the known ones, and of those that the source does not cover, ms. */
  readonly elapsedMs: number;
  readonly knownMs: number;
  readonly uncoveredMs: number;
  /** Sum over the known buckets, including partial ones, which together last `knownMs`. */
  readonly total: number;
  /** Sum over the whole buckets; only if all others are cut or not covered by the source. */
  readonly wholeTotal: Result<number>;
  /**
   * The same per whole bucket. For a computed quotient it is not the ratio of the window: see
   * `combinedTotal`.
   */
  readonly mean: Result<number>;
  /**
   * Among the whole buckets, the first of equals; null if none is known. A missing bucket may have more
   * or less.
   */
  readonly lowest: Extreme | null;
  readonly highest: Extreme | null;
  /** The highest known bucket, including partial ones, the first of equals; null if none has a Post. */
  readonly peak: Extreme | null;
}

/** The buckets of a window, or of the whole curve, that begin before now. */
export function begun({ bounds }: Curve, now: number, window: Span | null): Buckets {
  return window
    ? bucketsIn(bounds, window.start, Math.min(now, window.end))
    : bucketsIn(bounds, -Infinity, now);
}

/**
 * Computes the statistics of a curve in one pass.
 *
 * @param now - Buckets that begin later are ignored.
 * @param window - Buckets that it cuts count whole; null means the whole curve.
 * @param pyramid - Of the curve's counts, which are whole numbers, and states: its even blocks need no
 *   reading.
 */
export function statistics(
  curve: Curve,
  now: number,
  window: Span | null = null,
  pyramid: Pyramid | null = null,
): Statistics {
  const { bounds, counts, states } = curve;
  const blocks = pyramid?.values === counts ? pyramid : null;
  const { first, end } = begun(curve, now, window);
  let known = 0;
  let knownMs = 0;
  let missing = 0;
  let uncovered = 0;
  let uncoveredMs = 0;
  let whole = 0;
  let provisional = 0;
  let total = 0;
  let wholeTotal = 0;
  let low = -1;
  let lowest = Infinity;
  let high = -1;
  let highest = -Infinity;
  let top = -1;
  let most = 0;
  for (let i = first, next = first; i < end; i = next) {
    const startsBlock = blocks !== null && i % LEAF === 0 && i + LEAF <= end;
    const even = startsBlock ? evenState(blocks, i / LEAF) : -1;
    const block = even < 0 ? null : blocks;
    const count = counts[i] ?? NaN;
    const state = block ? even : (states[i] ?? 0);
    const size = block ? LEAF : 1;
    next = i + size;
    const ms = (bounds[next] ?? 0) - (bounds[i] ?? 0);
    if (block ? even < STATE.partial : count !== count) {
      if (state === STATE.uncovered) {
        uncovered += size;
        uncoveredMs += ms;
      } else if (state < STATE.partial) missing += size;
      continue;
    }
    let [sum, min, max] = [count, count, count];
    if (block) {
      const b = i / LEAF;
      sum = (block.sums[b + 1] ?? 0) - (block.sums[b] ?? 0);
      min = block.levels[0]?.min[b] ?? NaN;
      max = block.levels[0]?.max[b] ?? NaN;
    }
    known += size;
    knownMs += ms;
    total += sum;
    if (max > most) [top, most] = [i, max];
    if (state < STATE.provisional) continue;
    if (state === STATE.provisional) provisional += size;
    whole += size;
    wholeTotal += sum;
    if (min < lowest) [low, lowest] = [i, min];
    if (max > highest) [high, highest] = [i, max];
  }
  const buckets = end - first;
  const tally = { buckets, known, missing, uncovered, whole };
  return {
    ...tally,
    undefined: buckets - known - missing - uncovered,
    provisional,
    elapsedMs: (bounds[end] ?? 0) - (bounds[first] ?? 0),
    knownMs,
    uncoveredMs,
    total,
    wholeTotal: ofWhole(tally, wholeTotal),
    mean: ofWhole(tally, wholeTotal / whole),
    // Blocks store only their first index; the bucket itself is there or soon after.
    lowest: low < 0 ? null : { index: counts.indexOf(lowest, low), value: lowest },
    highest: high < 0 ? null : { index: counts.indexOf(highest, high), value: highest },
    peak: top < 0 ? null : { index: counts.indexOf(most, top), value: most },
  };
}

type Tally = Pick<Statistics, 'buckets' | 'known' | 'missing' | 'uncovered' | 'whole'>;

/** A value of the whole buckets, or why it would describe incomplete data. */
function ofWhole<T>({ buckets, known, missing, uncovered, whole }: Tally, value: T): Result<T> {
  if (buckets === 0) return { ok: false, why: 'nothing' };
  if (missing > 0) return { ok: false, why: 'missing' };
  if (uncovered === buckets) return { ok: false, why: 'uncovered' };
  if (known + uncovered < buckets) return { ok: false, why: 'undefined' };
  if (whole === 0) return { ok: false, why: 'partial' };
  return { ok: true, value };
}
