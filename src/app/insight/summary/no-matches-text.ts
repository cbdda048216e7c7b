import type { Similar } from '#app/api/breakdown-api.ts';
import type { BoardSeries } from '#app/board/state/series.svelte.ts';
import { languageName } from '#app/editor/language-names.ts';
import type { Formatter } from '#app/format/formatter.ts';
import { DAY_MS, type Span } from '#core/time/span.ts';
import type { SourceInfo } from '#contract/counts/source.ts';

/** From this share on, a source is mostly of one language. */
const MOSTLY = 0.5;
/** At most this many languages, or times, of a source with several are named. */
const NAMED = 3;
const OTHERS = 'other times';
/** Dates do not show a shorter gap, such as the minutes between an import and the next. */
const LEAST_GAP_MS = DAY_MS;

/** The times that a source covers, without short gaps. */
function joined(coverage: SourceInfo['coverage']): Span[] {
  const spans: Span[] = [];
  for (const { start, end } of coverage) {
    const span = { start: Date.parse(start), end: end === null ? Infinity : Date.parse(end) };
    const last = spans.at(-1);
    const isNear = last && span.start - last.end < LEAST_GAP_MS;
    if (isNear) spans.splice(-1, 1, { start: last.start, end: span.end });
    else spans.push(span);
  }
  return spans;
}

/** The spans nearest to a view, in their order. */
function nearest(spans: readonly Span[], view: Span, many: number): Span[] {
  const away = ({ start, end }: Span): number => Math.max(0, start - view.end, view.start - end);
  const near = new Set(spans.toSorted((a, b) => away(a) - away(b)).slice(0, many));
  return spans.filter((span) => near.has(span));
}

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
 * @param similar - With the languages, the most common first, and the Posts that match at other times; null while they are
 *   counted.
 * @param view - The time in view.
 * @returns Without a full stop; empty for a source without Posts.
 */
export function coverageText(
  { last, coverage }: Pick<SourceInfo, 'last' | 'coverage'>,
  similar: Pick<Similar, 'languages' | 'matching'> | null,
  view: Span,
  format: Formatter,
): string {
  if (last === null || coverage.length === 0) return '';
  const spans = joined(coverage);
  const isLong = spans.length > NAMED;
  const times = (isLong ? nearest(spans, view, NAMED - 1) : spans).map(({ start, end }) => {
    const first = format.date(start);
    const to = end === Infinity ? 'now' : format.date(end - 1);
    return first === to ? first : `${first} to ${to}`;
  });
  const list = new Intl.ListFormat('en-GB', { type: 'conjunction' });
  const named = list.format(isLong ? [...times, OTHERS] : times);
  const elsewhere = similar?.matching
    ? `${format.counted(similar.matching, 'Post')} at other times. `
    : '';
  return `${elsewhere}This source covers ${named}${similar ? languageText(similar.languages) : ''}`;
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

/** True if a query that matches nothing in the zoom has Posts elsewhere in the range. */
export function matchesInRange({ run }: Pick<BoardSeries, 'run'>): boolean {
  return run.curve?.counts.some((count) => count > 0) ?? false;
}

/** Similar words, for a query that no Post of the source matches. */
export function similarWords(
  similar: Pick<Similar, 'matching' | 'similar'> | null,
): Similar['similar'] {
  return similar?.matching === 0 ? similar.similar : [];
}

/** Id of the element with what the source has instead of a series. */
export function noMatchesId(series: number): string {
  return `no-matches-${series}`;
}
