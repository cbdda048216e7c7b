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

/** The earlier period, as in “compared with the previous period”. */
export const AGAINST_WORDS = {
  previous: 'the previous period',
  weekdays: 'the same weekdays earlier',
  year: 'the year before',
} as const;

/** Lengths of the moving averages on offer, in buckets of each resolution. */
const AVERAGES: Readonly<Record<Resolution, readonly number[]>> = {
  minute: [5, 15, 60],
  hour: [6, 24, 168],
  day: [7, 28, 91],
  week: [4, 13, 52],
  month: [3, 6, 12],
  quarter: [2, 4, 8],
  year: [2, 3, 5],
};

/** Lengths of moving averages that make sense at a resolution, in buckets, shortest first. */
export function averagesOf(resolution: Resolution): readonly number[] {
  return AVERAGES[resolution];
}

/** The menu text of a trend: `Average` and `7 days`. */
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
