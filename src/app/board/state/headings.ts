import type { Headed } from '#app/insight/summary/summary-rows.ts';
import type { Formatter } from '#app/format/formatter.ts';
import { isChosen } from '#core/series/comparison.ts';
import { againstPeriod } from './against.ts';
import type { Board } from './board.svelte.ts';

/** What the headings of changes say. */
export function headedBy(board: Board, format: Formatter): Headed {
  const { compared, time } = board;
  const earlier = compared?.earlier ?? null;
  return {
    per: time.resolution,
    earlier: isChosen(earlier) ? null : earlier,
    ...(isChosen(earlier) && { period: againstPeriod(board, format) }),
  };
}

/** What the curves show per bucket. An index and a rate are no parts of a whole, so they are never drawn as shares. */
export function drawnWords({ chart: { form, trend } }: Board): 'Posts' | 'Share of Posts' {
  const parts = trend.kind !== 'index' && trend.kind !== 'per';
  return form === 'share' && parts ? 'Share of Posts' : 'Posts';
}
