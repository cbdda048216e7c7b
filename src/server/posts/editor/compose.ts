import { termsOf } from '#core/text/terms.ts';
import { entitiesOf, leadingMentions } from '#core/text/entities.ts';
import { lengthOf, MAX_LONG, shortened } from '#core/text/long-text.ts';
import type { IndexablePost, MutablePost } from '#core/text/post.ts';
import { MAX_WEIGHT, weigh } from '#core/text/weighted-length.ts';
import { invalidRequest, type Fault } from '#contract/fault.ts';
import { newSnowflake } from '#core/import/id.ts';
import { object } from '#core/import/json.ts';
import { readMedia } from '#core/import/v2.ts';
import { controlsOf } from './editing.ts';
import { factsOf } from '#server/posts/json/facts.ts';
import type { StoredObject } from '#server/posts/store/object-table.ts';
import type { NewPost } from '#server/posts/store/post-table.ts';

const LENGTH_RULES =
  'For more information on how Twitter determines text length see https://github.com/twitter/twitter-text.';

/** The author of a new Post. */
export interface Author {
  readonly id: string;
  readonly username: string;
  /** Absent means false. */
  readonly isVerified?: boolean;
}

/**
 * Assigns ids to new Posts: snowflakes of their time, each above the one before, even if the clock is
 * set back.
 */
export class PostIds {
  #last = 0n;

  /**
   * @param now - Epoch ms.
   * @throws {@link ClockError} for a time that no id contains.
   */
  next(now: number): bigint {
    const first = newSnowflake(now, 0);
    this.#last = first > this.#last ? first : this.#last + 1n;
    return this.#last;
  }
}

/** Most mentions at the beginning of a reply that do not count, so that they are no way around the limit. */
const FREE_MENTIONS = 50;
const FREE = new RegExp(String.raw`^(?:@\S+\s+){1,${FREE_MENTIONS}}`);

/** Code points at the beginning of a reply's text that do not count: the mentions (platform-facts, section 3). */
function uncounted(text: string, isReply: boolean): number {
  const lead = isReply ? leadingMentions(text) : '';
  return Array.from(FREE.exec(lead)?.[0] ?? '').length;
}

/** Code points above which a text is too long in whatever normal form: at most four of them make one. */
const HOPELESS = 4 * MAX_LONG;

/** The greatest length of a text, and how to measure it. */
export interface LengthRule {
  /** True if the author may write long Posts; asked only about a long one. */
  readonly mayBeLong: () => boolean;
  readonly isReply: boolean;
}

/**
 * Checks that a text is not too long for a Post (platform-facts section 3): 280 weighted characters, or for a long Post
 * {@link MAX_LONG} characters, each of which counts once. No Post has more, whatever its weight. The mentions that a
 * reply begins with do not count.
 *
 * @throws {@link Fault} 400 with its length and the position where it becomes too long. The first and last sentences
 *   are recorded (platform-facts-additions, section 3).
 */
export function checkLength(text: string, { mayBeLong, isReply }: LengthRule): void {
  const free = uncounted(text, isReply);
  const points = Array.from(text).slice(free);
  const own = points.join('');
  const tooLong = (rule: string): Fault =>
    invalidRequest('text', text, `Your Tweet text is too long. ${rule} ${LENGTH_RULES}`);
  const tooMany = (length: number): Fault =>
    tooLong(
      `It has ${length} characters, the limit is ${MAX_LONG} (at position ${free + MAX_LONG + 1}).`,
    );
  if (points.length > HOPELESS) throw tooMany(points.length);
  const { weight, over } = weigh(own);
  const length = lengthOf(own);
  if (over !== null && !mayBeLong()) {
    throw tooLong(
      `Its weighted length is ${weight}, the limit is ${MAX_WEIGHT} (at position ${free + over + 1}).`,
    );
  }
  if (length > MAX_LONG) throw tooMany(length);
}

/** The Post that another one answers. */
export interface Answered {
  readonly id: string;
  readonly authorId: string | null;
  readonly username: string | null;
  readonly conversationId: string;
}

/** Media of a Post. */
export interface Attached {
  /** Their types, such as `photo`. */
  readonly types: readonly string[];
  readonly keys: readonly string[];
  /** The objects that answers show of them, to be stored with the Post. */
  readonly objects: readonly StoredObject[];
}

/** The parts of a new Post. */
export interface PostParts {
  /** The whole text, with the mentions that a reply begins with. A long one is shortened for the `text` of answers. */
  readonly text: string;
  readonly lang: string;
  readonly answered?: Answered;
  /** Id of the quoted Post. */
  readonly quoted?: string;
  readonly attached?: Attached;
  /** Further fields of the request, stored as they are. */
  readonly fields?: Readonly<Record<string, unknown>>;
  /** Set for an edit. */
  readonly edit?: PostEdit;
}

/** The parts that a new version of a Post takes over. */
export interface PostEdit {
  /** The time at which the first version was created, epoch ms. */
  readonly firstAt: number;
  /** Number of edits, with this one. */
  readonly edits: number;
  /** Properties that queries match and that its text does not determine. */
  readonly facts: Omit<IndexablePost, 'text' | 'lang'>;
}

function factsFrom(
  { text, lang, answered, quoted, attached, fields = {}, edit }: PostParts,
  id: string,
) {
  const facts: MutablePost = {
    conversationId: answered?.conversationId ?? id,
    ...edit?.facts,
    text,
    lang,
  };
  if (answered) {
    facts.isReply = true;
    facts.replyToId = answered.id;
    if (answered.authorId !== null) facts.inReplyToUserId = answered.authorId;
    if (answered.username !== null) facts.inReplyToUsername = answered.username;
  }
  if (quoted !== undefined) {
    facts.isQuote = true;
    facts.quoteOfId = quoted;
  }
  if (attached) readMedia(facts, attached.types);
  if (fields['nullcast'] === true) facts.isNullcast = true;
  if (object(fields['geo'])?.place_id !== undefined) facts.hasGeo = true;
  return facts;
}

/**
 * Makes a Post, with the terms by which it is counted. Without a Post that it answers, it starts its own conversation.
 *
 * @param now - Its time, epoch ms.
 */
export function composePost(author: Author, parts: PostParts, id: bigint, now: number): NewPost {
  const { text, lang, answered, quoted, attached, fields, edit } = parts;
  const { id: authorId, username, isVerified = false } = author;
  const facts = factsFrom(parts, String(id));
  const post: IndexablePost = { ...facts, username, authorId, isVerified };
  const shown = shortened(text, uncounted(text, answered !== undefined));
  const references = [
    ...(quoted === undefined ? [] : [{ type: 'quoted', id: quoted }]),
    ...(answered ? [{ type: 'replied_to', id: answered.id }] : []),
  ];
  const rest = JSON.stringify({
    conversation_id: post.conversationId,
    ...(post.inReplyToUserId !== undefined && { in_reply_to_user_id: post.inReplyToUserId }),
    ...(references.length > 0 && { referenced_tweets: references }),
    ...(shown !== text && { note_tweet: { text, entities: entitiesOf(text) } }),
    edit_controls: controlsOf({ post, fields, firstAt: edit?.firstAt ?? now, edits: edit?.edits }),
    ...(attached && { attachments: { media_keys: attached.keys } }),
    ...fields,
  });
  const columns = { authorId, username, text: shown, lang, rest };
  return { id, createdAt: now, ...columns, facts: factsOf(post, columns), terms: termsOf(post) };
}
