import { invalidRequest, plainProblem } from '#contract/fault.ts';
import type { CreateRequest } from '#contract/posts.ts';
import { entitiesOf, leadingMentions } from '#core/text/entities.ts';
import { readId } from '#server/import/id.ts';
import { objects, string } from '#server/import/json.ts';
import type { Answered, Author } from '#server/posts/compose.ts';
import { allFacts } from '#server/posts/facts.ts';
import { entities, foundPost, isShown, readJson, references } from '#server/posts/post-json.ts';
import type { FoundPost } from '#server/posts/post-json.ts';
import type { PostFinder } from '#server/posts/source.ts';

type Reply = NonNullable<CreateRequest['reply']>;

/** A Post that a request names; null if there is none, or the viewer may not see it. */
function visible(finder: PostFinder, id: string): FoundPost | null {
  const wanted = readId(id);
  const [row] = wanted === null ? [] : finder.rows([wanted]);
  const post = row ? foundPost(row) : null;
  return post && isShown(post, finder) ? post : null;
}

/**
 * The id of a Post to quote.
 *
 * @param finder - As the author of the quote sees the source.
 * @throws {@link Fault} 400 if there is none (recorded, platform-facts-additions, section 3).
 */
export function quotedBy(finder: PostFinder, id: string): string {
  const post = visible(finder, id);
  if (post) return String(post.row.id);
  throw invalidRequest('quote_tweet_id', id, 'Your quote tweet ID is invalid.');
}

/**
 * The Post to answer, and the mentions that the reply begins with: its author and, if the request asks for them, the
 * accounts that it begins with itself.
 *
 * @param finder - As the author of the reply sees the source.
 * @returns `lead` is empty or ends with a space. `isSummoned` is as in {@link isSummoned}.
 * @throws {@link Fault} 403 if there is no such Post, or its author limits who may reply (recorded,
 *   platform-facts-additions, section 3).
 */
export function answeredBy(
  finder: PostFinder,
  author: Author,
  reply: Reply,
  text: string,
): { readonly post: Answered; readonly lead: string; readonly isSummoned: boolean } {
  const found = visible(finder, reply.in_reply_to_tweet_id);
  if (!found) {
    const detail = 'You attempted to reply to a Tweet that is deleted or not visible to you.';
    throw plainProblem(403, 'Forbidden', detail);
  }
  checkSettings(finder, author, found);
  const { row, rest } = found;
  const id = String(row.id);
  const conversationId = string(rest.conversation_id) ?? allFacts(row).conversationId ?? id;
  return {
    post: { id, authorId: row.authorId, username: row.username, conversationId },
    lead: leadOf(finder, author, found, reply, text),
    isSummoned: isSummoned(finder, author, found),
  };
}

/** Whether a Post mentions an account. */
function mentions(post: FoundPost, { username }: Author): boolean {
  const name = username.toLowerCase();
  return objects(entities(post)?.mentions).some(
    (mention) => string(mention.username)?.toLowerCase() === name,
  );
}

/**
 * Whether the author of a Post summons an account to reply: the Post mentions the account or quotes one of its Posts
 * (specification, Errors 5). Nobody summons itself.
 */
function isSummoned(finder: PostFinder, author: Author, post: FoundPost): boolean {
  if (post.row.authorId === author.id) return false;
  if (mentions(post, author)) return true;
  const quoted = references(post).flatMap(({ type, id }) =>
    type === 'quoted' ? (readId(string(id) ?? '') ?? []) : [],
  );
  return finder.rows(quoted).some(({ authorId }) => authorId === author.id);
}

/** Requires that the Post's author lets this account reply. */
function checkSettings(finder: PostFinder, author: Author, post: FoundPost): void {
  const setting = post.rest.reply_settings ?? 'everyone';
  if (setting === 'everyone' || post.row.authorId === author.id) return;
  const isVerified = readJson(finder.object('users', author.id))?.verified === true;
  if (mentions(post, author) || (setting === 'verified' && isVerified)) return;
  const detail = `The author of this Post limits who may reply: reply_settings is ${String(setting)}.`;
  throw plainProblem(403, 'Forbidden', detail);
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
  const isExcluded = (name: string): boolean => {
    const id = name === row.username ? row.authorId : finder.userId(name.toLowerCase());
    return id !== null && excluded.includes(id);
  };
  const answered = row.username === null ? [] : [row.username];
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
