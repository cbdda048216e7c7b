import { BUCKET_MS } from '#core/time/bucket.ts';
import { cellSpan } from '#core/time/span.ts';
import { type CellRecord, SETTLE_MS, settles } from './ledger.ts';
import { piecesOf } from './merge-records.ts';

/** A settled bucket for which a later answer of the same generation has another count. */
export interface Revision {
  readonly start: number;
  readonly was: number;
  readonly now: number;
}

/** The spans in which `later` contradicts settled counts of `record` within one generation, ascending. */
export function countRevisions(
  record: CellRecord,
  later: CellRecord,
  settleMs = SETTLE_MS,
): Revision[] {
  const width = BUCKET_MS[record.key[1]];
  const { start } = cellSpan(record.key[2]);
  const out: Revision[] = [];
  for (const was of piecesOf(record)) {
    for (const now of piecesOf(later)) {
      if (was.cut || now.cut || was.note.generation !== now.note.generation) continue;
      for (let i = Math.max(was.from, now.from); i < Math.min(was.to, now.to); i += 1) {
        const instant = start + i * width;
        const before = was.counts[i] ?? 0;
        const after = now.counts[i] ?? 0;
        if (before === after || !settles(was.note.at, instant, settleMs)) continue;
        out.push({ start: instant, was: before, now: after });
      }
    }
  }
  return out;
}
