import type { Board } from '#app/board/state/board.svelte.ts';
import { againstPeriod } from '#app/board/state/against.ts';
import type { Formatter } from '#app/format/formatter.ts';

/** The period that changes are compared with, in words. */
export function againstWords(board: Board, format: Formatter): string {
  const { compared, time } = board;
  if (!compared) return 'No earlier data to compare.';
  const [period, span] = [againstPeriod(board, format), format.span(compared.span, time.zone)];
  return `Compared with ${period === span ? span : `${period}: ${span}`}`;
}
