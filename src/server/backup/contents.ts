import { ADS_KIND } from '#server/ads/store.ts';
import { SERVICE_KIND } from '#server/auth/store.ts';
import { CATALOG_KIND } from '#server/catalog/store.ts';
import type { StoreKind } from '#server/db/migrate.ts';
import { PLATFORM_KIND } from '#server/platform/store.ts';
import { POSTS_KIND } from '#server/posts/store/post-table.ts';
import { DELIVERIES_KIND } from '#server/streams/delivery-queue.ts';

/**
 * The store files of a data folder, in the order in which a backup reads their states. What moves from one file to
 * another is added there before it is removed here, and adding it again changes nothing; so each file comes before those
 * that it sends to, and nothing is lost between them.
 */
export const STORES: ReadonlyMap<string, StoreKind> = new Map([
  ['platform.sqlite', PLATFORM_KIND],
  ['deliveries.sqlite', DELIVERIES_KIND],
  ['catalog.sqlite', CATALOG_KIND],
  ['ads.sqlite', ADS_KIND],
  ['service.sqlite', SERVICE_KIND],
  ['posts.sqlite', POSTS_KIND],
  ['sample.sqlite', POSTS_KIND],
]);

/** The platform's token, encrypted, and its key. */
export const TOKEN_FILES = ['platform-token.json', 'platform-token.key'] as const;

/** Folders whose files never change once they have their names. */
export const FOLDERS = ['media', 'media/incoming'] as const;

/** Names of further files and folders that a data folder has only while a program works on it, or that can be had again. */
const OTHERS = [
  'feeds',
  'uploads',
  'replay.sqlite',
  'sample-new.sqlite',
  'serve.json',
  'open.html',
];

const FILE_NAME = /^\w[\w.-]{0,199}$/;

/** True if a backup may hold a part of that name; other names are never written to a data folder. */
export function isPartName(name: string): boolean {
  if (STORES.has(name) || TOKEN_FILES.some((each) => each === name)) return true;
  return FOLDERS.some(
    (folder) => name.startsWith(`${folder}/`) && FILE_NAME.test(name.slice(folder.length + 1)),
  );
}

/** True if a file or folder of a data folder is part of its data, which a restore replaces. */
export function isData(name: string): boolean {
  const store = name.replace(/-(?:wal|shm|journal)$/, '');
  return (
    STORES.has(store) ||
    [...TOKEN_FILES, ...FOLDERS, ...OTHERS].some((each) => each === name || each === store)
  );
}
