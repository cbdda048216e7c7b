import { tokens } from '#core/text/tokens.ts';

/** A text by its words, as rules of streams see them, with a space around each. */
function words(text: string): string {
  return ` ${tokens(text, 'stream').join(' ')} `;
}

/** True if one of the texts contains the words of a keyword, in their order, without regard to case. */
export function hasKeyword(texts: readonly string[], keyword: string): boolean {
  const wanted = words(keyword);
  return wanted.trim() !== '' && texts.some((text) => words(text).includes(wanted));
}
