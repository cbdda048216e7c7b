import type { Formatter } from '#app/format/formatter.ts';
import { EARLIER_WORDS, isChosen } from '#core/series/comparison.ts';
import type { Board } from './board.svelte.ts';

/** The period a board is compared with, in words: a chosen one by its dates. */
export function againstPeriod({ compared, time }: Board, format: Formatter): string {
  const earlier = compared?.earlier ?? 'previous';
  return isChosen(earlier)
    ? format.span(compared?.span ?? time.asked, time.zone)
    : EARLIER_WORDS[earlier];
}
