import { zoneTable } from '#core/time/zone.ts';
import { csvBlocks, rowCount, type CsvBlock } from './csv.ts';
import { jsonBlocks } from './json.ts';
import type { ExportAnswer, ExportRequest } from './worker-messages.ts';

type Writing = Extract<ExportRequest, { kind: 'write' }>;

/** A text file is read as one string, and browsers do not support longer ones. */
const MAX_TEXT_FILE = 2 ** 28;

function answer(message: ExportAnswer): void {
  postMessage(message);
}

function blocksOf({ job, zone }: Writing): Generator<CsvBlock, void, void> {
  const table = zoneTable(zone, { start: job.bounds[0] ?? 0, end: job.bounds.at(-1) ?? 0 });
  return job.form === 'json' ? jsonBlocks(job, table) : csvBlocks(job, table);
}

async function write(request: Writing): Promise<Blob | null> {
  const { job, to } = request;
  const total = job.form === 'json' ? Math.max(0, job.bounds.length - 1) : rowCount(job);
  const file = await to?.createWritable();
  const parts: Blob[] = [];
  /** The write of one block, while the next is made. */
  let writing = Promise.resolve();
  try {
    for (const { bytes, rows } of blocksOf(request)) {
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
  const type = job.form === 'json' ? 'application/json' : 'text/csv;charset=utf-8';
  return file ? null : new Blob(parts, { type });
}

async function work(request: ExportRequest): Promise<unknown> {
  if (request.kind === 'write') return await write(request);
  if (request.kind === 'read-csv') {
    if (request.file.size > MAX_TEXT_FILE) {
      throw new RangeError(`It has ${request.file.size} bytes; at most ${MAX_TEXT_FILE} are read.`);
    }
    const { readCsv } = await import('./read-csv.ts');
    return await readCsv(await request.file.text());
  }
  const { readBundle, writeBundle } = await import('./bundle.ts');
  return request.kind === 'write-bundle'
    ? await writeBundle(request.input)
    : await readBundle(request.file);
}

addEventListener('message', (event: MessageEvent<ExportRequest>) => {
  work(event.data)
    .then((value) => answer({ kind: 'done', value }))
    .catch((error: unknown) =>
      answer({ kind: 'failed', message: error instanceof Error ? error.message : String(error) }),
    );
});
