import { CountsCache } from '#app/counts/cache/counts-cache.ts';
import { CountsDatabase } from '#app/counts/cache/database.ts';
import { seriesKey } from '#app/counts/cache/records.ts';
import { CacheInventory } from '#app/counts/cache/cache-inventory.ts';
import { recordsOf } from '#core/counts/ledger.ts';
import { ARCHIVE_START, CELL_MS, DAY_MS, MINUTE_MS } from '#core/time/span.ts';

/** Milliseconds of each step, in order. */
export interface CacheTimes {
  readonly buckets: number;
  readonly write: number;
  readonly writeRaw: number;
  readonly read: number;
  readonly readRaw: number;
  readonly summaries: number;
  readonly summariesRaw: number;
  readonly exported: number;
  readonly imported: number;
  /** Size of the backup file. */
  readonly bytes: number;
}

const SERIES = seriesKey('platform', 'bench', 'bench', 1);

function event(target: EventTarget, good: string, bad: string): Promise<void> {
  return new Promise((resolve, reject) => {
    target.addEventListener(good, () => resolve());
    target.addEventListener(bad, () => reject(new Error(`the raw store: ${bad}`)));
  });
}

async function rawStore(name: string): Promise<IDBDatabase> {
  const request = indexedDB.open(name, 1);
  request.addEventListener('upgradeneeded', () => request.result.createObjectStore('pages'));
  await event(request, 'success', 'error');
  return request.result;
}

/** Writes cells of minutes one by one as they would arrive, and reads them; then does the same with raw arrays. */
export async function measureCache(cells: number): Promise<CacheTimes> {
  const name = `bench-${performance.now()}`;
  const cache = new CountsCache(new CountsDatabase(name));
  const raw = await rawStore(`${name}-raw`);
  const width = CELL_MS / MINUTE_MS;
  const at = ARCHIVE_START + cells * CELL_MS + 2 * DAY_MS;
  const pages = Array.from({ length: cells }, (_, cell) => {
    const counts = Uint32Array.from({ length: width }, (_, i) => (i * 31 + cell * 17) % 97);
    const start = ARCHIVE_START + cell * CELL_MS;
    const note = { at, generation: 0, endpoint: 'all' as const };
    const reported = { start, end: start + CELL_MS, counts, receipt: `r${cell}`, note };
    return recordsOf(SERIES, 'minute', reported);
  });

  let start = performance.now();
  for (const [cell, records] of pages.entries()) {
    const span = {
      start: ARCHIVE_START + cell * CELL_MS,
      end: ARCHIVE_START + (cell + 1) * CELL_MS,
    };
    const receipt = {
      id: `r${cell}`,
      request: `a${cell}`,
      series: SERIES,
      purpose: 'count' as const,
      index: 0,
      price: 0,
      bytes: 0,
      accepted: true,
      granularity: 'minute' as const,
      requested: span,
      reported: span,
      at,
      generation: 0,
      endpoint: 'all' as const,
      total: 0,
      faults: [],
    };
    await cache.write(records, receipt, DAY_MS);
  }
  const write = performance.now() - start;

  start = performance.now();
  for (const [cell, [record]] of pages.entries()) {
    const transaction = raw.transaction('pages', 'readwrite', { durability: 'relaxed' });
    transaction.objectStore('pages').put(record?.counts, cell);
    await event(transaction, 'complete', 'abort');
  }
  const writeRaw = performance.now() - start;

  const range = { series: SERIES, granularity: 'minute' as const, from: 0, to: cells };
  start = performance.now();
  const read = await cache.records(range);
  const readTime = performance.now() - start;
  start = performance.now();
  const summaries = await cache.summaries(range);
  const summariesTime = performance.now() - start;
  start = performance.now();
  const request = raw.transaction('pages').objectStore('pages').getAll();
  await event(request, 'success', 'error');
  const readRaw = performance.now() - start;
  const rawSummaries = await rawStore(`${name}-raw-summaries`);
  const writing = rawSummaries.transaction('pages', 'readwrite');
  for (const [cell, summary] of summaries.entries())
    writing.objectStore('pages').put(summary, cell);
  await event(writing, 'complete', 'abort');
  start = performance.now();
  const again = rawSummaries.transaction('pages').objectStore('pages').getAll();
  await event(again, 'success', 'error');
  if (again.result.length !== cells) throw new Error('the raw store lost summaries');
  const summariesRaw = performance.now() - start;
  rawSummaries.close();
  if (read.length !== cells || summaries.length !== cells || request.result.length !== cells) {
    throw new Error(`wrote ${cells} cells, read ${read.length} and ${summaries.length}`);
  }
  start = performance.now();
  const file = await new CacheInventory(cache).export();
  const exported = performance.now() - start;
  const other = new CountsCache(new CountsDatabase(`${name}-other`));
  start = performance.now();
  const held = await new CacheInventory(other).import(file);
  const imported = performance.now() - start;
  if (held.records !== cells) throw new Error(`exported ${cells} cells, got ${held.records}`);
  cache.close();
  other.close();
  raw.close();
  return {
    buckets: cells * width,
    write,
    writeRaw,
    read: readTime,
    readRaw,
    summaries: summariesTime,
    summariesRaw,
    exported,
    imported,
    bytes: file.size,
  };
}
