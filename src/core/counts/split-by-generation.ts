import type { Granularity } from '#core/time/bucket.ts';
import { BUCKET_MS, bucketCount } from '#core/time/bucket.ts';
import type { Invalidation, ReportedCounts } from './ledger.ts';

/**
 * An answer in parts of one generation each: over the spans that were raised up to the generation that it was
 * asked for it is of theirs, elsewhere of none.
 *
 * @param told - Of the generation that it was asked for; zero where nothing was to be bought again.
 * @param raised - Ascending, disjoint, on the grid.
 * @returns Ascending; the same told for generation zero. Each part of a raised generation names its receipt
 *   with that.
 */
export function byGeneration(
  told: ReportedCounts,
  granularity: Granularity,
  raised: readonly Invalidation[],
): ReportedCounts[] {
  const asked = told.note.generation;
  if (asked === 0) return [told];
  const spans = raised.filter(
    ({ start, end, generation }) => start < told.end && end > told.start && generation <= asked,
  );
  const width = BUCKET_MS[granularity];
  const counts = Array.from(told.counts);
  const parts: ReportedCounts[] = [];
  const add = (start: number, end: number, generation: number): void => {
    if (start >= end) return;
    const first = (start - told.start) / width;
    const { receipt, note } = told;
    parts.push({
      start,
      end,
      counts: counts.slice(first, first + bucketCount(start, end, granularity)),
      receipt: generation === 0 ? receipt : `${receipt}~${generation}`,
      note: { ...note, generation },
    });
  };
  let at = told.start;
  for (const { start, end, generation } of spans) {
    add(at, start, 0);
    at = Math.min(end, told.end);
    add(Math.max(start, told.start), at, generation);
  }
  add(at, told.end, 0);
  return parts;
}
