import {
  ftruncateSync,
  mkdirSync,
  openAsBlob,
  openSync,
  closeSync,
  writeSync,
  writeFileSync,
} from 'node:fs';
import { join } from 'node:path';
import { performance } from 'node:perf_hooks';
import { writeXlsx } from 'hucre/xlsx';
import { openFile } from '#app/import/open-file.ts';
import { previewRows } from '#core/import/preview.ts';
import { planTable } from '#core/import/table.ts';
import { ImportTables } from '#server/import/tables.ts';
import { openFeeds } from '#server/readers/feed.ts';
import { digits, goal, shown, table, time, timing } from './measure.ts';

const HEADER = [
  'Query Name',
  'Date',
  'Url',
  'Author',
  'Full Text',
  'Thread Author',
  'Twitter Likes',
];

function row(i: number): string[] {
  const date = new Date(Date.UTC(2024, 0, 1) + i * 60_000).toISOString().slice(0, 19);
  const url = `https://twitter.com/user${i % 1000}/status/${1_741_000_000_000_000_000n + BigInt(i) * 251_658_240_000n}`;
  const text = `oat milk in my tea number ${i}, which is neither the first nor the last of this long morning`;
  return ['Oat milk', date, url, `user${i % 1000}`, text, '', String(i % 50)];
}

/** A CSV of a size; beyond its first megabyte it is a hole, which takes no place on the disk. */
function largeCsv(file: string, bytes: number): void {
  const lines = [HEADER, ...Array.from({ length: 6000 }, (_, i) => row(i))];
  const to = openSync(file, 'w');
  writeSync(to, lines.map((cells) => `${cells.map((cell) => `"${cell}"`).join(',')}\n`).join(''));
  ftruncateSync(to, bytes);
  closeSync(to);
}

/** The steps that open the sheet of a file, but for drawing it. */
async function openSheet(file: string): Promise<number> {
  const blob = await openAsBlob(file);
  const opened = await openFile(Object.assign(blob, { name: 'mentions.csv' }) as unknown as File);
  if (opened.kind !== 'table') throw new Error(`${file} is ${opened.kind}`);
  const { rows } = await opened.sample({});
  const now = Date.now();
  const plan = planTable(rows, {}, {}, now);
  return previewRows(rows, { kind: 'table', plan }, now).posts.length;
}

/** Reads all rows of a workbook as an import does. @returns Their number, the time, and how far memory rose in MB. */
async function readSheet(file: string): Promise<{ rows: number; ms: number; megabytes: number }> {
  globalThis.gc?.();
  const before = process.memoryUsage.rss();
  const began = performance.now();
  let [rows, most] = [0, before];
  for (const feed of await openFeeds(file, new ImportTables({}, {}, Date.now()))) {
    for await (const batch of feed.rows()) {
      rows += batch.length;
      most = Math.max(most, process.memoryUsage.rss());
    }
  }
  return { rows, ms: performance.now() - began, megabytes: (most - before) / 1e6 };
}

/**
 * Opens the sheet of a large CSV, and reads a workbook.
 *
 * @param posts - Rows of the workbook.
 */
export async function benchMapping(folder: string, posts: number, rounds: number): Promise<void> {
  mkdirSync(folder, { recursive: true });
  const csv = join(folder, 'mentions.csv');
  largeCsv(csv, 2 * 1024 ** 3);
  const opened = await time(rounds, () => openSheet(csv));
  const xlsx = join(folder, 'mentions.xlsx');
  const rows = [HEADER, ...Array.from({ length: posts }, (_, i) => row(i))];
  writeFileSync(xlsx, await writeXlsx({ sheets: [{ name: 'Mentions', rows }] }));
  const reads = [];
  for (let i = 0; i < Math.min(rounds, 5); i++) reads.push(await readSheet(xlsx));
  const read = timing(reads.map(({ ms }) => ms / 1000));
  const megabytes = Math.max(...reads.map((each) => each.megabytes));
  table('Import with a mapping', [
    ['sheet of a 2 GB CSV ms', 'rows of the workbook', 'reading it s', 'memory MB'],
    [shown(opened), String(reads[0]?.rows ?? 0), shown(read), digits(megabytes)],
  ]);
  goal('sheet of a 2 GB CSV', opened.median, '≤', 300, ' ms');
  if (posts < 200_000) return;
  goal('XLSX of 200,000 rows', read.median, '≤', 3, ' s');
  goal('its memory', megabytes, '≤', 300, ' MB');
}
