import type { Formatter } from '#app/format/formatter.ts';
import { EARLIER_WORDS, isChosen } from '#core/series/comparison.ts';
import { wallTime } from '#core/time/zone.ts';
import type { Board } from './board.svelte.ts';

/** The latest period a board is compared with, in words: a chosen one by its dates. */
export function againstPeriod({ compared, time }: Board, format: Formatter): string {
  const earlier = compared?.earlier ?? 'previous';
  return isChosen(earlier)
    ? format.span(compared?.span ?? time.asked, time.zone)
    : EARLIER_WORDS[earlier];
}

/** The names of the earlier periods, the latest first: one in words, several by their years or dates. */
export function periodNames(board: Board, format: Formatter): readonly string[] {
  const { periods, time } = board;
  if (periods.length < 2) return [againstPeriod(board, format).replace(/^the /, '')];
  const year = (at: number): number => new Date(wallTime(time.table, at)).getUTCFullYear();
  return periods.map(({ earlier, span }) => {
    if (earlier !== 'year') return format.span(span, time.zone);
    const [first, last] = [year(span.start), year(span.end - 1)];
    return first === last ? String(first) : `${first}–${String(last).slice(2)}`;
  });
}
