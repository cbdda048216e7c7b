import { existsSync } from 'node:fs';
import { openPosts } from './post-table.ts';

/**
 * The hashes of all files of media that Posts contain. It reads every medium of the store, which takes about a second
 * per million.
 *
 * @param file - A file of Posts; none if it does not exist.
 * @throws {@link StoreError} like `openPosts`.
 */
export function usedMediaFiles(
  file: string,
  deps: { random: (n: number) => Uint8Array },
): ReadonlySet<string> {
  if (!existsSync(file)) return new Set();
  const db = openPosts(file, deps, { unindexed: true });
  try {
    const all = db.prepare(
      `SELECT DISTINCT json_extract(json, '$.hash') FROM object WHERE kind = 'media'`,
    );
    return new Set(all.all().flatMap(([hash]) => (typeof hash === 'string' ? [hash] : [])));
  } finally {
    db.close();
  }
}
