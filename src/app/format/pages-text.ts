import type { Formatter } from './formatter.ts';

/** `108 pages for $1.08`; without a price if free. */
export function pagesFor(pages: number, money: number, format: Formatter): string {
  const text = format.counted(pages, 'page');
  return money > 0 ? `${text} for ${format.money(money)}` : text;
}
