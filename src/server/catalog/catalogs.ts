import { openCatalogs } from './store.ts';
import type { CatalogStore } from './store.ts';

/** Products that are removed in one transaction, which takes some milliseconds. */
const REMOVED_AT_ONCE = 500;

/** Catalogs of a running service. */
export interface Catalogs {
  readonly store: CatalogStore;
  /** Removes the products of removed catalogs, a few at a time between requests. */
  removeOrphans(): void;
  close(): void;
}

/** Opens the file of catalogs. @throws {@link StoreError} as {@link openCatalogs}. */
export function openCatalogService(file: string, log: (line: string) => void): Catalogs {
  const store = openCatalogs(file);
  let next: NodeJS.Immediate | null = null;
  const remove = (): void => {
    next = null;
    try {
      if (store.products.removeOrphans(REMOVED_AT_ONCE)) next = setImmediate(remove);
    } catch (error) {
      log(error instanceof Error ? error.message : String(error));
    }
  };
  return {
    store,
    removeOrphans: () => {
      next ??= setImmediate(remove);
    },
    close: () => {
      if (next) clearImmediate(next);
      store.close();
    },
  };
}
