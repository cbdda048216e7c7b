import type { Similar } from '#app/api/breakdown-api.ts';
import type { BoardSeries } from '#app/board/state/series.svelte.ts';
import { languageName } from '#app/editor/language-names.ts';
import type { Formatter } from '#app/format/formatter.ts';
import type { SourceInfo } from '#contract/counts/source.ts';

/** From this share on, a source is mostly of one language. */
const MOSTLY = 0.5;
/** At most this many languages, or times, of a source with several are named. */
const NAMED = 3;
const OTHERS = 'other times';

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
 * The coverage of a source, where a query matches nothing: `This source covers 1 Mar 2026 to now, mostly English`.
 *
 * @param languages - The most common first; null while they are counted.
 * @returns Without a full stop; empty for a source without Posts.
 */
export function coverageText(
  { last, coverage }: Pick<SourceInfo, 'last' | 'coverage'>,
  languages: Similar['languages'] | null,
  format: Formatter,
): string {
  if (last === null || coverage.length === 0) return '';
  const times = coverage.map(({ start, end }) => {
    const first = format.date(Date.parse(start));
    const to = end === null ? 'now' : format.date(Date.parse(end) - 1);
    return first === to ? first : `${first} to ${to}`;
  });
  const shown = times.length > NAMED ? [...times.slice(0, NAMED - 1), OTHERS] : times;
  const list = new Intl.ListFormat('en-GB', { type: 'conjunction' }).format(shown);
  return `This source covers ${list}${languages ? languageText(languages) : ''}`;
}

/** True if a query was counted, and no Post of the time in view matches it. */
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
