import type { RuleKind } from '#core/rules/parse.ts';
import type { Json } from '#core/import/json.ts';
import type { PostFinder } from '#server/posts/index/source.ts';
import type { MatchedPost, MatchedRule, SharedLine } from './matched-posts.ts';

/** The content of the lines of a stream. */
export interface LineForm {
  /** Kind of the rules. */
  readonly kind: RuleKind;
  /** The same for all receivers of the same lines. */
  readonly key: string;
  readonly line: (post: MatchedPost, finder: PostFinder) => SharedLine;
  /** Makes what an app gets from a line. @param rules - Those of the app that the Post matched. */
  readonly sent?: (line: string, rules: readonly MatchedRule[]) => string;
}

/** The line of a Post, and its JSON without what is free. */
export interface MadeLine {
  readonly line: string;
  readonly json: Json;
}

/**
 * Makes the lines of Posts for an app: for all receivers with the same form the same bytes, which are made once.
 *
 * @returns Null for a Post that no rule of the app matches, and if the source is not open.
 */
export function lineMaker(
  app: string,
  { kind, key, line: lineOf, sent = (line) => line }: LineForm,
  find: () => PostFinder | null,
): (post: MatchedPost) => MadeLine | null {
  return (post) => {
    const rules = post.rules[kind].filter((rule) => rule.app === app);
    if (rules.length === 0) return null;
    let shared = post.lines.get(key);
    if (!shared) {
      const finder = find();
      if (!finder) return null;
      shared = lineOf(post, finder);
      post.lines.set(key, shared);
    }
    return { line: sent(shared.text, rules), json: shared.json };
  };
}
