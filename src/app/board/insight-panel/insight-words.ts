import type { InsightWords } from '#app/insight/insight.ts';
import type { Board } from '#app/board/state/board.svelte.ts';
import { AGAINST_WORDS } from '#app/board/chart-panel/chart-labels.ts';
import type { Formatter } from '#app/format/formatter.ts';

/** How the tables under the chart say numbers and buckets. */
export function insightWords({ resolution, zone }: Board, words: Formatter): InsightWords {
  return {
    count: (value) => words.count(value),
    mean: (value) => words.mean(value),
    share: (value) => words.share(value),
    percent: (value) => words.percent(value),
    points: (value) => words.points(value),
    change: (value) => words.change(value),
    bucket: (start, end) => words.bucket(start, end, resolution, zone),
  };
}

/** What changes are against, in words. */
export function againstWords({ compared, zone }: Board, words: Formatter): string {
  return compared
    ? `Against ${AGAINST_WORDS[compared.earlier]}: ${words.span(compared.span, zone)}`
    : 'There is no time before.';
}
