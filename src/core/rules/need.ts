import type { Ast, Clause, Condition } from '#core/query/ast.ts';
import { condition } from '#core/query/condition.ts';
import { fold } from '#core/text/fold.ts';
import { tokens } from '#core/text/tokens.ts';
import {
  AMOUNTS,
  SEARCHED_FIELDS,
  nearOf,
  numberRange,
  type AmountName,
  type SearchedField,
  type Range,
} from './operators.ts';

/** The requirement of a clause of a rule: as in a query, or one of what only rules have. */
export type Leaf =
  | Exclude<Condition, { readonly kind: 'all' | 'any' | 'not' }>
  /** Tokens at consecutive positions of a field; one at least. */
  | { readonly kind: 'words'; readonly field: SearchedField; readonly tokens: readonly string[] }
  /** Tokens of the text, moved by at most `apart` positions together to be consecutive. */
  | { readonly kind: 'near'; readonly tokens: readonly string[]; readonly apart: number }
  /** A folded text in one of the Post's addresses, or in its own text. */
  | { readonly kind: 'contains'; readonly of: 'address' | 'text'; readonly text: string }
  /** A number of the author in a range. */
  | ({ readonly kind: 'between'; readonly of: AmountName } & Range)
  /** The Posts of a sample, by their ids; a larger percentage includes the smaller ones. */
  | { readonly kind: 'sample'; readonly percent: number };

/** A rule reduced to what is evaluated. `all` of nothing is every Post, `any` of nothing is none. */
export type RuleNeed =
  | Leaf
  | { readonly kind: 'all' | 'any'; readonly of: readonly RuleNeed[] }
  | { readonly kind: 'not'; readonly of: RuleNeed };

const isField = (name: string): name is SearchedField =>
  SEARCHED_FIELDS.some((field) => field === name);
const isAmount = (name: string): name is AmountName => AMOUNTS.some((amount) => amount === name);

function positive(clause: Clause): RuleNeed {
  const { operator, value } = clause;
  if (isField(operator)) {
    return { kind: 'words', field: operator, tokens: tokens(value, 'stream') };
  }
  if (isAmount(operator)) return { kind: 'between', of: operator, ...numberRange(value) };
  switch (operator) {
    case 'min_followers':
      return { kind: 'between', of: 'followers_count', min: Number(value), max: Infinity };
    case 'near': {
      const { words, apart } = nearOf(value);
      return { kind: 'near', tokens: tokens(words, 'stream'), apart };
    }
    case 'sample':
      return { kind: 'sample', percent: Number(value) };
    case 'url_contains':
      return { kind: 'contains', of: 'address', text: fold(value, 'stream') };
    case 'contains':
      return { kind: 'contains', of: 'text', text: fold(value, 'stream') };
    default:
      return condition({ ...clause, negated: false }, undefined, 'stream');
  }
}

/** Reduces a parsed rule to what is evaluated. */
export function needOf(ast: Ast): RuleNeed {
  if (ast.kind === 'clause') {
    const of = positive(ast);
    return ast.negated ? { kind: 'not', of } : of;
  }
  return { kind: ast.kind === 'and' ? 'all' : 'any', of: ast.of.map(needOf) };
}
