import { firstIndex } from '#core/first-index.ts';
import { holesBefore, sumBefore, type Pyramid } from '#core/series/pyramid/pyramid.ts';
import { STATE, type Curve } from './series.ts';
import { buildPyramid } from '#core/series/pyramid/build-pyramid.ts';
import { firstAbove } from '#core/series/pyramid/pyramid-places.ts';

/** A curve any stretch of which can be summed without reading its buckets. */
export interface Track {
  readonly curve: Curve;
  readonly pyramid: Pyramid;
  /** Buckets that are not whole, ascending. */
  readonly unfinished: readonly number[];
}

const tracks = new WeakMap<Curve, Track>();

/**
 * Prepares a curve for summing; done once for each curve, linear in its length.
 *
 * @param pyramid - Of `curve.counts`; built here if null or of another length.
 */
export function trackOf(curve: Curve, pyramid: Pyramid | null): Track {
  const made = tracks.get(curve);
  if (made) return made;
  const unfinished: number[] = [];
  for (let i = curve.states.indexOf(STATE.partial); i >= 0;) {
    unfinished.push(i);
    i = curve.states.indexOf(STATE.partial, i + 1);
  }
  const fits = pyramid?.values.length === curve.counts.length;
  const track = { curve, unfinished, pyramid: fits ? pyramid : buildPyramid(curve.counts) };
  tracks.set(curve, track);
  return track;
}

/** The number of the ascending numbers that are below a limit. */
function below(numbers: readonly number[], limit: number): number {
  return firstIndex(0, numbers.length, (i) => (numbers[i] ?? Infinity) >= limit);
}

/**
 * Sum of the buckets `[from, to)`, whole or not; NaN if one is missing or outside the curve, or there
 * is none.
 */
export function sumOf({ pyramid, curve }: Track, from: number, to: number): number {
  if (from < 0 || from >= to || to > curve.counts.length) return NaN;
  if (holesBefore(pyramid, to) !== holesBefore(pyramid, from)) return NaN;
  return sumBefore(pyramid, to) - sumBefore(pyramid, from);
}

/** The buckets of `[from, to)` that are not whole, ascending. */
export function unfinishedIn({ unfinished }: Track, from: number, to: number): readonly number[] {
  return unfinished.slice(below(unfinished, from), below(unfinished, to));
}

/** True if every bucket of `[from, to)` has ended; missing ones are ignored. */
export function isWhole({ unfinished }: Track, from: number, to: number): boolean {
  return below(unfinished, to) === below(unfinished, from);
}

/** Mean of the buckets `[from, to)`; NaN unless all are known and whole. */
export function meanOf(track: Track, from: number, to: number): number {
  return isWhole(track, from, to) ? sumOf(track, from, to) / (to - from) : NaN;
}

/**
 * Trailing mean of the last `buckets` before `to`; of all of `[from, to)` if that has more, so that
 * everything drawn as one point is included.
 *
 * @returns NaN if one of them is missing, unfinished or before the curve: the mean would cover less
 *   than it says.
 */
export function averageOf(track: Track, from: number, to: number, buckets: number): number {
  return meanOf(track, Math.min(from, to - buckets), to);
}

/**
 * Sum from `start` up to `to`; NaN from the first missing bucket on, because the rest is unknown. An
 * unfinished bucket counts as it is at either end; one in between acts like a missing one.
 */
export function cumulativeOf(track: Track, start: number, to: number): number {
  return to - start < 2 || isWhole(track, start + 1, to - 1) ? sumOf(track, start, to) : NaN;
}

/**
 * Posts of a series per `per` Posts of another in the same buckets.
 *
 * @returns NaN if either is unknown or the other has none; several buckets must all be whole, a single
 *   one may be unfinished in both.
 */
export function rateOf(track: Track, base: Track, from: number, to: number, per: number): number {
  const whole = isWhole(track, from, to);
  if (whole !== isWhole(base, from, to) || (!whole && to - from > 1)) return NaN;
  const of = sumOf(base, from, to);
  return of > 0 ? (sumOf(track, from, to) / of) * per : NaN;
}

/** Buckets that the 100 of an index is the mean of: a single one may be a burst, or nearly empty. */
export const INDEX_BUCKETS = 7;

/**
 * The 100 of an index: the mean of the first {@link INDEX_BUCKETS} successive buckets of `[from, to)` that are known
 * and whole, the first with a Post. NaN if there are none.
 */
export function indexBase(track: Track, from: number, to: number): number {
  let i = firstAbove(track.pyramid, from, to, 0);
  while (i >= 0 && i + INDEX_BUCKETS <= to) {
    const mean = meanOf(track, i, i + INDEX_BUCKETS);
    if (!Number.isNaN(mean)) return mean;
    i = firstAbove(track.pyramid, i + 1, to, 0);
  }
  return Number.NaN;
}
