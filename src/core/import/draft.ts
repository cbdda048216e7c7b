import type { RequestedNote } from '#core/notes/requested.ts';
import type { IndexablePost, PostTerms } from '#core/text/post.ts';
import { MAX_TOKENS, termsOf } from '#core/text/terms.ts';
import { ARCHIVE_START, DAY_MS } from '#core/time/span.ts';
import { instantOf } from './id.ts';

/** A Post as a row states it, before missing ids and times are filled in. */
export interface Draft {
  readonly id: bigint | null;
  /** Epoch milliseconds. */
  readonly createdAt: number | null;
  readonly post: IndexablePost;
  /** The text as stored; `post.text`, which queries match, may be longer. */
  readonly text: string;
  /** The other fields, as JSON. */
  readonly rest: string | null;
  /** Requests for a note on the Post. */
  readonly note?: RequestedNote | null;
}

/** Clocks differ: a time up to a day from now is accepted, a later one refused. */
const MAX_SKEW_MS = DAY_MS;

/**
 * Checks a draft and reads a missing time from its id.
 *
 * @returns The time of the Post, epoch ms, and its terms, or the reason for refusing it.
 */
export function checkDraft(
  { id, createdAt: stated, post }: Draft,
  now: number,
): { readonly createdAt: number; readonly terms: PostTerms } | string {
  const createdAt = stated ?? (id === null ? null : instantOf(id));
  if (createdAt === null) {
    return id === null
      ? 'has neither an id nor a time'
      : 'has no time, and its id does not contain one';
  }
  if (createdAt < ARCHIVE_START) {
    return `its time ${new Date(createdAt).toISOString()} is before 2006-03-21, when the archive begins`;
  }
  if (createdAt > now + MAX_SKEW_MS) {
    return `its time ${new Date(createdAt).toISOString()} is in the future`;
  }
  const terms = termsOf(post);
  if (Math.max(terms.words.length, terms.urlWords.length) > MAX_TOKENS) {
    return `has more than ${MAX_TOKENS} words`;
  }
  return { createdAt, terms };
}
