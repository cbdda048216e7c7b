import {
  BAD_BACKUP,
  type ImportTotals,
  type CachedSeries,
  type StoredReceipt,
} from '#app/counts/cache/records.ts';
import type { InventoryClient } from '#app/counts/worker/client.ts';
import type { PlatformApi } from '#app/api/platform-api.ts';
import type { BrowserStorage } from '#app/settings/storage.ts';
import { Fault } from '#contract/fault.ts';
import type { PlatformAnswer, PlatformSettings } from '#contract/counts/platform.ts';
import type { SpendingAnswer } from '#contract/counts/spending.ts';

/** An inventory of whole series. The file of a removed series restores it. */
export class MemoryInventory implements InventoryClient {
  readonly stored = new Map<string, CachedSeries>();
  may = false;
  /** Thrown by the next call. */
  fails: Error | null = null;

  constructor(series: readonly CachedSeries[] = []) {
    for (const each of series) this.stored.set(each.key, each);
  }

  #check(): void {
    const { fails } = this;
    this.fails = null;
    if (fails) throw fails;
  }

  async series(): Promise<CachedSeries[]> {
    this.#check();
    return [...this.stored.values()].sort((a, b) => b.usedAt - a.usedAt);
  }
  async receipts(): Promise<StoredReceipt[]> {
    return [];
  }
  async export(keys: readonly string[] = [...this.stored.keys()]): Promise<Blob> {
    this.#check();
    return new Blob([JSON.stringify(keys.map((key) => this.stored.get(key)))]);
  }
  async import(file: Blob): Promise<ImportTotals> {
    this.#check();
    let imported: CachedSeries[];
    try {
      imported = JSON.parse(await file.text()) as CachedSeries[];
    } catch {
      throw new Fault(400, { title: 'Not a backup', type: BAD_BACKUP });
    }
    for (const series of imported) this.stored.set(series.key, series);
    const receipts = imported.reduce((sum, series) => sum + series.receipts, 0);
    return { series: imported.length, records: imported.length, receipts, boards: 0 };
  }
  async remove(key: string): Promise<Blob> {
    const file = await this.export([key]);
    this.stored.delete(key);
    return file;
  }
  async mayMakeRoom(): Promise<boolean> {
    return this.may;
  }
  async setMayMakeRoom(may: boolean): Promise<void> {
    this.#check();
    this.may = may;
  }
}

/** Stores settings as the service does. */
export class MemoryPlatformApi implements PlatformApi {
  now: PlatformAnswer;
  spent: SpendingAnswer;
  /** All settings sent, in order. */
  readonly sent: PlatformSettings[] = [];
  fails: Error | null = null;

  constructor(now: PlatformAnswer, spent: SpendingAnswer) {
    this.now = now;
    this.spent = spent;
  }
  async answer(): Promise<PlatformAnswer> {
    if (this.fails) throw this.fails;
    return this.now;
  }
  async change(settings: PlatformSettings): Promise<PlatformAnswer> {
    if (this.fails) throw this.fails;
    this.sent.push(settings);
    this.now = { ...this.now, settings };
    return this.now;
  }
  async spending(): Promise<SpendingAnswer> {
    if (this.fails) throw this.fails;
    return this.spent;
  }
}

/** A browser's storage, which becomes persistent on request if the browser is willing. */
export function memoryStorage(willing: boolean): BrowserStorage {
  let persistent = false;
  return {
    estimate: () => Promise.resolve({ usage: 3_400_000, quota: 12_300_000_000 }),
    persisted: () => Promise.resolve(persistent),
    persist: () => {
      persistent = willing;
      return Promise.resolve(willing);
    },
  };
}
