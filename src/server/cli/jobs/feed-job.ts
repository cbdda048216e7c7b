import { copyFile } from 'node:fs/promises';
import type { MerchantOrder, MerchantCatalog } from '#contract/catalog/feeds.ts';
import { addFeed, changeFeed } from '#server/api/catalog/feeds.ts';
import { addCatalog } from '#server/api/catalog/merchant.ts';
import type { Service } from '#server/auth/store.ts';
import { openCatalogService, type Catalogs, type CatalogsDeps } from '#server/catalog/catalogs.ts';
import { workInThreads } from '#server/catalog/feed/feed-thread.ts';
import { feedError } from '#core/readers/error.ts';
import type { FeedWork, RunProgress } from '#server/catalog/feed/feed-work.ts';
import { feedInfo, progressInfo, runInfos } from '#server/catalog/feed/run-info.ts';
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
  { host, platform: { agent } }: Pick<CommandDeps, 'host' | 'platform'>,
  { catalog: catalogs }: DataFolder,
  allowPrivate: boolean,
): FeedWork {
  return workInThreads(host, { catalogs, agent, allowPrivate });
}

/**
 * The one of a merchant.
 *
 * @param username - Null for the only one.
 * @param several - Several, in a sentence.
 * @param none - The message if there is none.
 * @throws {@link CommandError} if there is none, or no name for one of several.
 */
function merchantsOne<T extends { readonly username: string }>(
  all: readonly T[],
  username: string | null,
  several: string,
  none: string,
): T {
  const named = all.filter(
    (each) => username === null || each.username.toLowerCase() === username.toLowerCase(),
  );
  const [first, second] = named;
  if (second) {
    const names = all.map((each) => each.username).join(', ');
    throw new CommandError(`${several}: name one with --user (${names}).`);
  }
  if (first) return first;
  throw new CommandError(none);
}

/** All catalogs with the accounts that they belong to. */
function merchantCatalogs(store: CatalogStore, service: Service) {
  return store.all().flatMap((catalog) => {
    const username = service.accountOf(catalog.user)?.username;
    return username === undefined ? [] : [{ ...catalog, username }];
  });
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
  const none =
    username === null
      ? 'No product catalog has a scheduled feed.'
      : `@${username} has no product catalog with a scheduled feed.`;
  const having = merchantCatalogs(store, service).filter(({ id }) => feeds.has(id));
  return merchantsOne(having, username, 'Several merchants have a feed', none);
}

/** The catalog of a merchant. @throws {@link CommandError} as {@link catalogWithFeed}. */
export function catalogOf(store: CatalogStore, service: Service, username: string | null) {
  const none =
    username === null
      ? 'There is no product catalog: create one with groundswell catalog add NAME.'
      : `@${username} has no product catalog.`;
  const all = merchantCatalogs(store, service);
  return merchantsOne(all, username, 'Several merchants have a catalog', none);
}

/** Opens the job that creates catalogs and sets their feeds. */
export function catalogJob(
  catalogs: Catalogs,
  service: Service,
  now: () => number,
): Pick<Jobs, 'catalog'> {
  const { store, feeds } = catalogs;
  const infoOf = (username: string, catalog: StoredCatalog): MerchantCatalog => {
    const feed = feedInfo(store, catalog.id, now());
    return { id: String(catalog.id), name: catalog.name, username, feed };
  };
  const carryOut = async (order: MerchantOrder): Promise<MerchantCatalog> => {
    if (order.action === 'add') {
      // An account that is named is refused with what it needs.
      const accounts = service
        .accounts()
        .filter(({ profile }) => order.username !== null || profile.merchant_terms);
      const none =
        order.username === null
          ? 'No account has accepted the merchant terms: groundswell user set NAME --merchant-terms yes.'
          : `There is no account @${order.username}.`;
      const several = 'Several accounts may have a catalog';
      const user = merchantsOne(accounts, order.username, several, none);
      const added = await addCatalog(catalogs, service, { app: null, user }, order.name, now());
      return infoOf(user.username, added);
    }
    const catalog = catalogOf(store, service, order.username);
    if (order.action === 'set-feed') await changeFeed(catalogs, catalog.id, order.change, now());
    else await feeds.write(() => addFeed(store, catalog.id, order.feed, now()));
    return infoOf(catalog.username, catalog);
  };
  return jobsOf({
    catalog: async (order) => ({ type: 'catalog', catalog: await carryOut(order) }),
  });
}

/** Opens the job that reads a feed, or a file. A stop cancels the run. */
export function feedJob({ store, feeds }: Catalogs, service: Service): Pick<Jobs, 'feed'> {
  return jobsOf({
    feed: async (order, emit, signal) => {
      const of = order.action === 'file' ? catalogOf : catalogWithFeed;
      const { id } = of(store, service, order.username);
      const stop = (): void => void feeds.cancel(id, CANCELLED).catch(() => {});
      signal.addEventListener('abort', stop, { once: true });
      const onProgress = (progress: RunProgress): void =>
        emit({ type: 'feeding', ...progressInfo(progress) });
      const begin = async () => {
        if (order.action === 'run') return await feeds.run(id, onProgress);
        const { file, format } = order;
        // A copy, so that the run continues after the end of the process, whatever becomes of the file.
        const place = (path: string): Promise<void> =>
          copyFile(file, path).catch((error: unknown) => {
            throw feedError(file, error);
          });
        const { ended } = await feeds.take(id, { format, place }, onProgress);
        return await ended;
      };
      const done = begin();
      if (signal.aborted) stop();
      const run = await done.finally(() => signal.removeEventListener('abort', stop));
      const info = runInfos(store, id).find((each) => each.id === String(run?.id));
      if (info) return { type: 'fed', run: info };
      throw new Error(UNFINISHED);
    },
  });
}
