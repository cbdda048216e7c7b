import { boundaries } from '#core/time/boundary.ts';
import { dayOfWeek, startOf } from '#core/time/calendar.ts';
import type { Resolution, WeekStart } from '#core/time/resolution.ts';
import { DAY_MS, HOUR_MS } from '#core/time/span.ts';
import { wallTime, type ZoneTable } from '#core/time/zone.ts';
import { backtestErrors, errorBands } from './forecast-interval.ts';
import { fitModel, type ForecastHistory } from './holt-winters.ts';
import { STATE, type Curve } from './series.ts';

/** The reason there is no forecast. */
export type NoForecast =
  /** Minutes and years: nothing repeats that a range could show often enough. */
  | { readonly why: 'resolution' }
  /** Too few settled buckets. */
  | { readonly why: 'history'; readonly known: number; readonly needed: number }
  /** Too few Posts in them. */
  | { readonly why: 'posts'; readonly needed: number }
  /** A formula whose values are not counts. */
  | { readonly why: 'negative' };

/** Expected counts after the last settled bucket, and the interval of each. */
export interface Forecast {
  /** Edges of its buckets, epoch ms, one more than buckets. */
  readonly bounds: Float64Array;
  /** The count that is as likely to be exceeded as not. Fractional, at least 0. */
  readonly expected: Float64Array;
  readonly low: Float64Array;
  readonly high: Float64Array;
}

/** The calendar of a forecast's buckets. */
export interface ForecastCalendar {
  readonly resolution: Resolution;
  readonly table: ZoneTable;
  readonly weekStart: WeekStart;
}

/** Part of the counts that the interval should contain. */
export const FORECAST_LEVEL = 0.8;
/** Fewer Posts in the history show no rhythm. */
export const FORECAST_POSTS = 50;

/** The fewest and the most buckets of history, and those of the longest forecast. */
interface Reach {
  readonly least: number;
  readonly most: number;
  readonly steps: number;
}

const REACH: Partial<Record<Resolution, Reach>> = {
  hour: { least: 7 * 24, most: 53 * 7 * 24, steps: 7 * 24 },
  day: { least: 8 * 7, most: 20 * 366, steps: 4 * 7 },
  week: { least: 26, most: 2_000, steps: 13 },
  month: { least: 24, most: 500, steps: 6 },
  quarter: { least: 12, most: 200, steps: 4 },
};

/** A season: the slot of the bucket at an instant, from 0. */
interface Season {
  readonly slots: number;
  slot(at: number): number;
}

/** The seasons a history can show, shortest first. Each slot of the longest must have occurred about three times. */
function seasonsOf(
  resolution: Resolution,
  size: number,
  { table, weekStart }: ForecastCalendar,
): Season[] {
  const wall = (at: number): number => wallTime(table, at);
  const hour = { slots: 24, slot: (at: number) => Math.floor(wall(at) / HOUR_MS) % 24 };
  const weekday = (at: number): number => dayOfWeek(wall(at), weekStart);
  const month = (at: number): number => new Date(wall(at)).getUTCMonth();
  switch (resolution) {
    case 'hour':
      return size < 4 * 7 * 24
        ? [hour]
        : [hour, { slots: 7 * 24, slot: (at) => weekday(at) * 24 + hour.slot(at) }];
    case 'day':
      return [{ slots: 7, slot: weekday }];
    case 'week': {
      const slot = (at: number): number =>
        Math.min(51, Math.floor((wall(at) - startOf('year', wall(at))) / (7 * DAY_MS)));
      return size < 3 * 52 ? [] : [{ slots: 52, slot }];
    }
    case 'month':
      return size < 3 * 12 ? [] : [{ slots: 12, slot: month }];
    case 'quarter':
      return [{ slots: 4, slot: (at) => Math.floor(month(at) / 3) }];
    default:
      return [];
  }
}

/** The reason a curve has no forecast; null if it has one. Costs far less than the forecast. */
export function forecastLackOf(curve: Curve, resolution: Resolution): NoForecast | null {
  const reach = REACH[resolution];
  if (!reach) return { why: 'resolution' };
  const { known } = settledPart(curve, reach.most);
  if (known.length < reach.least) {
    return { why: 'history', known: known.length, needed: reach.least };
  }
  if (known.some((value) => value < 0)) return { why: 'negative' };
  const posts = known.reduce((sum, value) => sum + value, 0);
  return posts < FORECAST_POSTS ? { why: 'posts', needed: FORECAST_POSTS } : null;
}

/** The settled buckets up to the last one; the others are NaN. */
function settledPart(
  { counts, states }: Curve,
  most: number,
): { readonly from: number; readonly values: number[]; readonly known: number[] } {
  const last = states.lastIndexOf(STATE.settled);
  const first = states.indexOf(STATE.settled);
  const from = Math.max(first, last + 1 - most, 0);
  const values: number[] = [];
  for (let i = from; i <= last; i += 1) {
    values.push(states[i] === STATE.settled ? (counts[i] ?? Number.NaN) : Number.NaN);
  }
  return { from, values, known: values.filter((value) => !Number.isNaN(value)) };
}

/**
 * Forecasts the counts after the last settled bucket of a curve.
 *
 * The method is additive Holt–Winters (Holt 1957; Winters, "Forecasting Sales by Exponentially Weighted
 * Moving Averages", 1960) with a damped trend (Gardner & McKenzie, "Forecasting Trends in Time Series",
 * 1985), and for hours with a season of the day and one of the week and a first-order adjustment for
 * autocorrelation (Taylor, "Short-Term Electricity Demand Forecasting Using Double Seasonal Exponential
 * Smoothing", 2003). It runs on `log(1 + count / mean)`: counts are not negative, and bursts vary in
 * proportion. Parameters minimise the mean absolute one-step error over a bounded grid. A trend is used
 * only if it lowers that error by at least 2%.
 *
 * The interval comes from the history itself: forecasts from earlier buckets are compared with what
 * followed, and quantiles of these errors, of each step and with recent ones weighted more, are added to
 * the forecast (weighted conformal prediction: Barber, Candès, Ramdas, Tibshirani, "Conformal Prediction
 * Beyond Exchangeability", 2023). Errors about the same buckets count as fewer than they are. The interval is
 * then scaled by how wide earlier ones, made from what was known at their time, should have been. The
 * expected count is the median. docs/forecast.md has the measured error and coverage.
 *
 * Only settled buckets are read: missing, unfinished and provisional ones are unknown, never zero.
 *
 * @param level - Part of the counts that the interval should contain, above 0 and below 1.
 * @param most - Maximum number of buckets; by default a quarter of the history, at most four weeks of
 *   days, one week of hours, 13 weeks, six months or four quarters.
 * @throws {RangeError} if `level` is not between 0 and 1.
 */
export function forecastOf(
  curve: Curve,
  calendar: ForecastCalendar,
  level: number = FORECAST_LEVEL,
  most = Infinity,
): Forecast | NoForecast {
  if (!(level > 0 && level < 1)) {
    throw new RangeError(`expected a level between 0 and 1, got ${level}`);
  }
  const { resolution } = calendar;
  const reach = REACH[resolution];
  const lack = forecastLackOf(curve, resolution);
  if (!reach || lack) return lack ?? { why: 'resolution' };
  const { from, values, known } = settledPart(curve, reach.most);

  const steps = Math.min(most, reach.steps, Math.floor(known.length / 4));
  const size = values.length;
  const past = curve.bounds.subarray(from, from + size + 1);
  const coming = edgesAfter(past[size] ?? 0, steps, calendar);
  // The middle of a bucket: a day that begins at 1:00, because midnight was skipped, is still that day.
  const middles = Float64Array.from({ length: size + steps }, (_, i) => {
    const [edges, k] = i < size ? [past, i] : [coming, i - size];
    return ((edges[k] ?? 0) + (edges[k + 1] ?? 0)) / 2;
  });
  // Months differ in length, and so would their counts at an even pace.
  const widthOf = (edges: Float64Array, i: number): number =>
    resolution === 'month' || resolution === 'quarter'
      ? ((edges[i + 1] ?? 0) - (edges[i] ?? 0)) / (30 * DAY_MS)
      : 1;
  const rates = Float64Array.from(values, (value, i) => value / widthOf(past, i));
  const mean = rates.reduce((sum, rate) => sum + (rate || 0), 0) / known.length;
  const history: ForecastHistory = {
    values: rates.map((rate) => Math.log1p(rate / mean)),
    steps,
    seasons: seasonsOf(resolution, known.length, calendar).map(({ slots, slot }) => ({
      slots,
      slot: Uint8Array.from(middles, slot),
    })),
    autocorrelated: resolution === 'hour',
  };
  const model = fitModel(history);
  const centres = model.next();
  const countAt = (h: number, error: number): number =>
    Math.max(0, mean * Math.expm1((centres[h] ?? Number.NaN) + error) * widthOf(coming, h));
  const bands = errorBands(
    backtestErrors(history, model),
    centres,
    level,
    (h, error) => countAt(h, error) < 0.5,
  );
  const counts = (end: 'low' | 'middle' | 'high'): Float64Array =>
    Float64Array.from(bands, (band, h) => countAt(h, band[end]));
  return { bounds: coming, expected: counts('middle'), low: counts('low'), high: counts('high') };
}

/** Edges of the whole buckets that follow an instant at which one begins. */
function edgesAfter(
  start: number,
  steps: number,
  { resolution, table, weekStart }: ForecastCalendar,
): Float64Array {
  const longest: Partial<Record<Resolution, number>> = {
    hour: HOUR_MS,
    day: 25 * HOUR_MS,
    week: 8 * DAY_MS,
    month: 31 * DAY_MS,
    quarter: 92 * DAY_MS,
  };
  const end = start + (steps + 1) * (longest[resolution] ?? DAY_MS);
  return boundaries({ start, end }, resolution, table, weekStart).slice(0, steps + 1);
}
