import type { ChartGap } from '#app/chart/chart-props.ts';
import { missingSpans } from '#core/series/gaps.ts';
import type { Board } from '#app/board/state/board.svelte.ts';
import { pagesFor } from '#app/format/pages-text.ts';
import type { Formatter } from '#app/format/formatter.ts';

/** The most series whose gaps are listed one by one. */
const APART = 3;

/** The postponed plans of the visible series, with their price and an action that loads them. */
export function gapsOf(board: Board, format: Formatter): ChartGap[] {
  const gaps = board.series.visible.flatMap((series) => {
    if (!series.gap) return [];
    const spans = series.curve ? missingSpans(series.curve, board.time.now, series.pyramid) : [];
    // One marker per series, at its longest gap.
    const span = spans.reduce((a, b) => (b.end - b.start > a.end - a.start ? b : a), {
      start: board.time.span.start,
      end: board.time.span.start + 1,
    });
    return [{ series, span, ...series.gap }];
  });
  if (gaps.length <= APART) {
    return gaps.map(({ series, span, pages, money }) => ({
      key: String(series.id),
      text: `${series.name}: ${pagesFor(pages, money, format)}`,
      colour: series.style.colour,
      span,
      onget: () => board.fill(series),
    }));
  }
  const sum = (of: (gap: { pages: number; money: number }) => number): number =>
    gaps.reduce((all, gap) => all + of(gap), 0);
  return [
    {
      key: 'all',
      text: `${gaps.length} series: ${pagesFor(
        sum(({ pages }) => pages),
        sum(({ money }) => money),
        format,
      )}`,
      colour: null,
      span: gaps[0]?.span ?? board.time.span,
      onget: () => {
        for (const { series } of gaps) board.fill(series);
      },
    },
  ];
}
