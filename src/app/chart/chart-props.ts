import type { Snippet } from 'svelte';
import type { Causes } from '#core/causes/causes.ts';
import type { Curve } from '#core/series/series.ts';
import type { Formatter } from '#app/format/formatter.ts';
import type { Resolution, WeekStart } from '#core/time/resolution.ts';
import type { Span } from '#core/time/span.ts';
import type { ZoneTable } from '#core/time/zone.ts';
import type { Form, RowScale, Scale, Trend } from '#app/chart/draw/form.ts';
import type { SeriesStyle } from '#app/ui/series-style.ts';
import type { FigureSeries } from '#app/chart/draw/values.ts';
import type { ThemeColours } from '#app/chart/draw/chart-picture.ts';

export interface ChartSeries extends FigureSeries {
  readonly name: string;
  readonly style: SeriesStyle;
  /** The same counts in finer buckets, as far as they are loaded, for the projection of an unfinished one. */
  readonly finer?: readonly Curve[];
}

/** A value that counts are compared with. */
export interface Target {
  /** Above zero. */
  readonly value: number;
  /** Empty for “Target”. */
  readonly label: string;
  /** The buckets it was set for; absent if it is for a sum or a rate, or from an earlier version. */
  readonly per?: Resolution;
}

/** A peak with its number in the list of peaks. */
export interface ChartPeak {
  /** Unique, and stable as long as its curve. */
  readonly key: string;
  /** From 1 by size, shared by the peaks of one moment; null for all but the largest moments. */
  readonly number: number | null;
  /** Start of its highest bucket, epoch ms. */
  readonly at: number;
  /** Posts of its highest bucket: the height of the marker. */
  readonly count: number;
  readonly seriesId: number;
  /** The causes of its Posts; null or absent while they are unknown. */
  readonly causes?: Causes | null;
}

export interface ChartData {
  readonly series: readonly ChartSeries[];
  /** The series over the whole range, if `series` covers only a part of it in finer buckets. */
  readonly across?: readonly ChartSeries[];
  /** Denominator of rates, whether drawn or not. */
  readonly baseline?: ChartSeries | null;
  /** Epoch ms. */
  readonly now: number;
}

/** The time in view and the calendar of its buckets. */
export interface ChartView {
  readonly range: Span;
  readonly window: Span;
  readonly resolution: Resolution;
  readonly table: ZoneTable;
  readonly weekStart: WeekStart;
  /** The time whose details are open. */
  readonly picked?: Span | null;
}

export interface ChartStyle {
  readonly form: Form;
  /** Of small multiples; `own` by default. */
  readonly rows?: RowScale;
  readonly scale: Scale;
  readonly trend: Trend;
  /** True if patterns tell lines apart, not only colours and markers. */
  readonly dashed: boolean;
  /** Replaced whenever a colour changes. */
  readonly colours: ThemeColours;
  readonly forecast?: boolean;
  readonly trendLine?: boolean;
  readonly target?: Target | null;
  /** True if the chart of the whole range is shown under the plot. */
  readonly overview: boolean;
}

/** A dated change that affects the series in view. */
export interface ChartMark {
  readonly at: number;
  readonly text: string;
  /** The full text, for places with more room. */
  readonly full: string;
}

/** The note of the user on a moment, or a stretch of time. */
export interface ChartNote {
  readonly id: string;
  /** Epoch ms. */
  readonly start: number;
  /** Exclusive, epoch ms; null for a moment. */
  readonly end: number | null;
  readonly text: string;
}

/** A note on the plot, px: an upright, or a band from one end to the other. */
export interface PlacedNote {
  readonly note: ChartNote;
  /** Cut to the plot; equal for a moment. */
  readonly from: number;
  readonly to: number;
  /** True if its start is in the plot. */
  readonly begins: boolean;
  /** The position of its label, in a row from the top of the plot; null if there is no room for one. */
  readonly label: { readonly left: number; readonly width: number; readonly row: number } | null;
}

/** Counts missing from one or several series, and how to fetch them. */
export interface ChartGap {
  readonly key: string;
  /** `Matcha: 12 pages for $0.12`. */
  readonly text: string;
  /** Colour of the series; null for several. */
  readonly colour: number | null;
  readonly span: Span;
  readonly onget: () => void;
}

export interface ChartAnnotations {
  readonly marks: readonly ChartMark[];
  /** The notes and campaigns that a picture has on its curves; on the page they are in the row of events. */
  readonly dated?: readonly ChartNote[];
  readonly peaks: readonly ChartPeak[];
  /** Caveats about the numbers, a few words each. */
  readonly notes: readonly string[];
  readonly gaps: readonly ChartGap[];
  /** Description of the chart for screen readers. */
  readonly summary: string;
}

export interface ChartFormat {
  readonly formatter: Formatter;
  /** Names of the earlier periods, the latest first: `year before`, or `2025` of several. */
  readonly earlier: readonly string[];
}

export interface ChartEvents {
  /** Requests a window; null for the whole range. */
  zoom(window: Span | null): void;
  /** Selects a bucket; null clears the selection. */
  pick?(span: Span | null): void;
  /** Opens the peak of a key. */
  peak?(key: string): void;
  /** Takes a span that a mouse selected. @returns False for the chart to zoom into it. */
  select?(span: Span): boolean;
  /** Called when the chart is on the canvas. */
  drawn?(): void;
}

/** Geometry that the events under the plot need to share its time axis. */
export interface EventGround {
  /** Position of an instant, px from the left of the plot. */
  readonly x: (at: number) => number;
  /** Left edge of the plot, px from the left of the chart. */
  readonly left: number;
  readonly width: number;
  readonly window: Span;
  /** Instant at the cursor; null outside the plot. */
  readonly cursor: number | null;
}

export interface ChartProps {
  data: ChartData;
  view: ChartView;
  style: ChartStyle;
  annotations: ChartAnnotations;
  format: ChartFormat;
  on: ChartEvents;
  /** The time of an event, marked on the curves; null for none. */
  pointed?: Span | null | undefined;
  /** Events on the same time axis. */
  events?: Snippet<[EventGround]> | undefined;
}
