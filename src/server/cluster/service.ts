import type { ImportWriter } from '#server/import/import-writer.ts';
import type { ImportTarget } from '#server/posts/editor/collection-import.ts';
import type { PostEditor } from '#server/posts/editor/editor.ts';
import type { ClusterAddress } from './address.ts';
import { clusterEditor } from './editor.ts';
import { clusterImport } from './import.ts';
import { clusterPosts, type LocalKnowledge } from './posts.ts';
import { openCluster } from './store.ts';
import type { ClusterWriter } from './writer.ts';

/** Your posts in a cluster, for one process that reads and writes them. */
export type ClusterService = Awaited<ReturnType<typeof openClusterService>>;

/**
 * Connects to a cluster, and creates its tables where they are missing. It becomes the writer with its first change.
 *
 * @param deps - `local` has what no cluster stores.
 * @param stopping - Ends the attempt.
 * @throws {@link ClusterError} if a node does not answer or cannot be used, or the signal came first.
 */
export async function openClusterService(
  address: ClusterAddress,
  { random, local }: { random: (n: number) => Uint8Array; local: LocalKnowledge },
  stopping?: AbortSignal,
) {
  const store = await openCluster(address, random, stopping);
  let writer: Promise<ClusterWriter> | null = null;
  /** The writer of this process: a new one after a failure, which reads the log again. */
  const open = async (): Promise<ClusterWriter> => {
    const before = await writer?.catch(() => null);
    if (before?.failed === false) return before;
    writer = store.writer();
    return await writer;
  };
  return {
    posts: clusterPosts(store, local),
    /** Changes Posts. @param local - Takes what is no Post. */
    editor: (local: PostEditor): PostEditor => clusterEditor(store, open, local),
    /** Opens an import; several may run at once. */
    open: async (into?: ImportTarget): Promise<ImportWriter> => clusterImport(await open(), into),
    close: (): Promise<void> => store.close(),
  };
}
