import type { Unit } from '#core/series/formula.ts';
import { timeTicks } from './axis.ts';
import type { ChartProps } from '#app/chart/chart-props.ts';
import type { ChartState } from '#app/chart/chart.svelte.ts';
import type { DrawnCurve } from './curve.ts';
import type { ChartOption } from './echarts.ts';
import { linesOf } from './line-series.ts';
import { chartOption } from './option.ts';
import { inRow, rowPlace } from './rows.ts';
import { axisText } from './chart-axes.ts';

/** The content of a chart, on the page or in a file. */
export type Shown = Pick<ChartProps, 'data' | 'view' | 'style' | 'annotations' | 'format'>;

/** The curves that are drawn in addition to the counts: in rows those of each, labelled only in the first. */
export function analysisCurves(
  chart: Pick<ChartState, 'analysis' | 'rows' | 'band' | 'scale'>,
): readonly DrawnCurve[] {
  const { analysis, rows } = chart;
  if (!analysis) return [];
  if (rows.length === 0) return analysis.lines(chart.scale);
  return rows.flatMap((row, i) =>
    analysis
      .lines(row.scale, row.id)
      .filter(({ label }) => !label || i === 0)
      .map((curve) =>
        inRow({ ...curve, id: `${curve.id} of ${row.id}` }, rowPlace(row, chart.band())),
      ),
  );
}

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
    extra: analysisCurves(chart),
    rows: chart.rows.map((row) => ({
      ...rowPlace(row, chart.band()),
      id: String(row.id),
      value: axisFormat(row.unit),
    })),
    right: chart.rightScale && {
      scale: chart.rightScale,
      value: axisFormat(chart.figure.right?.unit ?? 'ratio'),
    },
  });
}
