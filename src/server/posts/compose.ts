import { termsOf } from '#core/text/terms.ts';
import type { IndexablePost } from '#core/text/post.ts';
import { MAX_WEIGHT, weigh } from '#core/text/weighted-length.ts';
import { invalidRequest } from '#contract/fault.ts';
import { snowflake } from '#server/import/id.ts';
import { factsOf } from './facts.ts';
import type { NewPost } from './writer.ts';

const LENGTH_RULES =
  'For more information on how Twitter determines text length see https://github.com/twitter/twitter-text.';

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
 * @throws {@link Fault} 400 with its weighted length and the position where it becomes too long. The first and last
 *   sentences are recorded (platform-facts-additions, section 3).
 */
export function checkLength(text: string): void {
  const { weight, over } = weigh(text);
  if (over === null) return;
  const rule = `Its weighted length is ${weight}, the limit is ${MAX_WEIGHT} (at position ${over + 1}).`;
  throw invalidRequest('text', text, `Your Tweet text is too long. ${rule} ${LENGTH_RULES}`);
}

/**
 * Makes a Post of a text, with the terms by which it is counted. It starts its own conversation.
 *
 * @param now - Its time, epoch ms.
 */
export function composePost(
  author: Author,
  { text, lang }: { readonly text: string; readonly lang: string },
  id: bigint,
  now: number,
): NewPost {
  const conversationId = String(id);
  const { id: authorId, username } = author;
  const post: IndexablePost = { text, username, authorId, lang, conversationId };
  const rest = JSON.stringify({ conversation_id: conversationId });
  const columns = { authorId, username, text, lang, rest };
  return { id, createdAt: now, ...columns, facts: factsOf(post, columns), terms: termsOf(post) };
}
