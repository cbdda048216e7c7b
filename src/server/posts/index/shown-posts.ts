import { foundPost, isShown, isSuperseded, type FoundPost } from '#server/posts/json/post-json.ts';
import type { PostsState } from '#server/posts/store/posts-state.ts';
import { OutdatedError, type PostFinder } from './source.ts';

/**
 * Posts that a state found, by their ids, in order; null for one that may not be shown.
 *
 * @throws {@link OutdatedError} if one was deleted or edited since the state. In a damaged store, it may never have
 *   existed.
 */
export function* shownPosts(
  ids: readonly bigint[],
  state: Pick<PostsState, 'changed'>,
  finder: PostFinder,
): Generator<FoundPost | null, void> {
  const rows = new Map(finder.rows(ids).map((row) => [row.id, row]));
  for (const id of ids) {
    const row = rows.get(id);
    if ((!row || isSuperseded(row)) && state.changed()) throw new OutdatedError();
    const post = row && foundPost(row);
    yield post && isShown(post, finder) ? post : null;
  }
}
