import type { Revision } from '#core/counts/ledger.ts';
import { merge, revisions } from '#core/counts/ledger.ts';
import { summarise } from '#core/counts/summary.ts';
import type { Neighbours } from './opening.ts';
import { boardsOf } from './saved-boards.ts';
import type { Boards } from './saved-boards-port.ts';
import { guard } from './opening.ts';
import type { CellRange, CountsCache, SeriesRow, StoredReceipt } from './records.ts';
import { seriesPrefix } from './records.ts';
import type { KeyRange } from './repair.ts';
import { intactRecords, intactRows } from './repair.ts';
import { makeRoom, shelfOf } from './inventory-tables.ts';
import { CountsDatabase } from './database.ts';
import { sealed } from './checksum.ts';
import { headNoted, lookedAt, spansRaised } from './series-row.ts';
import type { ShelfCache } from './inventory-cache.ts';
import { counts, sameReceipt, withReceipt } from './merge-series.ts';

const MAY_MAKE_ROOM = 'may-make-room';

const bounds = (range: CellRange): KeyRange => [
  [range.series, range.granularity, range.from],
  [range.series, range.granularity, range.to],
];

/** Writes a receipt; of a page that was had before for its price the price stays. @returns Whether it is new. */
async function putReceipt(db: CountsDatabase, receipt: StoredReceipt): Promise<boolean> {
  // Adding needs no round of reading; a receipt that is there already is rare.
  const added = await db.receipts.add(receipt).then(
    () => true,
    async (error: unknown) => {
      if (!(error instanceof Error) || error.name !== 'ConstraintError') throw error;
      const before = await db.receipts.get(receipt.id);
      await db.receipts.put(before ? sameReceipt(before, receipt) : receipt);
      return false;
    },
  );
  const run = added && counts(receipt) ? await db.runs.get(receipt.series) : undefined;
  if (run) await db.runs.put({ ...run, made: withReceipt(run.made, receipt) });
  return added;
}

/** Deletes the counts of all series whose keys begin so; what the user noted of them stays. */
async function deleteCounts(db: CountsDatabase, prefix: string): Promise<void> {
  for (const table of [db.cells, db.summaries]) {
    await table
      .where('key')
      .between([prefix], [`${prefix}\uffff`])
      .delete();
  }
  await db.receipts.where('series').startsWith(prefix).delete();
}

/** Reads and rewrites what is noted of a series, so that no tab writes over what another one noted. */
function updateSeries(
  db: CountsDatabase,
  key: string,
  change: (row: SeriesRow | null) => SeriesRow,
): PromiseLike<SeriesRow> {
  return db.transaction('rw', db.series, async () => {
    const row = change((await db.series.get(key)) ?? null);
    await db.series.put(row);
    return row;
  });
}

/**
 * Opens the browser's cache of counts.
 *
 * @param neighbours - Told of tabs that hold another version of it.
 */
export function openCache(
  name: string,
  neighbours: Neighbours = {},
): CountsCache & { readonly shelf: ShelfCache; readonly boards: Boards; close(): void } {
  const db = new CountsDatabase(name);
  const guarded = guard(db, neighbours);
  const onBoards = (): void => neighbours.onBoards?.();
  return {
    version: (series) =>
      guarded(async () =>
        (await db.receipts.where('series').equals(series).primaryKeys()).sort().join(' '),
      ),
    summaries: (range) => guarded(() => intactRows(db, db.summaries, bounds(range))),
    records: (range) => guarded(() => intactRows(db, db.cells, bounds(range))),
    write: (records, receipt, settleMs, compared = []) =>
      guarded(() =>
        db.transaction('rw', [db.cells, db.summaries, db.receipts, db.asks, db.runs], async () => {
          const all = [...records, ...compared];
          const reading = intactRecords(
            db,
            all.map((record) => record.key),
          );
          // Most records are new to the cache: theirs are ready when that is known.
          const summaries = records.map((record) => summarise(record));
          const before = await reading;
          const found: Revision[] = [];
          for (const [i, record] of all.entries()) {
            const old = before[i];
            if (old) found.push(...revisions(old, record, settleMs));
          }
          const merged = records.map((record, i) => {
            const old = before[i];
            if (!old) return record;
            const best = merge(old, record, settleMs);
            summaries[i] = summarise(best);
            return best;
          });
          // All at once: a round for each would take longer than the writing itself.
          const [added] = await Promise.all([
            putReceipt(db, { ...receipt, revisions: found }),
            db.cells.bulkPut(merged.map((record) => sealed(record))),
            db.summaries.bulkPut(summaries.map((summary) => sealed(summary))),
            db.asks.delete(receipt.ask),
          ]);
          return { records: merged, revisions: found, added };
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
    pauseRun: (series, paused) =>
      guarded(() =>
        db.transaction('rw', db.runs, async () => {
          const row = await db.runs.get(series);
          if (!row) return null;
          await db.runs.put({ ...row, paused });
          return { ...row, paused };
        }),
      ),
    dropRun: (series) => guarded(() => db.runs.delete(series)),
    seriesRow: (key) => guarded(async () => (await db.series.get(key)) ?? null),
    touch: (row) =>
      guarded(async () => void (await updateSeries(db, row.key, (there) => lookedAt(there, row)))),
    noteFullHead: (row, day) =>
      guarded(
        async () => void (await updateSeries(db, row.key, (there) => headNoted(there ?? row, day))),
      ),
    raise: (row, spans) =>
      guarded(async () => {
        const raised = await updateSeries(db, row.key, (there) => spansRaised(there ?? row, spans));
        return [...raised.raised];
      }),
    makeRoom: (except) => guarded(() => makeRoom(db, except)),
    mayMakeRoom: () => guarded(async () => (await db.settings.get(MAY_MAKE_ROOM))?.value === true),
    setMayMakeRoom: (may) =>
      guarded(async () => void (await db.settings.put({ key: MAY_MAKE_ROOM, value: may }))),
    updateStore: (key, change) =>
      guarded(() =>
        db.transaction('rw', [db.stores, db.cells, db.summaries, db.receipts], async () => {
          const before = (await db.stores.get(key)) ?? null;
          const row = change(before);
          await db.stores.put(row);
          if ((row.epoch ?? 0) !== (before?.epoch ?? 0)) await deleteCounts(db, seriesPrefix(key));
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
    shelf: shelfOf(db, guarded, onBoards),
    boards: boardsOf(db, guarded, onBoards),
    close: () => db.close({ disableAutoOpen: true }),
  };
}
