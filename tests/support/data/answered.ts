import type { Receipt } from '#app/counts/cache/records.ts';
import { recordsOf, type CellRecord } from '#core/counts/ledger.ts';
import { BUCKET_MS, type Granularity } from '#core/time/bucket.ts';
import { DAY_MS, cellSpan } from '#core/time/span.ts';

export interface Answer {
  readonly series?: string;
  readonly granularity?: Granularity;
  /** Days after the start of cell 100. */
  readonly from: number;
  readonly days: number;
  /** Days after the start of cell 100. */
  readonly at: number;
  readonly id: string;
  readonly count?: number;
}

/** An answer as records and receipt; all its buckets have the same count. */
export function answered(a: Answer): { records: CellRecord[]; receipt: Receipt } {
  const { series = 's', granularity = 'hour', count = 7, id } = a;
  const start = cellSpan(100).start + a.from * DAY_MS;
  const end = start + a.days * DAY_MS;
  const at = cellSpan(100).start + a.at * DAY_MS;
  const buckets = (end - start) / BUCKET_MS[granularity];
  const counts = Array.from({ length: buckets }, () => count);
  const note = { at, generation: 0, endpoint: 'all' } as const;
  const span = { start, end };
  return {
    records: recordsOf(series, granularity, { ...span, counts, receipt: id, note }),
    receipt: {
      id,
      request: `ask of ${id}`,
      series,
      granularity,
      endpoint: 'all',
      purpose: 'count',
      requested: span,
      reported: span,
      total: buckets * count,
      at,
      generation: 0,
      index: 0,
      price: 0,
      bytes: 0,
      accepted: true,
      faults: [],
    },
  };
}
