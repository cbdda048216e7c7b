import type { Board } from '#app/board/state/board.svelte.ts';
import { AGAINST_WORDS } from '#app/board/chart-panel/chart-labels.ts';
import type { Formatter } from '#app/format/formatter.ts';

/** What changes are against, in words. */
export function againstWords({ time: { zone }, compared }: Board, words: Formatter): string {
  return compared
    ? `Against ${AGAINST_WORDS[compared.earlier]}: ${words.span(compared.span, zone)}`
    : 'There is no time before.';
}
