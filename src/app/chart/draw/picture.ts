import type { Unit } from '#core/series/formula.ts';
import { timeTicks } from './axis.ts';
import type { ChartProps } from '#app/chart/chart-props.ts';
import type { ChartState } from '#app/chart/chart.svelte.ts';
import type { ChartOption } from './echarts.ts';
import { linesOf } from './line-series.ts';
import { axisText, chartOption } from './option.ts';

/** The content of a chart, on the page or in a file. */
export type Shown = Pick<ChartProps, 'data' | 'view' | 'style' | 'annotations' | 'format'>;

/** The chart as an option of ECharts. */
export function optionOf(chart: ChartState, { data, view, style, format }: Shown): ChartOption {
  const axisFormat =
    (unit: Unit) =>
    (value: number): string =>
      axisText(value, unit, chart.figure.form, format.formatter);
  return chartOption({
    window: chart.shown,
    plot: chart.plot,
    scale: chart.scale,
    // A label at the end of the view would be cut off.
    ticks: timeTicks(
      chart.shown,
      chart.plotWidth,
      view.table,
      view.weekStart,
      format.formatter.order,
    ).filter(({ at }) => at < chart.shown.end),
    lines: linesOf(chart, data.series, style),
    stacked: chart.figure.stacked,
    colours: style.colours.base,
    value: axisFormat(chart.figure.left.unit),
    extra: chart.analysis?.lines(chart.scale),
    right: chart.rightScale && {
      scale: chart.rightScale,
      value: axisFormat(chart.figure.right?.unit ?? 'ratio'),
    },
  });
}
