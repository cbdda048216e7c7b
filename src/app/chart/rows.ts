import { bucketAt } from '#app/insight/summary.ts';
import type { ChartSeries, ChartState, Pointed } from './chart.svelte.ts';
import type { Trend } from './form.ts';
import { readingAt } from './reading.ts';
import type { SeriesStyle } from './style.ts';
import { changeText, valueText, type ChartWords } from './words.ts';

/** What one series has under the pointer, in words. */
export interface TipRow {
  readonly id: number;
  readonly name: string;
  readonly style: SeriesStyle;
  readonly value: string;
  /** The count itself where something else is told; empty where not. */
  readonly count: string;
  /** Of the earlier time; empty without one. */
  readonly earlier: string;
  /** Why the value is not the last word; empty where it is. */
  readonly note: string;
  /** Where its line is; NaN where there is none. */
  readonly top: number;
}

export interface Tip {
  readonly title: string;
  readonly rows: readonly TipRow[];
  /** Of a stack, in words; empty without one. */
  readonly total: string;
}

/** What is under the pointer: the largest first, the unknown last; null where no series reaches. */
export function tipOf(
  chart: Pick<ChartState, 'figure'>,
  pointed: Pointed,
  series: readonly ChartSeries[],
  about: { trend: Trend; now: number; earlier: string },
  say: ChartWords,
): Tip | null {
  const bounds = series[0]?.curve.bounds ?? new Float64Array(0);
  const many = pointed.to - pointed.from;
  const start = bounds[pointed.from] ?? 0;
  const here = readingAt(series, start, about.now, many);
  if (!here || bucketAt(bounds, start) < 0) return null;
  const { figure } = chart;
  const read = new Map(figure.read(pointed.from, pointed.to).map((one) => [one.id, one]));
  const { trend } = about;
  const plain = trend.kind === 'none' && figure.form !== 'share' && many === 1;
  const text = (value: number): string => valueText(value, figure.form, trend, many > 1, say);
  const rows = here.rows.map((row) => {
    const told = read.get(row.id);
    const value = plain ? row.count : (told?.value ?? Number.NaN);
    const known = !Number.isNaN(value);
    // What rates are told of has none itself.
    const drawn = plain || told !== undefined;
    const before = told?.earlier ?? Number.NaN;
    // What is not over yet is no less than a year before.
    const change = row.note === 'not over yet' ? '' : changeText(value, before, say);
    const counted = Number.isNaN(row.count) ? row.instead : say.count(row.count);
    return {
      ...row,
      value: known ? text(value) : plain ? row.instead : drawn ? '–' : counted,
      count: plain || !drawn ? '' : counted,
      earlier: Number.isNaN(before)
        ? ''
        : `${about.earlier}: ${text(before)}${change && ` (${change})`}`,
      top: plain && !figure.stacked ? row.count : (told?.top ?? Number.NaN),
      size: value,
    };
  });
  const rank = ({ size }: { size: number }): number => (Number.isNaN(size) ? -Infinity : size);
  rows.sort((a, b) => rank(b) - rank(a));
  const total = here.rows.reduce((sum, { count }) => sum + count, 0);
  return {
    title: many > 1 ? say.span(here.start, here.end) : say.bucket(here.start, here.end),
    rows,
    total: figure.stacked && rows.length > 1 && !Number.isNaN(total) ? say.count(total) : '',
  };
}
