import { BUCKET_MS } from '#core/time/bucket.ts';
import { CELL_MS, DAY_MS, cellSpan } from '#core/time/span.ts';
import {
  type Segment,
  type ReceiptNote,
  type CountArray,
  type CellRecord,
  settles,
  SETTLE_MS,
  zeros,
} from './ledger.ts';

/** Consecutive buckets of a record from one receipt: all whole, or a single one cut at `until`. */
interface Piece extends Segment {
  readonly cut: boolean;
  readonly until: number;
  readonly note: ReceiptNote;
  readonly counts: CountArray;
}

/** The record's segments as pieces in bucket numbers of the cell, ascending. */
export function piecesOf(record: CellRecord): Piece[] {
  const width = BUCKET_MS[record.key[1]];
  const { start } = cellSpan(record.key[2]);
  const out: Piece[] = [];
  for (const { from, to, receipt } of record.segments) {
    const note = record.receipts[receipt];
    if (!note) throw new RangeError(`expected receipt ${receipt} in the record, got none`);
    const first = (from - start) / width;
    const whole = Math.floor((to - start) / width);
    const rest = { until: to, receipt, note, counts: record.counts };
    if (first < whole) out.push({ from: first, to: whole, cut: false, ...rest });
    if (whole < (to - start) / width) out.push({ from: whole, to: whole + 1, cut: true, ...rest });
  }
  return out;
}

/** True if `a` is the better answer for a bucket of the day of `instant`: a strict total order of answers. */
function better(a: Piece, b: Piece, instant: number, settleMs: number): boolean {
  if (a.note.generation !== b.note.generation) return a.note.generation > b.note.generation;
  if (a.cut !== b.cut) return !a.cut;
  const settledA = !a.cut && settles(a.note.at, instant, settleMs);
  const settledB = !b.cut && settles(b.note.at, instant, settleMs);
  if (settledA !== settledB) return settledA;
  if (a.note.at !== b.note.at) return settledA ? a.note.at < b.note.at : a.note.at > b.note.at;
  return a.receipt > b.receipt;
}

/** Records of one series and granularity, by cell: those of one cell are merged. */
export function mergedByCell(
  records: readonly CellRecord[],
  settleMs: number,
): Map<number, CellRecord> {
  const cells = new Map<number, CellRecord>();
  for (const record of records) {
    const [, , cell] = record.key;
    const before = cells.get(cell);
    cells.set(cell, before ? merge(before, record, settleMs) : record);
  }
  return cells;
}

/**
 * Merges two records of one key by taking the better answer for each bucket. Answers are ordered by
 * generation; whole before cut; settled before unsettled; among settled ones the first fetched, else
 * the last fetched; then by id. As the maximum in a total order, the result does not depend on the
 * order, the number or the tab of the merges.
 *
 * @throws {RangeError} if the keys differ.
 */
export function merge(a: CellRecord, b: CellRecord, settleMs = SETTLE_MS): CellRecord {
  if (a.key.some((part, i) => part !== b.key[i])) {
    throw new RangeError(
      `expected records of one key, got ${a.key.join(' ')} and ${b.key.join(' ')}`,
    );
  }
  const granularity = a.key[1];
  const width = BUCKET_MS[granularity];
  const { start } = cellSpan(a.key[2]);
  const sides = [piecesOf(a), piecesOf(b)] as const;
  const edges = new Set<number>();
  for (const piece of [...sides[0], ...sides[1]]) edges.add(piece.from).add(piece.to);
  for (let day = 0; day < CELL_MS; day += DAY_MS) edges.add(day / width);
  const ordered = [...edges].sort((x, y) => x - y);

  const taken: { from: number; to: number; counts: CountArray }[] = [];
  const segments: { from: number; to: number; receipt: string }[] = [];
  const receipts: Record<string, ReceiptNote> = {};
  const next = [0, 0] as [number, number];
  const at = (side: 0 | 1, bucket: number): Piece | undefined => {
    while ((sides[side][next[side]]?.to ?? Infinity) <= bucket) next[side] += 1;
    const piece = sides[side][next[side]];
    return piece && piece.from <= bucket ? piece : undefined;
  };
  for (let i = 0; i < ordered.length - 1; i += 1) {
    const from = ordered[i] ?? 0;
    const to = ordered[i + 1] ?? 0;
    const left = at(0, from);
    const right = at(1, from);
    const winner =
      left && right
        ? better(right, left, start + from * width, settleMs)
          ? right
          : left
        : (left ?? right);
    if (!winner) continue;
    taken.push({ from, to, counts: winner.counts });
    receipts[winner.receipt] = winner.note;
    const begin = start + from * width;
    const end = winner.cut ? winner.until : start + to * width;
    const last = segments.at(-1);
    if (last && last.to === begin && last.receipt === winner.receipt) last.to = end;
    else segments.push({ from: begin, to: end, receipt: winner.receipt });
  }
  return { key: a.key, counts: gathered(taken, CELL_MS / width), segments, receipts };
}

/** Joins stretches of several arrays into one of the given length, the narrowest that fits. */
function gathered(
  parts: readonly { readonly from: number; readonly to: number; readonly counts: CountArray }[],
  length: number,
): CountArray {
  // Narrow arrays cannot reach a wide count, so they are skipped, and the first great count ends the
  // search.
  const reaches = (count: number): boolean =>
    parts.some(({ from, to, counts }) => {
      if (counts instanceof Uint8Array || (count > 256 && counts instanceof Uint16Array))
        return false;
      for (let i = from; i < to; i += 1) if ((counts[i] ?? 0) >= count) return true;
      return false;
    });
  const out = zeros(length, reaches(65_536) ? 65_536 : reaches(256) ? 256 : 0);
  for (const { from, to, counts } of parts) out.set(counts.subarray(from, to), from);
  return out;
}
