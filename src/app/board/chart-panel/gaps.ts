import type { ChartGap } from '#app/chart/chart-props.ts';
import { missingSpans } from '#core/series/gaps.ts';
import type { Board } from '#app/board/state/board.svelte.ts';
import { pagesFor } from '#app/format/pages-text.ts';
import type { Formatter } from '#app/format/formatter.ts';

/** The most series whose gaps are listed one by one. */
const APART = 3;

/** The postponed plans of the visible series, with their price and an action that loads them. */
export function gapsOf(board: Board, format: Formatter): ChartGap[] {
  const gaps = board.series.visible.flatMap((one) => {
    if (!one.gap) return [];
    const spans = one.curve ? missingSpans(one.curve, board.time.now, one.pyramid) : [];
    // One marker per series, at its longest gap.
    const span = spans.reduce((a, b) => (b.end - b.start > a.end - a.start ? b : a), {
      start: board.time.span.start,
      end: board.time.span.start + 1,
    });
    return [{ one, span, ...one.gap }];
  });
  if (gaps.length <= APART) {
    return gaps.map(({ one, span, pages, money }) => ({
      key: String(one.id),
      text: `${one.name}: ${pagesFor(pages, money, format)}`,
      colour: one.style.colour,
      span,
      onget: () => board.fill(one),
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
        for (const { one } of gaps) board.fill(one);
      },
    },
  ];
}
