import { randomBytes } from 'node:crypto';
import type { MessagePort, ResourceLimits, Worker } from 'node:worker_threads';
import {
  ImportError,
  importFiles,
  readFiles,
  type ImportJob,
  type ImportProgress,
  type ImportSummary,
} from './import.ts';
import {
  errorOf,
  faultOf,
  startThread,
  type ThreadData,
  type ThreadFault,
} from '#server/threads.ts';
import { packReading, unpackReading, type PackedReading } from './pack.ts';
import type { Reading } from './reading.ts';
import type { ImportedRequest } from '#server/notes/request-table.ts';

/*
 * An import takes two threads: one unpacks, parses and tokenises, the other writes. The service starts the
 * writer, which starts the reader; both use the same entry.
 */

/** Start data of a worker of an import. */
interface ImportWorkerData extends ThreadData {
  readonly task: 'import-write' | 'import-read';
  readonly job: ImportJob;
}

type WriterMessage =
  | { readonly type: 'progress'; readonly progress: ImportProgress }
  | { readonly type: 'requests'; readonly requests: readonly ImportedRequest[] }
  | { readonly type: 'done'; readonly summary: ImportSummary }
  | {
      readonly type: 'fault';
      readonly fault: ThreadFault;
      readonly summary: ImportSummary | null;
    };

type ReaderMessage =
  | { readonly type: 'reading'; readonly reading: PackedReading }
  | { readonly type: 'done' }
  | { readonly type: 'fault'; readonly fault: ThreadFault };

/** To a worker: `stop` ends it, `taken` tells the reader that the writer accepted a block. */
type Order = 'stop' | 'taken';

/** Maximum number of blocks in transit from reader to writer; each has some three hundred Posts. */
const MAX_BLOCKS = 16;

/**
 * Without limits, V8 lets garbage grow to gigabytes. The reader needs memory for a few blocks and at
 * most one value of 8 million characters; the writer for a chunk of 65,536 Posts and its index.
 */
const LIMITS: Readonly<Record<ImportWorkerData['task'], ResourceLimits>> = {
  'import-read': { maxOldGenerationSizeMb: 192, maxYoungGenerationSizeMb: 32 },
  'import-write': { maxOldGenerationSizeMb: 320, maxYoungGenerationSizeMb: 32 },
};

const ENDED = 'a thread of the import ended unexpectedly.';

/** Whether a worker's data starts a thread of an import. */
export function isImportWorkerData(data: unknown): data is ImportWorkerData {
  if (typeof data !== 'object' || data === null || !('task' in data)) return false;
  return data.task === 'import-write' || data.task === 'import-read';
}

function start(entry: string, task: ImportWorkerData['task'], job: ImportJob): Worker {
  const data: ImportWorkerData = { task, entry, job };
  return startThread(data, LIMITS[task]);
}

function order(worker: Worker, what: Order): void {
  worker.postMessage(what, []);
}

/** Limits the number of blocks in transit; `take` waits while there are too many. */
class Backpressure {
  #free: number;
  #wake = (): void => {};

  constructor(blocks: number) {
    this.#free = blocks;
  }

  give(blocks: number): void {
    this.#free += blocks;
    this.#wake();
  }

  async take(): Promise<void> {
    while (this.#free <= 0) {
      await new Promise<void>((resolve) => {
        this.#wake = resolve;
      });
    }
    this.#free -= 1;
  }
}

function importFault(error: unknown): ThreadFault {
  const fault = faultOf(error);
  return error instanceof ImportError ? { ...fault, kind: error.kind } : fault;
}

/**
 * Runs an import in separate threads.
 *
 * @param entry - Module whose code calls {@link runImportWorker} in a worker.
 * @returns The figures; if the signal stopped it, those until then, which are committed.
 * @throws {@link ImportError} like `importFiles`.
 */
export function startImport(
  entry: URL,
  job: ImportJob,
  {
    signal,
    onProgress,
    onRequests,
  }: {
    signal?: AbortSignal;
    onProgress?: (progress: ImportProgress) => void;
    /** As of `importFiles`. If it throws, the import stops and rejects with that error. */
    onRequests?: (requests: readonly ImportedRequest[]) => void;
  } = {},
): Promise<ImportSummary> {
  const worker = start(entry.href, 'import-write', job);
  const stop = (): void => order(worker, 'stop');
  if (signal?.aborted) stop();
  signal?.addEventListener('abort', stop, { once: true });
  return new Promise<ImportSummary>((resolve, reject) => {
    worker.on('message', (message: WriterMessage) => {
      if (message.type === 'progress') onProgress?.(message.progress);
      else if (message.type === 'requests') {
        try {
          onRequests?.(message.requests);
        } catch (error) {
          stop();
          reject(error);
        }
      } else if (message.type === 'done') resolve(message.summary);
      else {
        const { kind, message: text } = message.fault;
        reject(new ImportError(kind, text, message.summary));
      }
    });
    worker.on('error', (error) => {
      reject(new ImportError(error.name, faultOf(error).message, null, { cause: error }));
    });
    worker.on('exit', () => {
      reject(new ImportError('Error', ENDED, null));
    });
  }).finally(() => signal?.removeEventListener('abort', stop));
}

/** The readings of another thread, in order; at most {@link MAX_BLOCKS} wait. */
export async function* readElsewhere(
  entry: string,
  job: ImportJob,
  signal: AbortSignal,
): AsyncGenerator<Reading> {
  const worker = start(entry, 'import-read', job);
  const waiting: ReaderMessage[] = [];
  let wake = (): void => {};
  const put = (message: ReaderMessage): void => {
    waiting.push(message);
    wake();
  };
  worker.on('message', put);
  worker.on('error', (error) => put({ type: 'fault', fault: faultOf(error) }));
  worker.on('exit', () => put({ type: 'fault', fault: faultOf(new Error(ENDED)) }));
  const stop = (): void => {
    order(worker, 'stop');
    put({ type: 'done' });
  };
  signal.addEventListener('abort', stop, { once: true });
  try {
    for (;;) {
      const message = waiting.shift();
      if (!message) {
        await new Promise<void>((resolve) => {
          wake = resolve;
        });
        continue;
      }
      if (message.type === 'done') return;
      if (message.type === 'fault') throw errorOf(message.fault);
      order(worker, 'taken');
      yield unpackReading(message.reading);
    }
  } finally {
    signal.removeEventListener('abort', stop);
    await worker.terminate();
  }
}

async function read(job: ImportJob, port: MessagePort): Promise<void> {
  const controller = new AbortController();
  const backpressure = new Backpressure(MAX_BLOCKS);
  port.on('message', (what: Order) => {
    if (what === 'stop') controller.abort();
    backpressure.give(what === 'stop' ? Infinity : 1);
  });
  const post = (message: ReaderMessage, transfer: ArrayBuffer[] = []): void =>
    port.postMessage(message, transfer);
  try {
    for await (const reading of readFiles(job, Date.now(), controller.signal)) {
      await backpressure.take();
      const { packed, transfer } = packReading(reading);
      post({ type: 'reading', reading: packed }, transfer);
    }
    post({ type: 'done' });
  } catch (error) {
    post({ type: 'fault', fault: faultOf(error) });
  } finally {
    port.close();
  }
}

async function write({ job, entry }: ImportWorkerData, port: MessagePort): Promise<void> {
  const controller = new AbortController();
  port.on('message', (what: Order) => {
    if (what === 'stop') controller.abort();
  });
  const post = (message: WriterMessage): void => port.postMessage(message);
  try {
    const summary = await importFiles(job, {
      signal: controller.signal,
      onProgress: (progress) => post({ type: 'progress', progress }),
      onRequests: (requests) => post({ type: 'requests', requests }),
      now: Date.now,
      random: (n) => randomBytes(n),
      read: (job, _now, signal) => readElsewhere(entry, job, signal),
    });
    post({ type: 'done', summary });
  } catch (error) {
    const summary = error instanceof ImportError ? error.summary : null;
    post({ type: 'fault', fault: importFault(error), summary });
  } finally {
    port.close();
  }
}

/**
 * Runs in an import's worker; the entry calls it in a thread whose data {@link isImportWorkerData}
 * accepts. Closes the port, and so ends the thread, when it is done.
 */
export async function runImportWorker(data: unknown, port: MessagePort | null): Promise<void> {
  if (!isImportWorkerData(data) || !port) throw new TypeError('expected the data of an import');
  await (data.task === 'import-write' ? write(data, port) : read(data.job, port));
}
