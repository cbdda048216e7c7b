import type { CellRecord } from '#core/counts/ledger.ts';
import type { CellSummary } from '#core/counts/summary.ts';
import type { Ask, RunRow, SeriesRow, StoreRow, StoredReceipt } from './records.ts';

/** Everything of one series but its cells. */
export interface SeriesPapers {
  readonly row: SeriesRow;
  /** Of the store that it counts; null where nothing is known of that. */
  readonly store: StoreRow | null;
  readonly run: RunRow | null;
  readonly asks: readonly Ask[];
  readonly receipts: readonly StoredReceipt[];
}

/** Everything of one series. */
export interface SeriesContents extends SeriesPapers {
  /** In order of their keys. */
  readonly records: readonly CellRecord[];
}

/** What is shown of a series. */
export interface SeriesGlance {
  readonly row: SeriesRow;
  /** In order of their keys. */
  readonly summaries: readonly CellSummary[];
  readonly receipts: readonly StoredReceipt[];
  readonly asks: number;
}
