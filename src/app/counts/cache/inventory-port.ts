import type { Known } from '#core/counts/ledger.ts';
import type { Granularity } from '#core/time/bucket.ts';
import type { SeriesRow } from './records.ts';

/** One series in the cache. */
export interface ShelfSeries extends SeriesRow {
  /** About what it takes on the disk before the browser packs it, bytes. */
  readonly bytes: number;
  /** Finest first; only granularities of which something is known. */
  readonly coverage: readonly {
    readonly granularity: Granularity;
    readonly known: readonly Known[];
  }[];
  readonly receipts: number;
  /** USD. */
  readonly paid: number;
  /** Asks that wait for their answer, or failed. */
  readonly asks: number;
}

export interface ShelfImport {
  readonly series: number;
  readonly records: number;
  readonly receipts: number;
  readonly boards: number;
}

/** Type of the fault for a file that is no backup of a cache, or a damaged one. */
export const BAD_BACKUP = 'groundswell:bad-backup';
