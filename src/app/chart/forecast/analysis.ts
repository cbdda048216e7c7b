import type { Forecast } from '#core/series/forecast.ts';
import { projectedCount } from '#core/series/projection.ts';
import { extentOf } from '#core/series/pyramid/pyramid.ts';
import { STATE, type Curve } from '#core/series/series.ts';
import { trackOf, type Track } from '#core/series/trend.ts';
import { trendLineOf } from '#core/series/trend-line.ts';
import { bucketsIn } from '#core/series/window.ts';
import { boundaries } from '#core/time/boundary.ts';
import { DAY_MS } from '#core/time/span.ts';
import { analysisLines } from './analysis-lines.ts';
import { forecastLack, targetLack, trendLack } from './analysis-lacks.ts';
import { lackText, slopeText } from './analysis-text.ts';
import { sidesOf } from '#app/chart/draw/axes.ts';
import type { ChartAnalysis, SeriesAnalysis } from './chart-analysis.ts';
import { cachedForecast, type Forecasted } from './forecast-cache.ts';
import type {
  ChartData,
  ChartFormat,
  ChartSeries,
  ChartStyle,
  ChartView,
} from '#app/chart/chart-props.ts';
import { targetNote } from '#app/chart/notes/target-note.ts';
import { lastKnown } from '#core/series/pyramid/pyramid-places.ts';

/** Forecast and view share the width: the forecast gets at most this part of the buckets in view. */
const FORECAST_PART = 1 / 4;
/** Intervals higher than this many times the counts are cut off, or the counts would be flat. */
const TALLEST = 2;

/** The last bucket that is whole and known; -1 if there is none. */
function lastWhole({ curve: { states }, pyramid }: Track): number {
  let i = lastKnown(pyramid, 0, states.length);
  while (i >= 0 && (states[i] ?? 0) <= STATE.partial) i = lastKnown(pyramid, 0, i);
  return i;
}

/** End of the last bucket with a count. */
function knownUntil({ curve: { bounds, counts }, pyramid }: Track): number {
  return bounds[lastKnown(pyramid, 0, counts.length) + 1] ?? 0;
}

/** The buckets of a forecast that are not known already, at most `most`. */
function cutForecast(forecast: Forecast, after: number, most: number): Forecast | null {
  const { bounds, expected, low, high } = forecast;
  const first = bounds.findIndex((at) => at >= after);
  const end = Math.min(expected.length, first + most);
  if (first < 0 || end <= first) return null;
  return {
    bounds: bounds.slice(first, end + 1),
    expected: expected.slice(first, end),
    low: low.slice(first, end),
    high: high.slice(first, end),
  };
}

/** Buckets in which a week repeats itself, so that their unfinished one can be projected. */
const PROJECTED = new Set(['day', 'week']);

function projectionOf(
  { finer = [] }: ChartSeries,
  { curve: { bounds, counts }, unfinished }: Track,
  { resolution, table, weekStart }: ChartView,
  now: number,
): SeriesAnalysis['projection'] {
  const bucket = unfinished.at(-1) ?? -1;
  const [start = 0, cut = 0] = bounds.subarray(bucket, bucket + 2);
  if (bucket < 1 || !PROJECTED.has(resolution)) return null;
  // The range may cut it: the calendar says when it ends.
  const end = boundaries({ start, end: start + 9 * DAY_MS }, resolution, table, weekStart)[1] ?? 0;
  if (now < start || now >= end) return null;
  const y = counts[bucket] ?? 0;
  const open = { count: y, until: Math.min(cut, now) };
  for (const each of finer) {
    const projected = projectedCount(each, { start, end }, open, table);
    if (projected !== null) return { x: (start + cut) / 2, y, projected, bucket };
  }
  return null;
}

/**
 * Computes what is drawn in addition to the counts: forecasts, trend lines, a target and the projection
 * of an unfinished bucket, each only where it makes sense. Says so where one was chosen but is not drawn.
 *
 * @param forecastOf - The forecast of a series' curve; null while it is being computed.
 */
export function analyse(
  data: ChartData,
  view: ChartView,
  style: ChartStyle,
  { formatter }: Pick<ChartFormat, 'formatter'>,
  forecastOf: (id: number, curve: Curve) => Forecasted | null = (_, curve) =>
    cachedForecast(curve, view),
): ChartAnalysis {
  const { counted } = sidesOf(data.series, data.baseline ?? null, style.trend);
  const tracks = counted.map(({ curve, pyramid }) => trackOf(curve, pyramid));
  const chart = { style, view, counted: counted.length };
  const noForecast = forecastLack(chart);
  const noTrend = trendLack(chart);
  const notes: string[] = [];
  const lacks: string[] = style.forecast && noForecast ? [noForecast] : [];
  const analysed = counted.map((each): Omit<SeriesAnalysis, 'peak'> => {
    const { id, name, curve } = each;
    const track = trackOf(curve, each.pyramid);
    const { first, end } = bucketsIn(curve.bounds, view.window.start, view.window.end);
    const at = lastWhole(track);
    const [from = 0, to = 0] = curve.bounds.subarray(at, at + 2);
    let forecast: Forecast | null = null;
    if (style.forecast && !noForecast) {
      const made = forecastOf(id, curve);
      if (made && 'why' in made) lacks.push(`${name}: ${lackText(made, view.resolution)}`);
      else if (made) {
        if (to >= view.window.start && to <= view.window.end) {
          forecast = cutForecast(made, to, Math.max(1, Math.floor((end - first) * FORECAST_PART)));
        }
        if (!forecast) lacks.push(`${name}: the latest counts are not in view`);
      }
    }
    return {
      id,
      name,
      style: each.style,
      colour: style.colours.series[each.style.colour - 1] ?? style.colours.base.ink,
      last: at < 0 ? null : { x: (from + to) / 2, y: curve.counts[at] ?? 0 },
      forecast,
      trend: style.trendLine && !noTrend ? trendLineOf(track, { first, end }) : null,
      projection:
        noTrend || style.form === 'bars' ? null : projectionOf(each, track, view, data.now),
    };
  });
  if (lacks.length > 0) notes.push(`No forecast: ${lacks.slice(0, 2).join('; ')}`);
  if (style.trendLine && noTrend) notes.push(`No trend line: ${noTrend}`);
  const slopes = analysed.flatMap(({ name, trend }) => {
    const text = trend && slopeText(trend.slope, view.resolution, formatter);
    return text ? [counted.length > 1 ? `${name} ${text}` : text] : [];
  });
  if (slopes.length > 0) notes.push(`Trend: ${slopes.join(', ')}`);
  const noTarget = targetLack(chart);
  const target = noTarget ? null : (style.target ?? null);
  if (style.target && noTarget) notes.push(`No target line: ${noTarget}`);
  if (target) notes.push(targetNote(target, counted, data.baseline ?? null, chart, formatter));

  const tops = tracks.map(({ curve: { bounds }, pyramid }) => {
    const { first, end } = bucketsIn(bounds, view.window.start, view.window.end);
    return extentOf(pyramid, first, end)[1] ?? 0;
  });
  // On one scale, an interval may be as tall as the tallest series allows; in a row, as its own does.
  const highest = Math.max(0, ...tops);
  const isRowed = style.form === 'multiples' && style.rows !== 'shared';
  const series = analysed.map((each, i) => {
    const { forecast, projection } = each;
    const most = TALLEST * (isRowed ? (tops[i] ?? 0) : highest);
    const tall = forecast ? Math.min(Math.max(...forecast.high), most) : 0;
    const expected = forecast ? Math.max(...forecast.expected) : 0;
    return { ...each, peak: Math.max(0, projection?.projected ?? 0, expected, tall) };
  });
  const made = {
    end: Math.max(0, ...series.map(({ forecast }) => forecast?.bounds.at(-1) ?? 0)),
    peak: Math.max(0, target?.value ?? 0, ...series.map(({ peak }) => peak)),
    notes,
    series,
    known: Math.max(0, ...tracks.map(knownUntil)),
    target,
  };
  return {
    ...made,
    lines: (scale, of) => {
      const { start } = view.window;
      const end = Math.max(view.window.end, made.end);
      return analysisLines(made, scale, { start, end, colours: style.colours.base, formatter }, of);
    },
  };
}
