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
export function zeros(length: number, max: number): CountArray {
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
