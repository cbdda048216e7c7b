import type { Area } from './area.ts';

/**
 * The query language as data. `parse.ts` makes an {@link Ast} of text, `format.ts` canonical text of an
 * Ast, `condition.ts` the {@link Condition} that `match.ts` and the counting index both evaluate.
 */

/** Place of a piece in the query's text, in UTF-16 units, 0-based. */
export interface Place {
  readonly at: number;
  readonly length: number;
}

/** One operator with its value; `word` and `phrase` are the ones without a sign or name. */
export interface Clause extends Place {
  readonly kind: 'clause';
  /** `word`, `phrase`, `emoji`, `hashtag`, `mention`, `cashtag`, or the operator's name in lower case without colon (aliases resolved). */
  readonly operator: string;
  /** The value as written, without sign, quotes or operator name. */
  readonly value: string;
  readonly negated: boolean;
}

export interface Group extends Place {
  readonly kind: 'and' | 'or';
  /** Two or more; a group of one is that one. */
  readonly of: readonly Ast[];
}

export type Ast = Clause | Group;

/** What is wrong in a query, where, by which rule, and how to mend it. */
export interface Diagnostic extends Place {
  /** Stable short name of the rule, such as `unknown-operator`. */
  readonly rule: string;
  /** Position that the message names, 0-based, where it is not `at` (an apostrophe inside the word at `at`). */
  readonly column?: number;
  /** The recorded wording of the platform where there is one (platform-facts 2.6), without prefix and position. */
  readonly message: string;
  /** A text that would be accepted in the place's stead, if one can be named. */
  readonly mend?: string;
}

export type Parsed =
  | { readonly ok: true; readonly ast: Ast }
  | { readonly ok: false; readonly diagnostics: readonly Diagnostic[] };

/**
 * A query reduced to terms. Terms live in one string space without collisions:
 * a plain token is a word of the text (`#core/text`), `#tag`, `@user`, `$cash`, an emoji sequence itself,
 * and `name:value` for everything else (`from:`, `to:`, `lang:`, `is:`, `has:`, `url:` …), all folded.
 * Numbers are found by the terms of `#core/text/engagement.ts`. All of nothing is every Post, any of nothing none.
 */
export type Condition =
  | { readonly kind: 'all' | 'any'; readonly of: readonly Condition[] }
  | { readonly kind: 'not'; readonly of: Condition }
  | { readonly kind: 'term'; readonly term: string }
  /** One of the Post's boxes (`#core/text/geo.ts`) lies in the area. */
  | { readonly kind: 'within'; readonly area: Area }
  /** Two or more tokens at consecutive positions of the text (`word`) or of one of the Post's addresses (`url`). */
  | { readonly kind: 'phrase'; readonly field: 'word' | 'url'; readonly tokens: readonly string[] };
