import type { ChartStyle, ChartView } from '#app/chart/chart-props.ts';
import { isStacked } from '#app/chart/draw/layout.ts';

/** The facts that decide whether a forecast, a trend line or a target makes sense. */
export interface AnalysedChart {
  readonly style: Pick<ChartStyle, 'form' | 'trend' | 'target'>;
  readonly view: Pick<ChartView, 'resolution' | 'range' | 'window'>;
  /** Number of series that are counts. */
  readonly counted: number;
}

/** The reason there can be no trend line, a few words; empty if there can. */
export function trendLack({ style: { form, trend }, counted }: AnalysedChart): string {
  if (counted === 0) return 'not for ratios';
  if (trend.kind !== 'none') return 'only for plain counts';
  return isStacked(form, trend, counted) ? 'not for stacked curves' : '';
}

/** The reason there can be no forecast, a few words; empty if there can. */
export function forecastLack(chart: AnalysedChart): string {
  const {
    style: { form },
    view: { range, window },
  } = chart;
  const lack = trendLack(chart);
  if (lack) return lack;
  if (form === 'bars') return 'only for lines and areas';
  return window.end < range.end ? 'the view ends before the range' : '';
}

/** The reason there can be no target line, a few words; empty if there can. */
export function targetLack({ style, view, counted }: AnalysedChart): string {
  const { form, trend, target } = style;
  if (counted === 0) return 'ratios are not Posts';
  if (trend.kind === 'index') return 'an index is not in Posts';
  // Five hundred a day are not five hundred a week, and neither a sum nor a rate.
  const figure = trend.kind === 'cumulative' || trend.kind === 'per';
  const other = figure || target?.per !== view.resolution;
  if (target?.per && other) return `it is per ${target.per}`;
  return form === 'share' && isStacked(form, trend, counted) ? '100 % is not in Posts' : '';
}
