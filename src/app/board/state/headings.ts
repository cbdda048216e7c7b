import type { Headed } from '#app/insight/summary-rows.ts';
import type { Formatter } from '#app/format/formatter.ts';
import { againstPeriod } from './against.ts';
import type { Board } from './board.svelte.ts';

/** What the headings of changes say. */
export function headedBy(board: Board, words: Formatter): Headed {
  const { compared, time } = board;
  const earlier = compared?.earlier ?? null;
  const chosen = earlier === 'days' || earlier === 'elapsed';
  return {
    per: time.resolution,
    earlier: chosen ? null : earlier,
    ...(chosen && { period: againstPeriod(board, words) }),
  };
}
