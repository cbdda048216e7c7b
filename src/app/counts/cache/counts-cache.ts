import type { SourceInfo } from '#contract/source.ts';
import type { CellRecord, Invalidation, Revision } from '#core/counts/ledger.ts';
import { merge, revisions } from '#core/counts/ledger.ts';
import type { CellSummary } from '#core/counts/summary.ts';
import { summarise } from '#core/counts/summary.ts';
import type { Span } from '#core/time/span.ts';
import { sealed } from './checksum.ts';
import type { CountsDatabase } from './database.ts';
import { SeriesTables, makeRoom } from './inventory-tables.ts';
import { counts, sameReceipt, withReceipt } from './merge-series.ts';
import type { CacheListener, Guard } from './opening.ts';
import { guard } from './opening.ts';
import type {
  PendingRequest,
  CellRange,
  Receipt,
  RunRow,
  SeriesRow,
  StoreRow,
  StoredReceipt,
} from './records.ts';
import { seriesPrefix } from './records.ts';
import type { KeyRange } from './repair.ts';
import { intactRecords, intactRows } from './repair.ts';
import { SavedBoards } from './saved-boards.ts';
import { withFullHead, withInvalidated, withUse } from './series-row.ts';

/** Called for changes to the database. */
export interface CacheEvents extends Partial<CacheListener> {
  /** Saved boards were written here. */
  onBoards?(): void;
}

const MAY_MAKE_ROOM = 'may-make-room';

const bounds = (range: CellRange): KeyRange => [
  [range.series, range.granularity, range.from],
  [range.series, range.granularity, range.to],
];

/**
 * The counts that this browser has. Each call is one transaction: whole or not at all.
 *
 * Every method throws a `Fault` of type `CACHE_FULL`, `CACHE_OUTDATED`, `CACHE_DELETED` or `CACHE_BROKEN`.
 */
export class CountsCache {
  readonly #db: CountsDatabase;
  readonly #guarded: Guard;
  readonly inventory: SeriesTables;
  readonly boards: SavedBoards;

  constructor(db: CountsDatabase, events: CacheEvents = {}) {
    this.#db = db;
    this.#guarded = guard(db, events);
    const onBoards = (): void => events.onBoards?.();
    this.inventory = new SeriesTables(db, this.#guarded, onBoards);
    this.boards = new SavedBoards(db, this.#guarded, onBoards);
  }

  /** The receipts of a series as text: as long as it is the same, so are the series' cells. */
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
   * Merges the records of one answer into the stored ones and writes them with their summaries and the receipt;
   * deletes the request that the receipt answers, and adds the receipt's price, the first time, to the series' run.
   *
   * @param records - None where the page was refused or only compared.
   * @param compared - Records that are compared with the stored ones and not written: audits and probes.
   * @returns The records as they are now, what the answer contradicts, and whether the receipt is a new one.
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
      // Most records are new to the cache: their summaries are ready by the time that is known.
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
      // All at once: a round trip for each would take longer than the writing itself.
      const [added] = await Promise.all([
        this.#putReceipt({ ...receipt, revisions: found }),
        db.cells.bulkPut(merged.map((record) => sealed(record))),
        db.summaries.bulkPut(summaries.map((summary) => sealed(summary))),
        db.asks.delete(receipt.ask),
      ]);
      return { records: merged, revisions: found, added };
    };
    const tables = [db.cells, db.summaries, db.receipts, db.asks, db.runs];
    return this.#guarded(() => db.transaction('rw', tables, work));
  }

  /** Unanswered requests of a series, oldest first. */
  pendingRequests(series: string): Promise<PendingRequest[]> {
    return this.#guarded(async () => {
      const asks = await this.#db.asks.where('series').equals(series).toArray();
      return asks.sort((a, b) => a.at - b.at || (a.id < b.id ? -1 : 1));
    });
  }

  putRequest(ask: PendingRequest): Promise<void> {
    return this.#guarded(async () => void (await this.#db.asks.put(ask)));
  }

  dropRequest(id: string): Promise<void> {
    return this.#guarded(() => this.#db.asks.delete(id));
  }

  /** What was approved for a series; null where nothing is in progress. */
  run(series: string): Promise<RunRow | null> {
    return this.#guarded(async () => (await this.#db.runs.get(series)) ?? null);
  }

  putRun(row: RunRow): Promise<void> {
    return this.#guarded(async () => void (await this.#db.runs.put(row)));
  }

  /** Pauses or resumes a series' run. @returns The run as it is now, null where there is none. */
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

  /** Null where the series was never opened. */
  seriesRow(key: string): Promise<SeriesRow | null> {
    return this.#guarded(async () => (await this.#db.series.get(key)) ?? null);
  }

  /** Notes when a series was last opened and how its query was typed; leaves the rest of its row alone. */
  async touch(row: SeriesRow): Promise<void> {
    await this.#updateSeries(row.key, (stored) => withUse(stored, row));
  }

  /** Notes a head in full length. @param row - Written where the series has none. @param day - As in the row. */
  async noteFullHead(row: SeriesRow, day: number): Promise<void> {
    await this.#updateSeries(row.key, (stored) => withFullHead(stored ?? row, day));
  }

  /**
   * Marks spans of a series to be bought again, under a generation above every earlier one of the series.
   *
   * @param row - Written where the series has none.
   * @returns All spans marked so.
   */
  async invalidate(row: SeriesRow, spans: readonly Span[]): Promise<Invalidation[]> {
    const { raised } = await this.#updateSeries(row.key, (stored) =>
      withInvalidated(stored ?? row, spans),
    );
    return [...raised];
  }

  /**
   * Deletes everything of the least recently opened series, except of one with a run or an unfailed request:
   * another tab may be buying it.
   *
   * @param except - Keys of series to leave.
   * @returns The deleted series, or null where none is left to delete.
   */
  makeRoom(except: readonly string[]): Promise<SeriesRow | null> {
    return this.#guarded(() => makeRoom(this.#db, except));
  }

  /** Whether the user allowed {@link makeRoom}. */
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
   * Rewrites what is known of a store; `change` gets null where nothing is. Where that begins another epoch, it also
   * deletes the cells and receipts of all series of the store.
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

  /** The sources as the service last listed them, null if it never did. */
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

  /** Writes a receipt; one that is stored already keeps its price. @returns Whether it is new. */
  async #putReceipt(receipt: StoredReceipt): Promise<boolean> {
    const { receipts, runs } = this.#db;
    // Adding needs no read first; a receipt that is there already is rare.
    const added = await receipts.add(receipt).then(
      () => true,
      async (error: unknown) => {
        if (!(error instanceof Error) || error.name !== 'ConstraintError') throw error;
        const before = await receipts.get(receipt.id);
        await receipts.put(before ? sameReceipt(before, receipt) : receipt);
        return false;
      },
    );
    const run = added && counts(receipt) ? await runs.get(receipt.series) : undefined;
    if (run) await runs.put({ ...run, made: withReceipt(run.made, receipt) });
    return added;
  }

  /** Deletes the counts of all series whose keys begin with a prefix; their own rows stay. */
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

  /** Reads and rewrites in one transaction, so that no tab overwrites what another one noted. */
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
