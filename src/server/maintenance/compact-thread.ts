import { setImmediate, setTimeout as sleep } from 'node:timers/promises';
import type { MessagePort, Worker } from 'node:worker_threads';
import type { Db } from '#server/db/driver.ts';
import { openPosts } from '#server/posts/store/post-table.ts';
import { purgeCollections } from './purge.ts';
import { reindex, type ReindexProgress } from './reindex.ts';
import {
  errorOf,
  faultOf,
  startThread,
  type ThreadData,
  type ThreadFault,
} from '#server/threads.ts';
import { compactIndex } from './compact.ts';

/** Start data of a thread that works on an index. */
interface CompactionData extends ThreadData {
  readonly task: 'compact' | 'reindex';
  readonly file: string;
}

type Message =
  | { readonly type: 'progress'; readonly progress: ReindexProgress }
  | { readonly type: 'done'; readonly posts: number | null }
  | { readonly type: 'fault'; readonly fault: ThreadFault };

/** Enough for a chunk of 65,536 Posts with its index, and for a rebuild also the ids of all Posts. */
const LIMITS = { maxOldGenerationSizeMb: 448, maxYoungGenerationSizeMb: 32 };

/** Lets others get the lock between two transactions: SQLite's writers retry after 1, 2, 5, 10 ms. */
const PAUSE_MS = 3;
const REPORT_MS = 200;

/** Whether a worker's data starts work on an index. */
export function isCompactionData(data: unknown): data is CompactionData {
  if (typeof data !== 'object' || data === null || !('task' in data)) return false;
  return data.task === 'compact' || data.task === 'reindex';
}

/**
 * Compacts and rebuilds the index of one file, in a thread that lives as long as there is something to
 * do.
 */
export interface Compactor {
  /** Checks whether something is to be done, and does it; a cheap call, and never twice at once. */
  wake(): void;
  /**
   * Rebuilds the index, see `reindex`.
   *
   * @returns How many Posts it has; null if the signal stopped it.
   * @throws {@link StoreError} if the file cannot be read or written.
   */
  reindex(
    onProgress: (progress: ReindexProgress) => void,
    signal: AbortSignal,
  ): Promise<number | null>;
  /** Waits until nothing is running. */
  rest(): Promise<void>;
  /** Stops what is running; the next call of {@link Compactor.wake} continues it. */
  close(): Promise<void>;
}

/**
 * @param entry - Module whose code calls {@link runCompaction} in a worker.
 * @param onFault - Called if a compaction fails, since nobody waits for its result.
 */
export function openCompactor(
  entry: URL,
  file: string,
  onFault: (error: Error) => void,
): Compactor {
  const closing = new AbortController();
  let last: Promise<unknown> = Promise.resolve();
  let waiting = false;
  const run = <T>(work: () => Promise<T>): Promise<T> => {
    const next = last.then(work);
    last = next.catch(() => {});
    return next;
  };
  return {
    wake: () => {
      if (waiting || closing.signal.aborted) return;
      waiting = true;
      const data: CompactionData = { task: 'compact', entry: entry.href, file };
      void run(async () => {
        waiting = false;
        await inThread(data, closing.signal);
      }).catch(onFault);
    },
    reindex: (onProgress, signal) =>
      run(() => {
        const data: CompactionData = { task: 'reindex', entry: entry.href, file };
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
  data: CompactionData,
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
      reject(new Error('the thread that works on the index ended unexpectedly')),
    );
  });
}

function* tidy(db: Db, now: number): Generator<void, void> {
  yield* purgeCollections(db, now);
  yield* compactIndex(db);
}

/** Runs in the thread that works on an index. */
export async function runCompaction(
  { task, file }: CompactionData,
  port: MessagePort,
  deps: { random: (n: number) => Uint8Array; now: () => number },
): Promise<void> {
  let stopped = false;
  port.on('message', () => (stopped = true));
  const post = (message: Message): void => port.postMessage(message, []);
  let db: Db | null = null;
  try {
    let wrote = false;
    const onStep = (): void => void (wrote = true);
    db = openPosts(file, deps, { unindexed: task === 'reindex', onStep });
    const steps = task === 'reindex' ? reindex(db) : tidy(db, deps.now());
    let reported = deps.now();
    for (;;) {
      const step = steps.next();
      if (step.done) {
        post({ type: 'done', posts: step.value ?? null });
        return;
      }
      if (stopped && !step.value?.switched) {
        post({ type: 'done', posts: null });
        return;
      }
      if (step.value && deps.now() - reported >= REPORT_MS) {
        reported = deps.now();
        post({ type: 'progress', progress: step.value });
      }
      await (wrote ? sleep(PAUSE_MS) : setImmediate());
      wrote = false;
    }
  } catch (error) {
    post({ type: 'fault', fault: faultOf(error) });
  } finally {
    db?.close();
    port.close();
  }
}
