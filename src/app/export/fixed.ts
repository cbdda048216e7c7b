import type { SeriesContents } from '#app/counts/cache/records.ts';
import { viewOf } from '#core/series/bucket-layout.ts';
import { stitch, stitchCell, type CellPart, type StitchedCell } from '#core/counts/stitch.ts';
import type { FixedSeries } from '#core/series/imported-series.ts';
import { refit } from '#core/series/rebucket.ts';
import { rollup } from '#core/series/rollup.ts';
import type { Curve } from '#core/series/series.ts';
import { BUCKET_MS, GRANULARITIES } from '#core/time/bucket.ts';
import type { Resolution, WeekStart } from '#core/time/resolution.ts';
import { cellSpan, intersect, type Span } from '#core/time/span.ts';

interface Fixed {
  readonly label: string;
  /** Empty if the file does not say. */
  readonly query: string;
  /** Source of the counts, as the file says; empty if it does not. */
  readonly source: string;
}

/** Counts of a file of numbers, bucket by bucket. */
export interface FileSeries extends Fixed {
  readonly from: 'file';
  readonly curve: Curve;
}

/** Counts from a bundle: the pages themselves, so that every zone and resolution can be shown. */
export interface BundleSeries extends Fixed {
  readonly from: 'bundle';
  readonly contents: SeriesContents;
  /** Time from the end of a day until its counts are settled, ms. */
  readonly settleMs: number;
  /** The end of the last page, epoch ms: nothing later can be known. */
  readonly asOf: number;
  /** The times for which its source had data, ascending; absent in bundles without this field. */
  readonly covered?: readonly Span[];
}

const EVERYTHING: readonly Span[] = [{ start: -Infinity, end: Infinity }];

/** A series whose counts are given and never fetched. Plain data: it can be cloned and stored. */
export type CarriedSeries = FileSeries | BundleSeries;

/** The way in which it is shown. */
export interface FixedView {
  readonly span: Span;
  readonly resolution: Resolution;
  /** IANA name. */
  readonly zone: string;
  readonly weekStart: WeekStart;
}

/**
 * Computes a fixed series' curve in the buckets of a view, cut like the curve of a run.
 *
 * Counts from a bundle are summed as for a run; what it lacks is missing. Buckets of a file cannot be split, and are
 * summed to longer ones only if all of them are whole numbers, because quotients have no sum. A bucket that the file
 * does not fill is `partial` if it reaches beyond an end of the file, else `uncovered`.
 *
 * @throws {RangeError} if the span is empty or the zone unknown.
 */
export function fixedCurve(series: CarriedSeries, view: FixedView): Curve {
  const { granularity, span, cut, edges } = viewOf({ ...view, unit: null });
  const bounds = edges.all.slice();
  bounds[0] = span.start;
  bounds[bounds.length - 1] = span.end;
  if (series.from === 'file') return refit(series.curve, bounds, cut);
  const cells = new Map<number, CellPart[]>();
  for (const { key, counts, segments, receipts } of series.contents.records) {
    const [, of, cell] = key;
    if (BUCKET_MS[of] > BUCKET_MS[granularity] || !intersect(cellSpan(cell), span)) continue;
    const part = { granularity: of, width: of, counts, segments, receipts };
    cells.set(cell, [...(cells.get(cell) ?? []), part]);
  }
  const rules = { settleMs: series.settleMs, invalidated: series.contents.row.invalidated };
  const stitched = new Map<number, StitchedCell>();
  for (const [cell, parts] of cells) {
    stitched.set(cell, stitchCell(cell, granularity, parts, rules));
  }
  const end = Math.max(span.start, Math.min(span.end, series.asOf));
  const reach = { start: span.start, end };
  const known = stitch(reach, granularity, stitched, {
    failed: [],
    reach: reach.start,
    covered: series.covered ?? EVERYTHING,
  });
  return rollup(known, bounds, series.asOf, cut);
}

/** Total length of the known buckets in a span, ms. */
function knownMs({ bounds, counts }: Curve, { start, end }: Span): number {
  let sum = 0;
  for (let i = 0; i < counts.length; i += 1) {
    if (Number.isNaN(counts[i] ?? Number.NaN)) continue;
    sum += Math.max(0, Math.min(bounds[i + 1] ?? 0, end) - Math.max(bounds[i] ?? 0, start));
  }
  return sum;
}

/** Removes the buckets that start at an instant or later. */
function before({ bounds, counts, states, fetchedAt }: Curve, instant: number): Curve {
  const size = bounds.subarray(0, counts.length).findLastIndex((at) => at < instant) + 1;
  return {
    bounds: bounds.slice(0, size + 1),
    counts: counts.slice(0, size),
    states: states.slice(0, size),
    fetchedAt: fetchedAt.slice(0, size),
  };
}

/**
 * Converts a carried series to the form that a board stores: the finest UTC buckets that are known for as much of the
 * span as the coarsest ones, so that it can be summed to other resolutions and zones.
 */
export function flattened(series: CarriedSeries, span: Span): FixedSeries {
  const { label, query, source } = series;
  if (series.from === 'file') return { label, query, source, ...series.curve, origin: series };
  const cut = (resolution: Resolution): Curve =>
    fixedCurve(series, { span, resolution, zone: 'UTC', weekStart: 1 });
  const there = GRANULARITIES.filter((granularity) =>
    series.contents.records.some(({ key }) => key[1] === granularity),
  );
  const curves = there.map(cut);
  // Coarse buckets reach beyond the span and the known time.
  const reported = { start: span.start, end: Math.min(span.end, series.asOf) };
  const known = curves.map((curve) => knownMs(curve, reported));
  const finest = curves[known.indexOf(Math.max(...known))] ?? cut('day');
  // A bucket still running at `asOf` is unfinished, not unknown.
  return { label, query, source, ...before(finest, series.asOf), origin: series };
}
