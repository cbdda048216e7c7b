import { mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { gunzipSync } from 'node:zlib';
import Papa from 'papaparse';
import { DAY_MS, MINUTE_MS } from '#core/time/span.ts';
import { postFiles } from '#tests/support/data/posts.ts';
import { importFiles } from './import.ts';
import { giveTinySample } from '#tests/support/service/service.ts';
import { digits, goal, milliseconds, shown, table, timing } from './measure.ts';
import { cpuOf, memoryOf, serve, tokenFor } from './service.ts';

/** A busy day of real Posts, and days before it, each as a part of the Posts of the busy one. */
const BUSY = Date.UTC(2016, 6, 21);
const BEFORE_DAYS = 7;
const BEFORE_PART = 0.25;
/** The interval at which the memory is read, ms. */
const READ_MS = 10;

/** The real Posts of half a year, in time order: minutes since its first midnight, and the other columns. */
function realRows(data: string): string[][] {
  const [file = ''] = postFiles(data, 'ira-2016h2');
  const csv = gunzipSync(readFileSync(file)).toString('utf8');
  return Papa.parse<string[]>(csv, { skipEmptyLines: true }).data.slice(1);
}

/**
 * Writes a day of real Posts as often as needed, by other authors and at other minutes each time, with the words that
 * end in a number changed: a busier day has more topics, not the same ones more often.
 */
function writeScaled(data: string, file: string, posts: number): void {
  const rows = realRows(data);
  const out: string[] = ['id,created_at,author,author_id,text,lang'];
  let id = 1;
  const add = (at: number, row: readonly string[], copy: number): void => {
    const [, , author = '', authorId = '', text = '', lang = ''] = row;
    const other = copy === 0 ? text : text.replaceAll(/[#@]\w{4,}/gu, (tag) => `${tag}${copy}`);
    const cells = [String(id++), new Date(at).toISOString(), `${author}${copy}`.slice(0, 15)];
    out.push(Papa.unparse([[...cells, `${authorId}${copy}`.slice(0, 18), other, lang]]));
  };
  const fill = (start: number, size: number, pick: (n: number) => number): void => {
    for (let i = 0; i < size; i++) {
      const n = pick(i) % rows.length;
      const row = rows[n]!;
      const copy = Math.floor(pick(i) / rows.length);
      const at = start + (Date.parse(row[1] ?? '') % DAY_MS) + ((copy * 7) % 50) * MINUTE_MS;
      add(Math.min(at, start + DAY_MS - 1), row, copy);
    }
  };
  for (let day = BEFORE_DAYS; day > 0; day--) {
    fill(BUSY - day * DAY_MS, posts * BEFORE_PART, (i) => (i + day * 40_009) * 3);
  }
  fill(BUSY, posts, (i) => i);
  writeFileSync(file, out.join('\n'));
}

/**
 * Times the first search for the news of a day of real Posts, after each start of the service, and reads how much memory
 * the service takes meanwhile. The search covers the day before too, whose stories might last into the day.
 *
 * @param data - The folder of real posts.
 * @param posts - The number of Posts of the day.
 */
export async function benchNews(
  data: string,
  folder: string,
  posts: number,
  rounds: number,
): Promise<void> {
  mkdirSync(folder, { recursive: true });
  giveTinySample(folder);
  const csv = join(folder, 'day.csv');
  writeScaled(data, csv, posts);
  const imported = importFiles([csv], folder);
  const times: number[] = [];
  const busy: number[] = [];
  let [stories, before, most, over] = [0, 0, 0, 0];
  for (let i = 0; i < rounds; i++) {
    const token = await tokenFor(folder, 'app');
    const served = await serve(folder, token);
    try {
      before = memoryOf(served.pid)?.own ?? NaN;
      most = before;
      const reading = setInterval(() => {
        most = Math.max(most, memoryOf(served.pid)?.own ?? NaN);
      }, READ_MS);
      const end = new Date(BUSY + DAY_MS).toISOString();
      const query = 'merkel OR trump OR hillary OR lang:en OR lang:de';
      const parameters = new URLSearchParams({ query, max_results: '100', max_age_hours: '24' });
      parameters.set('end_time', end);
      const url = new URL(`/2/news/search?${parameters.toString()}`, served.url);
      const cpu = cpuOf(served.pid);
      times.push(
        await milliseconds(async () => {
          const answer = await fetch(url, { headers: { authorization: `Bearer ${token}` } });
          if (!answer.ok)
            throw new Error(`${url.pathname}: ${answer.status} ${await answer.text()}`);
          const { meta } = (await answer.json()) as { meta: { result_count: number } };
          stories = meta.result_count;
        }),
      );
      busy.push(cpuOf(served.pid) - cpu);
      clearInterval(reading);
      over = Math.max(over, most - before);
    } finally {
      await served.stop();
    }
  }
  const timed = timing(times);
  table(`News of a day of ${posts.toLocaleString('en')} Posts`, [
    ['Posts in the store', 'stories', 'ms', 'CPU ms', 'memory before MiB', 'most MiB'],
    [
      imported.posts.toLocaleString('en'),
      String(stories),
      shown(timed),
      shown(timing(busy)),
      digits(before),
      digits(most),
    ],
  ]);
  goal('the stories of the day', timed.median / 1000, '≤', 5, ' s');
  // Memory is known on Linux only.
  if (!Number.isNaN(over)) goal('memory over baseline', over, '≤', 300, ' MiB');
}
