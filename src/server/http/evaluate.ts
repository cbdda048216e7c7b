import type { Context } from 'hono';
import type { SourceId } from '#contract/counts/source.ts';
import type { Account } from '#server/auth/account-table.ts';
import type { Service } from '#server/auth/store.ts';
import type { ClusterPosts } from '#server/cluster/posts.ts';
import { evaluated, type Evaluated } from '#server/posts/index/evaluation.ts';
import type { StateWork } from '#server/posts/store/posts-state.ts';
import type { Slices } from '#server/posts/index/slices.ts';
import { hiddenFrom, readableBy } from '#server/users/hidden.ts';
import { currentSource, type FindSource } from './current-source.ts';
import { setStore } from './headers.ts';

/**
 * Evaluates something over one state of a source, wherever its Posts are, and puts that state into the answer's headers.
 * The state has only the Posts that the viewer may read.
 *
 * Resolves to null if the client disconnected; rejects with {@link Fault} 404 if the source is not open.
 */
export type Evaluate = <T>(
  c: Context,
  id: SourceId,
  viewer: Account | null,
  work: StateWork<T>,
) => Promise<Evaluated<T> | null>;

/** @param cluster - The cluster that holds Your posts; null if they are in a file. */
export function evaluation(
  source: FindSource,
  cluster: ClusterPosts | null,
  service: Service,
  slices: Slices,
): Evaluate {
  return async (c, id, viewer, work) => {
    const { signal } = c.req.raw;
    const found =
      cluster && id === 'posts'
        ? await cluster.evaluate(work, signal, (posts) => hiddenFrom(viewer, id, service, posts))
        : await evaluated(
            () => currentSource(c, source, id),
            readableBy(viewer, id, service)(work),
            slices,
            signal,
          );
    if (found) setStore(c, found);
    return found;
  };
}
