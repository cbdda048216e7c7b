import { Dexie, type Table } from 'dexie';
import type { SourceInfo } from '#contract/counts/source.ts';
import type { CellKey, CellRecord } from '#core/counts/ledger.ts';
import type { CellSummary } from '#core/counts/summary.ts';
import type { BoardRow, SyncedBoard } from './saved-board.ts';
import type { PendingRequest, RunRow, SeriesRow, StoreRow, StoredReceipt } from './records.ts';
import type { Sealed } from './checksum.ts';

export interface SourceRow {
  readonly id: string;
  /** Position in the service's list. */
  readonly place: number;
  readonly info: SourceInfo;
}

/** A choice of the user that applies to this browser only. */
export interface SettingRow {
  readonly key: string;
  readonly value: unknown;
}

/** Name of the browser's database of counts. */
export const CACHE_NAME = 'groundswell-counts';

/** A table of records or of their summaries. */
export type CellTable<T extends CellRecord | CellSummary> = Table<Sealed<T>, CellKey>;

/** Increases with every change of the tables. Databases of versions 1 to 5, from before the first release, are refused. */
export const VERSION = 6;
/** IndexedDB versions per Dexie version. */
export const NATIVE = 10;

/** The keys of all series in a table of cells, found without reading each cell. */
export async function storedSeries(
  cells: Table<CellRecord | CellSummary, CellKey>,
): Promise<string[]> {
  const found: string[] = [];
  let [next] = await cells.orderBy('key').limit(1).primaryKeys();
  while (next) {
    const [series] = next;
    found.push(series);
    // IndexedDB sorts arrays after strings such as a granularity, so the next key belongs to the next series.
    [next] = await cells.where('key').above([series, []]).limit(1).primaryKeys();
  }
  return found;
}

/** The tables of counts. */
export class CountsDatabase extends Dexie {
  declare readonly cells: CellTable<CellRecord>;
  declare readonly summaries: CellTable<CellSummary>;
  declare readonly receipts: Table<StoredReceipt, string>;
  declare readonly stores: Table<StoreRow, string>;
  declare readonly sources: Table<SourceRow, string>;
  declare readonly requests: Table<PendingRequest, string>;
  declare readonly runs: Table<RunRow, string>;
  declare readonly series: Table<SeriesRow, string>;
  declare readonly settings: Table<SettingRow, string>;
  declare readonly boards: Table<BoardRow, string>;
  /** Empty where only this machine reaches the service. */
  declare readonly boardVersions: Table<SyncedBoard, string>;

  readonly factory: IDBFactory;

  constructor(name: string, factory = indexedDB) {
    super(name, { chromeTransactionDurability: 'relaxed', indexedDB: factory });
    this.factory = factory;
    this.version(VERSION).stores({
      cells: 'key',
      summaries: 'key',
      receipts: 'id,series',
      stores: 'key',
      sources: 'id',
      requests: 'id,series',
      runs: 'series',
      series: 'key,usedAt',
      settings: 'key',
      boards: 'id',
      boardVersions: 'id',
    });
  }
}
