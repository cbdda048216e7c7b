import { drawnPosts, withArticle } from '#core/format/plural.ts';
import { INDEX_BUCKETS } from '#core/series/trend.ts';
import { isAveraged, isQuotient } from '#app/chart/draw/axes.ts';
import type { ChartSeries } from '#app/chart/chart-props.ts';
import type { ChartState } from '#app/chart/chart.svelte.ts';
import type { Shown } from '#app/chart/draw/picture.ts';
import { wrappedRows } from '#app/chart/draw/text-width.ts';
import type { Form, Scale, Trend } from '#app/chart/draw/form.ts';
import type { Resolution } from '#core/time/resolution.ts';
import type { ChartLayout } from '#app/chart/draw/layout-lines.ts';

interface Chosen {
  readonly form: Form;
  readonly scale: Scale;
  readonly trend: Trend;
  readonly resolution: Resolution;
  /** True if a text next to the chart, such as the subtitle of a slide, states the unit. */
  readonly subtitled: boolean;
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

function averageNote(step: number, buckets: number, resolution: string): string {
  return `mean of ${Math.max(step, buckets)} ${resolution}s up to each point`;
}

/** The unit of the left axis and how its values are made; null without a series of counts, and if it is said elsewhere. */
function unitNote(
  { form, grid, parts }: ChartLayout,
  { trend, resolution, baseline, subtitled }: Chosen,
): string | null {
  if (parts.size === 0) return null;
  const step = grid?.step ?? 1;
  switch (trend.kind) {
    case 'none': {
      const unit = drawnPosts(resolution, form === 'share');
      const mean = `each ${form === 'bars' ? 'bar' : 'point'} the mean of ${step} ${resolution}s`;
      if (step > 1) return `${unit}, ${mean}`;
      return subtitled ? null : unit;
    }
    case 'average':
      return `Posts ${withArticle(resolution)}, ${averageNote(step, trend.buckets, resolution)}`;
    case 'cumulative':
      return [...parts.values()].some(({ end }) => end !== null)
        ? 'Posts, summed from the start of the view'
        : 'No sum: the start of the view is missing';
    case 'index':
      return `100 = mean of the first ${INDEX_BUCKETS} ${resolution}s in view with Posts`;
    case 'per':
      return baseline ? `Posts per 100,000 of ${baseline}` : 'No series to compute rates from';
  }
}

/** The unit of the chart and caveats about it, a few words each. */
export function figureNotes(figure: ChartLayout, chosen: Chosen): string[] {
  const { form, scale, trend, resolution, quotients } = chosen;
  const { grid, gaps, stacked, left } = figure;
  if (left.unit !== 'count') {
    const mean =
      trend.kind === 'average' && quotients.some(isAveraged)
        ? [`Ratio, ${averageNote(grid?.step ?? 1, trend.buckets, resolution)}`]
        : [];
    return [...mean, ...quotientNotes(figure, chosen)];
  }
  const unit = unitNote(figure, chosen);
  const notes = unit === null ? [] : [unit];
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
export const NOTE_TEXT_PX = 12;
const AXIS_PX = 60;

/**
 * The unit of the chart, and caveats about it and its numbers, a few words each, in rows that fit the chart.
 *
 * @param subtitled - True if a text next to the chart states the unit.
 */
export function chartCaveats(
  chart: ChartState,
  { data, view, style, annotations, format }: Shown,
  subtitled = false,
): readonly string[] {
  const isRowed = chart.rowCount > 0;
  const compared = [...chart.figure.parts.values()].some(({ earlier }) => earlier.length > 0);
  const notes = [
    ...figureNotes(isRowed ? { ...chart.figure, right: null } : chart.figure, {
      form: isRowed ? 'line' : style.form,
      scale: style.scale,
      trend: style.trend,
      resolution: view.resolution,
      subtitled,
      baseline: data.baseline?.name ?? null,
      quotients: data.series.filter(isQuotient),
    }),
    ...(chart.rowCount > 1 && style.rows !== 'shared' ? ['Each row has its own scale'] : []),
    ...(compared ? [`Thin lines: ${format.earlier.join(', ')}`] : []),
    ...(chart.analysis?.notes ?? []),
    ...annotations.notes,
  ];
  // The labels of a right axis begin next to the last row.
  const room = chart.figure.right && !isRowed ? chart.plotWidth : chart.width - AXIS_PX;
  return wrappedRows(notes, NOTE_TEXT_PX, room);
}
