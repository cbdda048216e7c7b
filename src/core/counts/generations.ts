import type { Granularity } from '#core/time/bucket.ts';
import { BUCKET_MS, bucketCount } from '#core/time/bucket.ts';
import type { Raised, Told } from './ledger.ts';

/**
 * An answer in parts of one generation each: where a span was raised before it was fetched it is of that
 * generation, elsewhere of its own. The generation of a raised span is the instant from which on answers
 * count, epoch ms.
 *
 * @param raised - Ascending, disjoint, on the grid.
 * @returns Ascending; the same told where nothing was raised. Each part of a raised generation names its
 *   receipt with that.
 */
export function byGeneration(
  told: Told,
  granularity: Granularity,
  raised: readonly Raised[],
): Told[] {
  const spans = raised.filter(
    ({ start, end, generation }) =>
      start < told.end && end > told.start && generation <= told.note.at,
  );
  if (spans.length === 0) return [told];
  const width = BUCKET_MS[granularity];
  const counts = Array.from(told.counts);
  const parts: Told[] = [];
  const add = (start: number, end: number, generation: number | null): void => {
    if (start >= end) return;
    const first = (start - told.start) / width;
    const { receipt, note } = told;
    parts.push({
      start,
      end,
      counts: counts.slice(first, first + bucketCount(start, end, granularity)),
      receipt: generation === null ? receipt : `${receipt}~${generation}`,
      note: generation === null ? note : { ...note, generation },
    });
  };
  let at = told.start;
  for (const { start, end, generation } of spans) {
    add(at, start, null);
    at = Math.min(end, told.end);
    add(Math.max(start, told.start), at, generation);
  }
  add(at, told.end, null);
  return parts;
}
