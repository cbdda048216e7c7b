import { PROBLEMS } from '#contract/fault.ts';
import { inVocabulary } from '#contract/selection.ts';
import type { Selection } from '#contract/selection.ts';
import { readId } from '#server/import/id.ts';
import type { Json } from '#server/import/json.ts';
import { includesOf, namedIncludes } from '#server/posts/includes.ts';
import { foundPost, isVisible, postJson } from '#server/posts/post-json.ts';
import type { FoundPost } from '#server/posts/post-json.ts';
import type { PostFinder } from '#server/posts/source.ts';

/** Why one of the requested Posts is absent from an answer (bodies recorded, platform-facts-additions 1.7). */
interface PartialError {
  readonly value: string;
  readonly detail: string;
  readonly title: string;
  readonly resource_type: 'tweet';
  readonly parameter: 'id' | 'ids';
  readonly resource_id: string;
  readonly type: string;
}

/** Posts by their ids: those that exist and may be shown, and an error for each other one. */
export interface LookedUp {
  readonly data: readonly Json[];
  readonly includes?: Json;
  readonly errors?: readonly PartialError[];
}

function absent(id: string, parameter: 'id' | 'ids', isHidden: boolean): PartialError {
  const about = { value: id, resource_type: 'tweet', parameter, resource_id: id } as const;
  return isHidden
    ? {
        ...about,
        title: 'Authorization Error',
        detail: `Sorry, you are not authorized to see the Tweet with ${parameter}: [${id}].`,
        type: `${PROBLEMS}not-authorized-for-resource`,
      }
    : {
        ...about,
        title: 'Not Found Error',
        detail: `Could not find tweet with ${parameter}: [${id}].`,
        type: `${PROBLEMS}resource-not-found`,
      };
}

/**
 * Looks up Posts.
 *
 * @param ids - 1 to 19 digits each. Each Post comes once, in the order of the first mention.
 * @param parameter - The parameter that names them, for errors.
 */
export function lookUp(
  finder: PostFinder,
  ids: readonly string[],
  parameter: 'id' | 'ids',
  selection: Selection,
): LookedUp {
  const numbers = ids.flatMap((id) => readId(id) ?? []);
  const rows = new Map(finder.rows(numbers).map((row) => [row.id, foundPost(row)]));
  const visible: FoundPost[] = [];
  const errors: PartialError[] = [];
  for (const id of new Set(ids)) {
    const post = rows.get(readId(id) ?? -1n);
    if (post && isVisible(post, finder)) visible.push(post);
    else errors.push(absent(id, parameter, post !== undefined));
  }
  const { fields, vocabulary } = selection;
  const includes = includesOf(visible, selection, finder);
  return {
    data: visible.map((post) => inVocabulary(postJson(post, fields), vocabulary)),
    ...(includes && { includes: namedIncludes(includes, vocabulary) }),
    ...(errors.length > 0 && { errors }),
  };
}
