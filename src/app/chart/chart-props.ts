import type { Snippet } from 'svelte';
import type { Resolution, WeekStart } from '#core/time/resolution.ts';
import type { Span } from '#core/time/span.ts';
import type { ZoneTable } from '#core/time/zone.ts';
import type { ChartSeries } from './chart.svelte.ts';
import type { Form, Scale, Trend } from './form.ts';
import type { ChartLook } from './line-series.ts';
import type { ChartGap, ChartMark, LaneGround } from './marks.ts';
import type { ChartPeak } from './peaks.ts';
import type { ChartWords } from './words.ts';

/** What the chart is given: data and words, no source of them. */
export interface ChartProps {
  series: readonly ChartSeries[];
  /** Of which rates are told, drawn or not. */
  baseline?: ChartSeries | null;
  range: Span;
  /** The series over the whole range, where `series` tell a part of it in finer buckets. */
  across?: readonly ChartSeries[];
  window: Span;
  form?: Form;
  scale?: Scale;
  trend?: Trend;
  /** What the earlier time of the series is called: `a year before`. */
  earlier?: string;
  resolution: Resolution;
  table: ZoneTable;
  weekStart: WeekStart;
  now: number;
  /** Dates that concern what is shown, in words. */
  marks: readonly ChartMark[];
  peaks?: readonly ChartPeak[];
  /** What is to be known of the numbers, in few words each. */
  notes: readonly string[];
  /** What was planned and put off. */
  gaps: readonly ChartGap[];
  /** Read out for the picture. */
  summary: string;
  locale: string | undefined;
  say: ChartWords;
  /** Colours; another object where they changed. */
  look: ChartLook;
  /** The overlays and the tooltip; null until they are loaded. */
  tips: typeof import('./tips.ts') | null;
  /** Whether the whole range is shown small under the plot. */
  overview?: boolean;
  /** What happened, on the same time axis. */
  lanes?: Snippet<[LaneGround]> | undefined;
  onzoom: (window: Span | null) => void;
  onpick?: (span: Span | null) => void;
  onpeak?: (number: number) => void;
  /** A picture is on the canvas. */
  ondrawn?: (() => void) | undefined;
}
