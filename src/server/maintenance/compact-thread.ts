import { setImmediate, setTimeout as sleep } from 'node:timers/promises';
import type { MessagePort, Worker } from 'node:worker_threads';
import type { Db } from '#server/db/driver.ts';
import { openPosts } from '#server/posts/post-table.ts';
import { reindex } from './reindex.ts';
import type { ReindexProgress } from './reindex.ts';
import { errorOf, faultOf, startThread } from '#server/threads.ts';
import type { ThreadData, ThreadFault } from '#server/threads.ts';
import { upkeep } from './compact.ts';

/** What a thread that works on an index is started with. */
interface UpkeepData extends ThreadData {
  readonly task: 'upkeep' | 'reindex';
  readonly file: string;
}

type Message =
  | { readonly type: 'progress'; readonly progress: ReindexProgress }
  | { readonly type: 'done'; readonly posts: number | null }
  | { readonly type: 'fault'; readonly fault: ThreadFault };

/** A chunk of 65,536 Posts with its index, and at reindexing the ids of all Posts. */
const LIMITS = { maxOldGenerationSizeMb: 448, maxYoungGenerationSizeMb: 32 };

/** Between two transactions others get the lock: SQLite's writers look for it again after 1, 2, 5, 10 ms. */
const PAUSE_MS = 3;
const TOLD_MS = 200;

/** Whether a worker's data says that it works on an index. */
export function isUpkeepData(data: unknown): data is UpkeepData {
  if (typeof data !== 'object' || data === null || !('task' in data)) return false;
  return data.task === 'upkeep' || data.task === 'reindex';
}

/** Keeps the index of one file in shape, in a thread that lives as long as there is something to do. */
export interface Compactor {
  /** Looks whether something is to be done, and does it; cheap to ask for, and never twice at once. */
  look(): void;
  /**
   * Makes the index anew, see `reindex`.
   *
   * @returns How many Posts it has; null where the signal stopped it.
   * @throws {@link StoreError} when the file cannot be read or written.
   */
  reindex(
    onProgress: (progress: ReindexProgress) => void,
    signal: AbortSignal,
  ): Promise<number | null>;
  /** Waits until nothing is under way. */
  rest(): Promise<void>;
  /** Ends what is under way; it goes on at the next look. */
  close(): Promise<void>;
}

/**
 * @param entry - module whose code calls {@link runUpkeep} in a worker.
 * @param onFault - hears why upkeep, which nobody waits for, failed.
 */
export function openUpkeeper(entry: URL, file: string, onFault: (error: Error) => void): Compactor {
  const closing = new AbortController();
  let last: Promise<unknown> = Promise.resolve();
  let waiting = false;
  const run = <T>(work: () => Promise<T>): Promise<T> => {
    const next = last.then(work);
    last = next.catch(() => {});
    return next;
  };
  return {
    look: () => {
      if (waiting || closing.signal.aborted) return;
      waiting = true;
      const data: UpkeepData = { task: 'upkeep', entry: entry.href, file };
      void run(async () => {
        waiting = false;
        await inThread(data, closing.signal);
      }).catch(onFault);
    },
    reindex: (onProgress, signal) =>
      run(() => {
        const data: UpkeepData = { task: 'reindex', entry: entry.href, file };
        return inThread(data, AbortSignal.any([signal, closing.signal]), onProgress);
      }),
    rest: async () => void (await last),
    close: async () => {
      closing.abort();
      await last;
    },
  };
}

async function inThread(
  data: UpkeepData,
  signal: AbortSignal,
  onProgress?: (progress: ReindexProgress) => void,
): Promise<number | null> {
  if (signal.aborted) return null;
  const worker = startThread(data, LIMITS);
  const stop = (): void => worker.postMessage('stop', []);
  signal.addEventListener('abort', stop, { once: true });
  try {
    return await outcome(worker, onProgress);
  } finally {
    signal.removeEventListener('abort', stop);
    await worker.terminate();
  }
}

function outcome(
  worker: Worker,
  onProgress?: (progress: ReindexProgress) => void,
): Promise<number | null> {
  return new Promise((resolve, reject) => {
    worker.on('message', (message: Message) => {
      if (message.type === 'progress') onProgress?.(message.progress);
      else if (message.type === 'done') resolve(message.posts);
      else reject(errorOf(message.fault));
    });
    worker.on('error', reject);
    worker.on('exit', () =>
      reject(new Error('the thread that works on the index ended by itself')),
    );
  });
}

/** The work of an upkeeper's thread. */
export async function runUpkeep(
  { task, file }: UpkeepData,
  port: MessagePort,
  deps: { random: (n: number) => Uint8Array; now: () => number },
): Promise<void> {
  let stopped = false;
  port.on('message', () => (stopped = true));
  const tell = (message: Message): void => port.postMessage(message, []);
  let db: Db | null = null;
  try {
    let wrote = false;
    const onStep = (): void => void (wrote = true);
    db = openPosts(file, deps, { unindexed: task === 'reindex', onStep });
    const steps = task === 'reindex' ? reindex(db) : upkeep(db);
    let told = deps.now();
    for (;;) {
      const step = steps.next();
      if (step.done) {
        tell({ type: 'done', posts: step.value ?? null });
        return;
      }
      if (stopped && !step.value?.switched) {
        tell({ type: 'done', posts: null });
        return;
      }
      if (step.value && deps.now() - told >= TOLD_MS) {
        told = deps.now();
        tell({ type: 'progress', progress: step.value });
      }
      await (wrote ? sleep(PAUSE_MS) : setImmediate());
      wrote = false;
    }
  } catch (error) {
    tell({ type: 'fault', fault: faultOf(error) });
  } finally {
    db?.close();
    port.close();
  }
}
