import type { Condition } from '#core/query/ast.ts';
import { condition } from '#core/query/condition.ts';
import { parse } from '#core/query/parse.ts';

/** Terms that tell a story apart from others. */
const TERMS = 3;

/** True if every Post of a query has a term. A hashtag of joined words, such as `#oatmilk`, has each of them. */
function requires(topic: Condition, term: string): boolean {
  switch (topic.kind) {
    case 'all':
      return topic.of.some((part) => requires(part, term));
    case 'any':
      return topic.of.every((part) => requires(part, term));
    case 'phrase':
      return topic.field === 'word' && topic.tokens.includes(term);
    case 'term':
      return topic.term === term || (topic.term.startsWith('#') && topic.term.includes(term));
    default:
      return false;
  }
}

/**
 * The query for the Posts of a story: three of its terms tell it apart from the topic that it shares one with.
 *
 * @param keywords - The terms of the story, the leading one first.
 * @param topics - The queries that are charted.
 * @returns null if it would chart a topic again, because each of its Posts has these terms; or without terms.
 */
export function storyQuery(keywords: readonly string[], topics: readonly string[]): string | null {
  const terms = keywords.slice(0, TERMS);
  const isCharted = topics.some((topic) => {
    const parsed = parse(topic);
    if (!parsed.ok) return false;
    const known = condition(parsed.ast);
    return terms.every((term) => requires(known, term));
  });
  return isCharted || terms.length === 0 ? null : terms.join(' ');
}
