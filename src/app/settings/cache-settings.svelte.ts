import { plural } from '#app/format/formatter.ts';
import type { ImportTotals, CachedSeries } from '#app/counts/cache/records.ts';
import type { InventoryClient } from '#app/counts/worker/client.ts';
import type { Toasts } from '#app/ui/toasts.svelte.ts';
import type { BrowserStorage } from './storage.ts';
import { faultText } from '#app/format/fault-text.ts';

export interface ShelfDeps {
  readonly shelf: InventoryClient;
  readonly storage: BrowserStorage;
  readonly toasts: Toasts;
  download(file: Blob, name: string): void;
  /** Called when counts came into the cache that were not there. */
  onfilled(): void;
  /** `1.6 MB`. */
  bytes(value: number): string;
  now(): number;
}

const allOf = (count: number): string => plural(count, 'series', 'series');

/** The cache of this browser as its owner keeps it: one work at a time, each said as it goes. */
export class CacheSettings {
  readonly #deps: ShelfDeps;
  #works: Promise<void> = Promise.resolve();
  /** Last looked at first; null until read. */
  series = $state.raw<readonly CachedSeries[] | null>(null);
  fault = $state('');
  /** What is being done, in words; empty where nothing is. */
  doing = $state('');
  /** How the last export or import went. */
  outcome = $state.raw<{ readonly text: string; readonly wrong: boolean } | null>(null);
  estimate = $state.raw<{ usage: number; quota: number } | null>(null);
  persisted = $state<boolean | null>(null);
  /** Whether the browser was asked to keep it and would not. */
  declined = $state(false);
  mayMakeRoom = $state(false);
  readonly bytes = $derived.by(() =>
    (this.series ?? []).reduce((sum, { bytes }) => sum + bytes, 0),
  );

  constructor(deps: ShelfDeps) {
    this.#deps = deps;
  }

  async load(): Promise<void> {
    const { shelf, storage } = this.#deps;
    try {
      this.series = await shelf.series();
      this.mayMakeRoom = await shelf.mayMakeRoom();
      this.fault = '';
    } catch (error) {
      this.fault = faultText(error);
    }
    this.estimate = await storage.estimate();
    this.persisted = await storage.persisted();
  }

  /** Does a work after those before it, saying so. */
  async #do(doing: string, work: () => Promise<void>, file?: string): Promise<void> {
    const turn = this.#works.then(() => this.#now(doing, work, file));
    this.#works = turn;
    await turn;
  }

  async #now(doing: string, work: () => Promise<void>, file?: string): Promise<void> {
    this.doing = doing;
    this.outcome = null;
    try {
      await work();
    } catch (error) {
      this.outcome = { text: faultText(error, file), wrong: true };
    } finally {
      this.doing = '';
    }
    await this.load();
  }

  async keep(): Promise<void> {
    this.persisted = await this.#deps.storage.persist();
    this.declined = !this.persisted;
  }

  async letMakeRoom(may: boolean): Promise<void> {
    const before = this.mayMakeRoom;
    this.mayMakeRoom = may;
    try {
      await this.#deps.shelf.setMayMakeRoom(may);
    } catch (error) {
      this.mayMakeRoom = before;
      this.fault = faultText(error);
    }
  }

  /** Deletes series one after another; what is gone can be put back, also where a later one fails. */
  async remove(series: readonly CachedSeries[]): Promise<void> {
    const { shelf, toasts, bytes } = this.#deps;
    const [only] = series;
    const name = series.length === 1 && only ? `the counts of ${only.query}` : allOf(series.length);
    await this.#do(`Deleting ${name} …`, async () => {
      const files: Blob[] = [];
      let size = 0;
      try {
        for (const one of series) {
          files.push(await shelf.remove(one.key));
          size += one.bytes;
        }
      } finally {
        if (files.length > 0) {
          const gone = files.length === series.length ? name : allOf(files.length);
          toasts.show(`Deleted ${gone}, ${bytes(size)}.`, {
            text: 'Undo',
            act: () => void this.#putBack(files),
          });
        }
      }
    });
  }

  async #putBack(files: readonly Blob[]): Promise<void> {
    await this.#do('Putting back what was deleted …', async () => {
      for (const file of files) await this.#deps.shelf.import(file);
      this.#deps.onfilled();
    });
  }

  async export(): Promise<void> {
    const { shelf, download, bytes, now } = this.#deps;
    await this.#do('Writing the file …', async () => {
      const file = await shelf.export();
      const day = new Date(now()).toISOString().slice(0, 10);
      download(file, `groundswell-cache_${day}.groundswell`);
      const count = allOf(this.series?.length ?? 0);
      this.outcome = { text: `Exported ${count}: a file of ${bytes(file.size)}.`, wrong: false };
    });
  }

  async import(file: File): Promise<void> {
    const { shelf, bytes, onfilled } = this.#deps;
    await this.#do(
      `Reading ${file.name}, ${bytes(file.size)} …`,
      async () => {
        const came: ImportTotals = await shelf.import(file);
        this.outcome = {
          text:
            `${file.name}: ${allOf(came.series)}, ${plural(came.records, 'stretch', 'stretches')} of counts` +
            `${came.boards > 0 ? `, ${plural(came.boards, 'saved board')}` : ''} and ` +
            `${plural(came.receipts, 'receipt')} are in the cache. What was there before is still there.`,
          wrong: false,
        };
        onfilled();
      },
      file.name,
    );
  }
}
