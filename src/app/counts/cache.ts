import type { Table } from 'dexie';
import { Dexie } from 'dexie';
import { Fault } from '#contract/fault.ts';
import type { SourceInfo } from '#contract/source.ts';
import type { CellKey, CellRecord, Revision } from '#core/counts/ledger.ts';
import { merge, revisions } from '#core/counts/ledger.ts';
import type { CellSummary } from '#core/counts/summary.ts';
import { summarise } from '#core/counts/summary.ts';
import type { CellRange, CountsCache, Receipt, StoreRow, StoredReceipt } from './cache-port.ts';
import { CACHE_BROKEN, CACHE_FULL, CACHE_OUTDATED } from './cache-port.ts';

interface SourceRow {
  readonly id: string;
  /** Place in the list that the service gave. */
  readonly place: number;
  readonly info: SourceInfo;
}

/** Rises with every change of the tables. */
const VERSION = 1;
/** Dexie's versions in those of IndexedDB. */
const NATIVE = 10;

class CountsDatabase extends Dexie {
  declare readonly cells: Table<CellRecord, CellKey>;
  declare readonly summaries: Table<CellSummary, CellKey>;
  declare readonly receipts: Table<StoredReceipt, string>;
  declare readonly stores: Table<StoreRow, string>;
  declare readonly sources: Table<SourceRow, string>;

  constructor(name: string) {
    super(name, { chromeTransactionDurability: 'relaxed' });
    this.version(VERSION).stores({
      cells: 'key',
      summaries: 'key',
      receipts: 'id,series',
      stores: 'key',
      sources: 'id',
    });
  }
}

/** An error and what it wraps: a quota error reaches Dexie as an AbortError with the real one inside. */
function names(error: unknown): string[] {
  const out: string[] = [];
  for (let e = error; e instanceof Object && out.length < 8; e = (e as { inner?: unknown }).inner) {
    out.push(String((e as { name?: unknown }).name));
  }
  return out;
}

function outdated(detail: string): Fault {
  const title = 'Another tab runs a newer version of this page: reload it';
  return new Fault(0, { title, detail, type: CACHE_OUTDATED });
}

/** A failure of the database as a {@link Fault} in words. */
export function cacheFault(error: unknown): Fault {
  const found = names(error);
  const detail = error instanceof Error ? error.message : String(error);
  if (found.includes('QuotaExceededError')) {
    const title = 'The browser has no room left for counts';
    return new Fault(0, { title, detail, type: CACHE_FULL });
  }
  if (found.includes('DatabaseClosedError') || found.includes('VersionError'))
    return outdated(detail);
  const title = 'The browser’s store for counts does not work';
  return new Fault(0, { title, detail, type: CACHE_BROKEN });
}

/**
 * Opens the database unless a newer version of this page has been at it: Dexie would open that too, and
 * old code would go on writing into new tables.
 */
async function opened(db: CountsDatabase): Promise<void> {
  // Firefox before 126 has no list; there the check after opening has to do.
  const list = (await indexedDB.databases?.()) ?? [];
  const there = list.find(({ name }) => name === db.name)?.version ?? 0;
  const version = there > VERSION * NATIVE ? there : (await db.open(), db.backendDB().version);
  if (version <= VERSION * NATIVE) return;
  db.close({ disableAutoOpen: true });
  throw outdated(`expected version ${VERSION} of the database, got ${version / NATIVE}`);
}

const bounds = (range: CellRange): [CellKey, CellKey] => [
  [range.series, range.granularity, range.from],
  [range.series, range.granularity, range.to],
];

/**
 * Opens the browser's cache of counts.
 *
 * @param onOutdated - Called when another tab opens a newer version; this one is closed by then, and every
 *   later call throws `CACHE_OUTDATED`.
 */
export function openCache(
  name: string,
  onOutdated: () => void = () => undefined,
): CountsCache & { close(): void } {
  const db = new CountsDatabase(name);
  let old = false;
  db.on('versionchange', () => {
    old = true;
    db.close({ disableAutoOpen: true });
    onOutdated();
    return false;
  });
  let opening: Promise<void> | null = null;
  const guarded = async <T>(work: () => PromiseLike<T>): Promise<T> => {
    try {
      if (old) throw outdated('closed for another version');
      // Tried again at the next call where it failed.
      opening ??= opened(db).catch((error: unknown) => {
        opening = null;
        throw error;
      });
      await opening;
      return await work();
    } catch (error) {
      throw error instanceof Fault ? error : cacheFault(error);
    }
  };
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
    write: (records, receipt: Receipt, settleMs) =>
      guarded(() =>
        db.transaction('rw', db.cells, db.summaries, db.receipts, async () => {
          const before = await db.cells.bulkGet(records.map((record) => record.key));
          const found: Revision[] = [];
          const merged = records.map((record, i) => {
            const old = before[i];
            if (!old) return record;
            found.push(...revisions(old, record, settleMs));
            return merge(old, record, settleMs);
          });
          await db.cells.bulkPut(merged);
          await db.summaries.bulkPut(merged.map((record) => summarise(record)));
          await db.receipts.put({ ...receipt, revisions: found });
          return { records: merged, revisions: found };
        }),
      ),
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
