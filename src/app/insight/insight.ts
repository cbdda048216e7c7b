import type { SeriesStyle } from '#app/chart/style.ts';
import type { Curve } from '#core/series/series.ts';
import type { Summary } from './summary.ts';

/** One series as the tables below the chart are given it. */
export interface InsightSeries {
  readonly id: number;
  readonly name: string;
  readonly style: SeriesStyle;
  readonly hidden: boolean;
  readonly curve: Curve | null;
  readonly summary: Summary | null;
  readonly run: { readonly upperBounds: boolean };
}

/** How the tables say numbers and times. */
export interface InsightWords {
  count(value: number): string;
  mean(value: number): string;
  share(value: number): string;
  bucket(start: number, end: number): string;
}
