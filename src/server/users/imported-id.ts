import { isStoreThere } from '#server/db/migrate.ts';
import { openPosts, postTable } from '#server/posts/store/post-table.ts';
import { readId } from '#core/import/id.ts';

/**
 * Finds the ids of imported users in a file of Posts, which need not exist.
 *
 * @returns Null for a username, in lower case, that imports do not know. Throws {@link StoreError} as `openPosts`.
 */
export function importedIds(
  file: string,
  deps: { random: (n: number) => Uint8Array },
): (username: string) => string | null {
  return (username) => {
    if (!isStoreThere(file)) return null;
    const db = openPosts(file, deps, { unindexed: true });
    try {
      const id = postTable(db).userId(username);
      return id === null || readId(id) === null ? null : id;
    } finally {
      db.close();
    }
  };
}
