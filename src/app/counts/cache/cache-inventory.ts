import { knownOf } from '#core/counts/ledger.ts';
import type { CellSummary, Tier } from '#core/counts/summary.ts';
import { BUCKET_MS, GRANULARITIES } from '#core/time/bucket.ts';
import { CELL_MS } from '#core/time/span.ts';
import type { CountsCache } from './counts-cache.ts';
import type { StoredReceipt } from './records.ts';
import { policyOf } from '#app/counts/source-policy.ts';
import type { SeriesContents, SeriesGlance } from './inventory-cache.ts';
import type { ShelfImport, ShelfSeries } from './inventory-port.ts';

const tierBytes = (tier: Tier | null): number =>
  tier ? tier.sum.byteLength + tier.min.byteLength + tier.max.byteLength : 0;

const textBytes = (value: unknown): number => JSON.stringify(value).length;

/** About the bytes of a cell and its summary: the width of its counts shows in the greatest of a day. */
function cellBytes({ key, segments, receipts, days, hours }: CellSummary): number {
  const width = days.max.BYTES_PER_ELEMENT;
  const counts = (CELL_MS / BUCKET_MS[key[1]]) * width;
  return counts + tierBytes(days) + tierBytes(hours) + 2 * textBytes([key, segments, receipts]);
}

function shown({ row, summaries, receipts, asks }: SeriesGlance): ShelfSeries {
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
    asks,
  };
}

/** Fetched when it is first asked for: pages that draw need no file of it. */
const backups = (): Promise<typeof import('#app/counts/files/backup.ts')> =>
  import('#app/counts/files/backup.ts');

async function* once(contents: SeriesContents): AsyncGenerator<SeriesContents> {
  yield contents;
}

/** What the user sees of the cache and can delete, export and import. Every method throws a `Fault` of the cache's types. */
export class CacheInventory {
  readonly #cache: CountsCache;

  constructor(cache: CountsCache) {
    this.#cache = cache;
  }

  /** Last opened first. */
  async series(): Promise<ShelfSeries[]> {
    const { shelf } = this.#cache;
    const out: ShelfSeries[] = [];
    for (const key of await shelf.keys()) out.push(shown(await shelf.glance(key)));
    return out.sort((a, b) => b.usedAt - a.usedAt);
  }

  /** Newest first. */
  async receipts(series: string): Promise<StoredReceipt[]> {
    const receipts = await this.#cache.shelf.receipts(series);
    // Answers of one second stand as what they tell does.
    const order = (a: StoredReceipt, b: StoredReceipt): number =>
      b.at - a.at || b.told.start - a.told.start || (a.id < b.id ? -1 : 1);
    return receipts.sort(order);
  }

  /** Some series, or all and the saved boards, as one file. */
  async export(series?: readonly string[]): Promise<Blob> {
    const { shelf } = this.#cache;
    const { writeBackup } = await backups();
    const keys = (await shelf.keys()).filter((key) => series?.includes(key) ?? true);
    const boards = series ? [] : await shelf.boards();
    return await writeBackup(
      (async function* () {
        for (const key of keys) yield await shelf.contents(key);
      })(),
      boards,
    );
  }

  /**
   * Merges a file of {@link export} into the cache; importing it twice changes nothing.
   *
   * @throws {Fault} of type `BAD_BACKUP` where the file is no backup or damaged; nothing of it is imported then.
   */
  async import(file: Blob): Promise<ShelfImport> {
    const { checkBackup, readBackup } = await backups();
    const held = await checkBackup(file);
    for await (const part of readBackup(file)) {
      if ('was' in part) await this.#cache.shelf.uniteBoards([part]);
      else await this.#putBack(part);
    }
    return held;
  }

  /** Deletes a series. @returns The file that restores it. */
  async remove(series: string): Promise<Blob> {
    const { writeBackup } = await backups();
    const contents = await this.#cache.shelf.take(series);
    try {
      return await writeBackup(once(contents));
    } catch (error) {
      // What cannot be undone is not done.
      await this.#putBack(contents);
      throw error;
    }
  }

  mayMakeRoom(): Promise<boolean> {
    return this.#cache.mayMakeRoom();
  }

  setMayMakeRoom(may: boolean): Promise<void> {
    return this.#cache.setMayMakeRoom(may);
  }

  #putBack(contents: SeriesContents): Promise<void> {
    return this.#cache.shelf.unite(contents, policyOf(contents.row.source, null).settleMs);
  }
}
