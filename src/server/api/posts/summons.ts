import type { Access } from '#contract/accounts/access.ts';
import { Fault, PROBLEMS } from '#contract/fault.ts';
import { entitiesOf } from '#core/text/entities.ts';
import { readId } from '#core/import/id.ts';
import { digits, object, objects, string } from '#core/import/json.ts';
import type { Author } from '#server/posts/editor/compose.ts';
import { entities, readJson, references, type FoundPost } from '#server/posts/json/post-json.ts';
import type { PostFinder } from '#server/posts/index/source.ts';

/** True if the rules of the self-service levels apply to a caller. */
export function isSelfService(access: Access): boolean {
  return access !== 'enterprise';
}

/** A refusal of the self-service rules (form recorded, platform-facts-additions, section 3). */
function refused(detail: string): Fault {
  return new Fault(403, {
    title: 'Authorization Error',
    status: 403,
    type: `${PROBLEMS}not-authorized-for-resource`,
    detail,
  });
}

/** Recorded since 2026-07-16 (platform-facts-additions, section 3). */
const UNSUMMONED =
  'You can only reply to or quote posts where you are mentioned or are the author.';

/** True if the whole text of a Post mentions an account. */
export function mentions({ rest, ...post }: FoundPost, { id, username }: Author): boolean {
  const name = username.toLowerCase();
  const all = [entities({ rest, ...post }), object(object(rest.note_tweet)?.entities)];
  return all
    .flatMap((found) => objects(found?.mentions))
    .some((each) => digits(each.id) === id || string(each.username)?.toLowerCase() === name);
}

/** True if a Post quotes one of an account's Posts. */
function quotes(finder: PostFinder, post: FoundPost, { id: account }: Author): boolean {
  return references(post).some(({ type, id }) => {
    const quoted = type === 'quoted' ? readId(digits(id) ?? '') : null;
    if (quoted === null) return false;
    const [row] = finder.rows([quoted]);
    const author = row
      ? row.authorId
      : readJson(finder.object('tweets', String(quoted)))?.author_id;
    return author === account;
  });
}

/**
 * True if the author of a Post summons an account to reply: the Post mentions the account or quotes one of its Posts
 * (specification, Errors 5). Nobody summons itself.
 */
export function isSummoned(finder: PostFinder, author: Author, post: FoundPost): boolean {
  if (post.row.authorId === author.id) return false;
  return mentions(post, author) || quotes(finder, post, author);
}

/**
 * Requires a summon for a reply (specification, Endpoints, rule 4).
 *
 * @throws {@link Fault} 403 if the Post has another author, who neither mentions the replier in it nor quotes one of the
 *   replier's Posts with it.
 */
export function checkSummon(finder: PostFinder, author: Author, post: FoundPost): void {
  if (post.row.authorId === author.id) return;
  if (mentions(post, author) || quotes(finder, post, author)) return;
  throw refused(UNSUMMONED);
}

/** Allows quotes of the author's own Posts alone. @throws {@link Fault} 403 for others. */
export function checkQuote(author: Author, post: FoundPost): void {
  if (post.row.authorId === author.id) return;
  const detail = 'You can only quote your own posts at this access level.';
  throw refused(mentions(post, author) ? detail : UNSUMMONED);
}

/** @throws {@link Fault} 403 for a text with several cashtags (recorded, platform-facts-additions, section 3). */
export function checkCashtags(text: string): void {
  if ((entitiesOf(text).cashtags ?? []).length < 2) return;
  throw refused('Posts are limited to a maximum of one cashtag ($SYMBOL)');
}
