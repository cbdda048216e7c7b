import type { MutablePost } from '#core/text/post.ts';
import { shown } from '#core/readers/error.ts';
import type { Draft } from './draft.ts';
import { readId } from './id.ts';
import { Includes, type IncludedObject } from './includes.ts';
import { readInstant } from './instant.ts';
import { placeFacts, setMetrics, setPlace } from './place.ts';
import { digits, object, objects, string, strings, type Json } from './json.ts';

/** Fields with their own column, what twarc adds to a flattened Post, and requests for notes: not stored in `rest`. */
const NOT_REST = new Set([
  'id',
  'text',
  'created_at',
  'author_id',
  'lang',
  'author',
  'in_reply_to_user',
  '__twarc',
  'notes_requested',
  'note_links',
  'suggested_source_links_with_counts',
]);

/** Reads the id and time of a Post; returns a reason if one of them is wrong. */
export function readIdAndTime(
  id: unknown,
  time: unknown,
): Pick<Draft, 'id' | 'createdAt'> | string {
  const idText = digits(id);
  if (idText === undefined && typeof id === 'number') {
    return `its id ${id} is a number too large to be exact; ids must be text`;
  }
  const read = idText === undefined ? null : readId(idText);
  if (read === null && idText !== undefined) {
    return `the id "${shown(idText)}" is not a number between 1 and 2^63 − 1`;
  }
  const timeText = digits(time);
  const createdAt = timeText === undefined ? null : readInstant(timeText);
  if (createdAt === null && timeText !== undefined) {
    return `the time "${shown(timeText)}" is not of the form 2017-08-27T04:05:34Z`;
  }
  return { id: read, createdAt };
}

/** Reads the entities of a Post, each list complete; does nothing if there are none at all. */
export function readEntities(post: MutablePost, found: readonly Json[]): void {
  if (found.length === 0) return;
  post.hashtags = found.flatMap((entities) => strings(entities.hashtags, 'tag'));
  post.mentions = found.flatMap((entities) => strings(entities.mentions, 'username'));
  post.cashtags = found.flatMap((entities) => strings(entities.cashtags, 'tag'));
  post.urls = found.flatMap((entities) => [
    ...strings(entities.urls, 'url'),
    ...strings(entities.urls, 'expanded_url'),
  ]);
}

/** Reads media by type; `photo` is an image, `video` and `animated_gif` are not. */
export function readMedia(post: MutablePost, types: readonly string[]): void {
  if (types.length === 0) return;
  post.hasMedia = true;
  post.hasImages = types.includes('photo');
  post.hasVideo = types.includes('video');
}

/** The beginning of a repost; used if nothing else names the author. */
const REPOST = /^RT @(\w{1,20}):/;

/** The reposted author, from the text alone. */
export function repostedName(text: string): string | undefined {
  return REPOST.exec(text)?.[1];
}

function readReferences(post: MutablePost, raw: Json, includes: Includes): void {
  for (const reference of objects(raw.referenced_tweets)) {
    const id = digits(reference.id);
    if (reference.type === 'replied_to') {
      post.isReply = true;
      if (id !== undefined) post.replyToId = id;
    } else if (reference.type === 'quoted') {
      post.isQuote = true;
      if (id !== undefined) post.quoteOfId = id;
    } else if (reference.type === 'retweeted') {
      post.isRetweet = true;
      if (id !== undefined) post.repostOfId = id;
      const author = id === undefined ? undefined : includes.author(id);
      const name = includes.username(author) ?? repostedName(post.text);
      if (author !== undefined) post.repostOfUserId = author;
      if (name !== undefined) post.repostOfUsername = name;
    }
  }
}

/** Reads the place by its id, or as twarc writes it into `geo` itself, and the Post's own point. */
function readGeo(post: MutablePost, geo: Json | null, includes: Includes): void {
  if (!geo) return;
  const id = digits(geo.place_id);
  const inside = placeFacts({ ...geo, id: geo.id ?? id });
  setPlace(post, includes.place(id) ?? inside, object(geo.coordinates)?.coordinates);
}

function readAnnotations(post: MutablePost, raw: Json, entities: readonly Json[]): void {
  const contexts = objects(raw.context_annotations).flatMap((annotation) => {
    const domain = digits(object(annotation.domain)?.id);
    const entity = digits(object(annotation.entity)?.id);
    return domain === undefined || entity === undefined ? [] : [`${domain}.${entity}`];
  });
  if (contexts.length > 0) post.contexts = contexts;
  const names = entities.flatMap((each) => strings(each.annotations, 'normalized_text'));
  if (names.length > 0) post.entities = names;
}

/**
 * Reads a v2 Post, plain or flattened by twarc (with `author` and referenced objects inside it).
 *
 * @param includes - The objects that the answer included; those inside a flattened Post are added to it.
 * @param stored - Objects found inside the Post are added here.
 * @returns The draft, or the reason for refusing it.
 */
export function readV2Post(
  raw: Json,
  includes: Includes,
  stored: IncludedObject[],
): Draft | string {
  const idAndTime = readIdAndTime(raw.id, raw.created_at);
  if (typeof idAndTime === 'string') return idAndTime;
  if (typeof raw.text !== 'string') {
    const isCount = 'tweet_count' in raw || 'post_count' in raw;
    return isCount ? 'is a count of Posts, not a Post' : 'has no text';
  }
  const rest: Record<string, unknown> = {};
  for (const name of Object.keys(raw)) if (!NOT_REST.has(name)) rest[name] = raw[name];
  for (const name of ['author', 'in_reply_to_user']) {
    const user = includes.add('users', raw[name]);
    if (user) stored.push(user);
  }
  unflatten(raw, rest, includes, stored);

  const note = object(raw.note_tweet);
  const post: MutablePost = { text: string(note?.text) ?? raw.text };
  const authorId = digits(raw.author_id) ?? digits(object(raw.author)?.id);
  const username = includes.username(authorId) ?? string(object(raw.author)?.username);
  const lang = string(raw.lang);
  if (authorId !== undefined) post.authorId = authorId;
  if (username !== undefined) post.username = username;
  if (lang !== undefined) post.lang = lang;
  if (includes.isVerified(authorId)) post.isVerified = true;
  if (raw.nullcast === true) post.isNullcast = true;
  if (raw.geo !== undefined && raw.geo !== null) post.hasGeo = true;
  readGeo(post, object(raw.geo), includes);
  readReferences(post, raw, includes);
  const repliedTo = digits(raw.in_reply_to_user_id);
  if (repliedTo !== undefined) post.isReply = true;
  if (repliedTo !== undefined) {
    post.inReplyToUserId = repliedTo;
    const name = includes.username(repliedTo);
    if (name !== undefined) post.inReplyToUsername = name;
  }
  const conversation = digits(raw.conversation_id);
  if (conversation !== undefined) post.conversationId = conversation;
  const entities = [raw.entities, note?.entities].map(object).filter((e) => e !== null);
  readEntities(post, entities);
  readAnnotations(post, raw, entities);
  const metrics = object(raw.public_metrics);
  setMetrics(post, {
    likes: metrics?.like_count,
    replies: metrics?.reply_count,
    reposts: metrics?.retweet_count,
  });
  const keys = object(raw.attachments)?.media_keys;
  const types = Array.isArray(keys) ? keys.map((key) => includes.mediaType(String(key))) : [];
  readMedia(post, types);
  const json = JSON.stringify(rest);
  return { ...idAndTime, post, text: raw.text, rest: json === '{}' ? null : json };
}

/**
 * Restores the original form of a Post that twarc flattened: media, polls, places and referenced Posts
 * move out of it.
 */
function unflatten(
  raw: Json,
  rest: Record<string, unknown>,
  includes: Includes,
  stored: IncludedObject[],
): void {
  const store = (list: string, value: unknown): void => {
    const item = includes.add(list, value);
    if (item) stored.push(item);
  };
  const attachments = object(raw.attachments);
  if (attachments && ('media' in attachments || 'poll' in attachments)) {
    const { media, poll, ...others } = attachments;
    for (const item of objects(media)) store('media', item);
    for (const item of Array.isArray(poll) ? objects(poll) : [poll]) store('polls', item);
    rest.attachments = others;
  }
  const references = objects(raw.referenced_tweets);
  if (references.some((reference) => 'text' in reference)) {
    rest.referenced_tweets = references.map(({ type, id, ...post }) => {
      if ('text' in post) store('tweets', { id, ...post });
      return { type, id };
    });
  }
}
