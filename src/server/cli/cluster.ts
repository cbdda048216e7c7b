import type { ClusterService } from '#server/cluster/service.ts';
import type { CommandDeps } from './command-deps.ts';

/**
 * Opens the cluster that Your posts are in; null if they are in the data folder.
 *
 * @throws {@link ClusterError} if it does not answer.
 */
export async function clusterOf(
  deps: Pick<CommandDeps, 'clickhouse' | 'random'>,
): Promise<ClusterService | null> {
  if (!deps.clickhouse) return null;
  // Its client takes a while to load, and other commands do not need it.
  const { openClusterService } = await import('#server/cluster/service.ts');
  return await openClusterService(deps.clickhouse, deps);
}
