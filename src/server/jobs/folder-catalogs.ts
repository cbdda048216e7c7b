import type { Service } from '#server/auth/store.ts';
import { openCatalogService, type Catalogs, type CatalogsDeps } from '#server/catalog/catalogs.ts';
import { workInThreads } from '#server/catalog/feed/feed-thread.ts';
import type { FeedWork } from '#server/catalog/feed/feed-work.ts';
import type { DataFolder } from '#server/data-folder.ts';
import type { TaskHost } from '#server/thread-task.ts';

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
  {
    host,
    platform: { agent },
  }: { readonly host: TaskHost; readonly platform: { readonly agent: string } },
  { catalog: catalogs }: DataFolder,
  allowPrivate: boolean,
): FeedWork {
  return workInThreads(host, { catalogs, agent, allowPrivate });
}
