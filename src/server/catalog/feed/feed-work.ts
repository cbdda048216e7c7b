import type { FeedFormat } from './product-file.ts';
import { readProductFeed, type FeedReading } from './run-feed.ts';
import type { FeedRun } from './run-table.ts';
import { downloadFeed } from './download.ts';
import type { CatalogStore } from '#server/catalog/store.ts';
import type { DownloadDeps } from './download-state.ts';

/** A download of a feed. */
export interface DownloadJob {
  readonly catalog: number;
  readonly url: string;
  /** The file to which the feed is downloaded. */
  readonly file: string;
}

/** A file to read into a catalog. */
export interface FeedJob {
  readonly catalog: number;
  /** Source of the run. */
  readonly source: string;
  readonly format: FeedFormat;
  readonly file: string;
  /** The file for what the run has read and not yet written. */
  readonly spool: string;
}

/** The report of a run. */
export type FeedReport =
  | { readonly state: 'downloading'; readonly bytes: number; readonly total: number | null }
  | FeedReading;

/** The present activity of a run. */
export type RunProgress = { readonly state: 'waiting' } | FeedReport;

export interface WorkHooks {
  /** Ends the work after its current batch; it can continue later. */
  readonly signal: AbortSignal;
  readonly onProgress: (report: FeedReport) => void;
}

/** Does the work of runs. */
export interface FeedWork {
  /**
   * Downloads the feed of a run that has begun, or the rest of it.
   *
   * @returns Whether there is a file to read; the host may still have the one that was read last.
   * @throws {@link DownloadError} if it cannot be had; {@link StoreError}; the signal's reason if it aborts.
   */
  download(job: DownloadJob, hooks: WorkHooks): Promise<'complete' | 'unchanged'>;
  /**
   * Reads the feed into the catalog.
   *
   * @returns The run as it ended; null if the catalog was removed.
   * @throws as {@link readProductFeed}.
   */
  read(job: FeedJob, hooks: WorkHooks): Promise<FeedRun | null>;
  /** Runs `work`, which writes the file of catalogs, between two batches of a run. */
  write<T>(work: () => T): Promise<T>;
}

/** The dependencies of downloading on its own thread. */
export interface DownloadWorkDeps extends Pick<
  DownloadDeps,
  'stream' | 'timer' | 'now' | 'limit' | 'flushed'
> {
  readonly store: CatalogStore;
}

/** Downloads a feed as {@link FeedWork.download} does, on this thread. */
export async function downloadJob(
  { catalog, url, file }: DownloadJob,
  { signal, onProgress }: WorkHooks,
  deps: DownloadWorkDeps,
): Promise<'complete' | 'unchanged'> {
  const { downloads } = deps.store;
  const download = { url, file, state: downloads.of(catalog), seen: downloads.seen(catalog) };
  const done = await downloadFeed(download, {
    ...deps,
    signal,
    save: (state) => downloads.put(catalog, state),
    onProgress: (bytes, total) => onProgress({ state: 'downloading', bytes, total }),
  });
  return done === 'unchanged' ? done : 'complete';
}

/** Reads a feed as {@link FeedWork.read} does, on this thread. */
export function readJob(
  { catalog, source, format, file, spool }: FeedJob,
  { signal, onProgress }: WorkHooks,
  { store, now }: Pick<DownloadWorkDeps, 'store' | 'now'>,
): Promise<FeedRun | null> {
  return readProductFeed({
    store,
    catalog,
    source,
    format,
    charset: store.downloads.of(catalog)?.charset ?? null,
    path: file,
    idFile: spool,
    now,
    signal,
    onProgress,
  });
}

/** Work on this thread. */
export function workOver(deps: DownloadWorkDeps): FeedWork {
  return {
    download: (job, hooks) => downloadJob(job, hooks, deps),
    read: (job, hooks) => readJob(job, hooks, deps),
    write: async (work) => work(),
  };
}
