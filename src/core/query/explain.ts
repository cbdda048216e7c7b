import type { Ast, Clause } from './ast.ts';
import { loneEmoji } from './content.ts';
import { OPERATORS } from './operators.ts';

function clauseWords(clause: Clause): string {
  const { operator, value } = clause;
  switch (operator) {
    case 'word':
      return `the word “${value}”`;
    case 'phrase':
      return loneEmoji(value) === null ? `the phrase “${value}”` : value;
    case 'emoji':
      return value;
    case 'hashtag':
      return `the hashtag #${value}`;
    case 'mention':
      return `a mention of @${value}`;
    case 'cashtag':
      return `the cashtag $${value}`;
    default:
      return OPERATORS.get(operator)?.say(value) ?? `${operator}:${value}`;
  }
}

function words(ast: Ast, inner: boolean): string {
  if (ast.kind === 'clause') return (ast.negated ? 'not ' : '') + clauseWords(ast);
  const join = ast.kind === 'and' ? ' and ' : ' or ';
  const text = ast.of.map((part) => words(part, true)).join(join);
  return inner ? `(${text})` : text;
}

/** A query in plain words, for who does not read its language: `the word “fight” and not a repost`. */
export function explain(ast: Ast): string {
  return words(ast, false);
}
