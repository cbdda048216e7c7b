import type { Board } from '#app/board/state/board.svelte.ts';
import { AGAINST_WORDS } from '#app/board/chart-panel/chart-labels.ts';
import type { Formatter } from '#app/format/formatter.ts';

/** The period that changes are compared with, in words. */
export function againstWords({ time: { zone }, compared }: Board, words: Formatter): string {
  return compared
    ? `Compared with ${AGAINST_WORDS[compared.earlier]}: ${words.span(compared.span, zone)}`
    : 'No earlier data to compare.';
}
