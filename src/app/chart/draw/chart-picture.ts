import type { Span } from '#core/time/span.ts';
import type { Tick } from './axis.ts';
import type { DrawnCurve } from './curve.ts';
import type { RowPlace } from './rows.ts';
import type { ValueScale } from './scale.ts';
import type { Marker } from '#app/ui/series-style.ts';
import type { FigurePart } from './layout-lines.ts';

/** Margins of the plot inside the chart, px. */
export interface Plot {
  readonly left: number;
  readonly right: number;
  readonly top: number;
  readonly bottom: number;
}

/** The theme's resolved colours and font, because a canvas does not support custom properties. */
export interface BaseColours {
  readonly ink: string;
  readonly quiet: string;
  readonly hairline: string;
  readonly axis: string;
  readonly ground: string;
  readonly font: string;
  readonly fontSize: number;
}

/** With the colours of series, in the order of their styles. */
export interface ThemeColours {
  readonly base: BaseColours;
  readonly series: readonly string[];
}

/** The filling of a series: not at all, lightly down to zero, or fully, covering what is behind it. */
export type Fill = 'none' | 'light' | 'solid';

/** A line of the chart. */
export interface ChartLine {
  readonly id: string;
  readonly colour: string;
  readonly dash: readonly number[];
  readonly marker: Marker;
  readonly fill: Fill;
  /** True if it is on the right axis. */
  readonly right: boolean;
  /** The marked points. */
  readonly dots: Float64Array;
  readonly parts: FigurePart;
}

export interface ChartPicture {
  readonly window: Span;
  readonly plot: Plot;
  readonly scale: ValueScale;
  /** Of quotients in a chart with counts, and the format of its values; null if there are none. */
  readonly right: { readonly scale: ValueScale; readonly value: (value: number) => string } | null;
  readonly ticks: readonly Tick[];
  /** In drawing order: the last one is on top. */
  readonly lines: readonly ChartLine[];
  /** True if series are stacked. */
  readonly stacked: boolean;
  readonly colours: BaseColours;
  /** Formats a value of the left axis. */
  readonly value: (value: number) => string;
  /** Lines that are not counts, drawn over those that are. */
  readonly extra?: readonly DrawnCurve[] | undefined;
  /** The rows of small multiples, by the ids of their lines; without them, all lines are on one scale. */
  readonly rows?: readonly PictureRow[];
}

/** A row of small multiples, and the format of its values. */
export interface PictureRow extends RowPlace {
  readonly id: string;
  readonly value: (value: number) => string;
}
