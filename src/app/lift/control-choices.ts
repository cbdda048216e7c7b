import { ALL_POSTS } from '#app/board/state/board-options.ts';
import { difference } from '#core/query/compose.ts';

/**
 * All Posts of the language of a query, as a control; null where the source cannot count them.
 *
 * @param locale - BCP 47; its language is taken if the query names none.
 * @param limit - Code points that the source accepts.
 */
export function languageControl(
  query: string,
  locale: string | undefined,
  limit: number,
): { readonly name: string; readonly query: string } | null {
  const code = /(?:^|[\s(])lang:([a-z]{2,3})\b/i.exec(query)?.[1] ?? locale?.slice(0, 2) ?? 'en';
  const all = `${ALL_POSTS.query} lang:${code.toLowerCase()}`;
  if (!difference(all, query, { limit }).ok) return null;
  const name = new Intl.DisplayNames('en', { type: 'language' }).of(code);
  return { name: `All Posts in ${name ?? code}`, query: all };
}
