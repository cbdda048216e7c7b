import { BUCKET_MS, bucketCount, floorTo, type Granularity } from '#core/time/bucket.ts';
import { CELL_MS, DAY_MS, cellOf, cellSpan, type Span } from '#core/time/span.ts';
import type { CountsEndpoint } from './endpoint.ts';

/** Counts in the narrowest array that fits them. */
export type CountArray = Uint8Array | Uint16Array | Uint32Array;

export interface Segment {
  /** On the grid of the record: no bucket is cut at its start. */
  readonly from: number;
  /** Exclusive; may cut the last bucket. */
  readonly to: number;
  readonly receipt: string;
}

/** The part of a receipt that orders answers. */
export interface ReceiptNote {
  /** The answer's own time (its Date), epoch ms. */
  readonly at: number;
  readonly generation: number;
  readonly endpoint: CountsEndpoint;
}

export type CellKey = readonly [series: string, granularity: Granularity, cell: number];

/** The known counts of one series at one granularity in one cell of 31 days. */
export interface CellRecord {
  readonly key: CellKey;
  /** Every bucket of the cell; zero and meaningless outside the segments. */
  readonly counts: CountArray;
  /** Ascending, disjoint, never two in one bucket. */
  readonly segments: readonly Segment[];
  /** Exactly the receipts that the segments name. */
  readonly receipts: Readonly<Record<string, ReceiptNote>>;
}

/** Counts of a gap-free stretch, as one answer reported them. */
export interface ReportedCounts extends Span {
  /** Every bucket, whole or cut, of the span. */
  readonly counts: ArrayLike<number>;
  readonly receipt: string;
  readonly note: ReceiptNote;
}

/** Counts of a day that were fetched this long after its end are settled. */
export const SETTLE_MS = DAY_MS;

/** Greatest of the numbers from `first` to `last`, exclusive; 0 if there is none. */
function greatest(values: ArrayLike<number>, first: number, last: number): number {
  let max = 0;
  for (let i = first; i < last; i += 1) {
    const value = values[i] ?? 0;
    if (value > max) max = value;
  }
  return max;
}

/** Zeros in the narrowest array that fits counts up to `max`. */
function zeros(length: number, max: number): CountArray {
  if (max < 256) return new Uint8Array(length);
  return max < 65_536 ? new Uint16Array(length) : new Uint32Array(length);
}

/** The same numbers in the narrowest array. */
export function narrow(values: ArrayLike<number>): CountArray {
  const out = zeros(values.length, greatest(values, 0, values.length));
  out.set(values);
  return out;
}

/** True if an answer of time `at` settles whole buckets of the UTC day that contains `instant`. */
export function settles(at: number, instant: number, settleMs: number): boolean {
  return at >= floorTo(instant, 'day') + DAY_MS + settleMs;
}

/**
 * Splits an answer into records, one for each cell that it touches.
 *
 * @throws {RangeError} if the span is empty, begins off the grid, or has a different number of buckets
 *   than counts.
 */
export function recordsOf(
  series: string,
  granularity: Granularity,
  reported: ReportedCounts,
): CellRecord[] {
  const width = BUCKET_MS[granularity];
  const buckets = bucketCount(reported.start, reported.end, granularity);
  if (reported.start % width !== 0)
    throw new RangeError(`expected a start on the grid, got ${reported.start}`);
  if (buckets === 0 || buckets !== reported.counts.length) {
    throw new RangeError(
      `expected ${buckets} counts and at least one, got ${reported.counts.length}`,
    );
  }
  const records: CellRecord[] = [];
  for (let cell = cellOf(reported.start); cell <= cellOf(reported.end - 1); cell += 1) {
    const { start, end } = cellSpan(cell);
    const from = Math.max(start, reported.start);
    const to = Math.min(end, reported.end);
    const skip = (from - reported.start) / width;
    const into = (from - start) / width;
    const n = bucketCount(from, to, granularity);
    const counts = zeros(CELL_MS / width, greatest(reported.counts, skip, skip + n));
    if (reported.counts instanceof Float64Array) {
      counts.set(reported.counts.subarray(skip, skip + n), into);
    } else for (let i = 0; i < n; i += 1) counts[into + i] = reported.counts[skip + i] ?? 0;
    records.push({
      key: [series, granularity, cell],
      counts,
      segments: [{ from, to, receipt: reported.receipt }],
      receipts: { [reported.receipt]: reported.note },
    });
  }
  return records;
}

/** Consecutive buckets of a record from one receipt: all whole, or a single one cut at `until`. */
interface Piece extends Segment {
  readonly cut: boolean;
  readonly until: number;
  readonly note: ReceiptNote;
  readonly counts: CountArray;
}

/** The record's segments as pieces in bucket numbers of the cell, ascending. */
function pieces(record: CellRecord): Piece[] {
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
  const sides = [pieces(a), pieces(b)] as const;
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
  for (const was of pieces(record)) {
    for (const now of pieces(later)) {
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

/** Within this span an answer counts only if its generation is at least this one. */
export interface Invalidation extends Span {
  readonly generation: number;
}

/**
 * Sets a new generation over spans that changed.
 *
 * @param earlier - Ascending, disjoint.
 * @param generation - Not below any earlier one.
 */
export function invalidate(
  earlier: readonly Invalidation[],
  spans: readonly Span[],
  generation: number,
): Invalidation[] {
  const out: Invalidation[] = earlier.map((span) => ({ ...span }));
  for (const { start, end } of spans) {
    if (start >= end) continue;
    for (let i = out.length - 1; i >= 0; i -= 1) {
      const old = out[i];
      if (!old || old.end <= start || old.start >= end) continue;
      const before = { ...old, end: Math.min(old.end, start) };
      const after = { ...old, start: Math.max(old.start, end) };
      out.splice(i, 1, ...[before, after].filter((part) => part.start < part.end));
    }
    out.push({ start, end, generation });
  }
  out.sort((a, b) => a.start - b.start);
  return out.reduce<Invalidation[]>((joined, span) => {
    const last = joined.at(-1);
    if (last && last.end === span.start && last.generation === span.generation) {
      joined[joined.length - 1] = { ...last, end: span.end };
    } else joined.push(span);
    return joined;
  }, []);
}

/** The parts of known stretches that remain valid after invalidations. */
export function stillValid(
  known: readonly Known[],
  invalidations: readonly Invalidation[],
): Known[] {
  if (invalidations.length === 0) return [...known];
  const out: Known[] = [];
  for (const k of known) {
    let from = k.from;
    for (const { start, end, generation } of invalidations) {
      if (generation <= k.generation || end <= from || start >= k.to) continue;
      if (start > from) out.push({ ...k, from, to: start });
      from = Math.max(from, end);
    }
    if (from < k.to) out.push({ ...k, from });
  }
  return out;
}
