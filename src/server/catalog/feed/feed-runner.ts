import { Semaphore } from '#core/semaphore.ts';
import { errorMessage } from '#core/thrown.ts';
import type { FeedWork, RunProgress } from './feed-work.ts';
import type { FeedFormat } from './product-file.ts';
import { runRecord, type RunRecordDeps } from './run-record.ts';
import type { FeedRun } from './run-table.ts';
import { StoreError } from '#server/db/store-error.ts';
import { DownloadError } from './download-state.ts';

/** Feeds that are downloaded at once, so that a slow host does not keep all others waiting; one is read at a time. */
const MOST_DOWNLOADS = 2;

export interface FeedRunnerDeps extends RunRecordDeps {
  readonly work: FeedWork;
  readonly log: (line: string) => void;
}

/** Reason of a run that was ended for good. */
export class Cancelled extends Error {
  override readonly name = 'Cancelled';
}

/** Reason of a run that ends with the service. */
export class Stopped extends Error {
  override readonly name = 'Stopped';
}

/** The text of the report on an error: nothing about files of this machine. */
function messageOf(error: unknown): string {
  if (error instanceof StoreError) return `A file of this service ${error.fault}.`;
  return errorMessage(error);
}

/** Carries out runs: each downloads its feed, unless a file was sent, and reads it, and waits for its turn at both. */
export function feedRunner(deps: FeedRunnerDeps) {
  const { store, work, log } = deps;
  const runs = runRecord(deps);
  const downloads = new Semaphore(MOST_DOWNLOADS);
  const reads = new Semaphore(1);
  const end = (catalog: number, fault: string | null): Promise<FeedRun | null> =>
    work.write(() => runs.end(catalog, fault));

  return {
    runs,
    /**
     * Begins a run of a catalog, or continues the one that did not end.
     *
     * @param signal - Aborts with {@link Cancelled} or {@link Stopped}.
     * @returns The run as it ended; null if there is nothing to read, and if it was stopped.
     * @throws {@link StoreError} if the file of catalogs cannot be written: the run continues later.
     */
    run: async (
      catalog: number,
      signal: AbortSignal,
      onProgress: (progress: RunProgress) => void,
    ): Promise<FeedRun | null> => {
      const feed = store.feeds.of(catalog);
      const sent = store.downloads.of(catalog)?.format ?? null;
      if (!feed && sent === null) return null;
      try {
        const { run, source } = await work.write(() => runs.begin(catalog));
        if (runs.hasEnded(catalog, run)) return await end(catalog, null);
        const [file, spool] = [runs.fileOf(catalog), runs.spoolOf(catalog)];
        const hooks = { signal, onProgress };
        const read = async (format: FeedFormat): Promise<void> => {
          onProgress({ state: 'waiting' });
          await reads.take(
            () => work.read({ catalog, source, format, file, spool }, hooks),
            signal,
          );
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
    },
  };
}
