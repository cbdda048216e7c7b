import { termsOf } from '#core/text/terms.ts';
import type { RequestedNote } from '#core/notes/requested.ts';
import type { IndexablePost } from '#core/text/post.ts';
import { ARCHIVE_START, DAY_MS } from '#core/time/span.ts';
import { MAX_TOKENS } from '#server/index/chunk.ts';
import type { IdMaker } from './id.ts';
import { instantOf } from './id.ts';
import { factsOf } from '#server/posts/facts.ts';
import type { NewPost } from '#server/posts/writer.ts';

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
 * Makes a Post of a draft: a missing time is read from the id, a missing id is computed from the
 * content.
 *
 * @returns The Post, or the reason for refusing it.
 */
export function finishDraft(draft: Draft, ids: IdMaker, now: number): NewPost | string {
  const { post, text, rest } = draft;
  const createdAt = draft.createdAt ?? (draft.id === null ? null : instantOf(draft.id));
  if (createdAt === null) {
    return draft.id === null
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
  const { username = null, authorId = null, lang = null } = post;
  const columns = { authorId, username, text, lang, rest };
  return {
    id: draft.id ?? ids.make(createdAt, username ?? authorId ?? '', text),
    createdAt,
    ...columns,
    facts: factsOf(post, columns),
    terms,
  };
}
