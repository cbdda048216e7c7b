import type { MutablePost } from '#core/text/post.ts';
import type { Draft } from './draft.ts';
import { digits, object, objects, string, strings, type Json } from './json.ts';
import { placeFacts, setMetrics, setPlace } from './place.ts';
import { readEntities, readIdAndTime, readMedia, repostedName } from './v2.ts';

/** The account of an archive (its account.js). */
export interface ArchiveOwner {
  readonly id: string | null;
  readonly username: string | null;
}

/** Reads the text of an archive's account.js, `window.YTD.account.part0 = [ {"account": {"username", "accountId"}} ]`; null if it is not one. */
export function archiveOwner(text: string): ArchiveOwner | null {
  const at = text.indexOf('[');
  if (at === -1) return null;
  try {
    const list = JSON.parse(text.slice(at, text.lastIndexOf(']') + 1)) as unknown;
    const account = object(object(Array.isArray(list) ? list[0] : null)?.account);
    if (!account) return null;
    const { accountId, username } = account;
    return {
      id: typeof accountId === 'string' ? accountId : null,
      username: typeof username === 'string' ? username : null,
    };
  } catch {
    return null;
  }
}

const MAPPED = new Set([
  'id',
  'id_str',
  'created_at',
  'full_text',
  'text',
  'lang',
  'entities',
  'user',
  'source',
  'possibly_sensitive',
  'in_reply_to_status_id',
  'in_reply_to_status_id_str',
  'in_reply_to_user_id',
  'in_reply_to_user_id_str',
  'retweet_count',
  'favorite_count',
  'edit_info',
]);

function places(list: unknown): { start: number; end: number }[] {
  return objects(list).map(({ indices }) => {
    const [start, end] = Array.isArray(indices) ? indices.map(Number) : [];
    return { start: start ?? 0, end: end ?? 0 };
  });
}

/** The entities of an archive in the form of v2. */
function entitiesOf(entities: Json): Json {
  const list = (name: string, map: (item: Json) => Json): Json[] => {
    const at = places(entities[name]);
    return objects(entities[name]).map((item, i) => ({ ...at[i], ...map(item) }));
  };
  const all = {
    hashtags: list('hashtags', (tag) => ({ tag: tag.text })),
    cashtags: list('symbols', (tag) => ({ tag: tag.text })),
    mentions: list('user_mentions', (user) => ({
      username: user.screen_name,
      id: user.id_str ?? user.id,
    })),
    urls: ['urls', 'media'].flatMap((name) =>
      list(name, ({ url, expanded_url, display_url }) => ({ url, expanded_url, display_url })),
    ),
  };
  return Object.fromEntries(Object.entries(all).filter(([, items]) => items.length > 0));
}

/**
 * Reads an entry of a user's archive, or a Post of the interface before v2 with its `user`. Fields with
 * a v2 name are stored under that name, the others under `archive`.
 *
 * @returns The draft, or the reason for refusing it.
 */
export function readArchiveEntry(raw: Json, owner: ArchiveOwner | null): Draft | string {
  const entry = object(raw.tweet) ?? raw;
  const idAndTime = readIdAndTime(entry.id_str ?? entry.id, entry.created_at);
  if (typeof idAndTime === 'string') return idAndTime;
  const text = typeof entry.full_text === 'string' ? entry.full_text : entry.text;
  if (typeof text !== 'string') return 'has no text';
  const post: MutablePost = { text };
  const user = object(entry.user);
  const authorId = digits(user?.id_str ?? user?.id) ?? owner?.id ?? undefined;
  const username = string(user?.screen_name) ?? owner?.username ?? undefined;
  const lang = string(entry.lang);
  if (authorId !== undefined) post.authorId = authorId;
  if (username !== undefined) post.username = username;
  if (lang !== undefined) post.lang = lang;

  const rest: Record<string, unknown> = {};
  readRepost(post, entry);
  const quoted = digits(entry.quoted_status_id_str);
  if (quoted !== undefined) post.quoteOfId = quoted;
  if (user?.verified === true) post.isVerified = true;
  if (entry.is_quote_status === true || quoted !== undefined) post.isQuote = true;
  const repliedTo = digits(entry.in_reply_to_status_id_str ?? entry.in_reply_to_status_id);
  const repliedToUser = digits(entry.in_reply_to_user_id_str ?? entry.in_reply_to_user_id);
  const repliedToName = string(entry.in_reply_to_screen_name);
  if (repliedTo !== undefined || repliedToUser !== undefined) post.isReply = true;
  if (repliedTo !== undefined) post.replyToId = repliedTo;
  if (repliedTo !== undefined) rest.referenced_tweets = [{ type: 'replied_to', id: repliedTo }];
  if (repliedToUser !== undefined) {
    post.inReplyToUserId = repliedToUser;
    rest.in_reply_to_user_id = repliedToUser;
  }
  if (repliedToName !== undefined) post.inReplyToUsername = repliedToName;

  const entities = object(entry.entities);
  if (entities) {
    const asV2 = entitiesOf(entities);
    readEntities(post, [asV2]);
    if (Object.keys(asV2).length > 0) rest.entities = asV2;
  }
  const media = object(entry.extended_entities)?.media ?? entities?.media;
  readMedia(post, strings(media, 'type'));
  if (object(entry.coordinates) || object(entry.geo) || object(entry.place)) post.hasGeo = true;

  const place = object(entry.place);
  setPlace(post, place ? placeFacts(place) : undefined, object(entry.coordinates)?.coordinates);
  setMetrics(post, {
    likes: entry.favorite_count,
    replies: entry.reply_count,
    reposts: entry.retweet_count,
  });
  const metrics = {
    retweet_count: Number(entry.retweet_count),
    like_count: Number(entry.favorite_count),
  };
  if (Object.values(metrics).every(Number.isSafeInteger)) rest.public_metrics = metrics;
  const source = string(entry.source);
  if (source !== undefined) rest.source = source.replaceAll(/<[^>]*>/g, '');
  if (typeof entry.possibly_sensitive === 'boolean')
    rest.possibly_sensitive = entry.possibly_sensitive;
  readEdits(entry, rest);
  const others = Object.entries(entry).filter(([name]) => !MAPPED.has(name));
  if (others.length > 0) rest.archive = Object.fromEntries(others);
  const json = JSON.stringify(rest);
  return { ...idAndTime, post, text, rest: json === '{}' ? null : json };
}

/** Archives have no reference to the reposted Post, and `retweeted` is false; only the text shows it. */
function readRepost(post: MutablePost, entry: Json): void {
  const original = object(entry.retweeted_status);
  const name = string(object(original?.user)?.screen_name) ?? repostedName(post.text);
  if (!original && name === undefined) return;
  post.isRetweet = true;
  if (name !== undefined) post.repostOfUsername = name;
  const author = digits(object(original?.user)?.id_str);
  const id = digits(original?.id_str);
  if (author !== undefined) post.repostOfUserId = author;
  if (id !== undefined) post.repostOfId = id;
}

function readEdits(entry: Json, rest: Record<string, unknown>): void {
  const info = object(entry.edit_info);
  if (!info) return;
  const first = object(info.initial) ?? object(object(info.edit)?.editControlInitial);
  if (!first) return;
  if (Array.isArray(first.editTweetIds)) rest.edit_history_tweet_ids = first.editTweetIds;
  rest.edit_controls = {
    edits_remaining: Number(first.editsRemaining),
    is_edit_eligible: first.isEditEligible === true,
    editable_until: first.editableUntil,
  };
}
