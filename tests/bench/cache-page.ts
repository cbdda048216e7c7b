import { CountsCache } from '#app/counts/cache/counts-cache.ts';
import { CountsDatabase } from '#app/counts/cache/database.ts';
import { seriesKey } from '#app/counts/cache/records.ts';
import { CacheInventory } from '#app/counts/cache/cache-inventory.ts';
import { ARCHIVE_START, CELL_MS, DAY_MS, MINUTE_MS } from '#core/time/span.ts';
import { allRaw, cellPage, eventOf, openRaw, putRaw } from './raw-store.ts';

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

/** Writes cells of minutes one by one as they would arrive, and reads them; then does the same with raw arrays. */
export async function measureCache(cells: number): Promise<CacheTimes> {
  const name = `bench-${performance.now()}`;
  const cache = new CountsCache(new CountsDatabase(name));
  const raw = await openRaw(`${name}-raw`, ['pages']);
  const width = CELL_MS / MINUTE_MS;
  const at = ARCHIVE_START + cells * CELL_MS + 2 * DAY_MS;
  const pages = Array.from({ length: cells }, (_, cell) => {
    const counts = Uint32Array.from({ length: width }, (_, i) => (i * 31 + cell * 17) % 97);
    return cellPage(SERIES, cell, counts, `r${cell}`, at);
  });

  let start = performance.now();
  for (const { records, receipt } of pages) await cache.write(records, receipt, DAY_MS);
  const write = performance.now() - start;

  start = performance.now();
  for (const [cell, { records }] of pages.entries()) {
    await putRaw(raw, 'pages', cell, records[0]?.counts);
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
  const rawPages = await allRaw(raw, 'pages');
  const readRaw = performance.now() - start;
  const rawSummaries = await openRaw(`${name}-raw-summaries`, ['pages']);
  const writing = rawSummaries.transaction('pages', 'readwrite');
  for (const [cell, summary] of summaries.entries())
    writing.objectStore('pages').put(summary, cell);
  await eventOf(writing, 'complete');
  start = performance.now();
  const again = await allRaw(rawSummaries, 'pages');
  if (again.length !== cells) throw new Error('the raw store lost summaries');
  const summariesRaw = performance.now() - start;
  rawSummaries.close();
  if (read.length !== cells || summaries.length !== cells || rawPages.length !== cells) {
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
