import type { CellSummary, Tier } from '#core/counts/summary.ts';
import { BUCKET_MS, GRANULARITIES } from '#core/time/bucket.ts';
import { CELL_MS } from '#core/time/span.ts';
import type { CountsCache } from './counts-cache.ts';
import { SeriesTables } from './inventory-tables.ts';
import type {
  StoredReceipt,
  SeriesContents,
  SeriesOverview,
  ImportTotals,
  CachedSeries,
} from './records.ts';
import { policyOf } from '#app/counts/source-policy.ts';
import { knownOf } from '#core/counts/known-counts.ts';

const tierBytes = (tier: Tier | null): number =>
  tier ? tier.sum.byteLength + tier.min.byteLength + tier.max.byteLength : 0;

const textBytes = (value: unknown): number => JSON.stringify(value).length;

/** Estimates the bytes of a cell and its summary. The maximum of a day has the width of the cell's counts. */
function cellBytes({ key, segments, receipts, days, hours }: CellSummary): number {
  const width = days.max.BYTES_PER_ELEMENT;
  const counts = (CELL_MS / BUCKET_MS[key[1]]) * width;
  return counts + tierBytes(days) + tierBytes(hours) + 2 * textBytes([key, segments, receipts]);
}

function described({ row, summaries, receipts, requests }: SeriesOverview): CachedSeries {
  const coverage = GRANULARITIES.map((granularity) => ({
    granularity,
    known: knownOf(summaries.filter(({ key }) => key[1] === granularity)),
  }));
  const bytes = summaries.reduce((sum, summary) => sum + cellBytes(summary), 0);
  return {
    ...row,
    bytes: bytes + textBytes(row) + textBytes(receipts),
    coverage: coverage.filter(({ known }) => known.length > 0),
    receipts: receipts.filter(({ uncertain }) => uncertain === undefined).length,
    paid: receipts.reduce((sum, { price }) => sum + Math.round(price * 1e6), 0) / 1e6,
    requests,
  };
}

/** Loaded on first use: rendering needs no files. */
const backups = (): Promise<typeof import('#app/counts/files/backup.ts')> =>
  import('#app/counts/files/backup.ts');

async function* once(contents: SeriesContents): AsyncGenerator<SeriesContents> {
  yield contents;
}

/**
 * The cache as the settings show it: lists, deletes, exports and imports series. Every method throws a `Fault` of one
 * of the cache's types.
 */
export class CacheInventory {
  readonly #cache: CountsCache;
  readonly #tables: SeriesTables;

  constructor(cache: CountsCache) {
    this.#cache = cache;
    this.#tables = new SeriesTables(cache.parts);
  }

  /** Last opened first. */
  async series(): Promise<CachedSeries[]> {
    const tables = this.#tables;
    const out: CachedSeries[] = [];
    for (const key of await tables.keys()) out.push(described(await tables.overview(key)));
    return out.sort((a, b) => b.usedAt - a.usedAt);
  }

  /** Newest first. */
  async receipts(series: string): Promise<StoredReceipt[]> {
    const receipts = await this.#tables.receipts(series);
    // Answers of the same second are in the order of their spans.
    const order = (a: StoredReceipt, b: StoredReceipt): number =>
      b.at - a.at || b.reported.start - a.reported.start || (a.id < b.id ? -1 : 1);
    return receipts.sort(order);
  }

  /** Exports the given series, or all series and the saved boards, as one file. */
  async export(series?: readonly string[]): Promise<Blob> {
    const tables = this.#tables;
    const { writeDashboardBackup } = await backups();
    const keys = (await tables.keys()).filter((key) => series?.includes(key) ?? true);
    const boards = series ? [] : await tables.boards();
    return await writeDashboardBackup(
      (async function* () {
        for (const key of keys) yield await tables.contents(key);
      })(),
      boards,
    );
  }

  /**
   * Merges a file of {@link export} into the cache. Importing it again changes nothing.
   *
   * @throws {Fault} of type `BAD_BACKUP` if the file is not a backup, or damaged. Nothing of it is imported then.
   */
  async import(file: Blob): Promise<ImportTotals> {
    const { checkBackup, readDashboardBackup } = await backups();
    const totals = await checkBackup(file);
    for await (const part of readDashboardBackup(file)) {
      if ('was' in part) await this.#tables.importBoards([part]);
      else await this.#restore(part);
    }
    return totals;
  }

  /** Deletes a series. @returns The file that restores it. */
  async remove(series: string): Promise<Blob> {
    const { writeDashboardBackup } = await backups();
    const contents = await this.#tables.take(series);
    try {
      return await writeDashboardBackup(once(contents));
    } catch (error) {
      // Without a file to restore it from, the series must not be deleted.
      await this.#restore(contents);
      throw error;
    }
  }

  mayMakeRoom(): Promise<boolean> {
    return this.#cache.mayMakeRoom();
  }

  setMayMakeRoom(may: boolean): Promise<void> {
    return this.#cache.setMayMakeRoom(may);
  }

  #restore(contents: SeriesContents): Promise<void> {
    return this.#tables.merge(contents, policyOf(contents.row.source, null).settleMs);
  }
}
