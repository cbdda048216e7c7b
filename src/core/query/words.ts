import { tokens } from '#core/text/tokens.ts';
import type { Ast } from './ast.ts';

/** Operators whose value appears in the text of a Post. */
const IN_TEXT: ReadonlySet<string> = new Set(['word', 'phrase', 'hashtag', 'mention', 'cashtag']);

/** The folded words that a query requires in a Post's text, without negated ones. Emoji stay as they are. */
export function queryWords(ast: Ast): Set<string> {
  const out = new Set<string>();
  const walk = (part: Ast): void => {
    if (part.kind !== 'clause') part.of.forEach(walk);
    else if (part.negated) return;
    else if (part.operator === 'emoji') out.add(part.value.replaceAll('\ufe0f', ''));
    else if (IN_TEXT.has(part.operator)) for (const word of tokens(part.value)) out.add(word);
  };
  walk(ast);
  return out;
}
