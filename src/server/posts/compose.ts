import { termsOf } from '#core/text/terms.ts';
import type { IndexablePost } from '#core/text/post.ts';
import { MAX_WEIGHT, weigh } from '#core/text/weighted-length.ts';
import { invalidRequest } from '#contract/fault.ts';
import { snowflake } from '#server/import/id.ts';
import { object } from '#server/import/json.ts';
import { readMedia } from '#server/import/v2.ts';
import { factsOf } from './facts.ts';
import type { StoredObject } from './post-table.ts';
import type { NewPost } from './writer.ts';

const LENGTH_RULES =
  'For more information on how Twitter determines text length see https://github.com/twitter/twitter-text.';

type Mutable<T> = { -readonly [K in keyof T]: T[K] };

/** The author of a new Post. */
export interface Author {
  readonly id: string;
  readonly username: string;
}

/**
 * Assigns ids to new Posts: snowflakes of their time, each above the one before, even if the clock is
 * set back.
 */
export class PostIds {
  #last = 0n;

  /**
   * @param now - Epoch ms.
   * @throws {@link RangeError} for a time before snowflakes began, 2010-11-04.
   */
  next(now: number): bigint {
    const first = snowflake(now, 0);
    if (first < 0n) throw new RangeError(`expected a time after 2010-11-04, got ${now} ms`);
    this.#last = first > this.#last ? first : this.#last + 1n;
    return this.#last;
  }
}

/**
 * Checks that a text is not too long for a Post (platform-facts section 3).
 *
 * @param free - Code points at the beginning that do not count: the mentions that a reply begins with.
 * @throws {@link Fault} 400 with its weighted length and the position where it becomes too long. The first and last
 *   sentences are recorded (platform-facts-additions, section 3).
 */
export function checkLength(text: string, free = 0): void {
  const { weight, over } = weigh(Array.from(text).slice(free).join(''));
  if (over === null) return;
  const rule = `Its weighted length is ${weight}, the limit is ${MAX_WEIGHT} (at position ${free + over + 1}).`;
  throw invalidRequest('text', text, `Your Tweet text is too long. ${rule} ${LENGTH_RULES}`);
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
  /** What answers show of them, to be stored with the Post. */
  readonly objects: readonly StoredObject[];
}

/** What a new Post consists of. */
export interface PostParts {
  /** The whole text, with the mentions that a reply begins with. */
  readonly text: string;
  readonly lang: string;
  readonly answered?: Answered;
  /** Id of the quoted Post. */
  readonly quoted?: string;
  readonly attached?: Attached;
  /** Further fields of the request, stored as they are. */
  readonly fields?: Readonly<Record<string, unknown>>;
}

function factsFrom({ text, lang, answered, quoted, attached, fields = {} }: PostParts, id: string) {
  const facts: Mutable<IndexablePost> = {
    text,
    lang,
    conversationId: answered?.conversationId ?? id,
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
  const { text, lang, answered, quoted, attached, fields } = parts;
  const { id: authorId, username } = author;
  const post: IndexablePost = { ...factsFrom(parts, String(id)), username, authorId };
  const references = [
    ...(quoted === undefined ? [] : [{ type: 'quoted', id: quoted }]),
    ...(answered ? [{ type: 'replied_to', id: answered.id }] : []),
  ];
  const rest = JSON.stringify({
    conversation_id: post.conversationId,
    ...(post.inReplyToUserId !== undefined && { in_reply_to_user_id: post.inReplyToUserId }),
    ...(references.length > 0 && { referenced_tweets: references }),
    ...(attached && { attachments: { media_keys: attached.keys } }),
    ...fields,
  });
  const columns = { authorId, username, text, lang, rest };
  return { id, createdAt: now, ...columns, facts: factsOf(post, columns), terms: termsOf(post) };
}
