import { rmSync } from 'node:fs';
import { Semaphore } from '#core/semaphore.ts';
import { errorMessage } from '#core/thrown.ts';
import { MINUTE_MS } from '#core/time/span.ts';
import { StoreError } from '#server/db/driver.ts';
import type { Timer } from '#server/timer.ts';
import { DownloadError } from './download.ts';
import type { FeedWork, RunProgress } from './feed-work.ts';
import type { FeedFormat } from './product-file.ts';
import { dueAt } from './run-info.ts';
import { runRecord, type RunRecordDeps } from './run-record.ts';
import type { FeedRun } from './run-table.ts';

/** Feeds that are downloaded at once, so that a slow host does not keep all others waiting; one is read at a time. */
const MOST_DOWNLOADS = 2;

/** Longest wait for the next look at the schedules, ms: a machine that sleeps stops timers, but not the clock. */
const LONGEST_WAIT_MS = MINUTE_MS;

export interface FeedJobsDeps extends RunRecordDeps {
  readonly work: FeedWork;
  readonly timer: Timer;
  readonly log: (line: string) => void;
}

/** A run of the catalog has not ended, so a file cannot be read into it. */
export class FeedBusy extends Error {
  override readonly name = 'FeedBusy';

  constructor() {
    super('A file is being read into this catalog. Wait for its end, or cancel that run.');
  }
}

/** Reason of a run that was ended for good. */
class Cancelled extends Error {
  override readonly name = 'Cancelled';
}

/** Reason of a run that ends with the service. */
class Stopped extends Error {
  override readonly name = 'Stopped';
}

/** The text of the report on an error: nothing about files of this machine. */
function messageOf(error: unknown): string {
  if (error instanceof StoreError) return `A file of this service ${error.fault}.`;
  return errorMessage(error);
}

interface Running {
  readonly stop: AbortController;
  done: Promise<FeedRun | null>;
  progress: RunProgress;
  readonly listeners: Set<(progress: RunProgress) => void>;
}

/** Runs of the feeds of all catalogs. */
export function openFeedJobs(deps: FeedJobsDeps) {
  const { store, work, now, timer, log } = deps;
  const runs = runRecord(deps);
  const running = new Map<number, Running>();
  const changing = new Set<number>();
  const downloads = new Semaphore(MOST_DOWNLOADS);
  const reads = new Semaphore(1);
  let cancelTimer = (): void => {};
  let isClosed = false;
  const end = (catalog: number, fault: string | null): Promise<FeedRun | null> =>
    work.write(() => runs.end(catalog, fault));

  const carryOut = async (catalog: number, active: Running): Promise<FeedRun | null> => {
    if (isClosed || changing.has(catalog)) return null;
    const feed = store.feeds.of(catalog);
    const sent = store.downloads.of(catalog)?.format ?? null;
    if (!feed && sent === null) return null;
    const { signal } = active.stop;
    const onProgress = (progress: RunProgress): void => {
      active.progress = progress;
      for (const listener of active.listeners) listener(progress);
    };
    try {
      const { run, source } = await work.write(() => runs.begin(catalog));
      if (runs.hasEnded(catalog, run)) return await end(catalog, null);
      const [file, spool] = [runs.fileOf(catalog), runs.spoolOf(catalog)];
      const hooks = { signal, onProgress };
      const read = async (format: FeedFormat): Promise<void> => {
        onProgress({ state: 'waiting' });
        await reads.take(() => work.read({ catalog, source, format, file, spool }, hooks), signal);
      };
      if (sent !== null) await read(sent);
      else if (feed) {
        const { feed_url: url, feed_format: format } = feed;
        const job = { catalog, url, file };
        const got = await downloads.take(() => work.download(job, hooks), signal);
        if (got === 'complete') await read(format);
      }
      return await end(catalog, null);
    } catch (error) {
      const reason: unknown = signal.reason;
      if (reason instanceof Stopped) return null;
      if (reason instanceof Cancelled) return await end(catalog, reason.message);
      const message = messageOf(error);
      if (!(error instanceof DownloadError)) {
        log(`The feed of catalog ${catalog} was not read: ${message}`);
        // A full disk has room again once the file of the feed is removed.
        if (error instanceof StoreError && error.reason !== 'full') throw error;
      }
      return await end(catalog, message);
    }
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

  return {
    /** Continues runs that an earlier process did not end, and begins to follow the schedules. */
    start: (): void => {
      for (const catalog of runs.unended()) launch(catalog);
      follow();
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
      cancelTimer();
      for (const { stop } of running.values()) stop.abort(new Stopped());
      await Promise.allSettled([...running.values()].map(({ done }) => done));
    },
  };
}
