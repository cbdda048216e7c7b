import type { Selection } from '#contract/posts/selection.ts';
import { withMediaAddresses } from '#server/http/media-address.ts';
import type { Json } from '#core/import/json.ts';
import { expansionsOf } from '#server/posts/json/includes.ts';
import { postJson } from '#server/posts/json/post-json.ts';
import type { PostFinder } from '#server/posts/index/source.ts';
import type { LineForm } from '#server/streams/line-maker.ts';
import type { MatchedPost, MatchedRule } from '#server/streams/matched-posts.ts';
import { inVocabulary } from '#contract/posts/vocabulary-names.ts';

/** A Post with its expansions, as search answers with it. */
function postLine(
  { post }: MatchedPost,
  selection: Selection,
  finder: PostFinder,
  now: number,
): Json {
  const { vocabulary, fields } = selection;
  return {
    data: inVocabulary(postJson(post, fields, finder), vocabulary),
    ...expansionsOf([post], selection, finder, now),
  };
}

/** Adds the rules to the JSON of a Post, which all apps share. */
function withRules(line: string, rules: readonly MatchedRule[]): string {
  const matching = rules.map(({ id, tag }) => ({ id, tag: tag ?? '' }));
  return `${line.slice(0, -1)},"matching_rules":${JSON.stringify(matching)}}`;
}

/**
 * The lines of the filtered stream.
 *
 * @param origin - Of this service, in the addresses of media.
 * @param now - Epoch ms.
 */
export function filteredLines(selection: Selection, origin: string, now: () => number): LineForm {
  return {
    kind: 'filtered_stream',
    key: JSON.stringify([origin, selection, [...selection.expansions]]),
    line: (post, finder) => {
      const json = postLine(post, selection, finder, now());
      return { json, text: JSON.stringify(withMediaAddresses(json, origin)) };
    },
    sent: withRules,
  };
}
