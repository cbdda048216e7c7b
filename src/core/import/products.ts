import { plainName } from './fields.ts';

/** A tool whose exports are recognised by columns that only they have together. */
interface Product {
  readonly name: string;
  readonly columns: readonly string[];
}

/**
 * Recognised exports. Their headers as found in public code that reads them; `tests/vectors/import-headers.json` has the
 * headers with their sources.
 */
const PRODUCTS: readonly Product[] = [
  { name: 'Brandwatch', columns: ['query name', 'thread author', 'url', 'date'] },
  { name: 'Meltwater', columns: ['hit sentence', 'input name', 'url'] },
  { name: 'Talkwalker', columns: ['published', 'extra author attributes.name'] },
  { name: 'Sprout Social', columns: ['network', 'profile', 'post type'] },
  { name: 'twarc-csv', columns: ['referenced tweets.replied to.id', 'author id'] },
  { name: 'X analytics', columns: ['post id', 'post text', 'post link'] },
  { name: 'Twitter analytics', columns: ['tweet id', 'tweet permalink', 'tweet text'] },
  { name: 'Twint', columns: ['user rt id', 'likes count', 'conversation id'] },
  { name: 'TAGS', columns: ['from user', 'status url', 'entities str'] },
  { name: 'Social Feed Manager', columns: ['created at', 'twitter id', 'screen name'] },
];

/** The tool that wrote a header, if it is a recognised one. */
export function productOf(header: readonly string[]): string | null {
  const names = new Set(header.map(plainName));
  const found = PRODUCTS.find(({ columns }) => columns.every((name) => names.has(name)));
  return found?.name ?? null;
}
