import type { Formatter } from '#app/format/formatter.ts';
import { drawnPosts } from '#core/format/plural.ts';
import { isChosen } from '#core/series/comparison.ts';
import { againstPeriod, periodNames } from './against.ts';
import type { Board } from './board.svelte.ts';
import { headingOf } from '#app/insight/summary/summary-columns.ts';
import type { Headed } from '#app/insight/summary/row-cell.ts';

/** The parts of a board on which the headings of the summary depend, and some of its figures. */
export function headedBy(board: Board, format: Formatter): Headed {
  const { compared, periods, time, chart } = board;
  const several = chart.comparison !== 'none' && periods.length > 1;
  const names = several ? periodNames(board, format) : [];
  const earlier = compared?.earlier ?? null;
  return {
    per: time.resolution,
    cut: time.cut,
    earlier: isChosen(earlier) ? null : earlier,
    ...(isChosen(earlier) && { period: againstPeriod(board, format) }),
    ...(several && {
      periods: periods.map(({ span }, i) => ({
        name: names[i] ?? '',
        dates: format.span(span, time.zone),
      })),
    }),
  };
}

/** The headings of the columns of earlier periods in a table of buckets. */
export function earlierHeadings({ chart }: Board, headed: Headed): readonly string[] {
  if (chart.comparison === 'none') return [];
  return headed.periods?.map(({ name }) => name) ?? [headingOf('change', headed)];
}

/** The quantity of the curves per bucket. An index and a rate are not parts of a whole, so never shares. */
export function drawnWords({ chart: { form, trend }, time }: Board): string {
  const parts = trend.kind !== 'index' && trend.kind !== 'per';
  return drawnPosts(time.resolution, form === 'share' && parts);
}
