import type { Area } from './area.ts';

/**
 * The query language as data. `parse.ts` turns text into an {@link Ast}, `format.ts` an Ast into
 * canonical text, and `condition.ts` an Ast into the {@link Condition} that `match.ts` and the counting
 * index both evaluate.
 */

/** Position of a piece in the query's text, in UTF-16 units, 0-based. */
export interface Place {
  readonly at: number;
  readonly length: number;
}

/** One operator with its value; `word` and `phrase` have no sign and no name. */
export interface Clause extends Place {
  readonly kind: 'clause';
  /** `word`, `phrase`, `emoji`, `hashtag`, `mention`, `cashtag`, or the operator's name in lower case without colon (aliases resolved). */
  readonly operator: string;
  /** The value as written, without sign, quotes or operator name. */
  readonly value: string;
  readonly negated: boolean;
}

interface Group extends Place {
  readonly kind: 'and' | 'or';
  /** Two or more; a group of one becomes that one. */
  readonly of: readonly Ast[];
}

export type Ast = Clause | Group;

/** The fault in a query, its place, the rule that it breaks, and how to fix it. */
export interface Diagnostic extends Place {
  /** Stable short name of the rule, such as `unknown-operator`. */
  readonly rule: string;
  /** Position that the message names, 0-based, if it is not `at` (an apostrophe inside the word at `at`). */
  readonly column?: number;
  /** The platform's recorded wording if there is one (platform-facts 2.6), without prefix and position. */
  readonly message: string;
  /** A replacement that would be accepted, if one is known. */
  readonly fix?: string;
}

export type Parsed =
  | { readonly ok: true; readonly ast: Ast }
  | { readonly ok: false; readonly diagnostics: readonly Diagnostic[] };

/** Posts by id, with the whole seconds since 1970 of each, which ascend. */
export interface PostSet {
  readonly ids: BigInt64Array;
  readonly seconds: Uint32Array;
}

/**
 * A query reduced to terms. Terms share one string space without collisions: a plain token is a word of
 * the text (`#core/text`); `#tag`, `@user`, `$cash` and emoji sequences are themselves; everything else
 * is `name:value` (`from:`, `to:`, `lang:`, `is:`, `has:`, `url:` …), folded. Numbers become the terms
 * of `#core/text/engagement.ts`. `all` of nothing is every Post, `any` of nothing is none.
 */
export type Condition =
  /** One of some Posts; parts of the same name are the same. */
  | { readonly kind: 'posts'; readonly name: string; readonly posts: PostSet }
  | { readonly kind: 'all' | 'any'; readonly of: readonly Condition[] }
  | { readonly kind: 'not'; readonly of: Condition }
  | { readonly kind: 'term'; readonly term: string }
  /** One of the Post's boxes (`#core/text/geo.ts`) is within the area. */
  | { readonly kind: 'within'; readonly area: Area }
  /** Two or more tokens at consecutive positions of the text (`word`) or of one of the Post's addresses (`url`). */
  | { readonly kind: 'phrase'; readonly field: 'word' | 'url'; readonly tokens: readonly string[] };
