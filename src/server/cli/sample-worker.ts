import { randomBytes } from 'node:crypto';
import type { MessagePort } from 'node:worker_threads';
import { makeSample } from '#server/sample/sample.ts';
import { startThread } from '#server/threads.ts';
import type { ThreadData } from '#server/threads.ts';

/** Which sample to make, and where. */
interface SampleOrder {
  readonly file: string;
  /** Epoch ms. */
  readonly end: number;
  /** About how many Posts; the sample's own number unless given. */
  readonly posts?: number | undefined;
}

/** What a worker that makes a sample is started with. */
interface SampleWorkerData extends ThreadData, SampleOrder {
  readonly task: 'sample';
}

type SampleMessage =
  | { readonly type: 'progress'; readonly posts: number; readonly part: number }
  | { readonly type: 'done'; readonly posts: number }
  | { readonly type: 'fault'; readonly message: string };

/** The sample's Posts differ only by when they end: every sample is made from this. */
const SEED = 1;

/** A chunk of 65,536 Posts with its index, and what the invented Posts refer to. */
const LIMITS = { maxOldGenerationSizeMb: 448, maxYoungGenerationSizeMb: 32 };

/** Whether a worker's data says that it makes a sample. */
export function isSampleWorkerData(data: unknown): data is SampleWorkerData {
  return typeof data === 'object' && data !== null && 'task' in data && data.task === 'sample';
}

/**
 * Makes a sample in a thread of its own.
 *
 * @param entry - module whose code calls {@link runSampleWorker} in a worker.
 * @returns How many Posts it has; null where the signal stopped it, which leaves the file as it was.
 * @throws {Error} with the cause in words when it cannot be written.
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
        else reject(new Error('The thread that makes the sample ended.'));
      });
    });
  } finally {
    signal.removeEventListener('abort', stop);
    await worker.terminate();
  }
}

/** The work of a sample's worker; ends the thread when it is done. */
export async function runSampleWorker(
  { file, end, posts: size }: SampleWorkerData,
  port: MessagePort,
): Promise<void> {
  const tell = (message: SampleMessage): void => port.postMessage(message);
  try {
    const random = (n: number): Uint8Array => randomBytes(n);
    const posts = await makeSample(file, { end, seed: SEED, posts: size, random }, (progress) =>
      tell({ type: 'progress', ...progress }),
    );
    tell({ type: 'done', posts });
  } catch (error) {
    tell({ type: 'fault', message: error instanceof Error ? error.message : String(error) });
  }
}
