import { Dexie } from 'dexie';
import type { SourceInfo } from '#contract/counts/source.ts';
import { merge, revisions, type CellRecord } from '#core/counts/ledger.ts';
import { summarise, type CellSummary } from '#core/counts/summary.ts';
import type { StoreRow, StoredReceipt } from '#app/counts/cache/records.ts';
import { cacheFault } from '#app/counts/cache/opening.ts';

/** A receipt of version 1. */
export type ReceiptOf1 = Omit<
  StoredReceipt,
  'ask' | 'purpose' | 'index' | 'price' | 'bytes' | 'kept' | 'revisions'
>;

/** A summary of version 1. */
function summaryOf1(record: CellRecord): Omit<CellSummary, 'small'> {
  const { key, segments, receipts, days, hours } = summarise(record);
  return { key, segments, receipts, days, hours };
}

/** Opens the cache as version 1 of the app does, for a tab that was not reloaded since. */
export function openVersion1(name: string, onOutdated: () => void = () => undefined) {
  const db = new Dexie(name, { chromeTransactionDurability: 'relaxed' });
  db.version(1).stores({
    cells: 'key',
    summaries: 'key',
    receipts: 'id,series',
    stores: 'key',
    sources: 'id',
  });
  let old = false;
  db.on('versionchange', () => {
    old = true;
    db.close({ disableAutoOpen: true });
    onOutdated();
    return false;
  });
  const guarded = async <T>(work: () => PromiseLike<T>): Promise<T> => {
    try {
      if (old) throw new Dexie.VersionError();
      await db.open();
      if (db.backendDB().version > 10) {
        db.close({ disableAutoOpen: true });
        throw new Dexie.VersionError();
      }
      return await work();
    } catch (error) {
      throw cacheFault(old ? new Dexie.VersionError() : error);
    }
  };
  return {
    write: (records: readonly CellRecord[], receipt: ReceiptOf1, settleMs: number) =>
      guarded(() =>
        db.transaction('rw', ['cells', 'summaries', 'receipts'], async (tables) => {
          const cells = tables.table<CellRecord, CellRecord['key']>('cells');
          const before = await cells.bulkGet(records.map((record) => record.key));
          const found = records.flatMap((record, i) => {
            const had = before[i];
            return had ? revisions(had, record, settleMs) : [];
          });
          const merged = records.map((record, i) => {
            const had = before[i];
            return had ? merge(had, record, settleMs) : record;
          });
          await cells.bulkPut(merged);
          await tables.table('summaries').bulkPut(merged.map(summaryOf1));
          await tables.table('receipts').put({ ...receipt, revisions: found });
        }),
      ),
    putStore: (row: StoreRow) => guarded(() => db.table('stores').put(row)),
    putSources: (sources: readonly SourceInfo[]) =>
      guarded(() =>
        db.table('sources').bulkPut(sources.map((info, place) => ({ id: info.id, place, info }))),
      ),
    close: () => db.close({ disableAutoOpen: true }),
  };
}
