import { chromium as playwright } from 'playwright';
import { createServer } from 'vite';
import { chromium } from '#tests/support/run/chromium.ts';
import type { CacheTimes } from './cache-page.ts';
import { digits, fact, goal, shown, table, timing } from './measure.ts';

/** Times the browser's cache in Chromium against a raw object store: cells of minutes written one by one and read. */
export async function benchCache(cells: number, rounds: number): Promise<void> {
  const vite = await createServer({ server: { port: 0, host: '127.0.0.1' }, logLevel: 'error' });
  await vite.listen();
  const address = vite.httpServer?.address();
  if (!address || typeof address === 'string') throw new Error('the module server has no port');
  const browser = await playwright.launch(await chromium());
  const times: CacheTimes[] = [];
  try {
    for (let i = 0; i < rounds; i++) {
      const context = await browser.newContext();
      const page = await context.newPage();
      // A page of this origin that does not start the app.
      await page.goto(`http://127.0.0.1:${address.port}/LICENSE`);
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
    await vite.close();
  }
  const row = (
    name: string,
    pick: (t: CacheTimes) => number,
    raw: (t: CacheTimes) => number,
  ): string[] => [
    name,
    shown(timing(times.map(pick))),
    shown(timing(times.map(raw))),
    timing(times.map((t) => pick(t) / raw(t))).median.toFixed(2),
  ];
  const each = (pick: (t: CacheTimes) => number) => (t: CacheTimes) => pick(t) / cells;
  table(`Cache of ${(times[0]?.buckets ?? 0).toLocaleString('en')} buckets in Chromium`, [
    ['what', 'ms', 'raw store ms', 'ratio'],
    row(
      'write all pages',
      (t) => t.write,
      (t) => t.writeRaw,
    ),
    row(
      'write a page',
      each((t) => t.write),
      each((t) => t.writeRaw),
    ),
    row(
      'read all minutes',
      (t) => t.read,
      (t) => t.readRaw,
    ),
    row(
      'read summaries alone',
      (t) => t.summaries,
      (t) => t.summariesRaw,
    ),
  ]);
  const median = (pick: (t: CacheTimes) => number): number => timing(times.map(pick)).median;
  goal(
    'a page written',
    median((t) => t.write / cells),
    '≤',
    5,
    ' ms',
  );
  goal(
    'a page written, over the raw put',
    median((t) => t.write / t.writeRaw),
    '≤',
    1.5,
    ' ×',
  );
  goal(
    'summaries read, over the same raw',
    median((t) => t.summaries / t.summariesRaw),
    '≤',
    1.5,
    ' ×',
  );
  const [out, back, megabytes] = [
    median((t) => t.exported / 1000),
    median((t) => t.imported / 1000),
    median((t) => t.bytes / 1e6),
  ].map(digits);
  fact(`backup of them all: ${out} s to a file of ${megabytes} MB, ${back} s back from it`);
}
