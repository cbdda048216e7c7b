import type { CellKey, Revision } from '#core/counts/ledger.ts';
import { merge, revisions } from '#core/counts/ledger.ts';
import { summarise } from '#core/counts/summary.ts';
import type { Neighbours } from './cache-opening.ts';
import { guard } from './cache-opening.ts';
import type { CellRange, CountsCache, SeriesRow } from './cache-port.ts';
import { CountsDatabase, seriesIn } from './cache-tables.ts';
import { seriesRowOf } from './series-row.ts';

const MAY_MAKE_ROOM = 'may-make-room';

const bounds = (range: CellRange): [CellKey, CellKey] => [
  [range.series, range.granularity, range.from],
  [range.series, range.granularity, range.to],
];

/** Every series of which there is anything, looked at longest ago first; one without a row was never. */
async function seriesRows(db: CountsDatabase): Promise<SeriesRow[]> {
  const rows = await db.series.orderBy('usedAt').toArray();
  const known = new Set(rows.map(({ key }) => key));
  const other = new Set([
    ...(await seriesIn(db.cells)),
    ...((await db.receipts.orderBy('series').uniqueKeys()) as string[]),
    ...((await db.asks.orderBy('series').uniqueKeys()) as string[]),
  ]);
  const strays = [...other].filter((key) => !known.has(key)).sort();
  return [...strays.map((key) => seriesRowOf(key, 0)), ...rows];
}

/** Every table that holds something of a series. */
const seriesTables = (db: CountsDatabase) => [
  db.cells,
  db.summaries,
  db.receipts,
  db.asks,
  db.runs,
  db.series,
];

async function deleteSeries(db: CountsDatabase, key: string): Promise<void> {
  for (const table of [db.cells, db.summaries]) {
    await table.where('key').between([key], [key, []]).delete();
  }
  for (const table of [db.receipts, db.asks]) await table.where('series').equals(key).delete();
  await db.runs.delete(key);
  await db.series.delete(key);
}

/**
 * Opens the browser's cache of counts.
 *
 * @param neighbours - Told of tabs that hold another version of it.
 */
export function openCache(
  name: string,
  neighbours: Neighbours = {},
): CountsCache & { close(): void } {
  const db = new CountsDatabase(name);
  const guarded = guard(db, neighbours);
  return {
    summaries: (range) =>
      guarded(() =>
        db.summaries
          .where('key')
          .between(...bounds(range), true, true)
          .toArray(),
      ),
    records: (range) =>
      guarded(() =>
        db.cells
          .where('key')
          .between(...bounds(range), true, true)
          .toArray(),
      ),
    write: (records, receipt, settleMs, compared = []) =>
      guarded(() =>
        db.transaction('rw', db.cells, db.summaries, db.receipts, db.asks, async () => {
          const all = [...records, ...compared];
          const before = await db.cells.bulkGet(all.map((record) => record.key));
          const found: Revision[] = [];
          for (const [i, record] of all.entries()) {
            const old = before[i];
            if (old) found.push(...revisions(old, record, settleMs));
          }
          const merged = records.map((record, i) => {
            const old = before[i];
            return old ? merge(old, record, settleMs) : record;
          });
          await db.cells.bulkPut(merged);
          await db.summaries.bulkPut(merged.map((record) => summarise(record)));
          await db.receipts.put({ ...receipt, revisions: found });
          await db.asks.delete(receipt.ask);
          return { records: merged, revisions: found };
        }),
      ),
    asks: (series) =>
      guarded(async () => {
        const asks = await db.asks.where('series').equals(series).toArray();
        return asks.sort((a, b) => a.at - b.at || (a.id < b.id ? -1 : 1));
      }),
    putAsk: (ask) => guarded(async () => void (await db.asks.put(ask))),
    dropAsk: (id) => guarded(() => db.asks.delete(id)),
    run: (series) => guarded(async () => (await db.runs.get(series)) ?? null),
    putRun: (row) => guarded(async () => void (await db.runs.put(row))),
    dropRun: (series) => guarded(() => db.runs.delete(series)),
    touch: (row) => guarded(async () => void (await db.series.put(row))),
    makeRoom: (except) =>
      guarded(() =>
        db.transaction('rw', seriesTables(db), async () => {
          const oldest = (await seriesRows(db)).find(({ key }) => !except.includes(key));
          if (!oldest) return null;
          await deleteSeries(db, oldest.key);
          return oldest;
        }),
      ),
    mayMakeRoom: () => guarded(async () => (await db.settings.get(MAY_MAKE_ROOM))?.value === true),
    setMayMakeRoom: (may) =>
      guarded(async () => void (await db.settings.put({ key: MAY_MAKE_ROOM, value: may }))),
    updateStore: (key, change) =>
      guarded(() =>
        db.transaction('rw', db.stores, async () => {
          const row = change((await db.stores.get(key)) ?? null);
          await db.stores.put(row);
          return row;
        }),
      ),
    sources: () =>
      guarded(async () => {
        const rows = await db.sources.toArray();
        rows.sort((a, b) => a.place - b.place);
        return rows.length === 0 ? null : rows.map((row) => row.info);
      }),
    rememberSources: (sources) =>
      guarded(() =>
        db.transaction('rw', db.sources, async () => {
          await db.sources.clear();
          await db.sources.bulkPut(sources.map((info, place) => ({ id: info.id, place, info })));
        }),
      ),
    close: () => db.close({ disableAutoOpen: true }),
  };
}
