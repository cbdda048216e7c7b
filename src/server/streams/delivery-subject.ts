import { readId } from '#core/import/id.ts';
import type { PostFinder } from '#server/posts/index/source.ts';
import { foundPost, isOpenTo, isVisible, type FoundPost } from '#server/posts/json/post-json.ts';
import type { RuleStream } from '#server/streams/rules/rule-table.ts';

/** The Post and the accounts of a delivery, which is sent only while everybody may see them. */
export interface DeliverySubject {
  readonly stream: RuleStream;
  /** Id of the Post whose text it has; null if it has none. */
  readonly post: string | null;
  /** Ids of accounts that must not be protected. */
  readonly users: readonly string[];
}

/** The Post of an id, if everybody may see it now. */
export function openPost(post: string | null, finder: PostFinder): FoundPost | null {
  const id = readId(post ?? '');
  const [row] = id === null ? [] : finder.rows([id]);
  const found = row && foundPost(row);
  return found && isVisible(found, finder) ? found : null;
}

/** True if everybody may see a Post and accounts now. */
export function isOpenNow(
  { post, users }: Pick<DeliverySubject, 'post' | 'users'>,
  finder: PostFinder,
): boolean {
  const isPostOpen = post === null || openPost(post, finder) !== null;
  return isPostOpen && users.every((id) => isOpenTo(finder, id));
}
