import type { IndexablePost } from '#core/text/post.ts';
import type { EventType } from '#contract/streams/events.ts';
import type { NewEvent } from '#server/streams/event-table.ts';
import type { NewPost, PostRow } from '#server/posts/store/post-table.ts';
import type { RelationKind } from '#server/posts/store/relation-kinds.ts';

/** Finds the author of a Post; null if it is unknown. */
export type AuthorOf = (id: bigint) => string | null;

/** The ids in a list that has undefined and null for unknown ones, each once. */
function known(ids: readonly (string | null | undefined)[]): string[] {
  return [...new Set(ids.filter((id) => typeof id === 'string'))];
}

/** Removes unknown values, which JSON would keep as null. */
function present(fields: Readonly<Record<string, unknown>>): Record<string, unknown> {
  return Object.fromEntries(
    Object.entries(fields).filter(([, value]) => value !== undefined && value !== null),
  );
}

/**
 * The event of a new Post or version. The events of mentions, replies, quotes and reposts follow from it.
 *
 * Its body has, as far as known: `author_id`; `mentions`, usernames in lower case; `in_reply_to_tweet_id` and
 * `in_reply_to_user_id`; `quoted_tweet_id` and `quoted_user_id`; `retweeted_tweet_id` and `retweeted_user_id`; and for
 * `post.edit` `previous_id`, the version that it replaces.
 */
export function postEvent(post: NewPost, authorOf: AuthorOf, previous?: bigint): NewEvent {
  const facts = post.facts === null ? {} : (JSON.parse(post.facts) as Partial<IndexablePost>);
  const { authorId } = post;
  const authorIn = (id: string | undefined): string | null =>
    id === undefined || !/^\d{1,19}$/.test(id) ? null : authorOf(BigInt(id));
  const replied = facts.inReplyToUserId ?? authorIn(facts.replyToId);
  const quoted = authorIn(facts.quoteOfId);
  const reposted = facts.repostOfUserId ?? authorIn(facts.repostOfId);
  const mentions = post.terms.flags
    .filter((flag) => flag.startsWith('@'))
    .map((flag) => flag.slice(1));
  return {
    type: previous === undefined ? 'post.create' : 'post.edit',
    users: known([authorId, replied, quoted, reposted]),
    post: String(post.id),
    body: present({
      author_id: authorId,
      mentions: mentions.length > 0 ? mentions : null,
      in_reply_to_tweet_id: facts.replyToId,
      in_reply_to_user_id: replied,
      quoted_tweet_id: facts.quoteOfId,
      quoted_user_id: quoted,
      retweeted_tweet_id: facts.repostOfId,
      retweeted_user_id: reposted,
      previous_id: previous === undefined ? null : String(previous),
    }),
  };
}

/** The event of a deleted Post or version: `id`, `author_id`, and `created_at` in epoch ms. */
export function deletionEvent({
  id,
  authorId,
  createdAt,
}: Pick<PostRow, 'id' | 'authorId' | 'createdAt'>): NewEvent {
  return {
    type: 'post.delete',
    users: known([authorId]),
    post: String(id),
    body: present({ id: String(id), author_id: authorId, created_at: createdAt }),
  };
}

/** Types by kind of relation: of a new one, and of one that ends. */
const TYPES: Partial<Record<RelationKind, readonly [EventType, EventType | null]>> = {
  follow: ['follow.follow', 'follow.unfollow'],
  mute: ['mute.mute', 'mute.unmute'],
  block: ['block.block', 'block.unblock'],
  like: ['like.create', null],
};

/**
 * The event of a relation that begins or ends; null if none is known for it. Its body has `source_id`, and
 * `target_id`, or for a like `liked_tweet_id` and `liked_tweet_author_id`.
 */
export function relationEvent(
  kind: RelationKind,
  source: bigint,
  target: bigint,
  begins: boolean,
  authorOf: AuthorOf,
): NewEvent | null {
  const type = TYPES[kind]?.[begins ? 0 : 1];
  if (!type) return null;
  if (kind !== 'like') {
    const ids = { source_id: String(source), target_id: String(target) };
    return { type, users: known(Object.values(ids)), post: null, body: ids };
  }
  const author = authorOf(target);
  return {
    type,
    users: known([String(source), author]),
    post: String(target),
    body: present({
      source_id: String(source),
      liked_tweet_id: String(target),
      liked_tweet_author_id: author,
    }),
  };
}
