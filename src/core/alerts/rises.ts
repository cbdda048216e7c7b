import type { WatchUnit } from './local-day.ts';

/** Fewer Posts in a bucket never ring: three where one is usual are no event. */
export const LEAST_RISE = 10;
/** Calm buckets in a row after which a rise is over. */
export const CALM_BUCKETS: Readonly<Record<WatchUnit, number>> = { hour: 6, day: 1 };

/** Posts of a bucket from which a rise begins. @param factor - Times the usual, above 1. */
export const barOf = (usual: number, factor: number): number =>
  Math.max(LEAST_RISE, factor * usual);

/** Posts below which a bucket is calm: a quarter of the way to the factor. One without a Post always is. */
export const calmBarOf = (usual: number, factor: number): number =>
  Math.max(1, (1 + (factor - 1) / 4) * usual);

/** Counts of buckets next to what was usual in each before it began. */
export interface JudgedCounts {
  readonly unit: WatchUnit;
  /** NaN where a count is not known. */
  readonly counts: Float64Array;
  /** NaN where too little is known before. */
  readonly usual: Float64Array;
}

/**
 * The buckets in which rises begin, if each is judged when it is over: `stepAlert` over the same counts, for many
 * factors.
 *
 * @param from - The first bucket that is judged; none before it is known to be in a rise.
 */
export function riseOnsets(
  { unit, counts, usual }: JudgedCounts,
  factor: number,
  from: number,
  end: number,
): number[] {
  const onsets: number[] = [];
  const enough = CALM_BUCKETS[unit];
  let isRising = false;
  let calm = 0;
  for (let i = from; i < end; i += 1) {
    const posts = counts[i] ?? NaN;
    const expected = usual[i] ?? NaN;
    if (posts !== posts || expected !== expected) continue;
    if (!isRising) {
      if (posts < barOf(expected, factor)) continue;
      isRising = true;
      calm = 0;
      onsets.push(i);
    } else if (posts >= calmBarOf(expected, factor)) calm = 0;
    else if ((calm += 1) >= enough) isRising = false;
  }
  return onsets;
}
