import type { CellRecord } from '#core/counts/ledger.ts';
import type { CellSummary } from '#core/counts/summary.ts';
import type { BoardRow } from './saved-boards-port.ts';
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

/** What the shelf needs of the cache. Everything of one call is one transaction, as in the cache itself. */
export interface ShelfCache {
  /** Keys of all series of which there is anything, ascending. */
  keys(): Promise<string[]>;
  glance(series: string): Promise<SeriesGlance>;
  receipts(series: string): Promise<StoredReceipt[]>;
  contents(series: string): Promise<SeriesContents>;
  /** {@link contents}, deleted as they are read; the store's row stays. */
  take(series: string): Promise<SeriesContents>;
  /** Merges contents into what is there (`unite.ts`). @param settleMs - Of their source. */
  unite(contents: SeriesContents, settleMs: number): Promise<void>;
  /** All saved boards, by rising id. */
  boards(): Promise<BoardRow[]>;
  /** Takes boards in (`boards-unite.ts`). */
  uniteBoards(boards: readonly BoardRow[]): Promise<void>;
}
