import type { Known } from '#core/counts/ledger.ts';
import type { Granularity } from '#core/time/bucket.ts';
import type { SeriesRow, StoredReceipt } from './records.ts';

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

/**
 * The cache as its owner sees it: what there is, take away, put back, carry elsewhere. In the browser it
 * runs in the worker of the counts, so everything it takes and gives is plain data.
 *
 * Every method throws a `Fault` of the cache's types.
 */
export interface Shelf {
  /** Last looked at first. */
  series(): Promise<ShelfSeries[]>;
  /** Newest first. */
  receipts(series: string): Promise<StoredReceipt[]>;
  /** Everything of these series, or of all and with the saved boards, as one file. */
  export(series?: readonly string[]): Promise<Blob>;
  /**
   * Merges a file of {@link Shelf.export} into what there is; importing twice changes nothing.
   *
   * @throws {Fault} of type `BAD_BACKUP` where the file is not one or is damaged; nothing of it is kept then.
   */
  import(file: Blob): Promise<ShelfImport>;
  /** Deletes everything of a series. @returns The file that puts it back. */
  remove(series: string): Promise<Blob>;
  mayMakeRoom(): Promise<boolean>;
  setMayMakeRoom(may: boolean): Promise<void>;
}

/** Type of the fault for a file that is no backup of a cache, or a damaged one. */
export const BAD_BACKUP = 'groundswell:bad-backup';
