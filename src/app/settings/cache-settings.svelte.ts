import type { ImportTotals, CachedSeries } from '#app/counts/cache/records.ts';
import type { InventoryClient } from '#app/counts/worker/client.ts';
import type { Toasts } from '#app/ui/toasts.svelte.ts';
import { plural } from '#core/format/plural.ts';
import type { BrowserStorage } from './storage.ts';
import { faultText } from '#app/format/fault-text.ts';

export interface CacheSettingsDeps {
  readonly inventory: InventoryClient;
  readonly storage: BrowserStorage;
  readonly toasts: Toasts;
  download(file: Blob, name: string): void;
  /** Called when the cache gained counts. */
  onfilled(): void;
  /** `1.6 MB`. */
  bytes(value: number): string;
  now(): number;
}

const allOf = (count: number): string => plural(count, 'series', 'series');

/** Manages the cache of this browser: one task at a time, each reported while it runs. */
export class CacheSettings {
  readonly #deps: CacheSettingsDeps;
  #works: Promise<void> = Promise.resolve();
  /** Most recently used first; null until read. */
  series = $state.raw<readonly CachedSeries[] | null>(null);
  fault = $state('');
  /** The running task, in words; empty if none. */
  doing = $state('');
  /** The result of the last export or import. */
  outcome = $state.raw<{ readonly text: string; readonly wrong: boolean } | null>(null);
  estimate = $state.raw<{ usage: number; quota: number } | null>(null);
  persisted = $state<boolean | null>(null);
  /** True if the browser declined to protect the cache. */
  declined = $state(false);
  mayMakeRoom = $state(false);
  readonly bytes = $derived.by(() =>
    (this.series ?? []).reduce((sum, { bytes }) => sum + bytes, 0),
  );

  constructor(deps: CacheSettingsDeps) {
    this.#deps = deps;
  }

  async load(): Promise<void> {
    const { inventory, storage } = this.#deps;
    try {
      this.series = await inventory.series();
      this.mayMakeRoom = await inventory.mayMakeRoom();
      this.fault = '';
    } catch (error) {
      this.fault = faultText(error);
    }
    this.estimate = await storage.estimate();
    this.persisted = await storage.persisted();
  }

  /** Runs a task after the ones before it, and reports it. */
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
      await this.#deps.inventory.setMayMakeRoom(may);
    } catch (error) {
      this.mayMakeRoom = before;
      this.fault = faultText(error);
    }
  }

  /** Deletes series one after another; deleted ones can be restored even if a later one fails. */
  async remove(series: readonly CachedSeries[]): Promise<void> {
    const { inventory, toasts, bytes } = this.#deps;
    const [only] = series;
    const name = series.length === 1 && only ? `the counts of ${only.query}` : allOf(series.length);
    await this.#do(`Deleting ${name}…`, async () => {
      const files: Blob[] = [];
      let size = 0;
      try {
        for (const cached of series) {
          files.push(await inventory.remove(cached.key));
          size += cached.bytes;
        }
      } finally {
        if (files.length > 0) {
          const gone = files.length === series.length ? name : allOf(files.length);
          toasts.say(`Deleted ${gone}, ${bytes(size)}.`, () => void this.#putBack(files));
        }
      }
    });
  }

  async #putBack(files: readonly Blob[]): Promise<void> {
    await this.#do('Restoring deleted counts…', async () => {
      for (const file of files) await this.#deps.inventory.import(file);
      this.#deps.onfilled();
    });
  }

  async export(): Promise<void> {
    const { inventory, download, bytes, now } = this.#deps;
    await this.#do('Writing the file…', async () => {
      const file = await inventory.export();
      const day = new Date(now()).toISOString().slice(0, 10);
      download(file, `groundswell-cache_${day}.groundswell`);
      const count = allOf(this.series?.length ?? 0);
      this.outcome = { text: `Exported ${count}: a file of ${bytes(file.size)}.`, wrong: false };
    });
  }

  async import(file: File): Promise<void> {
    const { inventory, bytes, onfilled } = this.#deps;
    await this.#do(
      `Reading ${file.name}, ${bytes(file.size)}…`,
      async () => {
        const came: ImportTotals = await inventory.import(file);
        this.outcome = {
          text:
            `${file.name}: ${allOf(came.series)}, ${plural(came.records, 'stretch', 'stretches')} of counts` +
            `${came.boards > 0 ? `, ${plural(came.boards, 'saved board')}` : ''} and ` +
            `${plural(came.receipts, 'receipt')} are in the cache. Everything already there stays.`,
          wrong: false,
        };
        onfilled();
      },
      file.name,
    );
  }
}
