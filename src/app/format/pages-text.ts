import type { Formatter } from './formatter.ts';

/** `108 pages for $1.08`; without a price if free. */
export function pagesFor(pages: number, money: number, words: Formatter): string {
  const text = words.counted(pages, 'page');
  return money > 0 ? `${text} for ${words.money(money)}` : text;
}
