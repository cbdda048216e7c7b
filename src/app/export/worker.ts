import { errorMessage } from '#core/thrown.ts';
import { zoneTable } from '#core/time/zone.ts';
import { csvBlocks, rowCount, type CsvBlock } from '#core/export/csv.ts';
import { jsonBlocks } from '#core/export/json.ts';
import { XLSX_TYPE, type ExportAnswer, type ExportRequest } from './worker-messages.ts';
import type { CsvReading } from './csv-problem.ts';

type Writing = Extract<ExportRequest, { kind: 'write' }>;
type Reading = Extract<ExportRequest, { kind: 'read-counts' }>;

/** A text file is read as one string, and browsers do not support longer ones. */
const MAX_TEXT_FILE = 2 ** 28;

function answer(message: ExportAnswer): void {
  postMessage(message);
}

/** Types of files by form. */
const TYPES = {
  long: 'text/csv;charset=utf-8',
  wide: 'text/csv;charset=utf-8',
  json: 'application/json',
  xlsx: XLSX_TYPE,
  pptx: 'application/vnd.openxmlformats-officedocument.presentationml.presentation',
} as const;

async function blocksOf({
  job,
  zone,
}: Writing): Promise<Iterable<CsvBlock> | AsyncIterable<CsvBlock>> {
  const table = zoneTable(zone, { start: job.bounds[0] ?? 0, end: job.bounds.at(-1) ?? 0 });
  if (job.form === 'json') return jsonBlocks(job, table);
  if (job.form === 'pptx') return (await import('./pptx.ts')).pptxBlocks(job, table);
  if (job.form !== 'xlsx') return csvBlocks(job, table);
  const { xlsxBlocks } = await import('./xlsx.ts');
  return xlsxBlocks(job, table);
}

function rowsOf(job: Writing['job']): number {
  if (job.form === 'json') return Math.max(0, job.bounds.length - 1);
  if (job.form === 'pptx') return rowCount({ ...job, form: 'wide' });
  return rowCount(job.form === 'xlsx' ? { ...job, form: job.shape } : job);
}

async function write(request: Writing): Promise<Blob | null> {
  const { job, to } = request;
  const total = rowsOf(job);
  const file = await to?.createWritable();
  const parts: Blob[] = [];
  /** The write of one block, while the next is made. */
  let writing = Promise.resolve();
  try {
    for await (const { bytes, rows } of await blocksOf(request)) {
      await writing;
      // The browser keeps large Blobs on disk, so the file does not fill this worker's memory.
      if (file) writing = file.write(bytes);
      else parts.push(new Blob([bytes]));
      answer({ kind: 'progress', rows, total });
    }
    await writing;
  } catch (error) {
    await writing.catch(() => undefined);
    await file?.abort();
    throw error;
  }
  await file?.close();
  return file ? null : new Blob(parts, { type: TYPES[job.form] });
}

async function readCounts({ file, form }: Reading): Promise<CsvReading> {
  if (file.size > MAX_TEXT_FILE) {
    throw new RangeError(`It has ${file.size} bytes; this page opens at most ${MAX_TEXT_FILE}.`);
  }
  if (form === 'workbook') {
    const { readXlsx } = await import('./read-xlsx.ts');
    return await readXlsx(new Uint8Array(await file.arrayBuffer()));
  }
  const text = await file.text();
  if (form === 'json') {
    const { readJsonFile } = await import('./read-json.ts');
    return readJsonFile(text);
  }
  const { readCsv } = await import('./read-csv.ts');
  if (form === 'counts') return await readCsv(text);
  const { csvInReport } = await import('./report.ts');
  const csv = csvInReport(text);
  if (csv === null) throw new Error('This report has too many buckets to include their counts.');
  return await readCsv(csv);
}

async function work(request: ExportRequest): Promise<unknown> {
  if (request.kind === 'write') return await write(request);
  if (request.kind === 'read-counts') return await readCounts(request);
  const { readBundle, writeBundle } = await import('./bundle.ts');
  return request.kind === 'write-bundle'
    ? await writeBundle(request.input)
    : await readBundle(request.file);
}

addEventListener('message', (event: MessageEvent<ExportRequest>) => {
  work(event.data)
    .then((value) => answer({ kind: 'done', value }))
    .catch((error: unknown) => answer({ kind: 'failed', message: errorMessage(error) }));
});
