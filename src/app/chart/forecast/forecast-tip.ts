import { FORECAST_LEVEL } from '#core/series/forecast.ts';
import { bucketAt } from '#core/series/window.ts';
import type { ChartAnalysis, SeriesAnalysis } from './chart-analysis.ts';
import type { Formatter } from '#app/format/formatter.ts';
import type { Pointed } from '#app/chart/chart.svelte.ts';
import type { Tip, TipContext } from '#app/chart/interact/tooltip-rows.ts';

/** A bucket of a forecast under the pointer or the keys. */
export interface ForecastBucket {
  /** Its middle, epoch ms. */
  readonly at: number;
  readonly tip: Tip;
}

type Forecasts = Pick<ChartAnalysis, 'series' | 'known'>;

type Forecasted = SeriesAnalysis & { readonly forecast: NonNullable<SeriesAnalysis['forecast']> };

const forecasted = (series: readonly SeriesAnalysis[]): Forecasted[] =>
  series.flatMap((analysis) =>
    analysis.forecast ? [{ ...analysis, forecast: analysis.forecast }] : [],
  );

/**
 * The forecast at an instant: the expected count of every series and its interval, largest first.
 *
 * @returns Null if no forecast covers the instant, or a count is known there.
 */
export function forecastAt(
  { series, known }: Forecasts,
  at: number,
  { formatter, resolution, zone }: Pick<TipContext, 'formatter' | 'resolution' | 'zone'>,
): ForecastBucket | null {
  const found = forecasted(series).flatMap(({ id, name, style, forecast }) => {
    const { bounds, expected, low, high } = forecast;
    const i = bucketAt(bounds, at);
    const [start = 0, end = 0] = bounds.subarray(i, i + 2);
    if (i < 0 || start < known) return [];
    const count = (value = 0): string => formatter.count(Math.round(value));
    const note = `${formatter.share(FORECAST_LEVEL)} between ${count(low[i])} and ${count(high[i])}`;
    const top = expected[i] ?? Number.NaN;
    const value = top < 1 ? `under ${formatter.count(1)}` : count(top);
    const row = { id, name, style, value, count: '', earlier: [], note, top };
    return [{ start, end, row }];
  });
  const [first] = found;
  if (!first) return null;
  const { start, end } = first;
  const rows = found.map(({ row }) => row).sort((a, b) => b.top - a.top);
  const title = `Forecast, ${formatter.bucket(start, end, resolution, zone)}`;
  return { at: (start + end) / 2, tip: { title, earlier: '', rows, total: '' } };
}

/**
 * The position to which an arrow key moves the cursor among forecast buckets.
 *
 * @param cursor - Null if there is none.
 * @returns The middle of a bucket; null if the move is one among counts.
 */
export function forecastStep(
  { series, known }: Forecasts,
  cursor: number | null,
  by: 1 | -1,
): number | null {
  const [first] = forecasted(series);
  if (cursor === null || !first) return null;
  const { bounds } = first.forecast;
  const start = bounds.findIndex((at) => at >= known);
  const middle = (i: number): number => ((bounds[i] ?? 0) + (bounds[i + 1] ?? 0)) / 2;
  const here = bucketAt(bounds, cursor);
  const within = here >= start && start >= 0;
  // From the last bucket that has a count, the next step leads into the forecast.
  const last = cursor < known && cursor >= known - (middle(start + 1) - middle(start)) * 1.2;
  if (!within && !(by === 1 && last && start >= 0)) return null;
  const next = within ? here + by : start;
  if (next < start) return null;
  return middle(Math.min(next, bounds.length - 2));
}

/** A tooltip of counts with the projections of an unfinished bucket: `at this pace about 1,240`. */
export function withProjections(
  tip: Tip,
  { series }: Forecasts,
  { from, to }: Pointed,
  formatter: Formatter,
): Tip {
  const rows = tip.rows.map((row) => {
    const projection = series.find(({ id }) => id === row.id)?.projection;
    if (!projection || to - from > 1 || projection.bucket !== from) return row;
    // More than three digits would pretend to know.
    const about = formatter.count(Number(projection.projected.toPrecision(3)));
    return { ...row, note: `${row.note}, at this pace about ${about}` };
  });
  return { ...tip, rows };
}
