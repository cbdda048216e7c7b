import type { Board } from '#app/board/state/board.svelte.ts';
import { remainingOf, type BoardSeries } from '#app/board/state/series.svelte.ts';
import type { Run } from '#app/counts/fetch/series-run.svelte.ts';
import { usd } from '#core/counts/price.ts';

/** The runs of a series that can buy counts: of the range, the zoom, earlier periods and the open tab. */
export function boughtRuns({ run, detail, earlierRuns, fine }: BoardSeries): Run[] {
  return [run, detail, ...earlierRuns, fine].filter((each) => each !== null);
}

/** The rest of the plans that were declined or stopped: their series, and pages and price of all together, in USD. */
export function declinedRest({ series }: Pick<Board, 'series'>): {
  readonly series: readonly BoardSeries[];
  readonly pages: number;
  readonly money: number;
} {
  const gaps = series.all.flatMap((each) => {
    const stopped = boughtRuns(each).filter(({ phase }) => phase === 'cancelled');
    const rest = stopped.flatMap((run) => remainingOf(run) ?? []).filter(({ pages }) => pages > 0);
    return rest.length > 0 ? [{ series: each, rest }] : [];
  });
  const rest = gaps.flatMap((gap) => gap.rest);
  return {
    series: gaps.map((gap) => gap.series),
    pages: rest.reduce((sum, { pages }) => sum + pages, 0),
    money: usd(rest.reduce((sum, { money }) => sum + money, 0)),
  };
}

/** Plans again, together, what was declined of every series. */
export function loadDeclined(board: Board): void {
  for (const series of declinedRest(board).series) board.fill(series);
}
