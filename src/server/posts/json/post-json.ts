import { formatInstant } from '#contract/instant.ts';
import { displayRange, entitiesOf } from '#core/text/entities.ts';
import { readId } from '#core/import/id.ts';
import { digits, object, objects, string, type Json } from '#core/import/json.ts';
import { allFacts } from './facts.ts';
import { sumMetrics } from './metrics.ts';
import { MAX_EDITS } from '#server/posts/store/versions.ts';
import { SUPERSEDED, type PostRow } from '#server/posts/store/post-table.ts';
import type { PostFinder } from '#server/posts/index/source.ts';
import type { PostField } from '#contract/posts/post-fields.ts';

/** Fields that every Post of an answer has (platform-facts section 4). */
export const DEFAULT_FIELDS: readonly PostField[] = ['id', 'text', 'edit_history_tweet_ids'];

/** Fields that the platform shows only to a Post's author or to the user; never included here. */
const PRIVATE: ReadonlySet<string> = new Set([
  'confirmed_email',
  'non_public_metrics',
  'organic_metrics',
  'promoted_metrics',
]);

/** Country codes for "withheld everywhere" and "withheld for a copyright claim" (docs.x.com, withheld content). */
const EVERYWHERE: ReadonlySet<unknown> = new Set(['XX', 'XY']);

/** A stored Post with its parsed `rest` column. */
export interface FoundPost {
  readonly row: PostRow;
  readonly rest: Json;
}

export function readJson(text: string | null): Json | null {
  return text === null ? null : object(JSON.parse(text));
}

export function foundPost(row: PostRow): FoundPost {
  return { row, rest: readJson(row.rest) ?? {} };
}

/** True if a Post was replaced by an edit. */
export function isSuperseded({ flags }: PostRow): boolean {
  return (flags & SUPERSEDED) !== 0;
}

/** The username of a Post's author now, else that of the time of the Post; null if neither is known. */
export function authorName(
  finder: PostFinder,
  { authorId, username }: Pick<PostRow, 'authorId' | 'username'>,
): string | null {
  const author = authorId === null ? null : readJson(finder.object('users', authorId));
  return string(author?.username) ?? username;
}

/** True if a user is verified now. */
export function isVerified(finder: PostFinder, userId: string): boolean {
  return readJson(finder.object('users', userId))?.verified === true;
}

/** True if the viewer may see what a user shares: all if it is not protected, else the user itself and its followers. */
export function isOpenTo(finder: PostFinder, userId: string): boolean {
  const { viewer } = finder;
  if (viewer === userId) return true;
  if (readJson(finder.object('users', userId))?.protected !== true) return true;
  const [source, target] = [viewer === undefined ? null : readId(viewer), readId(userId)];
  return source !== null && target !== null && finder.follows?.(source, target) === true;
}

/**
 * True if a Post may be shown: not if it is withheld everywhere, or if it or the Post that it reposts has a protected author
 * whom the viewer does not follow.
 */
export function isVisible({ row, rest }: FoundPost, finder: PostFinder): boolean {
  const countries = object(rest.withheld)?.country_codes;
  if (Array.isArray(countries) && countries.some((code) => EVERYWHERE.has(code))) return false;
  const authors = [row.authorId ?? [], allFacts(row).repostOfUserId ?? []].flat();
  return authors.every((id) => isOpenTo(finder, id));
}

/**
 * True if search shows a Post: if it is visible and was not replaced by an edit. Counts also include withheld Posts,
 * because they have no compliance filter (specification, Post counts), but none of a user who is not open to the reader.
 */
export function isShown(post: FoundPost, finder: PostFinder): boolean {
  return !isSuperseded(post.row) && isVisible(post, finder);
}

/**
 * A Post that the source does not have, as an imported answer or archive names it; null if none does, or if its author is not
 * open to the viewer.
 */
export function namedPost(finder: PostFinder, id: string): Json | null {
  const named = readJson(finder.object('tweets', id));
  const author = digits(named?.author_id);
  return author === undefined || isOpenTo(finder, author) ? named : null;
}

/** The Posts to which a Post refers: as imported, else by its indexed facts. */
export function references({ row, rest }: FoundPost): Json[] {
  const imported = objects(rest.referenced_tweets);
  if (imported.length > 0) return imported;
  const { replyToId, quoteOfId, repostOfId } = allFacts(row);
  const list: [type: string, id: string | undefined][] = [
    ['retweeted', repostOfId],
    ['quoted', quoteOfId],
    ['replied_to', replyToId],
  ];
  return list.flatMap(([type, id]) => (id === undefined ? [] : [{ type, id }]));
}

/**
 * The public metrics of a Post: as imported, with what was posted here in addition. Those that neither its import nor
 * this service knows are 0, because all are required.
 */
function metrics({ row, rest }: FoundPost, finder: PostFinder): Json {
  const { likes, replies, reposts } = allFacts(row);
  const imported = {
    retweet_count: reposts ?? 0,
    reply_count: replies ?? 0,
    like_count: likes ?? 0,
    quote_count: 0,
    bookmark_count: 0,
    impression_count: 0,
    ...object(rest.public_metrics),
  };
  const here = finder.answers(row.id);
  const answers = { reply_count: here.replies, quote_count: here.quotes };
  return sumMetrics(imported, { ...answers, ...finder.metrics?.(row.id) });
}

/** Ids of all versions of a Post, oldest first: of those made here, else as imported. */
export function editHistory({ row, rest }: FoundPost, finder: PostFinder): string[] {
  const versions = finder.versions(row.id).map(String);
  const imported = rest.edit_history_tweet_ids;
  return versions.length === 1 && Array.isArray(imported) ? imported.map(String) : versions;
}

/** True if and until when a Post may be edited: as stored with it, with the number of edits since. */
function editControls({ row, rest }: FoundPost, finder: PostFinder): Json | undefined {
  const controls = object(rest.edit_controls);
  const { length } = finder.versions(row.id);
  if (!controls || length === 1) return controls ?? undefined;
  return { ...controls, edits_remaining: MAX_EDITS - (length - 1) };
}

/** The part of the text that is shown: as imported, else by the text. */
function shownRange({ row, rest }: FoundPost): readonly number[] {
  const imported = rest.display_text_range ?? object(rest.archive)?.display_text_range;
  const range = Array.isArray(imported) ? imported.map(Number) : [];
  const isRange = range.length === 2 && range.every((n) => Number.isInteger(n) && n >= 0);
  return isRange ? range : displayRange(row.text, allFacts(row).isReply === true);
}

/** The entities of the text: as imported, else by the text; undefined if there are none. */
export function entities({ row, rest }: FoundPost): Json | undefined {
  const found = object(rest.entities) ?? { ...entitiesOf(row.text) };
  return Object.keys(found).length === 0 ? undefined : found;
}

/** Entities with the ids of the mentioned users that are known: those read from a text have none. */
function withIds(found: Json | undefined, finder: PostFinder): Json | undefined {
  if (!found || !Array.isArray(found.mentions)) return found;
  const mentions = objects(found.mentions).map((mention) => {
    const name = mention.id === undefined ? string(mention.username) : undefined;
    const id = name === undefined ? null : finder.userId(name.toLowerCase());
    return id === null ? mention : { ...mention, id };
  });
  return { ...found, mentions };
}

/** The value of a field; undefined if it is unknown. */
function valueOf(post: FoundPost, field: PostField, finder: PostFinder): unknown {
  const { row, rest } = post;
  switch (field) {
    case 'id':
      return String(row.id);
    case 'text':
      return row.text;
    case 'edit_history_tweet_ids':
      return editHistory(post, finder);
    case 'edit_controls':
      return editControls(post, finder);
    case 'created_at':
      return formatInstant(row.createdAt);
    case 'author_id':
      return row.authorId ?? undefined;
    case 'lang':
      return row.lang ?? undefined;
    case 'public_metrics':
      return metrics(post, finder);
    case 'referenced_tweets': {
      const list = references(post);
      return list.length === 0 ? undefined : list;
    }
    case 'entities':
      return withIds(entities(post), finder);
    case 'display_text_range':
      return shownRange(post);
    case 'paid_partnership':
      return rest[field] ?? false;
    case 'reply_settings':
      // Also without a stated setting (specification, Post read fields).
      return rest[field] ?? 'everyone';
    case 'in_reply_to_user_id':
      return rest[field] ?? allFacts(row).inReplyToUserId;
    case 'conversation_id':
      return rest[field] ?? allFacts(row).conversationId;
    default:
      return PRIVATE.has(field) ? undefined : (rest[field] ?? undefined);
  }
}

/** The JSON of a Post: the default fields and the requested ones, without unknown ones. */
export function postJson(post: FoundPost, fields: readonly PostField[], finder: PostFinder): Json {
  const named = [...new Set([...DEFAULT_FIELDS, ...fields])];
  const entries = named.map((field) => [field, valueOf(post, field, finder)] as const);
  return Object.fromEntries(entries.filter(([, value]) => value !== undefined));
}

/** The default and the requested members of a stored object. */
export function someOf(json: Json, always: readonly string[], fields: readonly string[]): Json {
  const names = new Set([...always, ...fields.filter((field) => !PRIVATE.has(field))]);
  return Object.fromEntries(
    [...names].flatMap((name) => (json[name] === undefined ? [] : [[name, json[name]]])),
  );
}
