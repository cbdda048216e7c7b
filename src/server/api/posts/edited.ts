import { invalidParameters, invalidRequest, plainProblem, type Fault } from '#contract/fault.ts';
import { formatInstant } from '#contract/instant.ts';
import { readId } from '#core/import/id.ts';
import type { Json } from '#core/import/json.ts';
import type { Author, PostParts } from '#server/posts/editor/compose.ts';
import { EDIT_MS, editExclusion } from '#server/posts/editor/editing.ts';
import { allFacts } from '#server/posts/json/facts.ts';
import { foundPost, isVisible, type FoundPost } from '#server/posts/json/post-json.ts';
import type { PostFinder } from '#server/posts/index/source.ts';
import { MAX_EDITS } from '#server/posts/store/versions.ts';
import { isPremium, subscriptionOf } from './subscription.ts';
import { EXCLUSIVE, ONLY_ONE, type CreateRequest } from '#contract/posts/create-request.ts';

/** The newest version of a Post, which may be edited. */
export interface EditedPost extends FoundPost {
  /** Ids of all versions, oldest first. */
  readonly versions: readonly bigint[];
  /** The time at which the first version was created, epoch ms. */
  readonly firstAt: number;
}

/** 403 that names the rule. */
export function notEditable(rule: string): Fault {
  return plainProblem(403, 'Forbidden', `You are not permitted to edit this Post: ${rule}.`);
}

/** The rule that is broken by an edit of a version that has a newer one. */
export function onlyNewest(newest: bigint | undefined): string {
  return `only the newest version of a Post may be edited, which is ${newest ?? 'another one'}`;
}

/** The first rule that an edit breaks; null if it breaks none. */
function brokenRule(
  finder: PostFinder,
  author: Author,
  { row, rest, versions, firstAt }: EditedPost,
  now: number,
): string | null {
  if (row.authorId !== author.id) return 'only its author may edit a Post';
  if (!isPremium(finder, author.id)) {
    return `editing needs a Premium or PremiumPlus subscription, and @${author.username} has ${subscriptionOf(finder, author.id)}`;
  }
  const newest = versions.at(-1);
  if (newest !== row.id) return onlyNewest(newest);
  const excluded = editExclusion(allFacts(row), rest);
  if (excluded !== null) return `${excluded} cannot be edited`;
  if (now > firstAt + EDIT_MS) {
    return `a Post may be edited for an hour after its first version was created; for this one the hour ended at ${formatInstant(firstAt + EDIT_MS)}`;
  }
  return versions.length > MAX_EDITS ? `a Post may be edited at most ${MAX_EDITS} times` : null;
}

/**
 * The Post that a request edits.
 *
 * @param finder - As the author sees the source.
 * @param id - 1 to 19 digits, as sent.
 * @param now - Epoch ms.
 * @throws {@link Fault} 400 if there is no such Post, 403 that names the rule by which it may not be edited.
 */
export function editedBy(finder: PostFinder, author: Author, id: string, now: number): EditedPost {
  const wanted = readId(id);
  const [row] = wanted === null ? [] : finder.rows([wanted]);
  const found = row && foundPost(row);
  if (!found || !isVisible(found, finder)) {
    const parameter = 'edit_options.previous_post_id';
    throw invalidRequest(parameter, id, 'Your previous post ID is invalid.');
  }
  const versions = finder.versions(found.row.id);
  const [first] = finder.rows(versions.slice(0, 1));
  const edited = { ...found, versions, firstAt: (first ?? found.row).createdAt };
  const rule = brokenRule(finder, author, edited, now);
  if (rule !== null) throw notEditable(rule);
  return edited;
}

/** Fields that a new version takes over unless its request has them. */
const CARRIED = [
  'attachments',
  'geo',
  'card_uri',
  'direct_message_deep_link',
  'reply_settings',
  'paid_partnership',
  'made_with_ai',
] as const;

/**
 * The parts that a new version of a Post takes over from the one before: its conversation, what it replies to and
 * quotes, and its further fields.
 *
 * @throws {@link Fault} 400 if the request adds what a quote excludes.
 */
export function carriedFrom(
  { row, rest, versions, firstAt }: EditedPost,
  request: CreateRequest,
): Pick<PostParts, 'answered' | 'quoted' | 'edit'> & { readonly fields: Json } {
  const { conversationId, replyToId, inReplyToUserId, inReplyToUsername, quoteOfId, ...facts } =
    allFacts(row);
  const members: Json = { ...request };
  const sent = EXCLUSIVE.filter((name) => members[name] !== undefined);
  if (quoteOfId !== undefined && sent.length > 0) {
    throw invalidParameters(sent.map((parameter) => ({ parameter, message: ONLY_ONE })));
  }
  const carried = CARRIED.filter(
    (name) => rest[name] !== undefined && !(sent.length > 0 && isExclusive(name)),
  );
  const { hasMedia, hasImages, hasVideo, hasGeo, places, country, boxes } = facts;
  const media = sent.length > 0 ? {} : { hasMedia, hasImages, hasVideo };
  const known = { conversationId, ...media, hasGeo, places, country, boxes };
  return {
    ...(replyToId !== undefined && {
      answered: {
        id: replyToId,
        authorId: inReplyToUserId ?? null,
        username: inReplyToUsername ?? null,
        conversationId: conversationId ?? String(versions[0]),
      },
    }),
    ...(quoteOfId !== undefined && { quoted: quoteOfId }),
    edit: {
      firstAt,
      edits: versions.length,
      facts: Object.fromEntries(Object.entries(known).filter(([, value]) => value !== undefined)),
    },
    fields: Object.fromEntries(carried.map((name) => [name, rest[name]])),
  };
}

/** True if a field excludes others of its kind, of which the request has one. */
function isExclusive(name: (typeof CARRIED)[number]): boolean {
  return name === 'attachments' || name === 'card_uri' || name === 'direct_message_deep_link';
}
