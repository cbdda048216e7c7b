import { Fault } from '#contract/fault.ts';
import type { CellRecord } from '#core/counts/ledger.ts';
import type { CountsCache } from '#app/counts/cache/counts-cache.ts';
import { CACHE_FULL, type Receipt } from '#app/counts/cache/records.ts';
import { merge } from '#core/counts/merge-records.ts';
import type { Revision } from '#core/counts/count-revisions.ts';

/** An answer to write to the cache. */
export interface Writing {
  readonly records: readonly CellRecord[];
  readonly receipt: Receipt;
  readonly settleMs: number;
}

export interface Wrote {
  /** The merged records, in the cache or, if it is full, in memory. */
  readonly records: readonly CellRecord[];
  readonly revisions: Revision[];
  /** Set if the cache was full. */
  readonly full: Fault | null;
}

const isFull = (error: unknown): error is Fault =>
  error instanceof Fault && error.body.type === CACHE_FULL;

const idOf = ({ key }: CellRecord): string => JSON.stringify(key);

/** Writes answers to the cache. Keeps in memory what does not fit. */
export class WriteQueue {
  readonly #cache: CountsCache;
  readonly #waiting: Writing[] = [];
  /** By key: waiting records, merged into the cached ones. */
  readonly #overlay = new Map<string, CellRecord>();
  /** The last of the serialised operations. */
  #last: Promise<unknown> = Promise.resolve();

  constructor(cache: CountsCache) {
    this.#cache = cache;
  }

  /** Records that are not in the cache yet. A record that is no longer here is in the cache by the next read. */
  records(): CellRecord[] {
    return [...this.#overlay.values()];
  }

  /**
   * Writes answers. If the cache is full and the user has allowed it, deletes the least recently opened series first.
   *
   * @param open - Keys of open series, which are not deleted.
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
        for (const rest of writings.slice(i)) {
          records.push(...(await this.#alone(() => this.#keep(rest))));
        }
        return { records, revisions, full: error };
      }
    }
    return { records, revisions, full: null };
  }

  /** Tries again to write what waits. Drops nothing from memory before it is in the cache. */
  async save(): Promise<void> {
    await this.#alone(() => this.#save());
  }

  async #alone<T>(work: () => Promise<T>): Promise<T> {
    const before = this.#last;
    const mine = before.then(work);
    this.#last = mine.catch(() => undefined);
    return await mine;
  }

  async #save(): Promise<void> {
    let next = this.#waiting[0];
    if (!next) return;
    try {
      for (; next; next = this.#waiting[0]) {
        await this.#cache.write(next.records, next.receipt, next.settleMs);
        this.#waiting.shift();
      }
    } catch (error) {
      if (!isFull(error)) throw error;
    } finally {
      const waiting = new Set(this.#waiting.flatMap(({ records }) => records.map(idOf)));
      for (const id of this.#overlay.keys()) if (!waiting.has(id)) this.#overlay.delete(id);
    }
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
      const id = idOf(record);
      const range = { series, granularity, from: cell, to: cell };
      const before = this.#overlay.get(id) ?? (await this.#cache.records(range))[0];
      const merged = before ? merge(before, record, writing.settleMs) : record;
      this.#overlay.set(id, merged);
      out.push(merged);
    }
    return out;
  }
}
