import type { SeriesContents } from '#app/counts/shelf-cache.ts';
import { viewOf } from '#app/counts/view.ts';
import { stitch, stitchCell, type CellPart, type StitchedCell } from '#core/counts/stitch.ts';
import { rollup } from '#core/series/rollup.ts';
import { STATE, type Curve } from '#core/series/series.ts';
import { BUCKET_MS } from '#core/time/bucket.ts';
import type { Resolution, WeekStart } from '#core/time/resolution.ts';
import { cellSpan, intersect, type Span } from '#core/time/span.ts';

interface Fixed {
  readonly label: string;
  /** What was counted; empty where the file did not say. */
  readonly query: string;
  /** Where it was counted, as the file says; empty where it did not. */
  readonly source: string;
}

/** Counts as a file of numbers told them, bucket by bucket. */
export interface FileSeries extends Fixed {
  readonly from: 'file';
  readonly curve: Curve;
}

/** Counts as a bundle carries them: the pages themselves, so that every zone and resolution can be shown. */
export interface BundleSeries extends Fixed {
  readonly from: 'bundle';
  readonly contents: SeriesContents;
  /** How long after its end a day's counts are settled, ms. */
  readonly settleMs: number;
  /** Up to where the last of them tells, epoch ms: nothing later can be known. */
  readonly asOf: number;
}

/** A series whose counts are given and never asked for. Plain data: it can be cloned and kept. */
export type FixedSeries = FileSeries | BundleSeries;

/** What is looked at. */
export interface FixedView {
  readonly span: Span;
  readonly resolution: Resolution;
  /** IANA name. */
  readonly zone: string;
  readonly weekStart: WeekStart;
}

/**
 * A fixed series by the buckets of a view, cut as a run's curve is.
 *
 * Counts of a bundle are summed as those of a run; what it does not hold is out of reach. Buckets of a file
 * cannot be split, and are summed to longer ones only where all of them are whole numbers, since a quotient is
 * no sum. A bucket that the file does not fill is `partial` where it reaches beyond an end of the file, else
 * out of reach.
 *
 * @throws {RangeError} if the span is empty or the zone unknown.
 */
export function fixedCurve(series: FixedSeries, view: FixedView): Curve {
  const { bounds, granularity, span, cut } = viewOf(view);
  bounds[0] = span.start;
  bounds[bounds.length - 1] = span.end;
  if (series.from === 'file') return regrouped(series.curve, bounds);
  const cells = new Map<number, CellPart[]>();
  for (const { key, counts, segments, receipts } of series.contents.records) {
    const [, of, cell] = key;
    if (BUCKET_MS[of] > BUCKET_MS[granularity] || !intersect(cellSpan(cell), span)) continue;
    const part = { granularity: of, width: of, counts, segments, receipts };
    cells.set(cell, [...(cells.get(cell) ?? []), part]);
  }
  const rules = { settleMs: series.settleMs, raised: series.contents.row.raised };
  const stitched = new Map<number, StitchedCell>();
  for (const [cell, parts] of cells) {
    stitched.set(cell, stitchCell(cell, granularity, parts, rules));
  }
  const end = Math.max(span.start, Math.min(span.end, series.asOf));
  const reach = { start: span.start, end };
  const known = stitch(reach, granularity, stitched, { failed: [], reach: end });
  return rollup(known, bounds, series.asOf, cut);
}

/** The buckets of a file by other bounds. */
function regrouped(curve: Curve, bounds: Float64Array): Curve {
  const size = bounds.length - 1;
  const counts = new Float64Array(size).fill(Number.NaN);
  const states = new Uint8Array(size).fill(STATE.unreachable);
  const fetchedAt = new Float64Array(size).fill(Number.NaN);
  const given = curve.bounds;
  const [first = 0, last = 0] = [given[0], given.at(-1)];
  const sums = curve.counts.every((count) => Number.isNaN(count) || Number.isInteger(count));
  let j = 0;
  for (let i = 0; i < size; i += 1) {
    const start = bounds[i] ?? 0;
    const end = bounds[i + 1] ?? 0;
    const from = Math.max(start, first);
    const to = Math.min(end, last);
    while (j < curve.counts.length && (given[j] ?? 0) < from) j += 1;
    if (from >= to || given[j] !== from) continue;
    let k = j;
    let sum = 0;
    let weakest: number = from > start || to < end ? STATE.partial : STATE.settled;
    let oldest = Infinity;
    while (k < curve.counts.length && (given[k + 1] ?? Infinity) <= to) {
      sum += curve.counts[k] ?? Number.NaN;
      weakest = Math.min(weakest, curve.states[k] ?? 0);
      oldest = Math.min(oldest, curve.fetchedAt[k] || Infinity);
      k += 1;
    }
    if (given[k] !== to || (k > j + 1 && !sums)) continue;
    states[i] = weakest;
    counts[i] = sum;
    if (oldest !== Infinity) fetchedAt[i] = oldest;
    j = k;
  }
  return { bounds, counts, states, fetchedAt };
}
