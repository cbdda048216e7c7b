import type { Context } from 'hono';
import type { SourceId } from '#contract/source.ts';
import type { ClusterPosts } from '#server/cluster/posts.ts';
import { evaluated } from '#server/posts/evaluation.ts';
import type { Evaluated } from '#server/posts/evaluation.ts';
import type { StateWork } from '#server/posts/posts-state.ts';
import type { Slices } from '#server/posts/slices.ts';
import { currentSource } from './current-source.ts';
import type { FindSource } from './current-source.ts';
import { setStore } from './headers.ts';

/**
 * Evaluates something over one state of a source, wherever its Posts are, and puts that state into the answer's headers.
 *
 * Resolves to null if the client disconnected; rejects with {@link Fault} 404 if the source is not open.
 */
export type Evaluate = <T>(
  c: Context,
  id: SourceId,
  work: StateWork<T>,
) => Promise<Evaluated<T> | null>;

/** @param cluster - Where Your posts are; null if they are in a file. */
export function evaluation(
  source: FindSource,
  cluster: ClusterPosts | null,
  slices: Slices,
): Evaluate {
  return async (c, id, work) => {
    const { signal } = c.req.raw;
    const found =
      cluster && id === 'posts'
        ? await cluster.evaluate(work, signal)
        : await evaluated(() => currentSource(c, source, id), work, slices, signal);
    if (found) setStore(c, found);
    return found;
  };
}
