import { inVocabulary } from '#contract/selection.ts';
import type { Selection } from '#contract/selection.ts';
import { withMediaAddresses } from '#server/http/media-address.ts';
import type { Json } from '#server/import/json.ts';
import { includesOf, namedIncludes } from '#server/posts/includes.ts';
import { postJson } from '#server/posts/post-json.ts';
import type { PostFinder } from '#server/posts/source.ts';
import type { MatchedPost } from '#server/stream/matched-posts.ts';

/** What the lines of a receiver contain. */
export interface LineForm {
  readonly selection: Selection;
  /** Host and port of this service, in the addresses of media. */
  readonly host: string;
}

/** A Post with its expansions, as search answers with it. */
function postLine(
  { post }: MatchedPost,
  selection: Selection,
  finder: PostFinder,
  now: number,
): Json {
  const { vocabulary, fields } = selection;
  const includes = includesOf([post], selection, finder, now);
  return {
    data: inVocabulary(postJson(post, fields, finder), vocabulary),
    ...(includes && { includes: namedIncludes(includes, vocabulary) }),
  };
}

/**
 * Makes the lines of Posts for an app: for all receivers with the same form the same bytes, which are made once.
 *
 * @returns The line of a Post, and its JSON without what is free; null if no rule of the app matches it, or the source is
 *   not open.
 */
export function lineMaker(
  app: string,
  { selection, host }: LineForm,
  { finder: find, now }: { readonly finder: () => PostFinder | null; readonly now: () => number },
): (post: MatchedPost) => { readonly line: string; readonly json: Json } | null {
  const key = JSON.stringify([host, selection, [...selection.expansions]]);
  return (post) => {
    const rules = post.rules.filter((rule) => rule.app === app);
    if (rules.length === 0) return null;
    let shared = post.lines.get(key);
    if (!shared) {
      const finder = find();
      if (!finder) return null;
      const json = postLine(post, selection, finder, now());
      shared = { json, text: JSON.stringify(withMediaAddresses(json, host)) };
      post.lines.set(key, shared);
    }
    const matching = rules.map(({ id, tag }) => ({ id, tag: tag ?? '' }));
    const line = `${shared.text.slice(0, -1)},"matching_rules":${JSON.stringify(matching)}}`;
    return { line, json: shared.json };
  };
}
