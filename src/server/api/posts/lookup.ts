import type { Selection } from '#contract/posts/selection.ts';
import { notAuthorized, notFound, type PartialError } from '#server/posts/json/partial-error.ts';
import { readId } from '#core/import/id.ts';
import type { Json } from '#core/import/json.ts';
import { expansionsOf } from '#server/posts/json/includes.ts';
import { foundPost, isVisible, postJson, type FoundPost } from '#server/posts/json/post-json.ts';
import type { PostFinder } from '#server/posts/index/source.ts';
import { inVocabulary } from '#contract/posts/vocabulary-names.ts';

/** Posts by their ids: those that exist and may be shown, and an error for each other one. */
export interface LookedUp {
  readonly data: readonly Json[];
  readonly includes?: Json;
  readonly errors?: readonly PartialError[];
}

/**
 * Looks up Posts.
 *
 * @param ids - 1 to 19 digits each. Each Post comes once, in the order of the first mention.
 * @param parameter - The parameter that names them, for errors.
 * @param now - Epoch ms.
 */
export function lookUp(
  finder: PostFinder,
  ids: readonly string[],
  parameter: 'id' | 'ids',
  selection: Selection,
  now: number,
): LookedUp {
  const numbers = ids.flatMap((id) => readId(id) ?? []);
  const rows = new Map(finder.rows(numbers).map((row) => [row.id, foundPost(row)]));
  const visible: FoundPost[] = [];
  const errors: PartialError[] = [];
  for (const id of new Set(ids)) {
    const post = rows.get(readId(id) ?? -1n);
    if (post && isVisible(post, finder)) visible.push(post);
    else {
      const named = { value: id, resource_type: 'tweet', parameter } as const;
      errors.push(post ? notAuthorized(named) : notFound(named));
    }
  }
  const { fields, vocabulary } = selection;
  const { includes, errors: others = [] } = expansionsOf(visible, selection, finder, now);
  return {
    data: visible.map((post) => inVocabulary(postJson(post, fields, finder), vocabulary)),
    ...(includes && { includes }),
    ...(errors.length + others.length > 0 && { errors: [...errors, ...others] }),
  };
}
