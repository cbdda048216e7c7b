import type { Service } from '#server/auth/store.ts';
import { openCatalogService, type Catalogs, type CatalogsDeps } from '#server/catalog/catalogs.ts';
import { workInThreads } from '#server/catalog/feed/feed-thread.ts';
import type { FeedWork } from '#server/catalog/feed/feed-work.ts';
import { progressInfo, runInfos } from '#server/catalog/feed/run-info.ts';
import type { CatalogStore, StoredCatalog } from '#server/catalog/store.ts';
import type { Jobs } from '#server/http/job-stream.ts';
import { jobsOf } from './works.ts';
import type { CommandDeps } from '#server/cli/command-deps.ts';
import { CommandError } from '#server/cli/command.ts';
import type { DataFolder } from '#server/cli/data-folder.ts';

/** The reason a run ended, for its report. */
const CANCELLED = 'The run was cancelled.';

const UNFINISHED =
  'The run has not ended. It continues when the service starts, or with the next groundswell feed run.';

/** Opens the catalogs of a data folder that this process has locked. */
export function catalogsOf(
  folder: DataFolder,
  service: Service,
  deps: Omit<CatalogsDeps, 'file' | 'folder' | 'isAccount'>,
): Catalogs {
  return openCatalogService({
    ...deps,
    file: folder.catalog,
    folder: folder.feeds,
    isAccount: (id) => service.accountOf(id) !== undefined,
  });
}

/** Reads the feeds of a data folder in threads. */
export function feedsInThreads(
  { entry, platform: { agent } }: Pick<CommandDeps, 'entry' | 'platform'>,
  { catalog: catalogs }: DataFolder,
  allowPrivate: boolean,
): FeedWork {
  return workInThreads(entry, { catalogs, agent, allowPrivate });
}

/**
 * The catalog of a merchant that has a feed.
 *
 * @param username - Null for the only one.
 * @throws {@link CommandError} if there is none, or no name for one of several.
 */
export function catalogWithFeed(
  store: CatalogStore,
  service: Service,
  username: string | null,
): StoredCatalog {
  const feeds = store.feeds.all();
  const found = store.all().flatMap((catalog) => {
    const name = service.accountOf(catalog.user)?.username;
    return name !== undefined && feeds.has(catalog.id) ? [{ catalog, name }] : [];
  });
  const named = found.filter(
    ({ name }) => username === null || name.toLowerCase() === username.toLowerCase(),
  );
  const [first, second] = named;
  if (second) {
    const names = found.map(({ name }) => name).join(', ');
    throw new CommandError(`Several merchants have a feed: name one with --user (${names}).`);
  }
  if (first) return first.catalog;
  throw new CommandError(
    username === null
      ? 'No product catalog has a scheduled feed.'
      : `@${username} has no product catalog with a scheduled feed.`,
  );
}

/** Opens the job that reads a feed. A stop cancels the run. */
export function feedJob({ store, feeds }: Catalogs, service: Service): Pick<Jobs, 'feed'> {
  return jobsOf({
    feed: async ({ username }, emit, signal) => {
      const { id } = catalogWithFeed(store, service, username);
      const stop = (): void => void feeds.cancel(id, CANCELLED).catch(() => {});
      signal.addEventListener('abort', stop, { once: true });
      const done = feeds.run(id, (progress) =>
        emit({ type: 'feeding', ...progressInfo(progress) }),
      );
      if (signal.aborted) stop();
      const run = await done.finally(() => signal.removeEventListener('abort', stop));
      const info = runInfos(store, id).find((each) => each.id === String(run?.id));
      if (info) return { type: 'fed', run: info };
      throw new Error(UNFINISHED);
    },
  });
}
