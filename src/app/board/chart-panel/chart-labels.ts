import type { Comparison, Form, Trend } from '#app/chart/form.ts';
import type { Resolution } from '#core/time/resolution.ts';
import { plural } from '#app/format/formatter.ts';

export const FORM_WORDS: Readonly<Record<Form, string>> = {
  line: 'Line',
  area: 'Area',
  stack: 'Stack',
  share: 'Share',
  bars: 'Bars',
};

export const COMPARISON_WORDS: Readonly<Record<Comparison, string>> = {
  none: 'none',
  previous: 'before',
  weekdays: 'weekdays',
  year: 'a year ago',
};

/** The earlier time, as in “against the period before”. */
export const AGAINST_WORDS = {
  previous: 'the period before',
  weekdays: 'the same weekdays before',
  year: 'a year before',
} as const;

/** Means that are offered, in buckets of each resolution. */
const MEANS: Readonly<Record<Resolution, readonly number[]>> = {
  minute: [5, 15, 60],
  hour: [6, 24, 168],
  day: [7, 28, 91],
  week: [4, 13, 52],
  month: [3, 6, 12],
  quarter: [2, 4, 8],
  year: [2, 3, 5],
};

/** Moving averages that make sense at a resolution, shortest first. */
export function meansOf(resolution: Resolution): readonly number[] {
  return MEANS[resolution];
}

/** What is drawn, in words: `moving average of 7 days`. */
export function trendWords(
  trend: Trend,
  resolution: Resolution,
  nameOf: (id: number) => string,
): { readonly kind: string; readonly value: string } {
  if (trend.kind === 'average')
    return { kind: 'Average', value: plural(trend.buckets, resolution) };
  if (trend.kind === 'cumulative') return { kind: 'Show', value: 'running total' };
  if (trend.kind === 'index') return { kind: 'Show', value: 'index, start = 100' };
  if (trend.kind === 'per') return { kind: 'Per 100,000 of', value: nameOf(trend.of) };
  return { kind: 'Show', value: 'counts' };
}
