import type { SourceInfo } from '#contract/counts/source.ts';
import type { CellRecord } from '#core/counts/ledger.ts';
import { summarise, type CellSummary } from '#core/counts/summary.ts';
import type { Span } from '#core/time/span.ts';
import { sealed } from './checksum.ts';
import type { CountsDatabase } from './database.ts';
import { isBought, sameReceipt, withReceipt } from './merge-series.ts';
import { guard, type CacheListener, type CacheParts, type Guard } from './opening.ts';
import {
  seriesPrefix,
  type PendingRequest,
  type CellRange,
  type Receipt,
  type RunRow,
  type SeriesRow,
  type StoreRow,
  type StoredReceipt,
} from './records.ts';
import { intactRecords, intactRows, type KeyRange } from './repair.ts';
import { withFullHead, withInvalidated, withUse } from './series-row.ts';
import { merge } from '#core/counts/merge-records.ts';
import { countRevisions, type Revision } from '#core/counts/count-revisions.ts';
import type { Invalidation } from '#core/counts/invalidation.ts';

/** Called when the database changes. */
export interface CacheEvents extends Partial<CacheListener> {
  /** This tab has written saved boards. */
  onBoards?(): void;
}

const MAY_MAKE_ROOM = 'may-make-room';

const bounds = (range: CellRange): KeyRange => [
  [range.series, range.granularity, range.from],
  [range.series, range.granularity, range.to],
];

/**
 * The counts stored in this browser. Each call is one transaction.
 *
 * Every method throws a `Fault` of type `CACHE_FULL`, `CACHE_EARLIER`, `CACHE_OUTDATED`, `CACHE_DELETED` or `CACHE_BROKEN`.
 */
export class CountsCache {
  readonly #db: CountsDatabase;
  readonly #guarded: Guard;
  /** For the tables of the inventory and the boards, which load later. */
  readonly parts: CacheParts;

  constructor(db: CountsDatabase, events: CacheEvents = {}) {
    this.#db = db;
    this.#guarded = guard(db, events);
    this.parts = { db, guarded: this.#guarded, onBoards: () => events.onBoards?.() };
  }

  /** Identifies the stored state of a series' cells: its receipts as text. */
  version(series: string): Promise<string> {
    return this.#guarded(async () => {
      const ids = await this.#db.receipts.where('series').equals(series).primaryKeys();
      return ids.sort().join(' ');
    });
  }

  /** In order of cells. */
  summaries(range: CellRange): Promise<CellSummary[]> {
    return this.#guarded(() => intactRows(this.#db, this.#db.summaries, bounds(range)));
  }

  /** In order of cells. */
  records(range: CellRange): Promise<CellRecord[]> {
    return this.#guarded(() => intactRows(this.#db, this.#db.cells, bounds(range)));
  }

  /**
   * Merges the records of one answer into the stored ones, and writes them with their summaries and the receipt.
   * Deletes the request that the receipt answers. Adds a new receipt's price to the series' run.
   *
   * @param records - Empty if the page was rejected or only compared.
   * @param compared - Records to compare with the stored ones without writing them: audits and probes.
   * @returns The merged records, what the answer contradicts, and whether the receipt is new.
   */
  write(
    records: readonly CellRecord[],
    receipt: Receipt,
    settleMs: number,
    compared: readonly CellRecord[] = [],
  ): Promise<{ records: CellRecord[]; revisions: Revision[]; added: boolean }> {
    const db = this.#db;
    const all = [...records, ...compared];
    const work = async () => {
      const reading = intactRecords(
        db,
        all.map((record) => record.key),
      );
      // Most records are new to the cache. Their summaries are ready by the time the reads have confirmed that.
      const summaries = records.map((record) => summarise(record));
      const before = await reading;
      const found: Revision[] = [];
      for (const [i, record] of all.entries()) {
        const old = before[i];
        if (old) found.push(...countRevisions(old, record, settleMs));
      }
      const merged = records.map((record, i) => {
        const old = before[i];
        if (!old) return record;
        const best = merge(old, record, settleMs);
        summaries[i] = summarise(best);
        return best;
      });
      // In parallel: a round trip for each would take longer than the writing itself.
      const [added] = await Promise.all([
        this.#putReceipt({ ...receipt, revisions: found }),
        db.cells.bulkPut(merged.map((record) => sealed(record))),
        db.summaries.bulkPut(summaries.map((summary) => sealed(summary))),
        db.requests.delete(receipt.request),
      ]);
      return { records: merged, revisions: found, added };
    };
    const tables = [db.cells, db.summaries, db.receipts, db.requests, db.runs];
    return this.#guarded(() => db.transaction('rw', tables, work));
  }

  /** Unanswered requests of a series, oldest first. */
  pendingRequests(series: string): Promise<PendingRequest[]> {
    return this.#guarded(async () => {
      const asks = await this.#db.requests.where('series').equals(series).toArray();
      return asks.sort((a, b) => a.at - b.at || (a.id < b.id ? -1 : 1));
    });
  }

  putRequest(ask: PendingRequest): Promise<void> {
    return this.#guarded(async () => void (await this.#db.requests.put(ask)));
  }

  dropRequest(id: string): Promise<void> {
    return this.#guarded(() => this.#db.requests.delete(id));
  }

  /** The run that was approved for a series; null if nothing is in progress. */
  run(series: string): Promise<RunRow | null> {
    return this.#guarded(async () => (await this.#db.runs.get(series)) ?? null);
  }

  putRun(row: RunRow): Promise<void> {
    return this.#guarded(async () => void (await this.#db.runs.put(row)));
  }

  /** Pauses or resumes a series' run. @returns The updated run; null if there is none. */
  pauseRun(series: string, paused: boolean): Promise<RunRow | null> {
    const { runs } = this.#db;
    return this.#guarded(() =>
      this.#db.transaction('rw', runs, async () => {
        const row = await runs.get(series);
        if (!row) return null;
        await runs.put({ ...row, paused });
        return { ...row, paused };
      }),
    );
  }

  dropRun(series: string): Promise<void> {
    return this.#guarded(() => this.#db.runs.delete(series));
  }

  /** Null if the series was never opened. */
  seriesRow(key: string): Promise<SeriesRow | null> {
    return this.#guarded(async () => (await this.#db.series.get(key)) ?? null);
  }

  /** Notes when a series was last opened and how its query was typed. Does not change the rest of its row. */
  async touch(row: SeriesRow): Promise<void> {
    await this.#updateSeries(row.key, (stored) => withUse(stored, row));
  }

  /** Notes a head in full length. @param row - Written if the series has none. @param day - As in the row. */
  async noteFullHead(row: SeriesRow, day: number): Promise<void> {
    await this.#updateSeries(row.key, (stored) => withFullHead(stored ?? row, day));
  }

  /**
   * Marks spans of a series to be bought again, under a generation above all its earlier ones.
   *
   * @param row - Written if the series has none.
   * @returns All marked spans of the series.
   */
  async invalidate(row: SeriesRow, spans: readonly Span[]): Promise<Invalidation[]> {
    const { invalidated } = await this.#updateSeries(row.key, (stored) =>
      withInvalidated(stored ?? row, spans),
    );
    return [...invalidated];
  }

  /**
   * Deletes the least recently opened series. Skips series with a run or with a pending request that has not failed,
   * because another tab may be buying them.
   *
   * @param except - Keys of series to skip.
   * @returns The deleted series; null if there is none to delete.
   */
  async makeRoom(except: readonly string[]): Promise<SeriesRow | null> {
    const { makeRoom } = await import('./inventory-tables.ts');
    return await this.#guarded(() => makeRoom(this.#db, except));
  }

  /** True if the user allowed {@link makeRoom}. */
  mayMakeRoom(): Promise<boolean> {
    return this.#guarded(async () => {
      const row = await this.#db.settings.get(MAY_MAKE_ROOM);
      return row?.value === true;
    });
  }

  setMayMakeRoom(may: boolean): Promise<void> {
    const row = { key: MAY_MAKE_ROOM, value: may };
    return this.#guarded(async () => void (await this.#db.settings.put(row)));
  }

  /**
   * Rewrites the row of a store; `change` receives null if there is none. If the new row begins another epoch, deletes
   * the cells and receipts of all series of the store.
   */
  updateStore(key: string, change: (row: StoreRow | null) => StoreRow): Promise<StoreRow> {
    const db = this.#db;
    return this.#guarded(() =>
      db.transaction('rw', [db.stores, db.cells, db.summaries, db.receipts], async () => {
        const before = (await db.stores.get(key)) ?? null;
        const row = change(before);
        await db.stores.put(row);
        if ((row.epoch ?? 0) !== (before?.epoch ?? 0)) await this.#deleteCounts(seriesPrefix(key));
        return row;
      }),
    );
  }

  /** The sources as the service last listed them; null if it never did. */
  sources(): Promise<SourceInfo[] | null> {
    return this.#guarded(async () => {
      const rows = await this.#db.sources.toArray();
      rows.sort((a, b) => a.place - b.place);
      return rows.length === 0 ? null : rows.map((row) => row.info);
    });
  }

  rememberSources(list: readonly SourceInfo[]): Promise<void> {
    const { sources } = this.#db;
    return this.#guarded(() =>
      this.#db.transaction('rw', sources, async () => {
        await sources.clear();
        await sources.bulkPut(list.map((info, place) => ({ id: info.id, place, info })));
      }),
    );
  }

  close(): void {
    this.#db.close({ disableAutoOpen: true });
  }

  /** Writes a receipt. One that is already stored keeps its price. @returns Whether it is new. */
  async #putReceipt(receipt: StoredReceipt): Promise<boolean> {
    const { receipts, runs } = this.#db;
    // Tries to add without reading first, because few receipts are already stored.
    const added = await receipts.add(receipt).then(
      () => true,
      async (error: unknown) => {
        if (!(error instanceof Error) || error.name !== 'ConstraintError') throw error;
        const before = await receipts.get(receipt.id);
        await receipts.put(before ? sameReceipt(before, receipt) : receipt);
        return false;
      },
    );
    const run = added && isBought(receipt) ? await runs.get(receipt.series) : undefined;
    if (run) await runs.put({ ...run, made: withReceipt(run.made, receipt) });
    return added;
  }

  /** Deletes the counts of all series whose keys begin with a prefix, but not their own rows. */
  async #deleteCounts(prefix: string): Promise<void> {
    const { cells, summaries, receipts } = this.#db;
    for (const table of [cells, summaries]) {
      await table
        .where('key')
        .between([prefix], [`${prefix}\uffff`])
        .delete();
    }
    await receipts.where('series').startsWith(prefix).delete();
  }

  /** Reads and writes in one transaction, so that no tab overwrites what another noted. */
  #updateSeries(key: string, change: (row: SeriesRow | null) => SeriesRow): Promise<SeriesRow> {
    const { series } = this.#db;
    return this.#guarded(() =>
      this.#db.transaction('rw', series, async () => {
        const row = change((await series.get(key)) ?? null);
        await series.put(row);
        return row;
      }),
    );
  }
}
