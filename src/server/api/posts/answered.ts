import { invalidRequest, invalidWith, plainProblem } from '#contract/fault.ts';
import type { Access } from '#contract/accounts/access.ts';
import { entitiesOf, leadingMentions } from '#core/text/entities.ts';
import { readId } from '#core/import/id.ts';
import { digits, objects, string } from '#core/import/json.ts';
import type { Answered, Author } from '#server/posts/editor/compose.ts';
import { allFacts } from '#server/posts/json/facts.ts';
import {
  authorName,
  entities,
  foundPost,
  isShown,
  isVerified,
  type FoundPost,
} from '#server/posts/json/post-json.ts';
import type { PostFinder } from '#server/posts/index/source.ts';
import { checkQuote, checkSummon, isSelfService, isSummoned, mentions } from './summons.ts';
import type { CreateRequest } from '#contract/posts/create-request.ts';

type Reply = NonNullable<CreateRequest['reply']>;

/** A Post that a request names; null if there is none, or the viewer may not see it. */
function visible(finder: PostFinder, id: string): FoundPost | null {
  const wanted = readId(id);
  const [row] = wanted === null ? [] : finder.rows([wanted]);
  const post = row ? foundPost(row) : null;
  return post && isShown(post, finder) ? post : null;
}

/** An account that posts, and the access level of its app. */
export interface Poster {
  readonly user: Author;
  readonly access: Access;
}

/**
 * The id of a Post to quote.
 *
 * @param finder - As the author of the quote sees the source.
 * @throws {@link Fault} 400 if there is none (recorded, platform-facts-additions, section 3), 403 if the access level
 *   does not allow it.
 */
export function quotedBy(finder: PostFinder, { user, access }: Poster, id: string): string {
  const post = visible(finder, id);
  if (!post) throw invalidRequest('quote_tweet_id', id, 'Your quote tweet ID is invalid.');
  if (isSelfService(access)) checkQuote(user, post);
  return String(post.row.id);
}

/**
 * The Post to answer, and the mentions that the reply begins with: its author and, if the request asks for them, the
 * accounts that it begins with itself.
 *
 * @param finder - As the author of the reply sees the source.
 * @returns `lead` is empty or ends with a space. `isSummoned`: whether the answered Post summons the author.
 * @throws {@link Fault} 400 for an id that no Post can have, and for accounts to exclude that are unknown; 403 if there
 *   is no such Post, its author limits who may reply, or the access level needs a summon (recorded,
 *   platform-facts-additions, section 3).
 */
export function answeredBy(
  finder: PostFinder,
  { user: author, access }: Poster,
  reply: Reply,
  text: string,
): { readonly post: Answered; readonly lead: string; readonly isSummoned: boolean } {
  const { in_reply_to_tweet_id: wanted } = reply;
  if (readId(wanted) === null) {
    const parameter = 'reply.in_reply_to_tweet_id';
    throw invalidRequest(parameter, wanted, 'Your reply tweet ID is invalid.');
  }
  const found = visible(finder, wanted);
  if (!found) {
    const detail = 'You attempted to reply to a Tweet that is deleted or not visible to you.';
    throw plainProblem(403, 'Forbidden', detail);
  }
  checkSettings(finder, author, found);
  if (isSelfService(access)) checkSummon(finder, author, found);
  checkExcluded(finder, found, reply);
  const { row, rest } = found;
  const id = String(row.id);
  const conversationId = string(rest.conversation_id) ?? allFacts(row).conversationId ?? id;
  return {
    post: { id, authorId: row.authorId, username: authorName(finder, row), conversationId },
    lead: leadOf(finder, author, found, reply, text),
    isSummoned: isSummoned(finder, author, found),
  };
}

/** True if an author follows an account. */
function isFollowedBy(finder: PostFinder, { id }: Author, author: string | null): boolean {
  const [source, target] = [author === null ? null : readId(author), readId(id)];
  return source !== null && target !== null && finder.follows?.(source, target) === true;
}

/** Requires that the Post's author lets this account reply. */
function checkSettings(finder: PostFinder, author: Author, post: FoundPost): void {
  const setting = post.rest.reply_settings ?? 'everyone';
  if (setting === 'everyone' || post.row.authorId === author.id) return;
  if (mentions(post, author)) return;
  if (setting === 'verified' && isVerified(finder, author.id)) return;
  if (setting === 'following' && isFollowedBy(finder, author, post.row.authorId)) return;
  const detail = `The author of this Post limits who may reply: reply_settings is ${String(setting)}.`;
  throw plainProblem(403, 'Forbidden', detail);
}

/** Requires that the accounts to exclude are known, or belong to the answered Post. */
function checkExcluded(finder: PostFinder, post: FoundPost, reply: Reply): void {
  const { exclude_reply_user_ids: excluded = [] } = reply;
  const mentioned = objects(entities(post)?.mentions).map(({ id }) => digits(id));
  const present = new Set([post.row.authorId, ...mentioned]);
  const odd = excluded.filter((id) => !present.has(id) && finder.object('users', id) === null);
  if (odd.length === 0) return;
  throw invalidWith({
    parameters: { 'reply.exclude_reply_user_ids': odd },
    message: 'Your exclude reply user IDs are invalid.',
  });
}

/** The usernames that a text begins with. */
function namesAtStart(text: string): string[] {
  return (entitiesOf(leadingMentions(text)).mentions ?? []).map(({ username }) => username);
}

function leadOf(
  finder: PostFinder,
  author: Author,
  { row }: FoundPost,
  { exclude_reply_user_ids: excluded = [], auto_populate_reply_metadata: all }: Reply,
  text: string,
): string {
  const authorIs = authorName(finder, row);
  const isExcluded = (name: string): boolean => {
    const id = name === authorIs ? row.authorId : finder.userId(name.toLowerCase());
    return id !== null && excluded.includes(id);
  };
  const answered = authorIs === null ? [] : [authorIs];
  const others = all === true ? namesAtStart(row.text) : [];
  const taken = new Set([author.username, ...namesAtStart(text)].map((name) => name.toLowerCase()));
  let lead = '';
  for (const name of [...answered, ...others]) {
    if (taken.has(name.toLowerCase()) || isExcluded(name)) continue;
    taken.add(name.toLowerCase());
    lead += `@${name} `;
  }
  return lead;
}
