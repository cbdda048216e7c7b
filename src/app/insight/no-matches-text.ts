import type { Similar } from '#app/api/breakdown-api.ts';
import type { BoardSeries } from '#app/board/state/series.svelte.ts';
import { languageName } from '#app/editor/language-names.ts';
import type { Formatter } from '#app/format/formatter.ts';
import type { SourceInfo } from '#contract/source.ts';

/** From this share on, a source is mostly of one language. */
const MOSTLY = 0.5;
/** At most this many languages of a source with several are named. */
const NAMED = 3;

/** `, mostly English`, or `, in English, Spanish and German`. */
function languageText(languages: Similar['languages']): string {
  const named = languages.flatMap(({ name, share }) => {
    const language = name === 'und' ? undefined : languageName(name);
    return language === undefined ? [] : [{ language, share }];
  });
  const [most] = named;
  if (!most) return '. Its Posts state no language';
  if (most.share >= MOSTLY) return `, mostly ${most.language}`;
  const list = new Intl.ListFormat('en-GB', { type: 'conjunction' });
  return `, in ${list.format(named.slice(0, NAMED).map(({ language }) => language))}`;
}

/**
 * What a source has, where a query matches nothing: `This source covers 1 Mar 2026 to now, mostly English`.
 *
 * @param languages - The most common first; null while they are counted.
 * @returns Without a full stop; empty for a source without Posts.
 */
export function coverageText(
  source: Pick<SourceInfo, 'first' | 'last' | 'coverage'>,
  languages: Similar['languages'] | null,
  words: Formatter,
): string {
  if (!source.first || !source.last) return '';
  const first = words.date(Date.parse(source.first));
  const last = source.coverage?.end === null ? 'now' : words.date(Date.parse(source.last));
  const time = first === last ? first : `${first} to ${last}`;
  return `This source covers ${time}${languages ? languageText(languages) : ''}`;
}

/** Whether a query was counted, and no Post of the time in view matches it. */
export function matchesNothing({
  kind,
  current,
  summary,
  run,
}: Pick<BoardSeries, 'kind' | 'current' | 'summary' | 'run'>): boolean {
  const counted = kind === 'query' && current && run.phase === 'done';
  return counted && summary?.total === 0 && summary.known > 0;
}

/** Id of the element with what the source has instead of a series. */
export function noMatchesId(series: number): string {
  return `no-matches-${series}`;
}
