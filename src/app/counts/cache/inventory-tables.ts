import type { CellRecord } from '#core/counts/ledger.ts';
import { summarise } from '#core/counts/summary.ts';
import type { BoardRow } from './saved-board.ts';
import { importInto } from './saved-boards.ts';
import type { CacheParts, Guard } from './opening.ts';
import {
  storeKey,
  type SeriesRow,
  type StoredReceipt,
  type SeriesContents,
  type SeriesOverview,
  type SeriesMetadata,
} from './records.ts';
import { intactRecords, intactRows } from './repair.ts';
import { storedSeries, type CountsDatabase } from './database.ts';
import { sealed } from './checksum.ts';
import { seriesRowOf } from './series-row.ts';
import { mergeSeries } from './merge-series.ts';
import { merge } from '#core/counts/merge-records.ts';

/** Records merged at a time: a cell of minutes has up to 180 kB. */
const BATCH = 32;

/** Every table with rows of a series. */
const tables = (db: CountsDatabase) => [
  db.cells,
  db.summaries,
  db.receipts,
  db.requests,
  db.runs,
  db.series,
  db.stores,
];

/** All series, least recently opened first. A series without a row was never opened. */
async function seriesRows(db: CountsDatabase): Promise<SeriesRow[]> {
  const rows = await db.series.orderBy('usedAt').toArray();
  const known = new Set(rows.map(({ key }) => key));
  const other = new Set([
    ...(await storedSeries(db.cells)),
    ...((await db.receipts.orderBy('series').uniqueKeys()) as string[]),
    ...((await db.requests.orderBy('series').uniqueKeys()) as string[]),
  ]);
  const strays = [...other].filter((key) => !known.has(key)).sort();
  return [...strays.map((key) => seriesRowOf(key, 0)), ...rows];
}

async function metadataOf(db: CountsDatabase, key: string): Promise<SeriesMetadata> {
  const row = (await db.series.get(key)) ?? seriesRowOf(key, 0);
  return {
    row,
    store: (await db.stores.get(storeKey(row.source, row.store))) ?? null,
    run: (await db.runs.get(key)) ?? null,
    requests: await db.requests.where('series').equals(key).toArray(),
    receipts: await db.receipts.where('series').equals(key).toArray(),
  };
}

async function contentsOf(db: CountsDatabase, key: string): Promise<SeriesContents> {
  const records = await intactRows(db, db.cells, [[key], [key, []]]);
  return { ...(await metadataOf(db, key)), records };
}

async function deleteSeries(db: CountsDatabase, key: string): Promise<void> {
  for (const table of [db.cells, db.summaries]) {
    await table.where('key').between([key], [key, []]).delete();
  }
  for (const table of [db.receipts, db.requests]) await table.where('series').equals(key).delete();
  await db.runs.delete(key);
  await db.series.delete(key);
}

async function mergeRecords(
  db: CountsDatabase,
  records: readonly CellRecord[],
  settleMs: number,
): Promise<void> {
  for (let i = 0; i < records.length; i += BATCH) {
    const batch = records.slice(i, i + BATCH);
    const before = await intactRecords(
      db,
      batch.map(({ key }) => key),
    );
    const merged = batch.map((record, j) => {
      const old = before[j];
      return old ? merge(old, record, settleMs) : record;
    });
    await db.cells.bulkPut(merged.map((record) => sealed(record)));
    await db.summaries.bulkPut(merged.map((record) => sealed(summarise(record))));
  }
}

/** See `CountsCache.makeRoom`. */
export function makeRoom(db: CountsDatabase, except: readonly string[]): Promise<SeriesRow | null> {
  return db.transaction('rw', tables(db), async () => {
    const stays = new Set(except);
    for (const series of await db.runs.toCollection().primaryKeys()) stays.add(series);
    for (const { series, failed } of await db.requests.toArray()) if (!failed) stays.add(series);
    const oldest = (await seriesRows(db)).find(({ key }) => !stays.has(key));
    if (!oldest) return null;
    await deleteSeries(db, oldest.key);
    return oldest;
  });
}

/** Reads, deletes and merges whole series. Each call is one transaction. */
export class SeriesTables {
  readonly #db: CountsDatabase;
  readonly #guarded: Guard;
  readonly #onBoards: () => void;

  constructor({ db, guarded, onBoards }: CacheParts) {
    this.#db = db;
    this.#guarded = guarded;
    this.#onBoards = onBoards;
  }

  /** Keys of all series, ascending. */
  keys(): Promise<string[]> {
    return this.#transaction('r', async (db) =>
      (await seriesRows(db)).map(({ key }) => key).sort(),
    );
  }

  /** The parts of a series that the settings show. */
  overview(series: string): Promise<SeriesOverview> {
    // May write, because reading repairs damaged rows.
    return this.#transaction('rw', async (db) => {
      // First, because it may note damage in the receipts.
      const summaries = await intactRows(db, db.summaries, [[series], [series, []]]);
      const { row, receipts, requests } = await metadataOf(db, series);
      return { row, summaries, receipts, requests: requests.length };
    });
  }

  receipts(series: string): Promise<StoredReceipt[]> {
    const { receipts } = this.#db;
    return this.#guarded(() => receipts.where('series').equals(series).toArray());
  }

  contents(series: string): Promise<SeriesContents> {
    return this.#transaction('rw', (db) => contentsOf(db, series));
  }

  /** Reads and deletes a series, but not the row of its store. */
  take(series: string): Promise<SeriesContents> {
    return this.#transaction('rw', async (db) => {
      const contents = await contentsOf(db, series);
      await deleteSeries(db, series);
      return contents;
    });
  }

  /** Merges contents into the stored ones ({@link mergeSeries}). @param settleMs - Of their source. */
  merge(contents: SeriesContents, settleMs: number): Promise<void> {
    return this.#transaction('rw', async (db) => {
      const { key } = contents.row;
      // First, because it may note damage in the receipts.
      await mergeRecords(db, contents.records, settleMs);
      const here = await metadataOf(db, key);
      const had = await db.series.get(key);
      const { row, store, run, requests, receipts } = mergeSeries(here, contents);
      await db.receipts.bulkPut(receipts);
      await db.requests.where('series').equals(key).delete();
      await db.requests.bulkPut(requests);
      await db.series.put(had ? row : contents.row);
      if (store) await db.stores.put(store);
      if (run) await db.runs.put(run);
    });
  }

  /** All saved boards, in ascending order of id. */
  boards(): Promise<BoardRow[]> {
    return this.#guarded(() => this.#db.boards.toArray());
  }

  async importBoards(boards: readonly BoardRow[]): Promise<void> {
    await this.#guarded(() => importInto(this.#db, boards));
    if (boards.length > 0) this.#onBoards();
  }

  #transaction<T>(mode: 'r' | 'rw', work: (db: CountsDatabase) => Promise<T>): Promise<T> {
    const db = this.#db;
    // The scope must be an async function: only then does Dexie keep the transaction open over native awaits.
    return this.#guarded(() => db.transaction(mode, tables(db), async () => await work(db)));
  }
}
