import { fold } from '#core/text/fold.ts';
import { tokens } from '#core/text/tokens.ts';
import type { Ast, Clause, Condition } from './ast.ts';
import { contentOf, isText } from './content.ts';
import { OPERATORS } from './operators.ts';

const SIGNS: Readonly<Record<string, string>> = { hashtag: '#', mention: '@', cashtag: '$' };

function all(of: readonly Condition[]): Condition {
  const [only] = of;
  return of.length === 1 && only ? only : { kind: 'all', of };
}

function sequence(field: 'word' | 'url', list: readonly string[]): Condition[] {
  const [only] = list;
  if (only === undefined) return [];
  if (list.length > 1) return [{ kind: 'phrase', field, tokens: list }];
  return [{ kind: 'term', term: field === 'url' ? `url:${only}` : only }];
}

function positive(clause: Clause): Condition {
  if (isText(clause)) {
    const { words, emoji } = contentOf(clause.value);
    return all([
      ...sequence('word', words),
      ...emoji.map((term): Condition => ({ kind: 'term', term })),
    ]);
  }
  const sign = SIGNS[clause.operator];
  if (sign !== undefined) return { kind: 'term', term: sign + fold(clause.value) };
  if (OPERATORS.get(clause.operator)?.matches === 'url') {
    return all(sequence('url', tokens(clause.value)));
  }
  return { kind: 'term', term: `${clause.operator}:${fold(clause.value)}` };
}

/**
 * Reduces a query to what `match` and the counting index evaluate.
 *
 * A word of an address is the term `url:` and the word; a phrase of the field `url` is of bare words.
 */
export function condition(ast: Ast): Condition {
  if (ast.kind === 'clause') {
    const of = positive(ast);
    return ast.negated ? { kind: 'not', of } : of;
  }
  return { kind: ast.kind === 'and' ? 'all' : 'any', of: ast.of.map(condition) };
}
