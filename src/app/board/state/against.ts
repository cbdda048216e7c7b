import type { Formatter } from '#app/format/formatter.ts';
import { isChosen } from '#core/series/comparison.ts';
import type { Board } from './board.svelte.ts';

/** The earlier period, as in “compared with the previous period”. */
export const AGAINST_WORDS = {
  previous: 'the previous period',
  weekdays: 'the same weekdays earlier',
  year: 'the year before',
} as const;

/** The period a board is compared with, in words: a chosen one by its dates. */
export function againstPeriod({ compared, time }: Board, format: Formatter): string {
  const earlier = compared?.earlier ?? 'previous';
  return isChosen(earlier)
    ? format.span(compared?.span ?? time.asked, time.zone)
    : AGAINST_WORDS[earlier];
}
