import { openCompactor } from '#server/maintenance/compact-thread.ts';
import { isStoreThere } from '#server/db/migrate.ts';
import { openPosts } from '#server/posts/store/post-table.ts';
import type { DataFolder } from '#server/data-folder.ts';
import type { CommandDeps } from './command-deps.ts';
import { reindexProgress } from './progress.ts';
import { StoreError } from '#server/db/store-error.ts';

/** True if the index of a file was written by another index version. */
function isUnindexed(file: string, deps: CommandDeps): boolean {
  if (!isStoreThere(file)) return false;
  try {
    openPosts(file, deps).close();
    return false;
  } catch (error) {
    if (error instanceof StoreError && error.reason === 'unindexed') return true;
    throw error;
  }
}

/**
 * Rebuilds indexes of another version, with a line of progress. This process must have locked the folder, and its
 * files must be closed.
 *
 * @returns False if it was interrupted; the index at that point is then unchanged.
 * @throws {@link StoreError} if a file cannot be used.
 */
export async function ensureIndex(
  deps: CommandDeps,
  folder: DataFolder,
  sources: readonly ('posts' | 'sample')[],
): Promise<boolean> {
  const show = reindexProgress(deps);
  for (const source of sources) {
    const file = folder[source];
    if (!isUnindexed(file, deps)) continue;
    deps.err(
      'The index has a different version and is being rebuilt; this may take several minutes.\n',
    );
    const compactor = openCompactor(deps.host, file, () => {});
    const posts = await compactor.reindex(
      ({ posts, total }) => show({ type: 'reindexing', source, done: posts, total }),
      deps.stopping,
    );
    show({ type: 'reindexed', posts: null, sample: null });
    if (posts === null) return false;
  }
  return true;
}
