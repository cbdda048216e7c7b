import type { Formatter } from '#app/format/formatter.ts';
import type { SeriesStyle } from '#app/ui/series-style.ts';
import { shareBand } from '#core/series/confidence.ts';
import { bucketAt } from '#core/series/window.ts';
import type { Resolution } from '#core/time/resolution.ts';
import { isAveraged, isQuotient, spreadOf } from '#app/chart/draw/axes.ts';
import type { ChartState, Pointed } from '#app/chart/chart.svelte.ts';
import type { ChartSeries } from '#app/chart/chart-props.ts';
import type { Trend } from '#app/chart/draw/form.ts';
import type { EarlierCounts } from '#app/chart/draw/values.ts';
import { quotientText, readingAt, valueText, clearChange } from './line-reading.ts';
import type { FigureValue } from '#app/chart/draw/layout-lines.ts';

/** A tooltip's row for one series. */
export interface TipRow {
  readonly id: number;
  readonly name: string;
  readonly style: SeriesStyle;
  readonly value: string;
  /** The count, if the value is something else; else empty. */
  readonly count: string;
  /** Values of the earlier periods. */
  readonly earlier: readonly string[];
  /** The reason the value is not final; empty if it is. */
  readonly note: string;
  /** Value at its line; NaN if it has none. */
  readonly top: number;
}

export interface Tip {
  readonly title: string;
  /** The earlier period that values are compared with; empty if there is none, or several. */
  readonly earlier: string;
  readonly rows: readonly TipRow[];
  /** Sum of a stack; empty if there is none. */
  readonly total: string;
}

/** The chart that a tooltip describes, and its formats. */
export interface TipContext {
  readonly trend: Trend;
  readonly now: number;
  readonly resolution: Resolution;
  readonly zone: string;
  readonly formatter: Formatter;
  /** Names of the earlier periods. */
  readonly earlier: readonly string[];
}

/** The value of a quotient under the pointer, or its extremes over several buckets; next to its average where that is drawn. */
function quotientRow(
  series: ChartSeries,
  { from, to }: Pointed,
  read: FigureValue | undefined,
  instead: string,
  context: TipContext,
): Pick<TipRow, 'value' | 'count' | 'earlier' | 'top'> & { size: number } {
  const { curve, pyramid, unit = 'ratio' } = series;
  const { formatter, trend } = context;
  const text = (value: number): string => quotientText(value, unit, formatter);
  const spread = spreadOf({ curve, pyramid }, from, to);
  const [low, high] = spread ? [text(spread.low), text(spread.high)] : [instead, instead];
  const value = low === high ? low : `${low} to ${high}`;
  const average =
    trend.kind === 'average' && isAveraged(series) ? (read?.value ?? Number.NaN) : null;
  return {
    value: average === null ? value : Number.isNaN(average) ? '–' : text(average),
    count: average === null ? '' : value,
    earlier: earlierRows(series, { from, to }, read, text, context),
    top: read?.top ?? Number.NaN,
    size: average ?? spread?.high ?? Number.NaN,
  };
}

/** The confidence band of a share; empty if its ends have the same text, and for counts. */
function shareRange(count = Number.NaN, total: number, format: Formatter): string {
  if (!Number.isInteger(count) || !(total > 0) || !Number.isInteger(total)) return '';
  const { low, high } = shareBand(count, total);
  const [from, to] = [format.share(low), format.share(high)];
  return from === to ? '' : `${from} to ${to} by chance`;
}

/** The time of an earlier period behind some buckets; empty if there is none. */
function earlierTime(
  { starts: allStarts, ends: allEnds }: EarlierCounts,
  { from, to }: Pick<Pointed, 'from' | 'to'>,
  { formatter, resolution, zone }: TipContext,
): string {
  const starts = allStarts?.subarray(from, to).filter((at) => !Number.isNaN(at)) ?? [];
  const ends = allEnds?.subarray(from, to).filter((at) => !Number.isNaN(at)) ?? [];
  const [start, end] = [starts[0], ends.at(-1)];
  if (start === undefined || end === undefined) return '';
  return starts.length > 1
    ? formatter.span({ start, end }, zone)
    : formatter.bucket(start, end, resolution, zone);
}

/** The values of the earlier periods: of one by its name, of several by their dates. */
function earlierRows(
  { earlier = [] }: ChartSeries,
  at: Pick<Pointed, 'from' | 'to'>,
  read: FigureValue | undefined,
  text: (value: number) => string,
  context: TipContext,
  change: (past: EarlierCounts, before: number) => string = () => '',
): string[] {
  return earlier.flatMap((past, k) => {
    const before = read?.earlier[k] ?? Number.NaN;
    if (Number.isNaN(before)) return [];
    const name = context.earlier[past.period] ?? '';
    const of = context.earlier.length > 1 ? earlierTime(past, at, context) || name : name;
    const since = change(past, before);
    return [`${of}: ${text(before)}${since && ` (${since})`}`];
  });
}

/**
 * The tooltip's rows: counts first, then quotients, each largest first with unknown ones last.
 *
 * @returns Null if no series has the bucket.
 */
export function tipOf(
  { figure }: Pick<ChartState, 'figure'>,
  pointed: Pointed,
  series: readonly ChartSeries[],
  context: TipContext,
): Tip | null {
  const { trend, formatter, resolution, zone } = context;
  const bounds = series[0]?.curve.bounds ?? new Float64Array(0);
  const many = pointed.to - pointed.from;
  const start = bounds[pointed.from] ?? 0;
  const here = readingAt(series, start, context.now, many);
  if (!here || bucketAt(bounds, start) < 0) return null;
  const read = new Map(figure.read(pointed.from, pointed.to).map((each) => [each.id, each]));
  const plain = trend.kind === 'none' && figure.form !== 'share' && many === 1;
  const text = (value: number): string => valueText(value, figure.form, trend, many > 1, formatter);
  const quotients = new Map(
    series.flatMap((each) => (isQuotient(each) ? ([[each.id, each]] as const) : [])),
  );
  const rows = here.rows.map((row) => {
    const values = read.get(row.id);
    const quotient = quotients.get(row.id);
    if (quotient) {
      const own = quotientRow(quotient, pointed, values, row.instead, context);
      return { ...row, ...own, quotient: true };
    }
    const value = plain ? row.count : (values?.value ?? Number.NaN);
    const known = !Number.isNaN(value);
    // The denominator of rates has no rate of its own.
    const drawn = plain || values !== undefined;
    const of = series.find(({ id }) => id === row.id);
    // The count of an unfinished bucket is too low to compare with a whole one.
    const open = row.note === 'not over yet';
    const change = (past: EarlierCounts, before: number): string =>
      of && !open ? clearChange(of, past, pointed, [value, before], trend, formatter) : '';
    const counted = Number.isNaN(row.count) ? row.instead : formatter.count(row.count);
    return {
      ...row,
      value: known ? text(value) : plain ? row.instead : drawn ? '–' : counted,
      count: plain || !drawn ? '' : counted,
      earlier: of ? earlierRows(of, pointed, values, text, context, change) : [],
      top: plain && !figure.stacked ? row.count : (values?.top ?? Number.NaN),
      size: value,
      quotient: false,
    };
  });
  const rank = ({ size }: { size: number }): number => (Number.isNaN(size) ? -Infinity : size);
  rows.sort((a, b) => Number(a.quotient) - Number(b.quotient) || rank(b) - rank(a));
  const counted = here.rows.filter(({ id }) => !quotients.has(id));
  const total = counted.reduce((sum, { count }) => sum + count, 0);
  const counts = new Map(counted.map(({ id, count }) => [id, count]));
  // The band of one bucket's share does not apply to a sum over several.
  const shares = figure.form === 'share' && trend.kind === 'none' ? total : Number.NaN;
  return {
    title:
      many > 1
        ? formatter.span({ start: here.start, end: here.end }, zone)
        : formatter.bucket(here.start, here.end, resolution, zone),
    earlier:
      context.earlier.length === 1 && rows.some(({ earlier }) => earlier.length > 0)
        ? (series
            .flatMap(({ earlier = [] }) => earlier)
            .map((past) => earlierTime(past, pointed, context))
            .find(Boolean) ?? '')
        : '',
    rows: rows.map((row) => ({
      ...row,
      note: row.note || shareRange(counts.get(row.id), shares, formatter),
    })),
    total:
      figure.stacked && counted.length > 1 && !Number.isNaN(total) ? formatter.count(total) : '',
  };
}
