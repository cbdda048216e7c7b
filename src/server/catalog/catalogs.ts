import { errorMessage } from '#core/thrown.ts';
import { MINUTE_MS } from '#core/time/span.ts';
import { openFeedJobs, type FeedJobsDeps } from './feed/feed-jobs.ts';
import type { FeedWork } from './feed/feed-work.ts';
import { openCatalogs, type CatalogStore } from './store.ts';

/** Products that are removed in one transaction, which takes some milliseconds. */
const REMOVED_AT_ONCE = 500;

/** The time between two searches for catalogs of removed accounts, ms. */
const SWEEP_MS = MINUTE_MS;

/** The reason a run of a removed catalog ended; nobody will read it. */
const REMOVED = 'The catalog was removed.';

/** Catalogs of a running service. */
export type Catalogs = ReturnType<typeof openCatalogService>;

export interface CatalogsDeps extends Omit<FeedJobsDeps, 'store' | 'work'> {
  readonly file: string;
  readonly work: (store: CatalogStore) => FeedWork;
  /** True if there is an account of that id. */
  readonly isAccount: (id: string) => boolean;
}

/** Opens the file of catalogs. @throws {@link StoreError} as {@link openCatalogs}. */
export function openCatalogService({ file, isAccount, ...deps }: CatalogsDeps) {
  const { timer, log } = deps;
  const store = openCatalogs(file);
  const feeds = openFeedJobs({ ...deps, store, work: deps.work(store) });
  let next: NodeJS.Immediate | null = null;
  let cancelSweep = (): void => {};
  let isClosed = false;
  const complain = (error: unknown): void => {
    log(errorMessage(error));
  };
  /** Frees space a little at a time, between requests. */
  const free = (): void => {
    if (isClosed) return;
    next ??= setImmediate(() => {
      next = null;
      feeds
        .write(() => !isClosed && store.products.removeOrphans(REMOVED_AT_ONCE))
        .then((isMore) => {
          if (isMore) free();
        })
        .catch(complain);
    });
  };
  const remove = async (id: number): Promise<void> => {
    await feeds.change(id, REMOVED, () => store.remove(id));
    free();
  };
  const sweep = (): void => {
    try {
      const gone = store.all().filter(({ user }) => !isAccount(user));
      for (const { id } of gone) remove(id).catch(complain);
    } catch (error) {
      complain(error);
    }
    cancelSweep = timer(SWEEP_MS, sweep);
  };
  return {
    store,
    feeds,
    /** Begins to follow the schedules of feeds, and to remove what belongs to removed catalogs and accounts. */
    start: (): void => {
      free();
      feeds.start();
      sweep();
    },
    /** Removes a catalog and everything in it; its products disappear at once, and their space is freed afterwards. */
    remove,
    close: async (): Promise<void> => {
      isClosed = true;
      cancelSweep();
      if (next) clearImmediate(next);
      await feeds.close();
      store.close();
    },
  };
}
