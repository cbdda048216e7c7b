import { ceilTo, floorTo } from '#core/time/bucket.ts';
import type { CountingIndex } from '#server/index/counting.ts';

/** The time that a store has data for, epoch ms; a null end means now. */
export interface StoreCoverage {
  readonly start: number;
  readonly end: number | null;
}

/**
 * The time that a store has data for: from the minute of its first Post to the minute of its last one. A store
 * that users post to receives every new Post, so it has data up to now.
 *
 * An import extends it only to the newest imported Post: the file may be much older than its import and lacks all later
 * Posts.
 *
 * @returns Null if there are no Posts.
 */
export function coverageOf({
  first,
  last,
  posted,
}: Pick<CountingIndex, 'first' | 'last' | 'posted'>): StoreCoverage | null {
  if (first === null || last === null) return null;
  return { start: floorTo(first, 'minute'), end: posted ? null : ceilTo(last + 1, 'minute') };
}
