import type { Similar } from '#app/api/breakdown-api.ts';
import { languageName } from '#app/editor/language-names.ts';
import type { Formatter } from '#app/format/formatter.ts';
import type { SourceInfo } from '#contract/source.ts';

/** From this share on, a source is mostly of one language. */
const MOSTLY = 0.5;

/** What a source has, where a query matches nothing: `This source covers 1 – 3 Mar 2026, mostly English.` */
export function coverageText(
  source: Pick<SourceInfo, 'first' | 'last' | 'coverage'>,
  languages: Similar['languages'],
  words: Formatter,
): string {
  if (!source.first || !source.last) return '';
  const first = words.date(Date.parse(source.first));
  const last = source.coverage?.end === null ? 'now' : words.date(Date.parse(source.last));
  const [most] = languages;
  const name = most && most.share >= MOSTLY ? languageName(most.name) : undefined;
  return `This source covers ${first} to ${last}${name ? `, mostly ${name}` : ''}.`;
}
