import { Dexie, type Table, type Transaction } from 'dexie';
import type { SourceInfo } from '#contract/counts/source.ts';
import type { CellKey, CellRecord } from '#core/counts/ledger.ts';
import { summarise, type CellSummary } from '#core/counts/summary.ts';
import type { BoardRow, SyncedBoard } from './saved-board.ts';
import type { PendingRequest, RunRow, SeriesRow, StoreRow, StoredReceipt } from './records.ts';
import { sealed, type Sealed } from './checksum.ts';
import { seriesRowOf } from './series-row.ts';

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

/** Increases with every change of the tables. */
export const VERSION = 4;
/** IndexedDB versions per Dexie version. */
export const NATIVE = 10;

/** The keys of all series in a table of cells, found without reading each cell. */
export async function seriesIn(cells: Table<CellRecord | CellSummary, CellKey>): Promise<string[]> {
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

/** Receipt fields that version 1 did not have: it counted only the user's own Posts, and stored only valid pages. */
const SINCE_2 = { ask: '', purpose: 'count', index: 0, price: 0, bytes: 0, kept: true } as const;

/** Records read at a time: a cell of minutes has up to 180 kB. */
const BATCH = 32;

/** Rebuilds every summary: they have new fields that only the records can fill. */
async function summariseAgain(transaction: Transaction): Promise<void> {
  const cells = transaction.table<CellRecord, CellKey>('cells');
  const keys = await cells.orderBy('key').primaryKeys();
  for (let i = 0; i < keys.length; i += BATCH) {
    const records = await cells.bulkGet(keys.slice(i, i + BATCH));
    const summaries = records
      .filter((record) => record !== undefined)
      .map((r) => sealed(summarise(r)));
    await transaction.table<CellSummary, CellKey>('summaries').bulkPut(summaries);
  }
}

async function fromVersion1(transaction: Transaction): Promise<void> {
  await summariseAgain(transaction);
  const receipts = transaction.table<StoredReceipt, string>('receipts');
  const usedAt = new Map<string, number>();
  for (const key of await seriesIn(transaction.table('summaries'))) usedAt.set(key, 0);
  await receipts.toCollection().modify((receipt) => {
    Object.assign(receipt, { ...SINCE_2, ...receipt });
    const { series, at } = receipt;
    usedAt.set(series, Math.max(usedAt.get(series) ?? 0, at));
  });
  const rows = [...usedAt].map(([key, at]) => seriesRowOf(key, at));
  await transaction.table<SeriesRow, string>('series').bulkPut(rows);
}

/** The tables of counts, with the upgrade of each version to the next. */
export class CountsDatabase extends Dexie {
  declare readonly cells: CellTable<CellRecord>;
  declare readonly summaries: CellTable<CellSummary>;
  declare readonly receipts: Table<StoredReceipt, string>;
  declare readonly stores: Table<StoreRow, string>;
  declare readonly sources: Table<SourceRow, string>;
  declare readonly asks: Table<PendingRequest, string>;
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
    this.version(1).stores({
      cells: 'key',
      summaries: 'key',
      receipts: 'id,series',
      stores: 'key',
      sources: 'id',
    });
    this.version(2)
      .stores({ asks: 'id,series', runs: 'series', series: 'key,usedAt', settings: 'key' })
      .upgrade(fromVersion1);
    this.version(3).stores({ boards: 'id' });
    this.version(VERSION).stores({ boardVersions: 'id' });
  }
}
