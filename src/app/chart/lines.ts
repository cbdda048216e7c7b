import type { ChartSeries, ChartState } from './chart.svelte.ts';
import { markedPoints } from './line.ts';
import type { ChartLine, Fill, Look } from './option.ts';

/** Colours of the page and of its series, resolved. */
export interface ChartLook {
  readonly base: Look;
  readonly series: readonly string[];
}

/** Room of a point that is marked, px: a line with less for each is marked at its end alone. */
const MARKED_PX = 22;

/** What is drawn of every series, in the order in which they cover each other: of a stack the top first. */
export function linesOf(
  { figure, plotWidth }: Pick<ChartState, 'figure' | 'plotWidth'>,
  series: readonly ChartSeries[],
  look: ChartLook,
): ChartLine[] {
  const { form, stacked, parts: all } = figure;
  const fill: Fill = form === 'area' ? 'light' : stacked && form !== 'bars' ? 'solid' : 'none';
  const marked = form === 'line' || form === 'area';
  const lines = series.flatMap(({ id, style }): ChartLine[] => {
    const parts = all.get(id);
    if (!parts) return [];
    const few = (parts.line.length / 2) * MARKED_PX <= plotWidth;
    return [
      {
        id: String(id),
        colour: look.series[style.colour - 1] ?? look.base.ink,
        dash: style.dash,
        marker: style.marker,
        fill,
        dots: marked ? markedPoints(parts, few) : parts.dots,
        parts,
      },
    ];
  });
  return stacked ? lines.reverse() : lines;
}
