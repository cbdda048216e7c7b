import { existsSync } from 'node:fs';
import { openPosts } from './post-table.ts';

/**
 * Whether a Post contains a medium with the file of that hash. It reads every medium of the store, which takes about a
 * second per million.
 *
 * @param file - A file of Posts; none if it does not exist.
 * @throws {@link StoreError} like `openPosts`.
 */
export function usesMediaFile(
  file: string,
  hash: string,
  deps: { random: (n: number) => Uint8Array },
): boolean {
  if (!existsSync(file)) return false;
  const db = openPosts(file, deps, { unindexed: true });
  try {
    const find = db.prepare(
      `SELECT 1 FROM object WHERE kind = 'media' AND json_extract(json, '$.hash') = ? LIMIT 1`,
    );
    return find.get([hash]) !== undefined;
  } finally {
    db.close();
  }
}
