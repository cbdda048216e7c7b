import { Fault } from '#contract/fault.ts';
import type { SourceInfo } from '#contract/source.ts';
import type { CellRecord, Revision } from '#core/counts/ledger.ts';
import { merge, revisions } from '#core/counts/ledger.ts';
import { summarise } from '#core/counts/summary.ts';
import type { CellRange, CountsCache, StoreRow, StoredReceipt } from '#app/counts/cache-port.ts';
import { CACHE_FULL } from '#app/counts/cache-port.ts';

/** A cache that lives as long as it is held; like the browser's it gives copies, and waits a turn. */
export class MemoryCache implements CountsCache {
  readonly cells = new Map<string, CellRecord>();
  readonly receipts = new Map<string, StoredReceipt>();
  readonly stores = new Map<string, StoreRow>();
  #sources: SourceInfo[] | null = null;
  /** While set, nothing can be written. */
  full = false;

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
      .map((record) => structuredClone(record));
  }

  async write(
    records: readonly CellRecord[],
    receipt: Parameters<CountsCache['write']>[1],
    settleMs: number,
  ) {
    await Promise.resolve();
    this.#roomOrFault();
    const found: Revision[] = [];
    const merged = records.map((record) => {
      const old = this.cells.get(JSON.stringify(record.key));
      if (!old) return record;
      found.push(...revisions(old, record, settleMs));
      return merge(old, record, settleMs);
    });
    for (const record of merged)
      this.cells.set(JSON.stringify(record.key), structuredClone(record));
    this.receipts.set(receipt.id, structuredClone({ ...receipt, revisions: found }));
    return { records: structuredClone(merged), revisions: found };
  }

  async updateStore(key: string, change: (row: StoreRow | null) => StoreRow): Promise<StoreRow> {
    await Promise.resolve();
    const row = change(structuredClone(this.stores.get(key)) ?? null);
    this.#roomOrFault();
    this.stores.set(key, structuredClone(row));
    return row;
  }

  async sources(): Promise<SourceInfo[] | null> {
    return structuredClone(this.#sources);
  }

  async rememberSources(sources: readonly SourceInfo[]): Promise<void> {
    this.#sources = structuredClone([...sources]);
  }

  #roomOrFault(): void {
    if (this.full) throw new Fault(0, { title: 'No room', type: CACHE_FULL });
  }
}
