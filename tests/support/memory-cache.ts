import { Fault } from '#contract/fault.ts';
import type { SourceInfo } from '#contract/source.ts';
import type { CellRecord, Invalidation, Revision } from '#core/counts/ledger.ts';
import { merge, revisions } from '#core/counts/ledger.ts';
import { summarise } from '#core/counts/summary.ts';
import type { Span } from '#core/time/span.ts';
import type { BoardRow } from '#app/counts/cache/saved-boards-port.ts';
import { mergeBoards } from '#app/counts/cache/merge-boards.ts';
import type {
  Ask,
  CellRange,
  CountsCache,
  Receipt,
  RunRow,
  SeriesRow,
  StoreRow,
  StoredReceipt,
} from '#app/counts/cache/records.ts';
import { CACHE_FULL, seriesPrefix, storeKey } from '#app/counts/cache/records.ts';
import { headNoted, lookedAt, seriesRowOf, spansRaised } from '#app/counts/cache/series-row.ts';
import type { SeriesContents, ShelfCache } from '#app/counts/cache/inventory-cache.ts';
import { counts, sameReceipt, mergeSeries, withReceipt } from '#app/counts/cache/merge-series.ts';

const copy = <T>(value: T): T => structuredClone(value);

/** A cache that lives as long as it is held; like the browser's it gives copies, and waits a turn. */
export class MemoryCache implements CountsCache {
  readonly cells = new Map<string, CellRecord>();
  readonly receipts = new Map<string, StoredReceipt>();
  readonly stores = new Map<string, StoreRow>();
  readonly openAsks = new Map<string, Ask>();
  readonly runs = new Map<string, RunRow>();
  readonly seriesRows = new Map<string, SeriesRow>();
  readonly boardRows = new Map<string, BoardRow>();
  readonly shelf: ShelfCache = {
    keys: async () =>
      this.#allSeries()
        .map(({ key }) => key)
        .sort(),
    glance: async (series) => {
      const { row, receipts, asks, records } = this.#contents(series);
      const summaries = records.map((record) => summarise(record));
      return copy({ row, receipts, asks: asks.length, summaries });
    },
    receipts: async (series) => copy(this.#contents(series).receipts as StoredReceipt[]),
    contents: async (series) => copy(this.#contents(series)),
    take: async (series) => {
      const contents = this.#contents(series);
      this.#delete(series);
      return copy(contents);
    },
    unite: async (contents, settleMs) => {
      this.#roomOrFault(contents.records);
      const { key } = contents.row;
      const papers = mergeSeries(this.#contents(key), contents);
      for (const record of contents.records) {
        const id = JSON.stringify(record.key);
        const old = this.cells.get(id);
        this.cells.set(id, copy(old ? merge(old, record, settleMs) : record));
      }
      for (const receipt of papers.receipts) this.receipts.set(receipt.id, copy(receipt));
      for (const ask of this.#contents(key).asks) this.openAsks.delete(ask.id);
      for (const ask of papers.asks) this.openAsks.set(ask.id, copy(ask));
      this.seriesRows.set(key, copy(this.seriesRows.has(key) ? papers.row : contents.row));
      if (papers.store) this.stores.set(papers.store.key, copy(papers.store));
      if (papers.run) this.runs.set(key, copy(papers.run));
    },
    boards: async () => copy([...this.boardRows.values()].sort((a, b) => (a.id < b.id ? -1 : 1))),
    uniteBoards: async (boards) => {
      const { rows } = await mergeBoards(async (id) => this.boardRows.get(id) ?? null, boards);
      for (const row of rows) this.boardRows.set(row.id, copy(row));
    },
  };
  #sources: SourceInfo[] | null = null;
  #mayMakeRoom = false;
  /** While set, nothing can be written. */
  full = false;
  /** How many records there is room for. */
  capacity = Infinity;

  async version(series: string) {
    const ids = [...this.receipts.values()].filter((one) => one.series === series);
    return ids
      .map(({ id }) => id)
      .sort()
      .join(' ');
  }

  async summaries(range: CellRange) {
    return (await this.records(range)).map((record) => summarise(record));
  }

  async records({ series, granularity, from, to }: CellRange): Promise<CellRecord[]> {
    await Promise.resolve();
    return [...this.cells.values()]
      .filter(
        ({ key: [s, g, cell] }) => s === series && g === granularity && cell >= from && cell <= to,
      )
      .sort((a, b) => a.key[2] - b.key[2])
      .map((record) => copy(record));
  }

  async write(
    records: readonly CellRecord[],
    receipt: Receipt,
    settleMs: number,
    compared: readonly CellRecord[] = [],
  ) {
    await Promise.resolve();
    this.#roomOrFault(records);
    const found: Revision[] = [];
    for (const record of [...records, ...compared]) {
      const old = this.cells.get(JSON.stringify(record.key));
      if (old) found.push(...revisions(old, record, settleMs));
    }
    const merged = records.map((record) => {
      const old = this.cells.get(JSON.stringify(record.key));
      return old ? merge(old, record, settleMs) : record;
    });
    for (const record of merged) this.cells.set(JSON.stringify(record.key), copy(record));
    const stored = { ...receipt, revisions: found };
    const before = this.receipts.get(receipt.id);
    this.receipts.set(receipt.id, copy(before ? sameReceipt(before, stored) : stored));
    const run = this.runs.get(receipt.series);
    if (run && !before && counts(receipt)) {
      this.runs.set(receipt.series, { ...run, made: withReceipt(run.made, receipt) });
    }
    this.openAsks.delete(receipt.ask);
    return { records: copy(merged), revisions: found, added: !before };
  }

  async asks(series: string): Promise<Ask[]> {
    await Promise.resolve();
    const asks = [...this.openAsks.values()].filter((ask) => ask.series === series);
    return copy(asks.sort((a, b) => a.at - b.at || (a.id < b.id ? -1 : 1)));
  }

  async putAsk(ask: Ask): Promise<void> {
    await Promise.resolve();
    this.#roomOrFault();
    this.openAsks.set(ask.id, copy(ask));
  }

  async dropAsk(id: string): Promise<void> {
    await Promise.resolve();
    this.openAsks.delete(id);
  }

  async run(series: string): Promise<RunRow | null> {
    await Promise.resolve();
    return copy(this.runs.get(series)) ?? null;
  }

  async putRun(row: RunRow): Promise<void> {
    await Promise.resolve();
    this.#roomOrFault();
    this.runs.set(row.series, copy(row));
  }

  async pauseRun(series: string, paused: boolean): Promise<RunRow | null> {
    await Promise.resolve();
    const row = this.runs.get(series);
    if (!row) return null;
    this.runs.set(series, { ...row, paused });
    return copy({ ...row, paused });
  }

  async dropRun(series: string): Promise<void> {
    await Promise.resolve();
    this.runs.delete(series);
  }

  async seriesRow(key: string): Promise<SeriesRow | null> {
    await Promise.resolve();
    return copy(this.seriesRows.get(key)) ?? null;
  }

  async touch(row: SeriesRow): Promise<void> {
    await Promise.resolve();
    this.#roomOrFault();
    this.seriesRows.set(row.key, copy(lookedAt(this.seriesRows.get(row.key) ?? null, row)));
  }

  async noteFullHead(row: SeriesRow, day: number): Promise<void> {
    await Promise.resolve();
    this.#roomOrFault();
    this.seriesRows.set(row.key, copy(headNoted(this.seriesRows.get(row.key) ?? row, day)));
  }

  async raise(row: SeriesRow, spans: readonly Span[]): Promise<Invalidation[]> {
    await Promise.resolve();
    this.#roomOrFault();
    const after = spansRaised(this.seriesRows.get(row.key) ?? row, spans);
    this.seriesRows.set(row.key, copy(after));
    return copy([...after.raised]);
  }

  async makeRoom(except: readonly string[]): Promise<SeriesRow | null> {
    await Promise.resolve();
    const bought = [...this.openAsks.values()].filter(({ failed }) => !failed);
    const stays = new Set([...except, ...this.runs.keys(), ...bought.map(({ series }) => series)]);
    const [oldest] = this.#allSeries().filter(({ key }) => !stays.has(key));
    if (!oldest) return null;
    this.#delete(oldest.key);
    return copy(oldest);
  }

  async mayMakeRoom(): Promise<boolean> {
    await Promise.resolve();
    return this.#mayMakeRoom;
  }

  async setMayMakeRoom(may: boolean): Promise<void> {
    await Promise.resolve();
    this.#roomOrFault();
    this.#mayMakeRoom = may;
  }

  async updateStore(key: string, change: (row: StoreRow | null) => StoreRow): Promise<StoreRow> {
    await Promise.resolve();
    const before = copy(this.stores.get(key)) ?? null;
    const row = change(before);
    this.#roomOrFault();
    this.stores.set(key, copy(row));
    if ((row.epoch ?? 0) !== (before?.epoch ?? 0)) this.#deleteCounts(seriesPrefix(key));
    return row;
  }

  async sources(): Promise<SourceInfo[] | null> {
    return copy(this.#sources);
  }

  async rememberSources(sources: readonly SourceInfo[]): Promise<void> {
    this.#sources = copy([...sources]);
  }

  /** Looked at longest ago first; one that was never touched was never looked at. */
  #allSeries(): SeriesRow[] {
    const rows = [...this.seriesRows.values()];
    const keys = [
      ...[...this.cells.values()].map(({ key: [series] }) => series),
      ...[...this.receipts.values(), ...this.openAsks.values()].map(({ series }) => series),
    ];
    const strays = [...new Set(keys)].filter((key) => !this.seriesRows.has(key));
    return [...rows, ...strays.map((key) => seriesRowOf(key, 0))].sort(
      (a, b) => a.usedAt - b.usedAt || (a.key < b.key ? -1 : 1),
    );
  }

  #contents(series: string): SeriesContents {
    const row = this.seriesRows.get(series) ?? seriesRowOf(series, 0);
    const order = ({ key }: CellRecord): string => `${key[1]} ${String(key[2]).padStart(9, '0')}`;
    return {
      row,
      store: this.stores.get(storeKey(row.source, row.store)) ?? null,
      run: this.runs.get(series) ?? null,
      asks: [...this.openAsks.values()].filter((ask) => ask.series === series),
      receipts: [...this.receipts.values()].filter((receipt) => receipt.series === series),
      records: [...this.cells.values()]
        .filter(({ key }) => key[0] === series)
        .sort((a, b) => (order(a) < order(b) ? -1 : 1)),
    };
  }

  #deleteCounts(prefix: string): void {
    for (const [id, { key }] of this.cells) if (key[0].startsWith(prefix)) this.cells.delete(id);
    for (const [id, { series }] of this.receipts) {
      if (series.startsWith(prefix)) this.receipts.delete(id);
    }
  }

  #delete(series: string): void {
    for (const [id, { key }] of this.cells) if (key[0] === series) this.cells.delete(id);
    for (const rows of [this.receipts, this.openAsks]) {
      for (const [id, row] of rows) if (row.series === series) rows.delete(id);
    }
    this.runs.delete(series);
    this.seriesRows.delete(series);
  }

  #roomOrFault(records: readonly CellRecord[] = []): void {
    const more = records.filter(({ key }) => !this.cells.has(JSON.stringify(key))).length;
    if (!this.full && this.cells.size + more <= this.capacity) return;
    throw new Fault(0, { title: 'No room', type: CACHE_FULL });
  }
}
