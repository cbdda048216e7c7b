import { Fault } from '#contract/fault.ts';
import type { CellRecord, Revision } from '#core/counts/ledger.ts';
import { merge } from '#core/counts/ledger.ts';
import type { CountsCache, Receipt } from './cache-port.ts';
import { CACHE_FULL } from './cache-port.ts';

/** An answer on its way into the cache. */
export interface Writing {
  readonly records: readonly CellRecord[];
  readonly receipt: Receipt;
  readonly settleMs: number;
}

export interface Wrote {
  /** As they stand now, in the cache or, without room there, in memory. */
  readonly records: readonly CellRecord[];
  readonly revisions: Revision[];
  /** Set where there was no room. */
  readonly full: Fault | null;
}

const isFull = (error: unknown): error is Fault =>
  error instanceof Fault && error.body.type === CACHE_FULL;

/** Writes answers to the cache; what it has no room for is kept in memory until it has. */
export class Unsaved {
  readonly #cache: CountsCache;
  #waiting: Writing[] = [];
  readonly #overlay = new Map<string, CellRecord>();

  constructor(cache: CountsCache) {
    this.#cache = cache;
  }

  /** Records that are not in the cache yet. */
  records(): Iterable<CellRecord> {
    return this.#overlay.values();
  }

  /**
   * Writes answers. Where the cache is full and the user agreed to that, what was looked at longest ago makes
   * room first.
   *
   * @param open - Keys of series that are looked at.
   */
  async write(writings: readonly Writing[], open: readonly string[]): Promise<Wrote> {
    const records: CellRecord[] = [];
    const revisions: Revision[] = [];
    for (const [i, writing] of writings.entries()) {
      try {
        const written = await this.#withRoom(writing, open);
        records.push(...written.records);
        revisions.push(...written.revisions);
      } catch (error) {
        if (!isFull(error)) throw error;
        for (const rest of writings.slice(i)) records.push(...(await this.#keep(rest)));
        return { records, revisions, full: error };
      }
    }
    return { records, revisions, full: null };
  }

  /** Tries again to write what there was no room for. */
  async save(): Promise<void> {
    const waiting = this.#waiting;
    this.#waiting = [];
    for (const [i, { records, receipt, settleMs }] of waiting.entries()) {
      try {
        await this.#cache.write(records, receipt, settleMs);
      } catch (error) {
        this.#waiting.push(...waiting.slice(i));
        if (isFull(error)) return;
        throw error;
      }
    }
    this.#overlay.clear();
  }

  async #withRoom({ records, receipt, settleMs }: Writing, open: readonly string[]) {
    for (;;) {
      try {
        return await this.#cache.write(records, receipt, settleMs);
      } catch (error) {
        if (!isFull(error) || !(await this.#cache.mayMakeRoom())) throw error;
        if (!(await this.#cache.makeRoom(open))) throw error;
      }
    }
  }

  async #keep(writing: Writing): Promise<CellRecord[]> {
    this.#waiting.push(writing);
    const out: CellRecord[] = [];
    for (const record of writing.records) {
      const [series, granularity, cell] = record.key;
      const key = JSON.stringify(record.key);
      const range = { series, granularity, from: cell, to: cell };
      const before = this.#overlay.get(key) ?? (await this.#cache.records(range))[0];
      const merged = before ? merge(before, record, writing.settleMs) : record;
      this.#overlay.set(key, merged);
      out.push(merged);
    }
    return out;
  }
}
