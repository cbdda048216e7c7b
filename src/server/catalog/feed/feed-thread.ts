import type { MessagePort, Worker } from 'node:worker_threads';
import { openCatalogs } from '#server/catalog/store.ts';
import { ANYWHERE, PUBLIC_PLAIN } from '#server/fetcher/target.ts';
import {
  errorOf,
  faultOf,
  startThread,
  type ThreadData,
  type ThreadFault,
} from '#server/threads.ts';
import type { Timer } from '#server/timer.ts';
import { DownloadError, MOST_FEED } from './download.ts';
import {
  downloadJob,
  readJob,
  type FeedJob,
  type FeedReport,
  type FeedWork,
  type WorkHooks,
} from './feed-work.ts';
import type { FeedRun } from './run-table.ts';
import { serviceTurns, threadTurns, turnMemory } from './turns.ts';

type Task = 'download' | 'read';

/** What the threads of feeds have in common. */
export interface FeedThreads {
  /** File of the catalogs. */
  readonly catalogs: string;
  /** The program's `user-agent`. */
  readonly agent: string;
  /** Whether feeds may be on this machine and its network. */
  readonly allowPrivate: boolean;
}

/** Start data of a thread that downloads or reads a feed. */
interface FeedData extends ThreadData, FeedThreads {
  readonly task: `feed-${Task}`;
  readonly job: FeedJob;
  readonly turns: SharedArrayBuffer;
}

interface Results {
  readonly download: 'complete' | 'unchanged';
  readonly read: FeedRun | null;
}

type Message =
  | { readonly type: 'progress'; readonly report: FeedReport }
  /** The thread's turn at writing is over. */
  | { readonly type: 'turn' }
  | { readonly type: 'done'; readonly result: Results[Task] }
  | { readonly type: 'stopped' }
  | { readonly type: 'fault'; readonly fault: ThreadFault };

/** To the thread: end after the current batch. */
const STOP = 'stop';

/** A batch of rows, the text of one row at a time, and what SQLite needs outside of this. */
const LIMITS = { maxOldGenerationSizeMb: 160, maxYoungGenerationSizeMb: 32 };

const ENDED = 'The thread that reads the feed ended unexpectedly.';

/** Least time between two reports of progress, ms. */
const REPORT_MS = 100;

/** Whether a worker's data starts a thread that downloads or reads a feed. */
export function isFeedData(data: unknown): data is FeedData {
  if (typeof data !== 'object' || data === null || !('task' in data)) return false;
  return data.task === 'feed-download' || data.task === 'feed-read';
}

function feedError(fault: ThreadFault): Error {
  return fault.kind === DownloadError.name ? new DownloadError(fault.message) : errorOf(fault);
}

/** Waits for what a thread does. */
function resultOf(
  worker: Worker,
  { signal, onProgress }: WorkHooks,
  onTurn: () => void,
): Promise<Results[Task]> {
  const stop = (): void => worker.postMessage(STOP, []);
  signal.addEventListener('abort', stop, { once: true });
  if (signal.aborted) stop();
  return new Promise<Results[Task]>((resolve, reject) => {
    worker.on('message', (message: Message) => {
      if (message.type === 'progress') onProgress(message.report);
      else if (message.type === 'turn') onTurn();
      else if (message.type === 'done') resolve(message.result);
      else if (message.type === 'stopped') reject(signal.reason as Error);
      else reject(feedError(message.fault));
    });
    worker.on('error', (error) => reject(errorOf(faultOf(error))));
    worker.on('exit', () => reject(new Error(ENDED)));
  }).finally(() => signal.removeEventListener('abort', stop));
}

/**
 * Work in threads, one for each download and each reading, so that nothing waits for them.
 *
 * @param entry - Module whose code calls {@link runFeedThread} in a worker.
 */
export function workInThreads(entry: URL, threads: FeedThreads): FeedWork {
  const memory = turnMemory();
  const turns = serviceTurns(memory);
  const start = async <T extends Task>(
    task: T,
    job: FeedJob,
    hooks: WorkHooks,
  ): Promise<Results[T]> => {
    const data: FeedData = {
      ...threads,
      task: `feed-${task}`,
      entry: entry.href,
      job,
      turns: memory,
    };
    const worker = startThread(data, LIMITS);
    const ended = new Promise<void>((resolve) => {
      worker.once('exit', () => {
        if (task === 'read') turns.ended();
        resolve();
      });
    });
    try {
      return (await resultOf(worker, hooks, turns.called)) as Results[T];
    } finally {
      // Its files are closed then.
      await ended;
    }
  };
  return {
    download: (job, hooks) => start('download', job, hooks),
    read: (job, hooks) => start('read', job, hooks),
    write: turns.write,
  };
}

/** What a thread needs of the process. */
export interface FeedThreadDeps {
  /** Epoch ms. */
  readonly now: () => number;
  readonly timer: Timer;
}

async function download(
  { job, catalogs, agent, allowPrivate }: FeedData,
  hooks: WorkHooks,
  { now, timer }: FeedThreadDeps,
): Promise<Results['download']> {
  // The HTTP client takes a while to load, and reading does not need it.
  const { openFetcher } = await import('#server/fetcher/fetcher.ts');
  const { localNames, publicNames } = await import('#server/fetcher/resolve.ts');
  const fetcher = openFetcher({
    resolve: allowPrivate ? localNames : publicNames(),
    timeout: (ms) => AbortSignal.timeout(ms),
    agent,
    rules: allowPrivate ? ANYWHERE : PUBLIC_PLAIN,
  });
  const store = openCatalogs(catalogs);
  try {
    return await downloadJob(job, hooks, {
      store,
      stream: fetcher.stream,
      now,
      timer,
      limit: MOST_FEED,
    });
  } finally {
    store.close();
    await fetcher.close();
  }
}

async function read(
  { job, catalogs, turns: memory }: FeedData,
  hooks: WorkHooks,
  { now }: FeedThreadDeps,
  call: () => void,
): Promise<Results['read']> {
  const turns = threadTurns(memory, call);
  const store = openCatalogs(catalogs, {
    onStep: (_step, at) => {
      if (at === 'begin') turns.take();
      if (at === 'done') turns.give();
    },
  });
  try {
    return await readJob(job, hooks, { store, now });
  } finally {
    store.close();
  }
}

/** Runs in a feed's thread, which ends when it is done. */
export async function runFeedThread(
  data: FeedData,
  port: MessagePort,
  deps: FeedThreadDeps,
): Promise<void> {
  const controller = new AbortController();
  port.on('message', (what: unknown) => {
    if (what === STOP) controller.abort();
  });
  const post = (message: Message): void => port.postMessage(message, []);
  let reportedAt = -Infinity;
  const onProgress = (report: FeedReport): void => {
    const at = deps.now();
    if (Math.abs(at - reportedAt) < REPORT_MS) return;
    reportedAt = at;
    post({ type: 'progress', report });
  };
  const { signal } = controller;
  try {
    const call = (): void => post({ type: 'turn' });
    const hooks = { signal, onProgress };
    const result =
      data.task === 'feed-read'
        ? await read(data, hooks, deps, call)
        : await download(data, hooks, deps);
    post({ type: 'done', result });
  } catch (error) {
    if (signal.aborted) post({ type: 'stopped' });
    else post({ type: 'fault', fault: faultOf(error) });
  } finally {
    port.close();
  }
}
