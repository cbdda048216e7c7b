import { sameBuckets } from '#core/series/series.ts';
import { meanOf, trackOf } from '#core/series/trend.ts';
import type { Span } from '#core/time/span.ts';
import { gridOf } from './grid.ts';
import type { FigureSeries } from './values.ts';
import { isQuotient } from './axes.ts';

/** The areas of an overview as SVG paths. */
export interface OverviewShape {
  /** Covers the time for which every series is known. */
  readonly whole: string;
  /** Covers the time for which only some are known. */
  readonly part: string;
}

const COLUMN_PX = 2;

/**
 * Outlines the sum of series over a whole range. Every column is the mean of its buckets, from exact sums. Quotients
 * have no sum, and are omitted.
 *
 * @param width - In px, like `height`.
 */
export function overviewShape(
  all: readonly FigureSeries[],
  range: Span,
  width: number,
  height: number,
): OverviewShape {
  const series = all.filter((each) => !isQuotient(each));
  const [first] = series;
  if (!first || width < 1) return { whole: '', part: '' };
  const tracks = series
    .filter(({ curve }) => sameBuckets(curve, first.curve))
    .map(({ curve, pyramid }) => trackOf(curve, pyramid));
  const { edges } = gridOf(tracks, range, Math.max(1, Math.floor(width / COLUMN_PX)));
  const { bounds } = first.curve;
  const columns = Array.from({ length: Math.max(0, edges.length - 1) }, (_, k) => {
    const [from = 0, to = 0] = [edges[k], edges[k + 1]];
    const means = tracks.map((track) => meanOf(track, from, to));
    const known = means.filter((mean) => !Number.isNaN(mean));
    return {
      left: bounds[from] ?? 0,
      right: bounds[to] ?? 0,
      sum: known.reduce((sum, mean) => sum + mean, 0),
      known: known.length,
    };
  });
  const peak = Math.max(0, ...columns.map(({ sum }) => sum));
  const x = (at: number): string =>
    (((at - range.start) / (range.end - range.start)) * width).toFixed(1);
  const y = (sum: number): string =>
    (peak > 0 ? height - (Math.max(0, sum) / peak) * (height - 2) : height).toFixed(1);
  const pathOf = (wanted: (known: number) => boolean): string => {
    let path = '';
    let open = false;
    for (const [k, column] of columns.entries()) {
      if (!wanted(column.known)) continue;
      if (!open) path += `M${x(column.left)} ${height}L${x(column.left)} ${y(column.sum)}`;
      path += `L${x((column.left + column.right) / 2)} ${y(column.sum)}`;
      open = wanted(columns[k + 1]?.known ?? 0);
      if (!open) path += `L${x(column.right)} ${y(column.sum)}L${x(column.right)} ${height}Z`;
    }
    return path;
  };
  return {
    whole: pathOf((known) => known === tracks.length),
    part: pathOf((known) => known > 0 && known < tracks.length),
  };
}
