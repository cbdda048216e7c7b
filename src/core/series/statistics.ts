import type { Span } from '#core/time/span.ts';
import { LEAF, evenState, type Pyramid } from './pyramid.ts';
import { STATE, type Curve } from './series.ts';
import { bucketsIn, type Buckets } from './window.ts';

/**
 * Why there is no value, the first that holds. `nothing`: no bucket has begun. `missing`: one is not known and
 * can be asked. `uncovered`: the source has no data of any of them. `undefined`: one of a computed curve is
 * a quotient by zero. `partial`: none is whole.
 */
export type Reason = 'nothing' | 'missing' | 'uncovered' | 'undefined' | 'partial';

/** A value of complete data, or why there is none: what is incomplete is never averaged in silence. */
export type Result<T> =
  { readonly ok: true; readonly value: T } | { readonly ok: false; readonly why: Reason };

/** A bucket by number and what it holds. */
export interface Extreme {
  readonly index: number;
  readonly value: number;
}

/** What the buckets of a curve say that begin before now. */
export interface Statistics {
  /** Buckets that there are: the known, those missing, those that the source does not cover, and quotients by zero. */
  readonly buckets: number;
  readonly known: number;
  readonly missing: number;
  readonly uncovered: number;
  readonly undefined: number;
  /** Known buckets that are whole: neither the range nor now cuts them. */
  readonly whole: number;
  /** Known buckets that may still change a little. */
  readonly provisional: number;
  /** Length of all these buckets, of the known ones, and of those that the source does not cover, in ms. */
  readonly elapsedMs: number;
  readonly knownMs: number;
  readonly uncoveredMs: number;
  /** Sum over the known buckets, partial ones too: of so much time as `knownMs` says. */
  readonly total: number;
  /** Sum over the whole buckets; only where none is left out but those that are cut or that the source does not cover. */
  readonly wholeTotal: Result<number>;
  /** The same per whole bucket. Of a computed quotient it is no share or ratio of the window: see `combinedTotal`. */
  readonly mean: Result<number>;
  /** Of the whole buckets, the first of equals; null where none is known. One that is missing may hold more or less. */
  readonly lowest: Extreme | null;
  readonly highest: Extreme | null;
  /** The highest known bucket, partial ones too, the first of equals; null where none holds a Post. */
  readonly peak: Extreme | null;
}

function begun({ bounds }: Curve, now: number, window: Span | null): Buckets {
  return window
    ? bucketsIn(bounds, window.start, Math.min(now, window.end))
    : bucketsIn(bounds, -Infinity, now);
}

/**
 * Reads a curve once.
 *
 * @param now - What begins later is no part of anything.
 * @param window - Every bucket that it touches counts whole; the whole curve where null.
 * @param pyramid - Of the curve's counts, which are whole numbers, and states: its even blocks are not looked into.
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
  for (let i = first; i < end; i++) {
    if (blocks && i % LEAF === 0 && i + LEAF <= end) {
      const b = i / LEAF;
      const state = evenState(blocks, b);
      if (state === STATE.uncovered) {
        uncovered += LEAF;
        uncoveredMs += (bounds[i + LEAF] ?? 0) - (bounds[i] ?? 0);
      } else if (state >= 0 && state < STATE.partial) missing += LEAF;
      if (state >= STATE.partial) {
        const sum = (blocks.sums[b + 1] ?? 0) - (blocks.sums[b] ?? 0);
        const [low0, high0] = [blocks.levels[0]?.min[b] ?? NaN, blocks.levels[0]?.max[b] ?? NaN];
        known += LEAF;
        knownMs += (bounds[i + LEAF] ?? 0) - (bounds[i] ?? 0);
        total += sum;
        if (high0 > most) [top, most] = [i, high0];
        if (state >= STATE.provisional) {
          if (state === STATE.provisional) provisional += LEAF;
          whole += LEAF;
          wholeTotal += sum;
          if (low0 < lowest) [low, lowest] = [i, low0];
          if (high0 > highest) [high, highest] = [i, high0];
        }
      }
      if (state >= 0) {
        i += LEAF - 1;
        continue;
      }
    }
    const count = counts[i] ?? NaN;
    const state = states[i] ?? 0;
    if (count !== count) {
      if (state === STATE.uncovered) {
        uncovered++;
        uncoveredMs += (bounds[i + 1] ?? 0) - (bounds[i] ?? 0);
      } else if (state < STATE.partial) missing++;
      continue;
    }
    known++;
    knownMs += (bounds[i + 1] ?? 0) - (bounds[i] ?? 0);
    total += count;
    if (count > most) {
      top = i;
      most = count;
    }
    if (state < STATE.provisional) continue;
    if (state === STATE.provisional) provisional++;
    whole++;
    wholeTotal += count;
    if (count < lowest) {
      low = i;
      lowest = count;
    }
    if (count > highest) {
      high = i;
      highest = count;
    }
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
    // Of a block its first is kept: the bucket itself is there or soon after.
    lowest: low < 0 ? null : { index: counts.indexOf(lowest, low), value: lowest },
    highest: high < 0 ? null : { index: counts.indexOf(highest, high), value: highest },
    peak: top < 0 ? null : { index: counts.indexOf(most, top), value: most },
  };
}

type Tally = Pick<Statistics, 'buckets' | 'known' | 'missing' | 'uncovered' | 'whole'>;

/** A value of the whole buckets, or why it would be one of incomplete data. */
function ofWhole<T>({ buckets, known, missing, uncovered, whole }: Tally, value: T): Result<T> {
  if (buckets === 0) return { ok: false, why: 'nothing' };
  if (missing > 0) return { ok: false, why: 'missing' };
  if (uncovered === buckets) return { ok: false, why: 'uncovered' };
  if (known + uncovered < buckets) return { ok: false, why: 'undefined' };
  if (whole === 0) return { ok: false, why: 'partial' };
  return { ok: true, value };
}

/** Up to this many Posts in a bucket its counts are tallied by their size, which is faster than to put them in order. */
const TALLIED = 65_536;

/**
 * The middle one of the whole buckets of a curve, or midway between both; exact, in linear time, the curve left as it is.
 *
 * @param of - What {@link statistics} says of the same curve, now and window.
 * @returns A value where the mean has one, otherwise the reason why not.
 */
export function medianPerBucket(
  curve: Curve,
  of: Statistics,
  now: number,
  window: Span | null = null,
): Result<number> {
  if (!of.mean.ok) return of.mean;
  const { counts, states } = curve;
  const { first, end } = begun(curve, now, window);
  if ((of.lowest?.value ?? -1) >= 0 && (of.highest?.value ?? TALLIED) < TALLIED) {
    const tally = new Uint32Array(TALLIED);
    let i = first;
    for (; i < end; i++) {
      if ((states[i] ?? 0) < STATE.provisional) continue;
      const count = counts[i] ?? NaN;
      if (count !== Math.trunc(count)) break;
      tally[count] = (tally[count] ?? 0) + 1;
    }
    if (i === end) {
      const lower = ranked(tally, (of.whole - 1) >> 1);
      return { ok: true, value: (lower + ranked(tally, of.whole >> 1)) / 2 };
    }
  }
  const values = new Float64Array(of.whole);
  let size = 0;
  for (let i = first; i < end; i++) {
    if ((states[i] ?? 0) >= STATE.provisional) values[size++] = counts[i] ?? NaN;
  }
  return { ok: true, value: median(values) };
}

/** The value of a rank (0 the least) of a tally. */
function ranked(tally: Uint32Array, rank: number): number {
  let value = 0;
  for (let below = tally[0] ?? 0; below <= rank; below += tally[value] ?? 0) value++;
  return value;
}

/** Rounds of narrowing after which the rest is sorted: far more than chance needs, so that the worst case is no square. */
const ROUNDS = 100;

/** Puts the value of a rank in its place, none greater before it and none less after (Hoare's FIND, 1961). */
function select(values: Float64Array, rank: number): void {
  let low = 0;
  let high = values.length - 1;
  for (let round = 0; low < high; round++) {
    if (round === ROUNDS) {
      values.subarray(low, high + 1).sort();
      return;
    }
    const pivot = values[low + ((high - low) >> 1)] ?? 0;
    let i = low;
    let j = high;
    while (i <= j) {
      while ((values[i] ?? 0) < pivot) i++;
      while ((values[j] ?? 0) > pivot) j--;
      if (i > j) break;
      const kept = values[i] ?? 0;
      values[i++] = values[j] ?? 0;
      values[j--] = kept;
    }
    if (rank <= j) high = j;
    else if (rank >= i) low = i;
    else return;
  }
}

/** The median of values without NaN, which it reorders; NaN of none. */
export function median(values: Float64Array): number {
  const size = values.length;
  if (size === 0) return NaN;
  const middle = size >> 1;
  select(values, middle);
  const upper = values[middle] ?? NaN;
  if (size % 2 === 1) return upper;
  let lower = -Infinity;
  for (let i = 0; i < middle; i++) lower = Math.max(lower, values[i] ?? NaN);
  return lower + (upper - lower) / 2;
}
