import type { PostField, SearchRequest } from '#contract/search.ts';
import { formatInstant } from '#contract/instant.ts';
import { SUPERSEDED } from '#server/posts/post-table.ts';
import type { PostRow } from '#server/posts/post-table.ts';
import type { PostFinder } from '#server/posts/source.ts';
import { readId } from '#server/import/id.ts';
import { digits, object, objects, string } from '#server/import/json.ts';
import type { Json } from '#server/import/json.ts';
import { allFacts } from '#server/posts/facts.ts';

/** Fields that every Post of an answer has (platform-facts section 4). */
const DEFAULT_FIELDS: readonly PostField[] = ['id', 'text', 'edit_history_tweet_ids'];

/** Fields that the platform shows only to a Post's author; never included here. */
const PRIVATE: ReadonlySet<string> = new Set([
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

function readJson(text: string | null): Json | null {
  return text === null ? null : object(JSON.parse(text));
}

export function foundPost(row: PostRow): FoundPost {
  return { row, rest: readJson(row.rest) ?? {} };
}

/** Whether a Post was replaced by an edit. */
export function isSuperseded({ flags }: PostRow): boolean {
  return (flags & SUPERSEDED) !== 0;
}

/**
 * Whether search shows a Post: not if it was replaced by an edit, is withheld everywhere, or has a protected author.
 * Counts include such Posts, because they have no compliance filter (specification, Post counts).
 */
export function isShown({ row, rest }: FoundPost, finder: PostFinder): boolean {
  if (isSuperseded(row)) return false;
  const countries = object(rest.withheld)?.country_codes;
  if (Array.isArray(countries) && countries.some((code) => EVERYWHERE.has(code))) return false;
  const author = row.authorId === null ? null : finder.object('users', row.authorId);
  return readJson(author)?.protected !== true;
}

/** What a Post refers to: as imported, else by its indexed facts. */
function references({ row, rest }: FoundPost): Json[] {
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

/** The known public metrics of a Post. */
function metrics({ row, rest }: FoundPost): Json | undefined {
  const imported = object(rest.public_metrics);
  if (imported) return imported;
  const { likes, replies, reposts } = allFacts(row);
  const known = Object.entries({ retweet_count: reposts, reply_count: replies, like_count: likes });
  const some = known.filter(([, n]) => n !== undefined);
  return some.length === 0 ? undefined : Object.fromEntries(some);
}

/** The value of a field; undefined if it is unknown. */
function valueOf(post: FoundPost, field: PostField): unknown {
  const { row, rest } = post;
  switch (field) {
    case 'id':
      return String(row.id);
    case 'text':
      return row.text;
    case 'edit_history_tweet_ids':
      return Array.isArray(rest[field]) ? rest[field] : [String(row.id)];
    case 'created_at':
      return formatInstant(row.createdAt);
    case 'author_id':
      return row.authorId ?? undefined;
    case 'lang':
      return row.lang ?? undefined;
    case 'public_metrics':
      return metrics(post);
    case 'referenced_tweets': {
      const list = references(post);
      return list.length === 0 ? undefined : list;
    }
    case 'in_reply_to_user_id':
      return rest[field] ?? allFacts(row).inReplyToUserId;
    case 'conversation_id':
      return rest[field] ?? allFacts(row).conversationId;
    default:
      return PRIVATE.has(field) ? undefined : (rest[field] ?? undefined);
  }
}

/** The JSON of a Post: the default fields and the requested ones, without unknown ones. */
export function postJson(post: FoundPost, fields: readonly PostField[]): Json {
  const named = [...new Set([...DEFAULT_FIELDS, ...fields])];
  const entries = named.map((field) => [field, valueOf(post, field)] as const);
  return Object.fromEntries(entries.filter(([, value]) => value !== undefined));
}

/** The default and the requested members of a stored object. */
function some(json: Json, always: readonly string[], fields: readonly string[]): Json {
  const names = new Set([...always, ...fields.filter((field) => !PRIVATE.has(field))]);
  return Object.fromEntries(
    [...names].flatMap((name) => (json[name] === undefined ? [] : [[name, json[name]]])),
  );
}

/** The JSON of a user, from the stored object or at least a username; null if neither is known. */
function userOf(finder: PostFinder, id: string, username: string | null): Json | null {
  const stored = readJson(finder.object('users', id));
  const handle = string(stored?.username) ?? username;
  // `name` is required, so the handle replaces an unknown one.
  return handle === null ? null : { name: handle, username: handle, ...stored, id };
}

/** The `includes` of an answer; undefined if nothing was requested or found. */
export function includesOf(
  posts: readonly FoundPost[],
  request: SearchRequest,
  finder: PostFinder,
): Json | undefined {
  const expansions = new Set(request.expansions);
  const lists = { users: new Map(), tweets: new Map(), media: new Map(), places: new Map() };
  const all: Record<string, Map<string, Json>> = { ...lists, polls: new Map() };
  const put = (list: string, key: string, json: Json | null): void => {
    if (json) all[list]?.set(key, json);
  };
  const addUser = (id: string | undefined, username: string | null = null): void => {
    if (id === undefined || all.users?.has(id)) return;
    const user = userOf(finder, id, username);
    const fields = request['user.fields'] ?? [];
    put('users', id, user && some(user, ['id', 'name', 'username'], fields));
  };
  const addStored = (
    list: string,
    keys: unknown,
    always: readonly string[],
    fields: readonly string[] = [],
  ): void => {
    for (const key of Array.isArray(keys) ? keys.map(String) : []) {
      const stored = readJson(finder.object(list, key));
      put(list, key, stored && some(stored, always, fields));
    }
  };
  const tweetFields = request['tweet.fields'] ?? [];
  const withAuthors = expansions.has('referenced_tweets.id.author_id');
  const referred = withAuthors || expansions.has('referenced_tweets.id');
  const ids = referred
    ? posts.flatMap((post) => references(post).flatMap(({ id }) => digits(id) ?? []))
    : [];
  const numbers = ids.flatMap((id) => readId(id) ?? []);
  const found = new Map(finder.rows(numbers).map((row) => [String(row.id), foundPost(row)]));
  for (const id of ids) {
    const post = found.get(id);
    if (post) {
      if (!isShown(post, finder)) continue;
      put('tweets', id, postJson(post, tweetFields));
      if (withAuthors) addUser(post.row.authorId ?? undefined, post.row.username);
      continue;
    }
    const stored = readJson(finder.object('tweets', id));
    put('tweets', id, stored && some(stored, DEFAULT_FIELDS, tweetFields));
    if (withAuthors) addUser(digits(stored?.author_id));
  }
  for (const { row, rest } of posts) {
    if (expansions.has('author_id')) addUser(row.authorId ?? undefined, row.username);
    if (expansions.has('in_reply_to_user_id')) {
      const facts = allFacts(row);
      addUser(
        digits(rest.in_reply_to_user_id) ?? facts.inReplyToUserId,
        facts.inReplyToUsername ?? null,
      );
    }
    const attached = object(rest.attachments);
    if (expansions.has('attachments.media_keys')) {
      addStored('media', attached?.media_keys, ['media_key', 'type'], request['media.fields']);
    }
    if (expansions.has('attachments.poll_ids')) {
      addStored('polls', attached?.poll_ids, ['id', 'options'], request['poll.fields']);
    }
    if (expansions.has('geo.place_id')) {
      const place = digits(object(rest.geo)?.place_id);
      addStored('places', place && [place], ['id', 'full_name'], request['place.fields']);
    }
  }
  const filled = Object.entries(all).filter(([, list]) => list.size > 0);
  if (filled.length === 0) return undefined;
  return Object.fromEntries(filled.map(([name, list]) => [name, [...list.values()]]));
}
