import { FILTERED_STREAM } from '#contract/filtered-stream.ts';
import { inVocabulary } from '#contract/selection.ts';
import type { Selection } from '#contract/selection.ts';
import { ofSource } from '#contract/source.ts';
import { hostOf } from '#server/http/origin.ts';
import { withMediaAddresses } from '#server/http/media-address.ts';
import type { Http, Route } from '#server/http/serve.ts';
import type { Json } from '#server/import/json.ts';
import { includesOf, namedIncludes } from '#server/posts/includes.ts';
import { postJson } from '#server/posts/post-json.ts';
import type { PostFinder } from '#server/posts/source.ts';
import type { MatchedPost, MatchedRule } from '#server/stream/matched-posts.ts';
import { openPostStream } from '#server/stream/post-stream.ts';
import type { PostStreamDeps } from '#server/stream/post-stream.ts';

export interface FilteredStreamDeps extends PostStreamDeps {
  readonly http: Http;
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

/** Adds the rules to the JSON of a Post, which all apps share. */
function withRules(line: string, rules: readonly MatchedRule[]): string {
  const matching = rules.map((rule) => ({ id: rule.id, tag: rule.tag ?? '' }));
  return `${line.slice(0, -1)},"matching_rules":${JSON.stringify(matching)}}`;
}

/** `GET /2/tweets/search/stream`: the Posts that match the rules of the app, from when it connects. */
export function filteredStream({ http, now, ...deps }: FilteredStreamDeps): Route[] {
  return (['posts', 'sample'] as const).map((source) => {
    const endpoint = ofSource(FILTERED_STREAM.connect, source);
    return http.serve(endpoint, ({ c, caller, query }) => {
      const { selection } = query;
      const stream = {
        kind: 'filtered_stream',
        source,
        endpoint,
        period: query,
        key: JSON.stringify([hostOf(c), selection, [...selection.expansions]]),
        line: (post: MatchedPost, finder: PostFinder) => {
          const json = postLine(post, selection, finder, now());
          return { json, text: JSON.stringify(withMediaAddresses(json, c)) };
        },
        sent: withRules,
      } as const;
      return openPostStream({ ...deps, now }, { c, caller }, stream);
    });
  });
}
