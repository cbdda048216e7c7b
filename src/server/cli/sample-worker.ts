import { randomBytes } from 'node:crypto';
import type { MessagePort } from 'node:worker_threads';
import { errorMessage } from '#core/thrown.ts';
import { makeSample, SEED } from '#server/sample/sample.ts';
import { startThread, type ThreadData } from '#server/threads.ts';

/** The sample to make. */
interface SampleOrder {
  readonly file: string;
  /** Epoch ms. */
  readonly end: number;
  /** Approximate number of Posts; the default size if absent. */
  readonly posts?: number | undefined;
}

/** Start data of the worker that makes a sample. */
interface SampleWorkerData extends ThreadData, SampleOrder {
  readonly task: 'sample';
}

type SampleMessage =
  | { readonly type: 'progress'; readonly posts: number; readonly part: number }
  | { readonly type: 'done'; readonly posts: number }
  | { readonly type: 'fault'; readonly message: string };

/** Room for a chunk of 65,536 Posts with its index, and for what the invented Posts refer to. */
const LIMITS = { maxOldGenerationSizeMb: 448, maxYoungGenerationSizeMb: 32 };

/** Whether a worker was started to make a sample. */
export function isSampleWorkerData(data: unknown): data is SampleWorkerData {
  return typeof data === 'object' && data !== null && 'task' in data && data.task === 'sample';
}

/**
 * Makes a sample in a worker thread.
 *
 * @param entry - Module that calls {@link runSampleWorker} in a worker.
 * @returns Its number of Posts; null if the signal stopped it, which leaves the file unchanged.
 * @throws {Error} with the cause in its message if the sample cannot be written.
 */
export async function startSample(
  entry: URL,
  order: SampleOrder,
  {
    signal,
    onProgress,
  }: {
    signal: AbortSignal;
    onProgress: (progress: { posts: number; part: number }) => void;
  },
): Promise<number | null> {
  const data: SampleWorkerData = { task: 'sample', entry: entry.href, ...order };
  const worker = startThread(data, LIMITS);
  const stop = (): void => void worker.terminate();
  signal.addEventListener('abort', stop, { once: true });
  if (signal.aborted) stop();
  try {
    return await new Promise<number | null>((resolve, reject) => {
      worker.on('message', (message: SampleMessage) => {
        if (message.type === 'progress') onProgress(message);
        else if (message.type === 'done') resolve(message.posts);
        else reject(new Error(message.message));
      });
      worker.on('error', reject);
      worker.on('exit', () => {
        if (signal.aborted) resolve(null);
        else reject(new Error('The thread that makes the sample ended unexpectedly.'));
      });
    });
  } finally {
    signal.removeEventListener('abort', stop);
    await worker.terminate();
  }
}

/** Runs in the worker thread and reports to the port. */
export async function runSampleWorker(
  { file, end, posts: size }: SampleWorkerData,
  port: MessagePort,
): Promise<void> {
  const send = (message: SampleMessage): void => port.postMessage(message);
  try {
    const random = (n: number): Uint8Array => randomBytes(n);
    const posts = await makeSample(file, { end, seed: SEED, posts: size, random }, (progress) =>
      send({ type: 'progress', ...progress }),
    );
    send({ type: 'done', posts });
  } catch (error) {
    send({ type: 'fault', message: errorMessage(error) });
  }
}
