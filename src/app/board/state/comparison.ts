import type { Comparison } from '#app/chart/form.ts';
import type { BasisUnit } from '#core/series/basis.ts';
import type { Change } from '#core/series/change.ts';
import { earlierSpan } from '#core/series/comparison.ts';
import { buildPyramid, type Pyramid } from '#core/series/pyramid.ts';
import type { Result } from '#core/series/statistics.ts';
import type { Curve } from '#core/series/series.ts';
import { bucketsIn } from '#core/series/window.ts';
import type { Edges } from '#core/time/edges.ts';
import type { Resolution } from '#core/time/resolution.ts';
import { ARCHIVE_START, type Span } from '#core/time/span.ts';
import type { ZoneTable } from '#core/time/zone.ts';

/** Buckets in view, and the earlier time that they are held against. */
export interface ComparedPeriod {
  /** Numbers of the buckets in view, `to` exclusive. */
  readonly from: number;
  readonly to: number;
  readonly earlier: Exclude<Comparison, 'none'>;
  readonly span: Span;
  readonly resolution: Resolution;
  /** What figures of the range are computed from; null of a part of it, where that is the buckets shown. */
  readonly unit: BasisUnit | null;
}

/** More buckets than this are not held against earlier ones: it would take as many again. */
const MOST_BUCKETS = 300_000;

/** What a view is cut into. */
interface Cut {
  /** Of the buckets shown. */
  readonly edges: Edges;
  /** What of them is looked at. */
  readonly window: Span;
  /** What was asked for, which its outer buckets reach beyond; null where what is looked at is its buckets. */
  readonly asked: Span | null;
  readonly resolution: Resolution;
  readonly table: ZoneTable;
  /** What figures of the range are computed from; null of a part of it. */
  readonly unit: BasisUnit | null;
}

/**
 * The earlier time that the buckets in view are held against: the one chosen, else the period before.
 *
 * @returns Null where some of it lies before the archive, or there is too much of it.
 */
export function comparedOf(
  { edges, window, asked, resolution, table, unit }: Cut,
  chosen: Comparison,
): ComparedPeriod | null {
  const { start, end } = window;
  if (edges.firstAfter(end) - edges.firstAfter(start) > MOST_BUCKETS) return null;
  const bounds = edges.all;
  const { first: from, end: to } = bucketsIn(bounds, start, end);
  if (from >= to) return null;
  const earlier = chosen === 'none' ? 'previous' : chosen;
  const inView = { start: bounds[from] ?? 0, end: bounds[to] ?? 0 };
  const span = earlierSpan(asked ?? inView, earlier, table);
  if (!span || span.start < ARCHIVE_START) return null;
  return { from, to, earlier, span, resolution, unit };
}

/** Whether two views are held against the same time, cut alike. */
export function sameTime(a: ComparedPeriod | null, b: ComparedPeriod | null): boolean {
  const told = (one: ComparedPeriod | null): unknown => one && [one.span, one.resolution, one.unit];
  return JSON.stringify(told(a)) === JSON.stringify(told(b));
}

/** Whether a curve is of the earlier time: while another one is on its way the one before still stands. */
export function covers({ bounds }: Curve, { from, to, span }: ComparedPeriod): boolean {
  const size = bounds.length - 1;
  const starts = (bounds[0] ?? Infinity) <= span.start && (bounds[1] ?? 0) > span.start;
  const ends = (bounds[size] ?? 0) >= span.end && (bounds[size - 1] ?? Infinity) < span.end;
  // Of another resolution it has many times as many buckets, or few; months and clocks make little difference.
  const much = Math.abs(size - (to - from)) <= Math.max(2, (to - from) / 4);
  return starts && ends && much;
}

/** Earlier counts, and what they are to the buckets in view. */
export interface Before {
  /** Of all buckets shown, with the earlier counts in the places of those that they lie under. */
  readonly curve: Curve;
  /** Of which time the counts are, by the bucket they lie under, epoch ms; NaN where there is none. */
  readonly starts: Float64Array;
  readonly ends: Float64Array;
  readonly change: Result<Change>;
  /** What the change compares one by one. */
  readonly unit: Resolution;
}

const pyramids = new WeakMap<Curve, Pyramid>();

interface EarlierDrawn extends Pick<Before, 'curve' | 'starts' | 'ends'> {
  readonly pyramid: Pyramid;
}

/** Earlier counts as the chart draws them; summarised once for each curve. */
export function drawnBefore({ curve, starts, ends }: Before): EarlierDrawn {
  const pyramid = pyramids.get(curve) ?? buildPyramid(curve.counts);
  pyramids.set(curve, pyramid);
  return { curve, pyramid, starts, ends };
}
