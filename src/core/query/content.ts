import { fold, type TextMode } from '#core/text/fold.ts';
import { scanText } from '#core/text/tokens.ts';
import type { Clause } from './ast.ts';

/** Signs in place of an operator's name, by what they mark. */
export const SIGNS: Readonly<Record<string, string>> = { hashtag: '#', mention: '@', cashtag: '$' };

/** The content that a word or phrase requires of a text: words in sequence, and emoji anywhere. */
interface Content {
  readonly words: readonly string[];
  readonly emoji: readonly string[];
}

/** Reads a value as texts of Posts are read. */
export function contentOf(value: string, mode: TextMode = 'search'): Content {
  const { words, emoji } = scanText(fold(value, mode));
  return { words, emoji: [...new Set(emoji)] };
}

/** The single emoji sequence of a value, without U+FE0F; null if the value is more or something else. */
export function loneEmoji(value: string): string | null {
  const folded = fold(value);
  const { words, emoji } = scanText(folded);
  const only = emoji.length === 1 && words.length === 0 ? emoji[0] : undefined;
  return only !== undefined && only === folded.replaceAll('\ufe0f', '') ? only : null;
}

/** True if a folded text is one run of letters, numbers, underscores and marks, and nothing else. */
export function isRun(folded: string): boolean {
  return /^[\p{L}\p{N}_][\p{L}\p{M}\p{N}_]*$/u.test(folded) && scanText(folded).emoji.length === 0;
}

/** True if a clause matches the text itself: a word, a phrase or an emoji. */
export function isText(clause: Clause): boolean {
  return clause.operator === 'word' || clause.operator === 'phrase' || clause.operator === 'emoji';
}
