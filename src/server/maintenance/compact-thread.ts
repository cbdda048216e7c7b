import { setImmediate, setTimeout as sleep } from 'node:timers/promises';
import type { Db } from '#server/db/driver.ts';
import { openPosts } from '#server/posts/store/post-table.ts';
import { purgeCollections } from './purge.ts';
import { reindex, type ReindexProgress } from './reindex.ts';
import { inThread } from '#server/threads.ts';
import { compactIndex } from './compact.ts';
import type { TaskHost, ThreadDeps } from '#server/thread-task.ts';

/** Lets others get the lock between two transactions: SQLite's writers retry after 1, 2, 5, 10 ms. */
const PAUSE_MS = 3;
const REPORT_MS = 200;

/**
 * Compacts and rebuilds the index of one file, in a thread that lives as long as there is something to
 * do.
 */
export type Compactor = ReturnType<typeof openCompactor>;

/** Logs that an index was not compacted. */
export function notCompacted(index: string, log: (line: string) => void): (error: Error) => void {
  return ({ message }) => log(`${index} was not compacted: ${message}`);
}

/** @param onFault - Called if a compaction fails, since nobody waits for its result. */
export function openCompactor(host: TaskHost, file: string, onFault: (error: Error) => void) {
  let stopping = new AbortController();
  let closed = false;
  let last: Promise<unknown> = Promise.resolve();
  let waiting = false;
  const run = <T>(work: () => Promise<T>): Promise<T> => {
    const next = last.then(work);
    last = next.catch(() => {});
    return next;
  };
  return {
    /** Checks whether something is to be done, and does it; a cheap call, and never twice at once. */
    wake: (): void => {
      if (waiting || stopping.signal.aborted) return;
      waiting = true;
      void run(async () => {
        waiting = false;
        if (stopping.signal.aborted) return;
        await inThread(host, COMPACTION, file, ({ compact }) => compact(stopping.signal));
      }).catch(onFault);
    },
    /**
     * Rebuilds the index, see `reindex`.
     *
     * @returns The number of its Posts; null if the signal stopped it.
     * @throws {@link StoreError} if the file cannot be read or written.
     */
    reindex: (
      onProgress: (progress: ReindexProgress) => void,
      signal: AbortSignal,
    ): Promise<number | null> =>
      run(async () => {
        const stop = AbortSignal.any([signal, stopping.signal]);
        if (stop.aborted) return null;
        return await inThread(host, COMPACTION, file, ({ reindex }) => reindex(stop, onProgress));
      }),
    /** Waits until nothing is running. */
    rest: async (): Promise<void> => void (await last),
    /** Stops what is running; the next call of {@link Compactor.wake} continues it. */
    stop: async (): Promise<void> => {
      stopping.abort();
      await last;
      if (!closed) stopping = new AbortController();
    },
    /** Stops for good. */
    close: async (): Promise<void> => {
      closed = true;
      stopping.abort();
      await last;
    },
  };
}

function* tidy(db: Db, now: number): Generator<void, void> {
  yield* purgeCollections(db, now);
  yield* compactIndex(db);
}

/** Work on the index of a file. Both stop at the next safe point after the signal aborted, and return null then. */
function compactionOf(file: string, deps: Pick<ThreadDeps, 'random' | 'now'>) {
  const carryOut = async <T>(
    unindexed: boolean,
    stepsOver: (db: Db) => Generator<ReindexProgress | void, T>,
    signal: AbortSignal,
    onProgress: (progress: ReindexProgress) => void,
  ): Promise<T | null> => {
    let wrote = false;
    const onStep = (): void => void (wrote = true);
    const db = openPosts(file, deps, { unindexed, onStep });
    try {
      const steps = stepsOver(db);
      let reported = deps.now();
      for (;;) {
        const step = steps.next();
        if (step.done) return step.value;
        if (signal.aborted && !step.value?.switched) return null;
        if (step.value && deps.now() - reported >= REPORT_MS) {
          reported = deps.now();
          onProgress(step.value);
        }
        await (wrote ? sleep(PAUSE_MS) : setImmediate());
        wrote = false;
      }
    } finally {
      db.close();
    }
  };
  return {
    compact: async (signal: AbortSignal): Promise<null> => {
      await carryOut(
        false,
        (db) => tidy(db, deps.now()),
        signal,
        () => {},
      );
      return null;
    },
    reindex: (signal: AbortSignal, onProgress: (progress: ReindexProgress) => void) =>
      carryOut(true, reindex, signal, onProgress),
  };
}

export const COMPACTION = {
  name: 'compaction',
  // Enough for a chunk of 65,536 Posts with its index, and for a rebuild also the ids of all Posts.
  limits: { maxOldGenerationSizeMb: 448, maxYoungGenerationSizeMb: 32 },
  ended: 'the thread that works on the index ended unexpectedly',
  open: compactionOf,
};
