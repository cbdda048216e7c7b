import type { Ast, Clause } from './ast.ts';
import { isText } from './content.ts';

/** Operators that ask for reposts by name. */
const REPOST_OPERATORS = new Set(['retweets_of', 'retweets_of_tweet_id']);
/** Signs that count as keywords, as words do. */
const SIGNS = new Set(['hashtag', 'cashtag', 'mention']);

function isKeyword(clause: Clause): boolean {
  return isText(clause) || SIGNS.has(clause.operator);
}

function asksForReposts({ operator, value }: Clause): boolean {
  return REPOST_OPERATORS.has(operator) || (operator === 'is' && value.toLowerCase() === 'retweet');
}

function some(ast: Ast, what: (clause: Clause) => boolean): boolean {
  if (ast.kind === 'clause') return !ast.negated && what(ast);
  return ast.of.some((part) => some(part, what));
}

/**
 * True if search leaves reposts out of a query's results, where counts include them (specification,
 * Events 5: since 2026-05-04 reposts are no longer returned in keyword search results).
 *
 * It does if the query has a keyword (a word, a phrase, an emoji, a hashtag, a cashtag or a mention),
 * unless it asks for reposts by name: `is:retweet`, `retweets_of:` or `retweets_of_tweet_id:`. Negated
 * clauses count for neither.
 */
export function leavesRepostsOut(ast: Ast): boolean {
  return some(ast, isKeyword) && !some(ast, asksForReposts);
}
