import { createHash } from 'node:crypto';
import { formatInstant } from '#contract/instant.ts';
import type { EventType } from '#contract/streams/events.ts';
import type { Selection } from '#contract/posts/selection.ts';
import { object, string, type Json } from '#core/import/json.ts';
import { includesOf } from '#server/posts/json/includes.ts';
import { isOpenTo, postJson, readJson, type FoundPost } from '#server/posts/json/post-json.ts';
import type { PostFinder } from '#server/posts/index/source.ts';
import { userJson } from '#server/posts/json/user-json.ts';
import { openPost, type DeliverySubject } from '#server/streams/delivery-subject.ts';
import type { LogEntry } from '#server/streams/log.ts';

/** The content of an event in a delivery, apart from the subscription. */
interface Content {
  readonly payload: Json;
  readonly includes?: Json;
}

/** All default and metric fields, and what deliveries add of other Posts and users (platform-facts-additions, section 6). */
const SELECTION: Selection = {
  vocabulary: 'tweet',
  fields: [
    'public_metrics',
    'lang',
    'created_at',
    'author_id',
    'reply_settings',
    'display_text_range',
    'paid_partnership',
    'possibly_sensitive',
    'edit_history_tweet_ids',
    'conversation_id',
    'in_reply_to_user_id',
    'referenced_tweets',
    'entities',
    'attachments',
    'geo',
    'note_tweet',
    'withheld',
    'community_id',
    'edit_controls',
  ],
  expansions: new Set([
    'author_id',
    'in_reply_to_user_id',
    'entities.mentions.username',
    'referenced_tweets.id',
    'referenced_tweets.id.author_id',
  ]),
  media: [],
  polls: [],
  users: [
    'affiliation',
    'created_at',
    'description',
    'entities',
    'is_identity_verified',
    'location',
    'most_recent_tweet_id',
    'pinned_tweet_id',
    'profile_banner_url',
    'profile_image_url',
    'protected',
    'public_metrics',
    'url',
    'verified',
    'verified_type',
  ],
  places: [],
};

/** Adds a text to every whole number of an object, as `n_str`; elements of lists have none. */
export function withTwins(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(withTwins);
  if (typeof value !== 'object' || value === null) return value;
  return Object.fromEntries(
    Object.entries(value).flatMap(([name, member]: [string, unknown]) =>
      Number.isInteger(member)
        ? [
            [name, member],
            [`${name}_str`, String(member)],
          ]
        : [[name, withTwins(member)]],
    ),
  );
}

/** A Post in tweet names, with the flags that every payload has. */
function wholePost(json: Json): Json {
  const reply = Array.isArray(json.referenced_tweets)
    ? json.referenced_tweets.map(object).find((reference) => reference?.type === 'replied_to')
    : undefined;
  return {
    paid_partnership: false,
    possibly_sensitive: false,
    ...json,
    ...(reply && { in_reply_to_tweet_id: reply.id }),
  };
}

function postContent(post: FoundPost, finder: PostFinder, now: number): Content {
  const payload = wholePost(postJson(post, SELECTION.fields, finder));
  const { users = [], tweets = [] } = includesOf([post], SELECTION, finder, now);
  return {
    payload,
    includes: {
      tweets: [payload, ...tweets.map(wholePost)],
      ...(users.length > 0 && { users }),
    },
  };
}

/** A user as payloads wrap it; of an unknown one only the id. */
function wrapped(id: string, finder: PostFinder): Json {
  const stored = readJson(finder.object('users', id));
  return { data: stored ? userJson({ ...stored, id }, SELECTION.users, finder) : { id } };
}

/** Bytes of a hash that tells events apart. */
function markOf({ number, at, type }: LogEntry): Buffer {
  return createHash('sha256').update(`${number} ${at} ${type}`).digest();
}

/** The Post and the accounts of an entry that everybody must be able to see. */
export function subjectOf({ type, post, users }: LogEntry): Omit<DeliverySubject, 'stream'> {
  switch (type) {
    case 'post.create':
      return { post, users: [] };
    case 'oauth.revoke':
      // The app that loses access learns of it in any case.
      return { post: null, users: [] };
    default:
      return { post: null, users };
  }
}

/** The payload and includes of an occurrence in an entry of the log; null if it is not to be delivered. */
function contentOf(
  entry: LogEntry,
  type: EventType,
  finder: PostFinder,
  now: number,
): Content | null {
  const body = object(entry.body) ?? {};
  const isOpen = (...ids: readonly (string | undefined)[]): boolean =>
    ids.every((id) => id === undefined || isOpenTo(finder, id));
  const [first] = entry.users;
  switch (type) {
    case 'post.create':
    case 'post.mention.create':
    case 'post.reply.create':
    case 'post.quote.create':
    case 'post.repost.create': {
      const post = openPost(entry.post, finder);
      return post && postContent(post, finder, now);
    }
    case 'post.delete': {
      const author = string(body.author_id);
      if (author === undefined || !isOpen(author)) return null;
      const payload = { id: body.id, author_id: author };
      return { payload, includes: { users: [wrapped(author, finder)] } };
    }
    case 'follow.follow':
    case 'follow.unfollow':
    case 'mute.mute':
    case 'mute.unmute':
    case 'block.block':
    case 'block.unblock': {
      const [source, target] = [String(body.source_id), String(body.target_id)];
      if (!isOpen(source, target)) return null;
      return { payload: { source: wrapped(source, finder), target: wrapped(target, finder) } };
    }
    case 'like.create': {
      const [source, author] = [String(body.source_id), string(body.liked_tweet_author_id)];
      if (!isOpen(source, author)) return null;
      const payload = {
        id: markOf(entry).toString('hex', 0, 16),
        created_at: formatInstant(entry.at),
        timestamp_ms: entry.at,
        liked_tweet_author_id: author,
        liked_tweet_id: body.liked_tweet_id,
      };
      return { payload, includes: { users: [wrapped(source, finder)] } };
    }
    case 'oauth.revoke':
      // The documented example has an offset and no fraction.
      return {
        payload: { ...body, date_time: String(body.date_time).replace(/(?:\.\d+)?Z$/, '+00:00') },
      };
    case 'news.new':
      return { payload: object(body.story) ?? {} };
    default: {
      if (first === undefined) return null;
      const group = type.split('.')[0];
      if (group === 'spaces' || group === 'broadcast') {
        const user = wrapped(first, finder);
        return { payload: { user, ...body, event_type: type.replace('.', '_') } };
      }
      if (group !== 'dm') return { payload: body };
      const users = Object.fromEntries(entry.users.map((id) => [id, wrapped(id, finder)]));
      return { payload: { ...body, users } };
    }
  }
}

/**
 * The members `payload` and `includes` of a delivery as text, which is the same for every subscription.
 *
 * @param type - One of the occurrences of the entry.
 * @param now - Epoch ms.
 * @returns Null if nothing is delivered: about protected accounts, and for Posts that are gone or withheld.
 */
export function contentText(
  entry: LogEntry,
  type: EventType,
  finder: PostFinder,
  now: number,
): string | null {
  const content = contentOf(entry, type, finder, now);
  return content && JSON.stringify(withTwins(content)).slice(1, -1);
}

/** The receiver of a delivery. */
export interface Envelope {
  readonly filter: Json;
  /** In the spelling of the subscription. */
  readonly event_type: string;
  readonly tag?: string;
}

/**
 * The id of a delivery: 1 to 19 digits. It is the same whenever and however the entry is delivered.
 *
 * @param subscription - Its id; that of the app for what needs no subscription.
 */
export function eventId(entry: LogEntry, subscription: string): string {
  const hash = createHash('sha256').update(markOf(entry)).update(subscription).digest();
  return String(hash.readBigUInt64BE() >> 1n);
}

/** A line of the stream, and the body of a delivery: platform-facts, section 6.3. */
export function lineOf(
  event_uuid: string,
  { filter, event_type, tag }: Envelope,
  content: string,
): string {
  const envelope = { event_uuid, filter, event_type, ...(tag !== undefined && { tag }) };
  return `{"data":${JSON.stringify(envelope).slice(0, -1)},${content}}}`;
}
