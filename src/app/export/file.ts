import type { BundleInput, OpenedBundle } from './bundle.ts';
import type { CountsKind } from '#app/import/file-kind.ts';
import type { ExportAnswer, ExportRequest, ExportResults } from './worker-messages.ts';
import type { CsvReading } from './csv-problem.ts';

type OnProgress = (rows: number, total: number) => void;

/**
 * Does one task in a new worker, so that the page stays responsive.
 *
 * @throws {DOMException} `AbortError` when `signal` aborts, after terminating the worker.
 * @throws {Error} with the worker's message if it fails.
 */
function inWorker<K extends ExportRequest['kind']>(
  request: Extract<ExportRequest, { kind: K }>,
  signal: AbortSignal,
  onProgress: OnProgress = () => undefined,
  transfer: Transferable[] = [],
): Promise<ExportResults[K]> {
  return new Promise((resolve, reject) => {
    signal.throwIfAborted();
    const worker = new Worker(new URL('./worker.ts', import.meta.url), { type: 'module' });
    const end = (): void => {
      worker.terminate();
      signal.removeEventListener('abort', abort);
    };
    const abort = (): void => {
      end();
      reject(signal.reason as Error);
    };
    signal.addEventListener('abort', abort);
    worker.addEventListener('message', ({ data }: MessageEvent<ExportAnswer>) => {
      if (data.kind === 'progress') return onProgress(data.rows, data.total);
      end();
      if (data.kind === 'done') resolve(data.value as ExportResults[K]);
      else reject(new Error(data.message));
    });
    worker.addEventListener('error', (event) => {
      end();
      reject(new Error(event.message || 'The file could not be processed.'));
    });
    worker.postMessage(request, transfer);
  });
}

/**
 * Writes a CSV, JSON, XLSX or PPTX file. Transfers the job's arrays to the worker, which empties them here.
 *
 * @param to - Destination, written while the file is made; null for a Blob, which the browser can keep on disk.
 * @returns The Blob, or null if `to` was written.
 */
export function writeFile(
  job: Extract<ExportRequest, { kind: 'write' }>['job'],
  zone: string,
  to: FileSystemFileHandle | null,
  signal: AbortSignal,
  onProgress: OnProgress,
): Promise<Blob | null> {
  const arrays = job.series.flatMap((series) => [series.counts, series.states, series.fetchedAt]);
  const buffers = [job.bounds, ...arrays].map((array) => array.buffer as ArrayBuffer);
  const transfer = [...new Set(buffers)];
  return inWorker({ kind: 'write', job, zone, to }, signal, onProgress, transfer);
}

/** Reads a file of counts. @throws {Error} that says why, if it is damaged or has no counts. */
export function readCounts(file: Blob, form: CountsKind, signal: AbortSignal): Promise<CsvReading> {
  return inWorker({ kind: 'read-counts', file, form }, signal);
}

/** Writes a bundle (`bundle.ts`). */
export function writeBundleFile(input: BundleInput, signal: AbortSignal): Promise<Blob> {
  return inWorker({ kind: 'write-bundle', input }, signal);
}

/** Opens a bundle (`bundle.ts`). @throws {Error} that says why it cannot be read. */
export function readBundleFile(file: Blob, signal: AbortSignal): Promise<OpenedBundle> {
  return inWorker({ kind: 'read-bundle', file }, signal);
}
