import { termsOf } from '#core/text/terms.ts';
import type { IndexablePost } from '#core/text/post.ts';
import { MAX_WEIGHT, weigh } from '#core/text/weighted-length.ts';
import { invalidRequest } from '#contract/fault.ts';
import { snowflake } from '#server/import/id.ts';
import { factsOf } from './facts.ts';
import type { NewPost } from './writer.ts';

/** The author of a new Post. */
export interface Author {
  readonly id: string;
  readonly username: string;
}

/** Language of Posts without a stated one (platform-facts 2.1, `lang:`). */
const UNKNOWN_LANGUAGE = 'und';

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
 * @throws {@link Fault} 400 with its weighted length and the position where it becomes too long. The
 *   first sentence is recorded (github.com/gundogan8/FotBot issue 22).
 */
export function checkLength(text: string): void {
  const { weight, over } = weigh(text);
  if (over === null) return;
  const rule = `its weighted length is ${weight}, the limit is ${MAX_WEIGHT} (at position ${over + 1})`;
  throw invalidRequest('text', text, `Your Tweet text is too long: ${rule}`);
}

/**
 * Makes a Post of a text, with the terms by which it is counted. It starts its own conversation.
 *
 * @param now - Its time, epoch ms.
 */
export function composePost(author: Author, text: string, id: bigint, now: number): NewPost {
  const conversationId = String(id);
  const { id: authorId, username } = author;
  const post: IndexablePost = { text, username, authorId, lang: UNKNOWN_LANGUAGE, conversationId };
  const rest = JSON.stringify({ conversation_id: conversationId });
  const columns = { authorId, username, text, lang: UNKNOWN_LANGUAGE, rest };
  return { id, createdAt: now, ...columns, facts: factsOf(post, columns), terms: termsOf(post) };
}
