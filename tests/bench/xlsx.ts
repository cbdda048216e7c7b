import { xlsxBlocks } from '#app/export/xlsx.ts';
import { STATE } from '#core/series/series.ts';
import { ARCHIVE_START, HOUR_MS } from '#core/time/span.ts';
import { zoneTable } from '#core/time/zone.ts';
import { digits, fact, goal, shown, table, timing } from './measure.ts';
import type { XlsxJob } from '#app/export/xlsx/counts-sheet.ts';

const ZONE = 'America/New_York';
const SERIES = 5;

function jobOf(rows: number): XlsxJob {
  const hours = rows / SERIES;
  const bounds = Float64Array.from({ length: hours + 1 }, (_, i) => ARCHIVE_START + i * HOUR_MS);
  const series = Array.from({ length: SERIES }, (_, s) => ({
    query: `"topic ${s}" OR #topic${s} lang:en -is:retweet`,
    label: `Topic ${s}`,
    source: 'platform',
    counts: Float64Array.from({ length: hours }, (_, i) => (i * 31 + s * 17) % 97),
    states: new Uint8Array(hours).fill(STATE.settled),
    fetchedAt: new Float64Array(hours).fill(ARCHIVE_START + (hours + 1) * HOUR_MS),
  }));
  return { form: 'xlsx', shape: 'long', timed: true, bounds, series, method: [], events: [] };
}

/** Times the long workbook of five series of hours, and the memory beyond what the series themselves need. */
export async function benchXlsx(rows: number, rounds: number): Promise<void> {
  const job = jobOf(rows);
  const zone = zoneTable(ZONE, { start: job.bounds[0] ?? 0, end: job.bounds.at(-1) ?? 0 });
  const seconds: number[] = [];
  const memory: number[] = [];
  let size = 0;
  for (let i = 0; i < rounds; i++) {
    const before = process.memoryUsage().rss;
    const start = performance.now();
    let most = before;
    const parts: Blob[] = [];
    for await (const { bytes } of xlsxBlocks(job, zone)) {
      parts.push(new Blob([bytes]));
      most = Math.max(most, process.memoryUsage().rss);
    }
    size = new Blob(parts).size;
    seconds.push((performance.now() - start) / 1000);
    memory.push((most - before) / 1e6);
  }
  table(`Long XLSX of ${rows.toLocaleString('en')} rows`, [
    ['what', 's', 'MB over baseline'],
    ['two sheets', shown(timing(seconds)), shown(timing(memory))],
  ]);
  fact(`file of ${digits(size / 1e6)} MB`);
  goal('XLSX', timing(seconds).median, '≤', 3, ' s');
  goal('memory over baseline', Math.max(...memory), '≤', 300, ' MB');
}
