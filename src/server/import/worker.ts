import { randomBytes } from 'node:crypto';
import type { MessagePort, ResourceLimits, Worker } from 'node:worker_threads';
import { ImportError, importFiles, readFiles } from './import.ts';
import type { ImportJob, ImportProgress, ImportSummary } from './import.ts';
import { errorOf, faultOf, startThread } from '#server/threads.ts';
import type { ThreadData, ThreadFault } from '#server/threads.ts';
import { packReading, unpackReading } from './pack.ts';
import type { PackedReading } from './pack.ts';
import type { Reading } from './reading.ts';

/*
 * An import takes two threads: one unpacks, parses and tokenises, the other writes. The second is started
 * for the import and starts the first, both from the same entry.
 */

/** What a worker of an import is started with. */
interface ImportWorkerData extends ThreadData {
  readonly task: 'import-write' | 'import-read';
  readonly job: ImportJob;
}

type WriterMessage =
  | { readonly type: 'progress'; readonly progress: ImportProgress }
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

/** To a worker: `stop` ends it, `taken` tells the reader that a block was taken. */
type Order = 'stop' | 'taken';

/** Blocks on the way from reader to writer at most; each holds some three hundred Posts. */
const AHEAD = 16;

/**
 * Without limits V8 lets garbage grow to gigabytes before it looks. The reader holds a few blocks and at
 * most one value of 8 million characters; the writer a chunk of 65,536 Posts and its index.
 */
const LIMITS: Readonly<Record<ImportWorkerData['task'], ResourceLimits>> = {
  'import-read': { maxOldGenerationSizeMb: 192, maxYoungGenerationSizeMb: 32 },
  'import-write': { maxOldGenerationSizeMb: 320, maxYoungGenerationSizeMb: 32 },
};

const ENDED = 'a thread of the import ended by itself.';

/** Whether a worker's data says that it is one of an import's. */
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

/** Room for so many blocks on the way; who finds none waits until there is some. */
class Room {
  #left: number;
  #wake = (): void => {};

  constructor(blocks: number) {
    this.#left = blocks;
  }

  give(blocks: number): void {
    this.#left += blocks;
    this.#wake();
  }

  async take(): Promise<void> {
    while (this.#left <= 0) {
      await new Promise<void>((resolve) => {
        this.#wake = resolve;
      });
    }
    this.#left -= 1;
  }
}

function importFault(error: unknown): ThreadFault {
  const fault = faultOf(error);
  return error instanceof ImportError ? { ...fault, kind: error.kind } : fault;
}

/**
 * Runs an import in threads of its own.
 *
 * @param entry - module whose code calls {@link runImportWorker} in a worker.
 * @returns What was done; when the signal stopped it, what was done until then, which is committed.
 * @throws {@link ImportError} as `importFiles`.
 */
export function startImport(
  entry: URL,
  job: ImportJob,
  {
    signal,
    onProgress,
  }: { signal?: AbortSignal; onProgress?: (progress: ImportProgress) => void } = {},
): Promise<ImportSummary> {
  const worker = start(entry.href, 'import-write', job);
  const stop = (): void => order(worker, 'stop');
  if (signal?.aborted) stop();
  signal?.addEventListener('abort', stop, { once: true });
  return new Promise<ImportSummary>((resolve, reject) => {
    worker.on('message', (message: WriterMessage) => {
      if (message.type === 'progress') onProgress?.(message.progress);
      else if (message.type === 'done') resolve(message.summary);
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

/** The readings of another thread, in order; no more than {@link AHEAD} wait. */
async function* readElsewhere(
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
  const room = new Room(AHEAD);
  port.on('message', (what: Order) => {
    if (what === 'stop') controller.abort();
    room.give(what === 'stop' ? Infinity : 1);
  });
  const tell = (message: ReaderMessage, transfer: ArrayBuffer[] = []): void =>
    port.postMessage(message, transfer);
  try {
    for await (const reading of readFiles(job, Date.now(), controller.signal)) {
      await room.take();
      const { packed, transfer } = packReading(reading);
      tell({ type: 'reading', reading: packed }, transfer);
    }
    tell({ type: 'done' });
  } catch (error) {
    tell({ type: 'fault', fault: faultOf(error) });
  } finally {
    port.close();
  }
}

async function write({ job, entry }: ImportWorkerData, port: MessagePort): Promise<void> {
  const controller = new AbortController();
  port.on('message', (what: Order) => {
    if (what === 'stop') controller.abort();
  });
  const tell = (message: WriterMessage): void => port.postMessage(message);
  try {
    const summary = await importFiles(job, {
      signal: controller.signal,
      onProgress: (progress) => tell({ type: 'progress', progress }),
      now: Date.now,
      random: (n) => randomBytes(n),
      read: (job, _now, signal) => readElsewhere(entry, job, signal),
    });
    tell({ type: 'done', summary });
  } catch (error) {
    const summary = error instanceof ImportError ? error.summary : null;
    tell({ type: 'fault', fault: importFault(error), summary });
  } finally {
    port.close();
  }
}

/**
 * The work of an import's worker; the entry calls it in a thread whose data {@link isImportWorkerData}
 * accepts. It closes the port, and so ends the thread, when it is done.
 */
export async function runImportWorker(data: unknown, port: MessagePort | null): Promise<void> {
  if (!isImportWorkerData(data) || !port) throw new TypeError('expected the data of an import');
  await (data.task === 'import-write' ? write(data, port) : read(data.job, port));
}
