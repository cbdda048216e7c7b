import { chromium as playwright } from 'playwright';
import { chromium } from '#tests/support/run/chromium.ts';
import type { CacheTimes } from './cache-page.ts';
import { digits, fact, goal, shown, table, timing } from './measure.ts';
import { serveModules } from './modules.ts';

/** Times the browser's cache in Chromium against a raw object store: cells of minutes written one by one and read. */
export async function benchCache(cells: number, rounds: number): Promise<void> {
  const modules = await serveModules();
  const browser = await playwright.launch(await chromium());
  const times: CacheTimes[] = [];
  try {
    for (let i = 0; i < rounds; i++) {
      const context = await browser.newContext();
      const page = await context.newPage();
      await page.goto(modules.blank);
      times.push(
        await page.evaluate(async (cells) => {
          const module = '/tests/bench/cache-page.ts';
          const { measureCache } = (await import(module)) as typeof import('./cache-page.ts');
          return measureCache(cells);
        }, cells),
      );
      await context.close();
    }
  } finally {
    await browser.close();
    await modules.close();
  }
  const median = (pick: (t: CacheTimes) => number): number => timing(times.map(pick)).median;
  const over = (pick: keyof CacheTimes, raw: keyof CacheTimes): number =>
    median((t) => t[pick] / t[raw]);
  const row = (
    name: string,
    pick: keyof CacheTimes,
    raw: keyof CacheTimes,
    parts = 1,
  ): string[] => [
    name,
    ...[pick, raw].map((each) => shown(timing(times.map((t) => t[each] / parts)))),
    over(pick, raw).toFixed(2),
  ];
  table(`Cache of ${(times[0]?.buckets ?? 0).toLocaleString('en')} buckets in Chromium`, [
    ['what', 'ms', 'raw store ms', 'ratio'],
    row('write all pages', 'write', 'writeRaw'),
    row('write a page', 'write', 'writeRaw', cells),
    row('read all minutes', 'read', 'readRaw'),
    row('read summaries alone', 'summaries', 'summariesRaw'),
  ]);
  const written = median((t) => t.write / cells);
  goal('a page written', written, '≤', 5, ' ms');
  goal('a page written, over the raw put', over('write', 'writeRaw'), '≤', 1.5, ' ×');
  const summaries = over('summaries', 'summariesRaw');
  goal('summaries read, over the same raw', summaries, '≤', 1.5, ' ×');
  const [out, back, megabytes] = [
    median((t) => t.exported / 1000),
    median((t) => t.imported / 1000),
    median((t) => t.bytes / 1e6),
  ].map(digits);
  fact(`backup of them all: ${out} s to a file of ${megabytes} MB, ${back} s back from it`);
}
