import { formatInstant } from '#contract/instant.ts';
import type { IndexablePost } from '#core/text/post.ts';
import { HOUR_MS } from '#core/time/span.ts';
import { object, type Json } from '#core/import/json.ts';
import { MAX_EDITS } from '#server/posts/store/versions.ts';

/** The time after its first version in which a Post may be edited (specification, Limits). */
export const EDIT_MS = HOUR_MS;

/**
 * The reason a Post can never be edited (platform-facts and its additions, section 3). This service has no promoted,
 * scheduled and collaborative Posts.
 *
 * @param fields - Further fields of the Post, in tweet names.
 * @returns A noun phrase such as `a Post with a poll`; null if it can be edited.
 */
export function editExclusion(post: Omit<IndexablePost, 'text'>, fields: Json = {}): string | null {
  const polls = object(fields.attachments)?.poll_ids;
  if (post.isRetweet) return 'a repost';
  if (Array.isArray(polls) && polls.length > 0) return 'a Post with a poll';
  if (post.isReply && post.inReplyToUserId !== post.authorId) return 'a reply to another account';
  if (fields.community_id !== undefined) return 'a Post in a community';
  if (post.isNullcast) return 'a Post with nullcast';
  if (fields.for_super_followers_only === true) return 'a Post for super followers only';
  return null;
}

/** The facts on which `edit_controls` of a Post depends. */
interface Editable {
  readonly post: IndexablePost;
  readonly fields: Json | undefined;
  /** The time at which the first version was created, epoch ms. */
  readonly firstAt: number;
  /** Number of edits; 0 by default. */
  readonly edits: number | undefined;
}

/** The `edit_controls` of a new Post or version. Eligibility does not end with the time (platform-facts-additions, section 3). */
export function controlsOf({ post, fields, firstAt, edits = 0 }: Editable) {
  return {
    edits_remaining: MAX_EDITS - edits,
    is_edit_eligible: editExclusion(post, fields) === null,
    editable_until: formatInstant(firstAt + EDIT_MS),
  };
}
