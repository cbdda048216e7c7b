import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { chromium as playwright, type Page } from 'playwright';
import { chromium } from '#tests/support/run/chromium.ts';
import type { CsvBench, CsvTimes } from './csv-page.ts';
import { digits, fact, goal, shown, table, timing } from './measure.ts';
import { serveBuilt } from './modules.ts';

/** Minutes of each series that the reference writes. Many more would exceed the longest possible string. */
const REFERENCE_MINUTES = 100_000;
const SAMPLE_MS = 50;

/** Ids of this process and its descendants; empty where there is no /proc. */
function descendants(): Set<number> {
  const out = new Set<number>([process.pid]);
  if (!existsSync('/proc/self/stat')) return new Set();
  const parents = readdirSync('/proc')
    .filter((name) => /^\d+$/.test(name))
    .flatMap((name) => {
      try {
        const stat = readFileSync(`/proc/${name}/stat`, 'utf8');
        return [[Number(name), Number(stat.slice(stat.lastIndexOf(')') + 2).split(' ')[1])]];
      } catch {
        return [];
      }
    });
  for (let grown = -1; grown !== out.size;) {
    grown = out.size;
    for (const [pid = 0, parent = 0] of parents) if (out.has(parent)) out.add(pid);
  }
  return out;
}

/** Memory of processes in MB, shared pages counted once; NaN where the system does not report it. */
function megabytes(processes: Iterable<number>): number {
  let kilobytes = Number.NaN;
  for (const pid of processes) {
    try {
      const pss = /^Pss:\s+(\d+)/m.exec(readFileSync(`/proc/${pid}/smaps_rollup`, 'utf8'))?.[1];
      kilobytes = (Number.isNaN(kilobytes) ? 0 : kilobytes) + Number(pss ?? 0);
    } catch {
      // The process has ended.
    }
  }
  return kilobytes / 1024;
}

/** Runs the work and measures how far memory rises above its level before, MB. */
async function over<T>(
  browser: () => Iterable<number>,
  work: () => Promise<T>,
): Promise<{ value: T; most: number }> {
  const before = megabytes(browser());
  let most = before;
  const sampling = setInterval(() => {
    most = Math.max(most, megabytes(browser()));
  }, SAMPLE_MS);
  try {
    const value = await work();
    return { value, most: Math.max(most, megabytes(browser())) - before };
  } finally {
    clearInterval(sampling);
  }
}

/** Calls a function of the page. */
const inPage = <K extends keyof CsvBench>(
  page: Page,
  name: K,
  ...args: Parameters<CsvBench[K]>
): Promise<Awaited<ReturnType<CsvBench[K]>>> =>
  page.evaluate(
    ([name, args]) => {
      const { bench } = window as unknown as {
        bench: Record<string, (...args: unknown[]) => never>;
      };
      return bench[name]!(...args);
    },
    [name, args] as const,
  );

/**
 * Times the long CSV of five series of minutes in Chromium, streamed to a file by the app's own worker.
 *
 * @param folder - For the built page and the browser's profile: without one it stores files in memory.
 */
export async function benchCsv(folder: string, minutes: number, rounds: number): Promise<void> {
  const server = await serveBuilt('csv', join(folder, 'built'));
  const others = descendants();
  const browser = await playwright.launchPersistentContext(
    join(folder, 'profile'),
    await chromium(),
  );
  const own = (): number[] => [...descendants()].filter((pid) => !others.has(pid));
  const times: CsvTimes[] = [];
  const references: CsvTimes[] = [];
  const raws: CsvTimes[] = [];
  const memory: number[] = [];
  try {
    const page = await browser.newPage();
    await page.goto(server.url);
    await inPage(page, 'prepare', minutes);
    const devtools = await browser.newCDPSession(page);
    for (let i = 0; i < rounds; i++) {
      await devtools.send('HeapProfiler.collectGarbage');
      const { value, most } = await over(own, () => inPage(page, 'streamed'));
      times.push(value);

      memory.push(most);
      // As many bytes, because a disk takes the first ones faster than the rest.
      raws.push(await inPage(page, 'raw', value.bytes));
      references.push(await inPage(page, 'reference', REFERENCE_MINUTES));
    }
    if (!(await inPage(page, 'agrees', REFERENCE_MINUTES))) {
      throw new Error('the streamed file and the reference differ');
    }
  } finally {
    await browser.close();
    await server.close();
  }
  const rate = ({ rows, ms }: CsvTimes): number => rows / ms / 1000;
  const [first] = times;
  table(`Long CSV of ${(first?.rows ?? 0).toLocaleString('en')} rows in Chromium, to a file`, [
    ['what', 'million rows/s', 'MB over baseline'],
    ['streamed by the worker', shown(timing(times.map(rate))), shown(timing(memory))],
    ['toISOString in each row', shown(timing(references.map(rate))), ''],
  ]);
  fact(`file of ${digits((first?.bytes ?? 0) / 1e6)} MB, ${digits((first?.ms ?? 0) / 1000)} s`);
  const disk = ({ bytes, ms }: CsvTimes): number => bytes / 1e3 / ms;
  const spent = times.map((time, i) => disk(raws[i] ?? time) / disk(time));
  fact(`the disk takes ${digits(timing(raws.map(disk)).median)} MB/s with nothing to make`);
  goal('streamed over the same bytes raw', timing(spent).median, '≤', 1.1, ' ×');
  goal('long CSV', timing(times.map(rate)).median, '≥', 1.5, ' M rows/s');
  goal('memory over baseline', timing(memory).median, '≤', 300, ' MB');
  const factor = times.map((time, i) => rate(time) / rate(references[i] ?? time));
  goal('over toISOString in each row', timing(factor).median, '≥', 8, ' ×');
}
