import type { ExportJob } from './csv.ts';

/** What the export worker is asked. */
export interface ExportRequest {
  readonly job: ExportJob;
  readonly zone: string;
}

/** What it says: how far it is, then the file. */
export type ExportAnswer =
  | { readonly kind: 'progress'; readonly rows: number; readonly total: number }
  | { readonly kind: 'done'; readonly file: Blob };

/**
 * Writes a CSV in a worker of its own, so that the page stays live. The job's arrays go to it: they are
 * empty here afterwards.
 *
 * @returns The file; it lies with the browser, not in the page's memory.
 * @throws {DOMException} `AbortError` when `signal` says so; the worker is then gone.
 * @throws {Error} with the worker's message where it failed.
 */
export function writeCsv(
  request: ExportRequest,
  signal: AbortSignal,
  onProgress: (rows: number, total: number) => void,
): Promise<Blob> {
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
    worker.addEventListener('message', (event: MessageEvent<ExportAnswer>) => {
      if (event.data.kind === 'progress') onProgress(event.data.rows, event.data.total);
      else {
        end();
        resolve(event.data.file);
      }
    });
    worker.addEventListener('error', (event) => {
      end();
      reject(new Error(event.message || 'The file could not be written.'));
    });
    const { bounds, series } = request.job;
    const arrays = series.flatMap((one) => [one.counts, one.states, one.fetchedAt]);
    worker.postMessage(
      request,
      [bounds, ...arrays].map((array) => array.buffer as ArrayBuffer),
    );
  });
}

/** Hands a file to the browser's downloads. */
export function download(file: Blob, name: string): void {
  const link = document.createElement('a');
  link.href = URL.createObjectURL(file);
  link.download = name;
  document.body.append(link);
  link.click();
  link.remove();
  // The download holds the file from here on; the address alone would keep it for as long as the page lives.
  setTimeout(() => URL.revokeObjectURL(link.href), 60_000);
}
