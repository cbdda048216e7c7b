import type { Cut } from '#core/series/rollup.ts';
import type { Earlier } from '#core/series/comparison.ts';
import type { Resolution } from '#core/time/resolution.ts';
import type { Span } from '#core/time/span.ts';
import type { Formatter } from '#app/format/formatter.ts';
import type { InsightSeries } from '#app/insight/insight.ts';

/** Lower and upper end; NaN without one. */
type Band = readonly [low: number, high: number];

/** A cell of the table. */
export interface RowCell {
  readonly text: string;
  /** The value to sort by; NaN if there is none. */
  readonly value: number;
  /** The value as the text rounds it. */
  readonly rounded: number;
  /** Shown small next to the value. */
  readonly note: string;
  /** Details, or why there is no value: a sentence. */
  readonly why: string;
  /** Lower and upper end of the value at 95 %; NaN without one. */
  readonly band: Band;
}

/** The parts from which the rows are made. */
export interface RowsOf {
  readonly series: readonly InsightSeries[];
  readonly per: Resolution;
  /** Several earlier periods, whose totals are columns. */
  readonly periods?: Headed['periods'];
  readonly cut?: Headed['cut'];
  readonly now: number;
  /** The zoom; null if the whole range is in view. */
  readonly window: Span | null;
  readonly format: Formatter;
}

/** The least difference between the sides of a band that is shown: rounding hides a tenth of a point. */
export const UNEVEN = 0.0015;

const NO_BAND: Band = [Number.NaN, Number.NaN];

/** A cell with a value. */
export function figureCell(text: string, value: number, over: Partial<RowCell> = {}): RowCell {
  return { text, value, rounded: value, note: '', why: '', band: NO_BAND, ...over };
}

/** No value, and why. */
export function emptyCell(why: string): RowCell {
  return figureCell('–', Number.NaN, { why });
}

/** The reason for which a series of a file has no figures. */
export const NOT_IN_FILE =
  'The file has none of these buckets: its times, bucket lengths or bucket edges differ.';
/** The reason for which a quotient of series has no mean. */
export const QUOTIENT = 'Computed: a ratio has no mean or median.';

/** The facts on which a heading depends. */
export interface Headed {
  readonly per: Resolution;
  /** The period of the comparison; null if there is none, or a chosen one. */
  readonly earlier: Earlier | null;
  /** The dates of a chosen period. */
  readonly period?: string;
  /** Several earlier periods, the latest first. */
  readonly periods?: readonly { readonly name: string; readonly dates: string }[] | undefined;
  /** The outer buckets that the range cuts; absent: it may cut both. */
  readonly cut?: Cut;
}
