import { BUCKET_MS, bucketCount, type Granularity } from '#core/time/bucket.ts';
import type { ReportedCounts } from './ledger.ts';
import type { Invalidation } from './invalidation.ts';

/**
 * Splits an answer into parts of one generation each. Spans invalidated up to the generation of the
 * request get their own generation; the rest gets zero.
 *
 * @param answer - Its generation is that of the request; zero if nothing was bought again.
 * @param invalidations - Ascending, disjoint, on the grid.
 * @returns Ascending; the answer itself for generation zero. A part of a later generation appends it to
 *   its receipt's id.
 */
export function byGeneration(
  answer: ReportedCounts,
  granularity: Granularity,
  invalidations: readonly Invalidation[],
): ReportedCounts[] {
  const asked = answer.note.generation;
  if (asked === 0) return [answer];
  const spans = invalidations.filter(
    ({ start, end, generation }) => start < answer.end && end > answer.start && generation <= asked,
  );
  const width = BUCKET_MS[granularity];
  const counts = Array.from(answer.counts);
  const parts: ReportedCounts[] = [];
  const add = (start: number, end: number, generation: number): void => {
    if (start >= end) return;
    const first = (start - answer.start) / width;
    const { receipt, note } = answer;
    parts.push({
      start,
      end,
      counts: counts.slice(first, first + bucketCount(start, end, granularity)),
      receipt: generation === 0 ? receipt : `${receipt}~${generation}`,
      note: { ...note, generation },
    });
  };
  let at = answer.start;
  for (const { start, end, generation } of spans) {
    add(at, start, 0);
    at = Math.min(end, answer.end);
    add(Math.max(start, answer.start), at, generation);
  }
  add(at, answer.end, 0);
  return parts;
}
