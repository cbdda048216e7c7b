import type { ChartState } from '#app/chart/chart.svelte.ts';
import type { ChartSeries, ChartStyle } from '#app/chart/chart-props.ts';
import { markedPoints } from './decimate.ts';
import { isQuotient } from './axes.ts';
import { drawnDash } from '#app/ui/series-style.ts';
import type { ChartLine, Fill } from './chart-picture.ts';

/** Space that a marked point needs, px: denser lines are marked only at their ends. */
const MARKED_PX = 22;

/** The lines of all series in drawing order: the top of a stack first, quotients last. */
export function linesOf(
  { figure, plotWidth }: Pick<ChartState, 'figure' | 'plotWidth'>,
  series: readonly ChartSeries[],
  { colours, dashed }: Pick<ChartStyle, 'colours' | 'dashed'>,
): ChartLine[] {
  const { form, stacked, parts: all, onRight } = figure;
  const fill: Fill = form === 'area' ? 'light' : stacked && form !== 'bars' ? 'solid' : 'none';
  const marked = form === 'line' || form === 'area';
  const lineOf = (drawn: ChartSeries): ChartLine[] => {
    const { id, style } = drawn;
    const parts = all.get(id);
    if (!parts) return [];
    const quotient = isQuotient(drawn);
    const few = (parts.line.length / 2) * MARKED_PX <= plotWidth;
    return [
      {
        id: String(id),
        colour: colours.series[style.colour - 1] ?? colours.base.ink,
        dash: drawnDash(style, dashed),
        marker: style.marker,
        // Areas on different axes would look comparable, so those on the right have no fill.
        fill: onRight.has(id) ? 'none' : fill,
        right: onRight.has(id),
        dots: marked || quotient ? markedPoints(parts, few) : parts.dots,
        parts,
      },
    ];
  };
  const counted = series.filter((each) => !isQuotient(each)).flatMap(lineOf);
  const quotients = series.filter(isQuotient).flatMap(lineOf);
  return [...(stacked ? counted.reverse() : counted), ...quotients];
}
