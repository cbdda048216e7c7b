import type { ClusterPosts } from '#server/cluster/posts.ts';
import type { StoredSource } from '#server/counting/counter.ts';
import { isStoreThere } from '#server/db/migrate.ts';
import { clusterOf } from './cluster.ts';
import type { CommandDeps } from './command-deps.ts';
import type { DataFolder } from '#server/data-folder.ts';
import { ensureIndex } from './ensure-index.ts';
import { CommandError } from '#server/command-error.ts';

/**
 * Makes a source readable for a command: it only reads, except for an index of another version, which it rebuilds
 * unless a service runs.
 *
 * @returns False if it was interrupted.
 * @throws {@link CommandError} if the source does not exist; {@link StoreError} if its file cannot be used.
 */
export async function readableSource(
  deps: CommandDeps,
  folder: DataFolder,
  source: StoredSource,
): Promise<boolean> {
  if (!isStoreThere(folder[source])) throw noPosts(folder, source);
  const lock = folder.take();
  try {
    return !lock || (await ensureIndex(deps, folder, [source]));
  } finally {
    lock?.release();
  }
}

/**
 * Reads a source: Your posts from their cluster if they are in one, else from a file that this makes readable.
 *
 * @param work - Gets the cluster; null for a file.
 * @returns The result of the work; null if it was interrupted before.
 * @throws As {@link readableSource}, and {@link ClusterError} if the cluster does not answer.
 */
export async function readingSource<T>(
  deps: CommandDeps,
  folder: DataFolder,
  source: StoredSource,
  work: (cluster: ClusterPosts | null) => Promise<T>,
): Promise<T | null> {
  const cluster = source === 'posts' ? await clusterOf(deps, folder) : null;
  try {
    if (!cluster && !(await readableSource(deps, folder, source))) return null;
    return await work(cluster?.posts ?? null);
  } finally {
    await cluster?.close();
  }
}

/** The failure of a command about a source without Posts. */
export function noPosts(
  folder: DataFolder,
  source: StoredSource,
  cluster: ClusterPosts | null = null,
): CommandError {
  const where = cluster ? 'the ClickHouse database' : folder.path;
  return new CommandError(
    source === 'sample'
      ? `There is no sample in ${where} yet. To make it, run: groundswell sample`
      : `There are no Posts of yours in ${where} yet. To add some, run: groundswell import FILE`,
  );
}
