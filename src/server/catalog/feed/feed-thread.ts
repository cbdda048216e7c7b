import { openCatalogs } from '#server/catalog/store.ts';
import { ANYWHERE, PUBLIC_PLAIN } from '#server/fetcher/target.ts';
import { inThread } from '#server/threads.ts';
import {
  downloadJob,
  readJob,
  type DownloadJob,
  type FeedJob,
  type FeedReport,
  type FeedWork,
  type WorkHooks,
} from './feed-work.ts';
import { serviceTurns, threadTurns, turnMemory } from './turns.ts';
import type { Task, TaskHost, ThreadDeps } from '#server/thread-task.ts';
import { DownloadError, MOST_FEED } from './download-state.ts';

/** The members that the threads of feeds have in common. */
export interface FeedThreads {
  /** File of the catalogs. */
  readonly catalogs: string;
  /** The program's `user-agent`. */
  readonly agent: string;
  /** True if feeds may be on this machine and its network. */
  readonly allowPrivate: boolean;
}

/** Work on a feed in its thread, see {@link FeedWork}. */
interface FeedThread {
  download(job: DownloadJob, ...hooks: Hooks): ReturnType<FeedWork['download']>;
  /** @param onTurn - Called when the thread's turn at writing is over. */
  read(
    job: FeedJob,
    turns: SharedArrayBuffer,
    onTurn: () => void,
    ...hooks: Hooks
  ): ReturnType<FeedWork['read']>;
}

type Hooks = [signal: AbortSignal, onProgress: (report: FeedReport) => void];

/** Least time between two reports of progress, ms. */
const REPORT_MS = 100;

/** Work in threads, one for each download and each reading, so that nothing waits for them. */
export function workInThreads(host: TaskHost, threads: FeedThreads): FeedWork {
  const memory = turnMemory();
  const turns = serviceTurns(memory);
  return {
    download: (job, { signal, onProgress }) =>
      inThread(host, FEED_READER, threads, ({ download }) => download(job, signal, onProgress)),
    read: async (job, { signal, onProgress }) => {
      try {
        return await inThread(host, FEED_READER, threads, ({ read }) =>
          read(job, memory, turns.called, signal, onProgress),
        );
      } finally {
        turns.ended();
      }
    },
    write: turns.write,
  };
}

function feedThread(
  { catalogs, agent, allowPrivate }: FeedThreads,
  { now, timer }: ThreadDeps,
): FeedThread {
  let reportedAt = -Infinity;
  const hooksOf = (...[signal, onProgress]: Hooks): WorkHooks => ({
    signal,
    onProgress: (report) => {
      const at = now();
      if (Math.abs(at - reportedAt) < REPORT_MS) return;
      reportedAt = at;
      onProgress(report);
    },
  });
  return {
    download: async (job, ...hooks) => {
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
        const { stream } = fetcher;
        return await downloadJob(job, hooksOf(...hooks), {
          store,
          stream,
          now,
          timer,
          limit: MOST_FEED,
        });
      } finally {
        store.close();
        await fetcher.close();
      }
    },
    read: async (job, memory, onTurn, ...hooks) => {
      const turns = threadTurns(memory, onTurn);
      const store = openCatalogs(catalogs, {
        onStep: (_step, at) => {
          if (at === 'begin') turns.take();
          if (at === 'done') turns.give();
        },
      });
      try {
        return await readJob(job, hooksOf(...hooks), { store, now });
      } finally {
        store.close();
      }
    },
  };
}

export const FEED_READER: Task<FeedThreads, FeedThread> = {
  name: 'feed',
  // A batch of rows, the text of one row at a time, and what SQLite needs outside of this.
  limits: { maxOldGenerationSizeMb: 160, maxYoungGenerationSizeMb: 32 },
  ended: 'The thread that reads the feed ended unexpectedly.',
  errors: { DownloadError },
  open: feedThread,
};
