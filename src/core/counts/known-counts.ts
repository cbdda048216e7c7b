import { floorTo } from '#core/time/bucket.ts';
import { type CellRecord, SETTLE_MS } from './ledger.ts';

/** A known stretch: a segment with what orders it. */
export interface Known {
  readonly from: number;
  readonly to: number;
  readonly at: number;
  readonly generation: number;
}

/** The segments of records or summaries of one series and granularity as one list, ascending. */
export function knownOf(
  cells: Iterable<Pick<CellRecord, 'key' | 'segments' | 'receipts'>>,
): Known[] {
  const out: Known[] = [];
  for (const { segments, receipts } of cells) {
    for (const { from, to, receipt } of segments) {
      const note = receipts[receipt];
      if (note) out.push({ from, to, at: note.at, generation: note.generation });
    }
  }
  return out.sort((a, b) => a.from - b.from);
}

/**
 * The settled parts of known stretches, by whole UTC days. Adjacent stretches of one generation are
 * joined, with the time of the earlier fetch.
 */
export function settledOf(known: readonly Known[], settleMs = SETTLE_MS): Known[] {
  const out: Known[] = [];
  for (const stretch of known) {
    const to = Math.min(stretch.to, floorTo(stretch.at - settleMs, 'day'));
    if (to <= stretch.from) continue;
    const last = out.at(-1);
    if (last && last.to === stretch.from && last.generation === stretch.generation) {
      out[out.length - 1] = { ...last, to, at: Math.min(last.at, stretch.at) };
    } else out.push({ ...stretch, to });
  }
  return out;
}
