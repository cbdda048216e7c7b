import type { ChartGap } from '#app/chart/chart-props.ts';
import { missingSpans } from '#core/series/gaps.ts';
import type { Board } from '#app/board/state/board.svelte.ts';
import { pagesFor } from '#app/format/cost-text.ts';
import type { Formatter } from '#app/format/formatter.ts';

/** Series whose gaps are told one by one. */
const APART = 3;

/** What was planned for the visible series and put off, with its price and the way to have it after all. */
export function gapsOf(board: Board, words: Formatter): ChartGap[] {
  const gaps = board.series.visible.flatMap((one) => {
    if (!one.gap) return [];
    const spans = one.curve ? missingSpans(one.curve, board.time.now, one.pyramid) : [];
    // The longest hole stands for all.
    const span = spans.reduce((a, b) => (b.end - b.start > a.end - a.start ? b : a), {
      start: board.time.span.start,
      end: board.time.span.start + 1,
    });
    return [{ one, span, ...one.gap }];
  });
  if (gaps.length <= APART) {
    return gaps.map(({ one, span, pages, money }) => ({
      key: String(one.id),
      text: `${one.name}: ${pagesFor(pages, money, words)}`,
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
        words,
      )}`,
      colour: null,
      span: gaps[0]?.span ?? board.time.span,
      onget: () => {
        for (const { one } of gaps) board.fill(one);
      },
    },
  ];
}
