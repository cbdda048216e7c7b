import type { Forecast } from '#core/series/forecast.ts';
import type { TrendLine } from '#core/series/trend-line.ts';
import type { SeriesStyle } from '#app/ui/series-style.ts';
import type { Target } from '#app/chart/chart-props.ts';
import type { DrawnCurve } from '#app/chart/draw/curve.ts';
import type { ValueScale } from '#app/chart/draw/scale.ts';

/** A point of the chart: an instant and a count. */
interface Point {
  readonly x: number;
  readonly y: number;
}

/** The analysis that is drawn in addition to the counts of one series. */
export interface SeriesAnalysis {
  readonly id: number;
  readonly name: string;
  readonly style: SeriesStyle;
  readonly colour: string;
  /** The last whole bucket, where the forecast's line begins. */
  readonly last: Point | null;
  /** Only buckets after the last whole one. */
  readonly forecast: Forecast | null;
  readonly trend: TrendLine | null;
  /** The unfinished bucket: its count so far, and what that is at this pace. */
  readonly projection: (Point & { readonly projected: number; readonly bucket: number }) | null;
  /** The highest value that must be on its axis. */
  readonly peak: number;
}

/** The analysis that is drawn in addition to the counts. Computed from them, never added to them. */
export interface ChartAnalysis {
  /** End of the last forecast, epoch ms; 0 without one. */
  readonly end: number;
  /** The highest value that must be on the axis. */
  readonly peak: number;
  /** The statements in words above the plot. */
  readonly notes: readonly string[];
  readonly series: readonly SeriesAnalysis[];
  /** End of the last bucket with a count, finished or not, epoch ms. */
  readonly known: number;
  /** Null if it is not drawn. */
  readonly target: Target | null;
  /** @param of - Id of the only series to draw; all by default. */
  lines(scale: ValueScale, of?: number): DrawnCurve[];
}
