import type { ClusterService } from '#server/cluster/service.ts';
import type { Db } from '#server/db/driver.ts';
import { isStoreThere } from '#server/db/migrate.ts';
import { openPosts } from '#server/posts/store/post-table.ts';
import { relationReader } from '#server/posts/store/relations.ts';
import type { LocalKnowledge } from '#server/cluster/posts.ts';
import { handlesIn } from '#server/posts/store/handles.ts';
import { membersIn } from '#server/posts/index/source.ts';
import type { CommandDeps } from './command-deps.ts';
import type { DataFolder } from '#server/data-folder.ts';

/**
 * Opens the cluster that Your posts are in; null if they are in the data folder. Lists stay in the data folder.
 *
 * @param stopping - Ends the attempt.
 * @throws {@link ClusterError} if it does not answer, or the signal came first.
 */
export async function clusterOf(
  deps: Pick<CommandDeps, 'clickhouse' | 'random'>,
  { posts: file }: Pick<DataFolder, 'posts'>,
  stopping?: AbortSignal,
): Promise<ClusterService | null> {
  if (!deps.clickhouse) return null;
  // Its client takes a while to load, and other commands do not need it.
  const { openClusterService } = await import('#server/cluster/service.ts');
  let db: Db | null = null;
  let local: LocalKnowledge | null = null;
  const known = (): LocalKnowledge | null => {
    if (local || !isStoreThere(file)) return local;
    db = openPosts(file, deps);
    local = { members: membersIn(relationReader(db)), owners: handlesIn(db).find };
    return local;
  };
  const service = await openClusterService(
    deps.clickhouse,
    {
      ...deps,
      local: {
        members: (list) => known()?.members(list) ?? [],
        owners: (name) => known()?.owners(name),
      },
    },
    stopping,
  );
  return {
    ...service,
    close: async () => {
      await service.close();
      db?.close();
    },
  };
}
