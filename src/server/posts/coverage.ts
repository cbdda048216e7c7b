import { ceilTo, floorTo } from '#core/time/bucket.ts';
import type { Span } from '#core/time/span.ts';
import type { CountingIndex } from '#server/index/counting.ts';

/**
 * The times that a store has data for: from the minute of its first Post to the minute of its last one. A store
 * that users post to receives every new Post, so it has data up to now.
 *
 * @returns Ascending, disjoint; an end of Infinity means now.
 */
export function coverageOf({
  first,
  last,
  posted,
}: Pick<CountingIndex, 'first' | 'last' | 'posted'>): Span[] {
  if (first === null || last === null) return [];
  return [{ start: floorTo(first, 'minute'), end: posted ? Infinity : ceilTo(last + 1, 'minute') }];
}
