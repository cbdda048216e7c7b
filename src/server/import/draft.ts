import { checkDraft, type Draft } from '#core/import/draft.ts';
import type { IdMaker } from './id-maker.ts';
import { factsOf } from '#server/posts/json/facts.ts';
import type { NewPost } from '#server/posts/store/post-table.ts';

/**
 * Makes a Post of a draft: a missing time is read from the id, a missing id is computed from the
 * content.
 *
 * @returns The Post, or the reason for refusing it.
 */
export function finishDraft(draft: Draft, ids: IdMaker, now: number): NewPost | string {
  const checked = checkDraft(draft, now);
  if (typeof checked === 'string') return checked;
  const { createdAt, terms } = checked;
  const { post, text, rest } = draft;
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
