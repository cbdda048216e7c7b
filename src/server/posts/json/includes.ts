import type { Selection } from '#contract/posts/selection.ts';
import type { Vocabulary } from '#contract/vocabulary.ts';
import { readId } from '#core/import/id.ts';
import { digits, object, objects, string, type Json } from '#core/import/json.ts';
import { allFacts } from './facts.ts';
import { notAuthorized, notFound, type PartialError } from './partial-error.ts';
import { pollJson } from '#server/posts/store/polls.ts';
import {
  DEFAULT_FIELDS,
  editHistory,
  entities,
  foundPost,
  isShown,
  isVisible,
  namedPost,
  postJson,
  readJson,
  references,
  someOf,
  type FoundPost,
} from './post-json.ts';
import type { PostFinder } from '#server/posts/index/source.ts';
import { userJson } from './user-json.ts';
import { inVocabulary } from '#contract/posts/vocabulary-names.ts';
import { RENAMED_FIELDS, type Expansion } from '#contract/posts/post-fields.ts';

/** Expansions that add the Posts that a Post refers to. */
const OF_REFERENCES: readonly Expansion[] = [
  'referenced_tweets.id',
  'referenced_tweets.id.author_id',
  'referenced_tweets.id.attachments.media_keys',
];

/** The JSON of a user, from the stored object or at least a username; null if neither is known. */
function userOf(finder: PostFinder, id: string, username: string | null): Json | null {
  const stored = readJson(finder.object('users', id));
  const handle = string(stored?.username) ?? username;
  // `name` is required, so the handle replaces an unknown one.
  return handle === null ? null : { name: handle, username: handle, ...stored, id };
}

function idsIn(list: unknown): string[] {
  return Array.isArray(list) ? list.flatMap((id) => digits(id) ?? []) : [];
}

function mediaKeys(attachments: unknown): string[] {
  const keys = object(attachments)?.media_keys;
  return Array.isArray(keys) ? keys.map(String) : [];
}

/** The objects of `includes` in tweet names, by list and key. */
class Includes {
  readonly lists: Record<string, Map<string, Json>> = {};
  readonly #finder: PostFinder;
  readonly #selection: Selection;
  readonly #now: number;

  constructor(finder: PostFinder, selection: Selection, now: number) {
    this.#finder = finder;
    this.#selection = selection;
    this.#now = now;
  }

  put(list: string, key: string, json: Json | null): void {
    if (json) (this.lists[list] ??= new Map()).set(key, json);
  }

  addUser(id: string | undefined, username: string | null = null): void {
    if (id === undefined || this.lists.users?.has(id)) return;
    const user = userOf(this.#finder, id, username);
    this.put('users', id, user && userJson(user, this.#selection.users, this.#finder));
  }

  addMentioned(found: Json | null | undefined): void {
    for (const { id, username } of objects(found?.mentions)) {
      const name = string(username) ?? null;
      // Mentions that were read from a text have no ids.
      const known = name === null ? null : this.#finder.userId(name.toLowerCase());
      this.addUser(digits(id) ?? known ?? undefined, name);
    }
  }

  /** Adds a stored object of a kind, with its required and its requested members. */
  addStored(
    list: string,
    key: string | undefined,
    always: readonly string[],
    fields: readonly string[],
  ): void {
    const stored = key === undefined ? null : readJson(this.#finder.object(list, key));
    if (key !== undefined) this.put(list, key, stored && someOf(stored, always, fields));
  }

  addPoll(id: string): void {
    const stored = readJson(this.#finder.object('polls', id));
    const poll = stored && pollJson(stored, this.#now);
    this.put('polls', id, poll && someOf(poll, ['id', 'options'], this.#selection.polls));
  }

  addMedia(keys: readonly string[]): void {
    for (const key of keys)
      this.addStored('media', key, ['media_key', 'type'], this.#selection.media);
  }
}

/** Adds the objects that a Post itself names. */
function addOwn(post: FoundPost, { expansions, places }: Selection, into: Includes): void {
  const { row, rest } = post;
  const has = (expansion: Expansion): boolean => expansions.has(expansion);
  if (has('author_id')) into.addUser(row.authorId ?? undefined, row.username);
  if (has('in_reply_to_user_id')) {
    const { inReplyToUserId, inReplyToUsername } = allFacts(row);
    into.addUser(digits(rest.in_reply_to_user_id) ?? inReplyToUserId, inReplyToUsername ?? null);
  }
  if (has('entities.mentions.username')) into.addMentioned(entities(post));
  if (has('entities.note.mentions.username')) {
    into.addMentioned(object(object(rest.note_tweet)?.entities));
  }
  const attached = object(rest.attachments);
  if (has('attachments.media_keys')) into.addMedia(mediaKeys(attached));
  const article = object(rest.article);
  if (has('article.cover_media')) into.addMedia([article?.cover_media].flatMap(strings));
  if (has('article.media_entities'))
    into.addMedia([article?.media_entities].flat().flatMap(strings));
  if (has('attachments.poll_ids')) {
    for (const id of idsIn(attached?.poll_ids)) into.addPoll(id);
  }
  if (has('geo.place_id')) {
    const place = digits(object(rest.geo)?.place_id);
    into.addStored('places', place, ['id', 'full_name'], places);
  }
}

function strings(value: unknown): string[] {
  return typeof value === 'string' ? [value] : [];
}

/** The other versions of a Post, if an expansion adds them. */
function versionsNamedBy(post: FoundPost, { expansions }: Selection, finder: PostFinder): string[] {
  if (!expansions.has('edit_history_tweet_ids')) return [];
  return editHistory(post, finder).filter((id) => id !== String(post.row.id));
}

function referencedBy(post: FoundPost): string[] {
  return idsIn(references(post).map(({ id }) => id));
}

/** The ids of the Posts that expansions add for a Post, apart from its own versions. */
function postsNamedBy(post: FoundPost, { expansions }: Selection): string[] {
  const { rest } = post;
  const named: string[] = [];
  if (OF_REFERENCES.some((name) => expansions.has(name))) named.push(...referencedBy(post));
  if (expansions.has('attachments.media_source_tweet')) {
    named.push(...idsIn(object(rest.attachments)?.media_source_tweet_id));
  }
  return named;
}

/** The expansion whose Posts are reported where they cannot be added, as the platform does (recorded for search). */
const REPORTED = 'referenced_tweets.id';

/**
 * Adds the Posts that others name: from the table, else as an answer once included them.
 *
 * @returns An error for each that {@link REPORTED} cannot add.
 */
function addPosts(
  posts: readonly FoundPost[],
  selection: Selection,
  finder: PostFinder,
  into: Includes,
): PartialError[] {
  const { expansions, fields, vocabulary } = selection;
  const reported = new Set(expansions.has(REPORTED) ? posts.flatMap(referencedBy) : []);
  const parameter = vocabulary === 'tweet' ? REPORTED : (RENAMED_FIELDS[REPORTED] ?? REPORTED);
  const errors: PartialError[] = [];
  const versions = new Set(posts.flatMap((post) => versionsNamedBy(post, selection, finder)));
  const ids = [...posts.flatMap((post) => postsNamedBy(post, selection)), ...versions];
  const numbers = ids.flatMap((id) => readId(id) ?? []);
  const found = new Map(finder.rows(numbers).map((row) => [String(row.id), foundPost(row)]));
  for (const id of new Set(ids)) {
    const post = found.get(id);
    const mayShow = versions.has(id) ? isVisible : isShown;
    const stored = post ? null : namedPost(finder, id);
    if (reported.has(id) && !stored && !(post && isVisible(post, finder))) {
      const named = { value: id, resource_type: 'tweet', parameter } as const;
      errors.push(post ? notAuthorized(named) : notFound(named));
    }
    if (post && !mayShow(post, finder)) continue;
    into.put(
      'tweets',
      id,
      post ? postJson(post, fields, finder) : stored && someOf(stored, DEFAULT_FIELDS, fields),
    );
    if (expansions.has('referenced_tweets.id.author_id')) {
      into.addUser(
        post ? (post.row.authorId ?? undefined) : digits(stored?.author_id),
        post?.row.username,
      );
    }
    if (expansions.has('referenced_tweets.id.attachments.media_keys')) {
      into.addMedia(mediaKeys(post ? post.rest.attachments : stored?.attachments));
    }
  }
  return errors;
}

/** The `includes` of an answer in the names of a vocabulary. */
function namedIncludes(
  includes: Readonly<Record<string, readonly Json[]>>,
  vocabulary: Vocabulary,
): Json {
  if (vocabulary === 'tweet') return includes;
  const { tweets, users, ...others } = includes;
  const named = (list: readonly Json[]): Json[] =>
    list.map((json) => inVocabulary(json, vocabulary));
  return {
    ...others,
    ...(tweets && { posts: named(tweets) }),
    ...(users && { users: named(users) }),
  };
}

function collected(
  posts: readonly FoundPost[],
  selection: Selection,
  finder: PostFinder,
  now: number,
): { readonly lists: Record<string, Json[]>; readonly errors: readonly PartialError[] } {
  const into = new Includes(finder, selection, now);
  const errors = addPosts(posts, selection, finder, into);
  for (const post of posts) addOwn(post, selection, into);
  const lists = Object.entries(into.lists).map(([name, list]) => [name, [...list.values()]]);
  return { lists: Object.fromEntries(lists), errors };
}

/**
 * The lists of what expansions add, in tweet names.
 *
 * @param now - Epoch ms, for polls that end.
 */
export function includesOf(...of: Parameters<typeof collected>): Record<string, Json[]> {
  return collected(...of).lists;
}

/**
 * The `includes` of an answer, in the names of its vocabulary, and the reasons why Posts are not among them. A member
 * without content is absent.
 *
 * @param now - Epoch ms, for polls that end.
 */
export function expansionsOf(...of: Parameters<typeof collected>): {
  readonly includes?: Json;
  readonly errors?: readonly PartialError[];
} {
  const { lists, errors } = collected(...of);
  return {
    ...(Object.keys(lists).length > 0 && { includes: namedIncludes(lists, of[1].vocabulary) }),
    ...(errors.length > 0 && { errors }),
  };
}
