import type { ImportWriter } from '#server/import/import-writer.ts';
import type { ImportTarget } from '#server/posts/editor/collection-import.ts';
import type { PostEditor } from '#server/posts/editor/editor.ts';
import type { ClusterAddress } from './address.ts';
import { clusterEditor } from './editor.ts';
import { clusterImport } from './import.ts';
import { clusterPosts, type ClusterPosts, type LocalKnowledge } from './posts.ts';
import { openCluster } from './store.ts';
import type { ClusterWriter } from './writer.ts';

/** Your posts in a cluster, for one process that reads and writes them. */
export interface ClusterService {
  readonly posts: ClusterPosts;
  /** Changes Posts. @param local - Takes what is no Post. */
  editor(local: PostEditor): PostEditor;
  /** Opens an import; several may run at once. */
  open(into?: ImportTarget): Promise<ImportWriter>;
  close(): Promise<void>;
}

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
): Promise<ClusterService> {
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
    editor: (local) => clusterEditor(store, open, local),
    open: async (into) => clusterImport(await open(), into),
    close: () => store.close(),
  };
}
