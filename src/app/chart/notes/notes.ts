import { INDEX_BUCKETS } from '#core/series/trend.ts';
import { isAveraged, isQuotient } from '#app/chart/draw/axes.ts';
import type { ChartSeries } from '#app/chart/chart-props.ts';
import type { ChartState } from '#app/chart/chart.svelte.ts';
import type { ChartLayout } from '#app/chart/draw/layout.ts';
import type { Shown } from '#app/chart/draw/picture.ts';
import { wrappedRows } from '#app/chart/draw/text-width.ts';
import type { Form, Scale, Trend } from '#app/chart/draw/form.ts';

interface Chosen {
  readonly form: Form;
  readonly scale: Scale;
  readonly trend: Trend;
  /** Buckets of the moving average over long curves; null for none. */
  readonly season: number | null;
  readonly resolution: string;
  /** Name of the denominator of rates. */
  readonly baseline: string | null;
  /** The series that are quotients. */
  readonly quotients: readonly Pick<ChartSeries, 'name' | 'unit' | 'parts'>[];
}

/** Notes on how quotients differ from the chosen form, and on which axis they are. */
function quotientNotes({ right }: ChartLayout, { form, trend, quotients }: Chosen): string[] {
  if (quotients.length === 0) return [];
  const as = [
    ...(trend.kind === 'none' || (trend.kind === 'average' && quotients.every(isAveraged))
      ? []
      : ['as they are']),
    ...(form === 'line' || form === 'area' ? [] : ['as lines']),
  ];
  const names =
    quotients.length > 2
      ? `${quotients.length} ratios`
      : quotients.map(({ name }) => name).join(', ');
  return [
    ...(right ? [`On the right axis: ${names}`] : []),
    ...(as.length > 0 ? [`Ratios don’t add up, so they are drawn ${as.join(', ')}`] : []),
  ];
}

/** Notes on averages, each only where one is drawn. */
function averageNotes(
  { grid, left, parts }: ChartLayout,
  { trend, season, resolution, quotients }: Chosen,
): string[] {
  const smoothed = season !== null && [...parts.values()].some(({ faint }) => faint);
  const averaged =
    trend.kind === 'average' && (left.unit === 'count' || quotients.some(isAveraged));
  return [
    ...(smoothed ? [`Bold: mean of ${season} ${resolution}s; faint: each ${resolution}`] : []),
    ...(averaged
      ? [`Mean of ${Math.max(grid?.step ?? 1, trend.buckets)} ${resolution}s up to each point`]
      : []),
  ];
}

/** Caveats about the chart, a few words each. */
export function figureNotes(figure: ChartLayout, chosen: Chosen): string[] {
  const { form, scale, trend, resolution, baseline } = chosen;
  const notes = averageNotes(figure, chosen);
  if (figure.left.unit !== 'count') return [...notes, ...quotientNotes(figure, chosen)];
  const { grid, gaps, stacked } = figure;
  const step = grid?.step ?? 1;
  if (trend.kind === 'cumulative') {
    const begun = [...figure.parts.values()].some(({ end }) => end !== null);
    notes.push(
      begun || figure.parts.size === 0
        ? 'Summed from the start of the view'
        : 'No sum: the start of the view is missing',
    );
  } else if (trend.kind === 'index') {
    const of = `first ${INDEX_BUCKETS} ${resolution}s in view with Posts`;
    notes.push(`100 = mean of the ${of}`);
  } else if (trend.kind === 'per') {
    notes.push(baseline ? `Posts per 100,000 of ${baseline}` : 'No series to compute rates from');
  }
  const columns = figure.form === 'bars' ? 'Each bar' : 'Each point';
  const means = trend.kind === 'none' || trend.kind === 'index';
  if (step > 1 && means) notes.push(`${columns} is the mean of ${step} ${resolution}s`);
  if (figure.form !== form) {
    const what = trend.kind === 'index' ? 'An index' : 'A rate';
    notes.push(`${what} isn’t part of a whole, so it is drawn as lines`);
  }
  if (stacked && scale === 'log') notes.push('Linear: stacks can’t be logarithmic');
  if (gaps.missing) notes.push('Left out where a series is missing');
  if (gaps.negative) notes.push('Left out where a value is below zero');
  return [...notes, ...quotientNotes(figure, chosen)];
}

/** Size of a note, and the width of the axis that it begins right of, px. */
const NOTE_TEXT_PX = 12;
const AXIS_PX = 60;

/** Caveats about the chart and its numbers, a few words each, in rows that fit the chart. */
export function chartCaveats(
  chart: ChartState,
  { data, view, style, annotations, format }: Shown,
): readonly string[] {
  const compared = [...chart.figure.parts.values()].some(({ earlier }) => earlier?.length);
  const notes = [
    ...figureNotes(chart.figure, {
      form: style.form,
      scale: style.scale,
      trend: style.trend,
      season: chart.season,
      resolution: view.resolution,
      baseline: data.baseline?.name ?? null,
      quotients: data.series.filter(isQuotient),
    }),
    ...(compared ? [`Thin lines: ${format.earlier}`] : []),
    ...(chart.analysis?.notes ?? []),
    ...annotations.notes,
  ];
  return wrappedRows(notes, NOTE_TEXT_PX, chart.width - AXIS_PX);
}
