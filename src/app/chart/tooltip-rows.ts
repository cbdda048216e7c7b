import { shareBand } from '#core/series/confidence.ts';
import { bucketAt } from '#core/series/window.ts';
import type { ChartSeries, ChartState, Pointed } from './chart.svelte.ts';
import type { FigureValue } from './layout.ts';
import type { Trend } from './form.ts';
import { readingAt } from './settled-tail.ts';
import type { SeriesStyle } from '#app/ui/series-style.ts';
import { isQuotient, spreadOf } from './axes.ts';
import { changeText, quotientText, valueText, type ChartWords } from './words.ts';

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
  /** The earlier time that is told beside; empty without one. */
  readonly earlier: string;
  readonly rows: readonly TipRow[];
  /** Of a stack, in words; empty without one. */
  readonly total: string;
}

/** What a quotient has under the pointer: its value, or from where to where it goes in several buckets. */
function quotientRow(
  { curve, unit = 'ratio' }: ChartSeries,
  { from, to }: Pointed,
  told: FigureValue | undefined,
  instead: string,
  about: { earlier: string },
  say: ChartWords,
): Pick<TipRow, 'value' | 'count' | 'earlier' | 'top'> & { size: number } {
  const text = (value: number): string => quotientText(value, unit, say);
  const spread = spreadOf(curve.counts, from, to);
  const [low, high] = spread ? [text(spread.low), text(spread.high)] : [instead, instead];
  const before = told?.earlier ?? Number.NaN;
  return {
    value: low === high ? low : `${low} to ${high}`,
    count: '',
    earlier: Number.isNaN(before) ? '' : `${about.earlier}: ${text(before)}`,
    top: told?.top ?? Number.NaN,
    size: spread?.high ?? Number.NaN,
  };
}

/** Between what a share may lie by the noise of counting alone; empty where that is too narrow to be told, or no share. */
function noise(count = Number.NaN, total: number, say: ChartWords): string {
  if (!Number.isInteger(count) || !(total > 0) || !Number.isInteger(total)) return '';
  const { low, high } = shareBand(count, total);
  const [from, to] = [say.share(low), say.share(high)];
  return from === to ? '' : `${from} to ${to} by chance`;
}

/** The earlier time under some buckets, in words. */
function earlierTime(
  series: readonly ChartSeries[],
  { from, to }: Pointed,
  say: ChartWords,
): string {
  for (const { earlier } of series) {
    const starts = earlier?.starts?.subarray(from, to).filter((at) => !Number.isNaN(at)) ?? [];
    const ends = earlier?.ends?.subarray(from, to).filter((at) => !Number.isNaN(at)) ?? [];
    const [start, end] = [starts[0], ends.at(-1)];
    if (start === undefined || end === undefined) continue;
    return starts.length > 1 ? say.span(start, end) : say.bucket(start, end);
  }
  return '';
}

/** What is under the pointer: counts first and then quotients, of each the largest first, the unknown last; null where no series reaches. */
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
  const quotients = new Map(
    series.flatMap((one) => (isQuotient(one) ? ([[one.id, one]] as const) : [])),
  );
  const rows = here.rows.map((row) => {
    const told = read.get(row.id);
    const quotient = quotients.get(row.id);
    if (quotient) {
      const own = quotientRow(quotient, pointed, told, row.instead, about, say);
      return { ...row, ...own, quotient: true };
    }
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
      quotient: false,
    };
  });
  const rank = ({ size }: { size: number }): number => (Number.isNaN(size) ? -Infinity : size);
  rows.sort((a, b) => Number(a.quotient) - Number(b.quotient) || rank(b) - rank(a));
  const counted = here.rows.filter(({ id }) => !quotients.has(id));
  const total = counted.reduce((sum, { count }) => sum + count, 0);
  const counts = new Map(counted.map(({ id, count }) => [id, count]));
  // The noise of a bucket is none of what is summed over several.
  const shares = figure.form === 'share' && trend.kind === 'none' ? total : Number.NaN;
  return {
    title: many > 1 ? say.span(here.start, here.end) : say.bucket(here.start, here.end),
    earlier: rows.some(({ earlier }) => earlier !== '') ? earlierTime(series, pointed, say) : '',
    rows: rows.map((row) => ({ ...row, note: row.note || noise(counts.get(row.id), shares, say) })),
    total: figure.stacked && counted.length > 1 && !Number.isNaN(total) ? say.count(total) : '',
  };
}
