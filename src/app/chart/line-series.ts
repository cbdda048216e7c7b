import type { ChartSeries, ChartState } from './chart.svelte.ts';
import { markedPoints } from './decimate.ts';
import type { ChartLine, Fill, ThemeColours } from './option.ts';
import { isQuotient } from './axes.ts';

/** Room of a point that is marked, px: a line with less for each is marked at its end alone. */
const MARKED_PX = 22;

/** What is drawn of every series, in the order in which they cover each other: of a stack the top first, quotients over all. */
export function linesOf(
  { figure, plotWidth }: Pick<ChartState, 'figure' | 'plotWidth'>,
  series: readonly ChartSeries[],
  colours: ThemeColours,
): ChartLine[] {
  const { form, stacked, parts: all, onRight } = figure;
  const fill: Fill = form === 'area' ? 'light' : stacked && form !== 'bars' ? 'solid' : 'none';
  const marked = form === 'line' || form === 'area';
  const lineOf = (one: ChartSeries): ChartLine[] => {
    const { id, style } = one;
    const parts = all.get(id);
    if (!parts) return [];
    const quotient = isQuotient(one);
    const few = (parts.line.length / 2) * MARKED_PX <= plotWidth;
    return [
      {
        id: String(id),
        colour: colours.series[style.colour - 1] ?? colours.base.ink,
        dash: style.dash,
        marker: style.marker,
        // Two areas of different axes would be held against each other.
        fill: onRight.has(id) ? 'none' : fill,
        right: onRight.has(id),
        dots: marked || quotient ? markedPoints(parts, few) : parts.dots,
        parts,
      },
    ];
  };
  const counted = series.filter((one) => !isQuotient(one)).flatMap(lineOf);
  const quotients = series.filter(isQuotient).flatMap(lineOf);
  return [...(stacked ? counted.reverse() : counted), ...quotients];
}
