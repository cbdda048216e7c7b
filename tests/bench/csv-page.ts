import type { ExportJob } from '#core/export/csv.ts';
import { writeFile } from '#app/export/file.ts';
import { STATE } from '#core/series/series.ts';
import { ARCHIVE_START, HOUR_MS, MINUTE_MS } from '#core/time/span.ts';

/** Cost of writing a file one way. */
export interface CsvTimes {
  readonly rows: number;
  readonly ms: number;
  readonly bytes: number;
}

const ZONE = 'America/New_York';
const SERIES = 5;

/** Series of minutes as the board shows them; the page holds them from {@link prepare} on. */
let shown: Omit<ExportJob, 'form' | 'separator' | 'mark' | 'timed'> | null = null;

/** Makes five series of `minutes` minutes each, as a board holds them. */
function prepare(minutes: number): void {
  const bounds = Float64Array.from(
    { length: minutes + 1 },
    (_, i) => ARCHIVE_START + i * MINUTE_MS,
  );
  const series = Array.from({ length: SERIES }, (_, s) => ({
    query: `"topic ${s}" OR #topic${s} lang:en -is:retweet`,
    label: `Topic ${s}`,
    source: 'platform',
    counts: Float64Array.from({ length: minutes }, (_, i) => (i * 31 + s * 17) % 97),
    states: new Uint8Array(minutes).fill(STATE.settled),
    fetchedAt: new Float64Array(minutes).fill(ARCHIVE_START + (minutes + 1) * MINUTE_MS),
  }));
  shown = { bounds, series };
}

/** The job that an export hands to the worker: copies, because the board still needs its arrays. */
function jobOf(): ExportJob {
  if (!shown) throw new RangeError('expected prepared series');
  return {
    form: 'long',
    separator: ',',
    mark: false,
    timed: true,
    bounds: shown.bounds.slice(),
    series: shown.series.map((series) => ({
      ...series,
      counts: series.counts.slice(),
      states: series.states.slice(),
      fetchedAt: series.fetchedAt.slice(),
    })),
  };
}

async function file(name: string): Promise<FileSystemFileHandle> {
  const folder = await navigator.storage.getDirectory();
  return await folder.getFileHandle(name, { create: true });
}

/** Writes the long file as an export does, streamed to the disk by the worker. */
async function streamed(): Promise<CsvTimes> {
  const to = await file('long.csv');
  const start = performance.now();
  let rows = 0;
  await writeFile(jobOf(), ZONE, to, new AbortController().signal, (done) => {
    rows = done;
  });
  const ms = performance.now() - start;
  return { rows, ms, bytes: (await to.getFile()).size };
}

/** Writes constant bytes in blocks as large as an export's: the limit that the disk sets. */
async function raw(bytes: number): Promise<CsvTimes> {
  const block = new Uint8Array(2 ** 24).fill(0x30);
  const to = await (await file('raw.csv')).createWritable();
  const start = performance.now();
  for (let written = 0; written < bytes; written += block.length) await to.write(block);
  await to.close();
  return { rows: 0, ms: performance.now() - start, bytes };
}

/** The rows of some series as text, with `toISOString` for every instant. */
function asText(minutes: number, series: ExportJob['series'], bounds: Float64Array): string {
  const name = new Intl.DateTimeFormat('en-US', { timeZone: ZONE, timeZoneName: 'longOffset' });
  // Computes the offset once an hour: Intl for each row would be far slower.
  let [hour, offset, sign] = [Number.NaN, 0, ''];
  const lines = [
    'query,label,start_utc,end_utc,start_local,date,time,tweet_count,status,source,fetched_at',
  ];
  for (const { query, label, source, counts, fetchedAt } of series) {
    for (let i = 0; i < minutes; i += 1) {
      const at = bounds[i] ?? 0;
      if (Math.floor(at / HOUR_MS) !== hour) {
        hour = Math.floor(at / HOUR_MS);
        const part = name.formatToParts(at).find(({ type }) => type === 'timeZoneName');
        sign = part?.value.slice(3) ?? '';
        offset = Number(sign.slice(0, 3)) * HOUR_MS;
      }
      const local = `${new Date(at + offset).toISOString().slice(0, 19)}${sign}`;
      const [from, to] = [new Date(at).toISOString(), new Date(bounds[i + 1] ?? 0).toISOString()];
      const fetched = new Date(fetchedAt[i] ?? 0).toISOString();
      const text = `"${query.replaceAll('"', '""')}",${label}`;
      lines.push(
        `${text},${from},${to},${local},${local.slice(0, 10)},${local.slice(11, 16)},${counts[i]},settled,${source},${fetched}`,
      );
    }
  }
  return `${lines.join('\r\n')}\r\n`;
}

/** Writes the first minutes of each series into one Blob. */
function reference(minutes: number): CsvTimes {
  if (!shown) throw new RangeError('expected prepared series');
  const start = performance.now();
  const blob = new Blob([asText(minutes, shown.series, shown.bounds)]);
  const ms = performance.now() - start;
  return { rows: minutes * shown.series.length, ms, bytes: blob.size };
}

/** True if the streamed file begins with exactly the bytes that the reference writes for the first series. */
async function agrees(minutes: number): Promise<boolean> {
  if (!shown) throw new RangeError('expected prepared series');
  const text = asText(minutes, shown.series.slice(0, 1), shown.bounds);
  const written = await (await file('long.csv')).getFile();
  return (await written.slice(0, text.length).text()) === text;
}

const bench = { prepare, streamed, raw, reference, agrees };
export type CsvBench = typeof bench;
Object.assign(window, { bench });
