import { rmSync } from 'node:fs';
import { errorMessage } from '#core/thrown.ts';
import { MINUTE_MS } from '#core/time/span.ts';
import type { Timer } from '#server/timer.ts';
import { Cancelled, feedRunner, Stopped, type FeedRunnerDeps } from './feed-runner.ts';
import type { RunProgress } from './feed-work.ts';
import type { FeedFormat } from './product-file.ts';
import { dueAt } from './run-info.ts';
import type { FeedRun } from './run-table.ts';

/** Longest wait for the next look at the schedules, ms: a machine that sleeps stops timers, but not the clock. */
const LONGEST_WAIT_MS = MINUTE_MS;

export interface FeedJobsDeps extends FeedRunnerDeps {
  readonly timer: Timer;
}

/** A run of the catalog has not ended, so a file cannot be read into it. */
export class FeedBusy extends Error {
  override readonly name = 'FeedBusy';

  constructor() {
    super('A file is being read into this catalog. Wait for its end, or cancel that run.');
  }
}

interface Running {
  readonly stop: AbortController;
  done: Promise<FeedRun | null>;
  progress: RunProgress;
  readonly listeners: Set<(progress: RunProgress) => void>;
}

/** Launches each feed when it is due. @returns Ends that. */
function followSchedules(
  { store, now, timer, log }: FeedJobsDeps,
  launch: (catalog: number) => void,
): () => void {
  let cancelTimer = (): void => {};
  const follow = (): void => {
    let wait = LONGEST_WAIT_MS;
    try {
      for (const [catalog, feed] of store.feeds.all()) {
        const due = dueAt(store, catalog, feed, now()) - now();
        if (due <= 0) launch(catalog);
        else wait = Math.min(wait, due);
      }
    } catch (error) {
      log(errorMessage(error));
    }
    cancelTimer = timer(wait, follow);
  };
  follow();
  return () => cancelTimer();
}

/** Runs of the feeds of all catalogs. */
export function openFeedJobs(deps: FeedJobsDeps) {
  const { store, work } = deps;
  const { runs, run } = feedRunner(deps);
  const running = new Map<number, Running>();
  const changing = new Set<number>();
  let endSchedules = (): void => {};
  let isClosed = false;

  const carryOut = async (catalog: number, active: Running): Promise<FeedRun | null> => {
    if (isClosed || changing.has(catalog)) return null;
    return await run(catalog, active.stop.signal, (progress) => {
      active.progress = progress;
      for (const listener of active.listeners) listener(progress);
    });
  };

  /** Notes a run, which `work` does. */
  const started = (
    catalog: number,
    work: (active: Running) => Promise<FeedRun | null>,
  ): Running => {
    const active: Running = {
      stop: new AbortController(),
      done: Promise.resolve(null),
      progress: { state: 'waiting' },
      listeners: new Set(),
    };
    running.set(catalog, active);
    active.done = work(active).finally(() => running.delete(catalog));
    // Not everybody who launches a run waits for it.
    active.done.catch(() => {});
    return active;
  };
  const launch = (catalog: number): Running =>
    running.get(catalog) ?? started(catalog, (active) => carryOut(catalog, active));
  /** Ends what a run has left, or the run. */
  const cancel = async (catalog: number, why: string): Promise<boolean> => {
    const active = running.get(catalog);
    active?.stop.abort(new Cancelled(why));
    await active?.done.catch(() => null);
    // Another run may have begun since.
    const rest = await work.write(() => (running.has(catalog) ? null : runs.end(catalog, why)));
    return active !== undefined || rest !== null;
  };

  return {
    /** Continues runs that an earlier process did not end, and begins to follow the schedules. */
    start: (): void => {
      for (const catalog of runs.unended()) launch(catalog);
      endSchedules = followSchedules(deps, launch);
    },
    /** Reads the feed of a catalog now, unless a run is doing so, and does not wait for it. */
    launch: (catalog: number): void => void launch(catalog),
    /**
     * Reads the feed of a catalog now, or waits for the run that is doing so.
     *
     * @returns The run as it ended; null if the catalog has no feed, and if the service ends before.
     * @throws {@link StoreError} if the file of catalogs cannot be written: the run continues later.
     */
    run: async (
      catalog: number,
      onProgress?: (progress: RunProgress) => void,
    ): Promise<FeedRun | null> => {
      const active = launch(catalog);
      if (onProgress) active.listeners.add(onProgress);
      return await active.done;
    },
    /**
     * Reads a file into a catalog, once, and does not wait for it.
     *
     * @param place - Moves or copies the file to a path of the same disk.
     * @returns The run as it ends, as `run` returns it, once it has begun.
     * @throws {@link FeedBusy} if a run of the catalog has not ended; any error of `place`.
     */
    take: async (
      catalog: number,
      {
        format,
        place,
      }: { readonly format: FeedFormat; readonly place: (path: string) => Promise<void> },
      onProgress?: (progress: RunProgress) => void,
    ): Promise<{ readonly ended: Promise<FeedRun | null> }> => {
      const isBusy = running.has(catalog) || store.downloads.of(catalog) !== null;
      if (isClosed || isBusy || changing.has(catalog)) throw new FeedBusy();
      const begin = async (): Promise<void> => {
        runs.makeFolder();
        try {
          await place(runs.fileOf(catalog));
          await work.write(() => runs.beginFile(catalog, format));
        } catch (error) {
          rmSync(runs.fileOf(catalog), { force: true });
          throw error;
        }
      };
      let begun = Promise.resolve();
      const { done, listeners } = started(catalog, async (active) => {
        begun = begin();
        await begun;
        return await carryOut(catalog, active);
      });
      if (onProgress) listeners.add(onProgress);
      await begun;
      return { ended: done };
    },
    /** Null unless the catalog's feed is being read. */
    progress: (catalog: number): RunProgress | null => running.get(catalog)?.progress ?? null,
    /** Ends the run of a catalog, if there is one: its batches so far stay. @param why - For the report. */
    cancel,
    /**
     * Ends the run of a catalog, if there is one, and lets none begin until `work` has changed or removed what it reads.
     *
     * @param why - For the report.
     */
    change: async <T>(catalog: number, why: string, change: () => T): Promise<T> => {
      changing.add(catalog);
      try {
        await cancel(catalog, why);
        return await work.write(change);
      } finally {
        changing.delete(catalog);
      }
    },
    /** Runs `work`, which writes the file of catalogs, between two batches of a run. */
    write: work.write,
    /** Ends after the current batch of each run, which continues at the next `start`. */
    close: async (): Promise<void> => {
      isClosed = true;
      endSchedules();
      for (const { stop } of running.values()) stop.abort(new Stopped());
      await Promise.allSettled([...running.values()].map(({ done }) => done));
    },
  };
}
