import type { PageFault } from '#core/counts/check.ts';
import { driftFaults, driftOf } from '#core/counts/granularity-drift.ts';
import type { CellRecord } from '#core/counts/ledger.ts';
import { BUCKET_MS, GRANULARITIES } from '#core/time/bucket.ts';
import type { CountsCache } from '#app/counts/cache/counts-cache.ts';

/**
 * Compares the counts of an answer with settled coarser ones: finds drift, or a contradiction (ledger rule 15).
 */
export async function comparedWith(
  cache: CountsCache,
  records: readonly CellRecord[],
  settleMs: number,
): Promise<PageFault[]> {
  const found: PageFault[] = [];
  for (const record of records) {
    const [series, granularity, cell] = record.key;
    for (const coarser of GRANULARITIES) {
      if (BUCKET_MS[coarser] <= BUCKET_MS[granularity]) continue;
      const range = { series, granularity: coarser, from: cell, to: cell };
      for (const other of await cache.records(range)) {
        found.push(...driftFaults(driftOf(record, other, settleMs)));
      }
    }
  }
  return found;
}
