import type { BundleInput, OpenedBundle } from './bundle.ts';
import type { CsvReading } from './read-csv.ts';
import type { ExportAnswer, ExportRequest, ExportResults } from './worker-messages.ts';

type OnProgress = (rows: number, total: number) => void;

/**
 * Has a worker of its own do one piece of work, so that the page stays live.
 *
 * @throws {DOMException} `AbortError` when `signal` says so; the worker is then gone.
 * @throws {Error} with the worker's message where it failed.
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
      reject(new Error(event.message || 'The file could not be worked on.'));
    });
    worker.postMessage(request, transfer);
  });
}

/**
 * Writes a CSV or JSON file. The job's arrays go to the worker: they are empty here afterwards.
 *
 * @param to - Written as it is made; null for a Blob, which lies with the browser, not in the page's memory.
 * @returns The Blob, null where `to` was written.
 */
export function writeFile(
  job: Extract<ExportRequest, { kind: 'write' }>['job'],
  zone: string,
  to: FileSystemFileHandle | null,
  signal: AbortSignal,
  onProgress: OnProgress,
): Promise<Blob | null> {
  const arrays = job.series.flatMap((one) => [one.counts, one.states, one.fetchedAt]);
  const buffers = [job.bounds, ...arrays].map((array) => array.buffer as ArrayBuffer);
  const transfer = [...new Set(buffers)];
  return inWorker({ kind: 'write', job, zone, to }, signal, onProgress, transfer);
}

/** Reads a CSV file (`read-csv.ts`). */
export function readCsvFile(file: Blob, signal: AbortSignal): Promise<CsvReading> {
  return inWorker({ kind: 'read-csv', file }, signal);
}

/** Writes a bundle (`bundle.ts`). */
export function writeBundleFile(input: BundleInput, signal: AbortSignal): Promise<Blob> {
  return inWorker({ kind: 'write-bundle', input }, signal);
}

/** Opens a bundle (`bundle.ts`). @throws {Error} in words where it cannot be read. */
export function readBundleFile(file: Blob, signal: AbortSignal): Promise<OpenedBundle> {
  return inWorker({ kind: 'read-bundle', file }, signal);
}
