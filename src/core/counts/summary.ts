import { BUCKET_MS } from '#core/time/bucket.ts';
import { CELL_MS, DAY_MS, HOUR_MS, cellSpan } from '#core/time/span.ts';
import type { CellKey, CellRecord, Counts, ReceiptNote, Segment } from './ledger.ts';
import { narrow } from './ledger.ts';
import type { SmallCounts } from './rounding.ts';
import { smallCounts } from './rounding.ts';

/** Sum, least and greatest count of the record's buckets in each hour or day of a cell. */
export interface Tier {
  readonly sum: Counts;
  /** Of whole buckets only; zero where there is none. */
  readonly min: Counts;
  readonly max: Counts;
}

/** What stands beside a record, so that hours and days are drawn without reading it. */
export interface CellSummary {
  readonly key: CellKey;
  readonly segments: readonly Segment[];
  readonly receipts: Readonly<Record<string, ReceiptNote>>;
  readonly days: Tier;
  /** Null where the record is of days. */
  readonly hours: Tier | null;
  /** Null where the record is not of minutes. */
  readonly small: SmallCounts | null;
}

function tier(record: CellRecord, unit: number): Tier {
  const width = BUCKET_MS[record.key[1]];
  if (width === unit) return { sum: record.counts, min: record.counts, max: record.counts };
  const { start } = cellSpan(record.key[2]);
  const per = unit / width;
  const n = CELL_MS / unit;
  const sum = new Uint32Array(n);
  const min = new Uint32Array(n).fill(0xffff_ffff);
  const max = new Uint32Array(n);
  for (const { from, to } of record.segments) {
    const first = (from - start) / width;
    const whole = Math.floor((to - start) / width);
    for (let i = first; i < whole; i += 1) {
      const count = record.counts[i] ?? 0;
      const at = Math.floor(i / per);
      sum[at] = (sum[at] ?? 0) + count;
      if (count < (min[at] ?? 0)) min[at] = count;
      if (count > (max[at] ?? 0)) max[at] = count;
    }
    if (whole * width < to - start) {
      const at = Math.floor(whole / per);
      sum[at] = (sum[at] ?? 0) + (record.counts[whole] ?? 0);
    }
  }
  for (let i = 0; i < n; i += 1) if (min[i] === 0xffff_ffff) min[i] = 0;
  return { sum: narrow(sum), min: narrow(min), max: narrow(max) };
}

/** The summary of a record. */
export function summarise(record: CellRecord): CellSummary {
  return {
    key: record.key,
    segments: record.segments,
    receipts: record.receipts,
    days: tier(record, DAY_MS),
    hours: record.key[1] === 'day' ? null : tier(record, HOUR_MS),
    small: record.key[1] === 'minute' ? smallCounts(record.counts) : null,
  };
}
