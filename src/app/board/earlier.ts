import type { Comparison } from '#app/chart/form.ts';
import { changeAgainst, type Change } from '#core/series/change.ts';
import { sliceOf, type Basis, type BasisUnit } from '#core/series/basis.ts';
import { alignEarlier, earlierSpan, placed, type Earlier } from '#core/series/earlier.ts';
import { buildPyramid, type Pyramid } from '#core/series/pyramid.ts';
import type { Result } from '#core/series/statistics.ts';
import { STATE, type Curve } from '#core/series/series.ts';
import { bucketsIn } from '#core/series/window.ts';
import type { Edges } from '#core/time/edges.ts';
import type { Resolution } from '#core/time/resolution.ts';
import { ARCHIVE_START, type Span } from '#core/time/span.ts';
import type { ZoneTable } from '#core/time/zone.ts';

/** Buckets in view, and the earlier time that they are held against. */
export interface Compared {
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
): Compared | null {
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
export function sameTime(a: Compared | null, b: Compared | null): boolean {
  const told = (one: Compared | null): unknown => one && [one.span, one.resolution, one.unit];
  return JSON.stringify(told(a)) === JSON.stringify(told(b));
}

/** Whether a curve is of the earlier time: while another one is on its way the one before still stands. */
export function tells({ bounds }: Curve, { from, to, span }: Compared): boolean {
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

function changeOf(
  view: Curve,
  past: Curve,
  earlier: Earlier,
  unit: BasisUnit,
  table: ZoneTable,
  now: number,
): Result<Change> {
  const aligned = alignEarlier(view.bounds, past.bounds, earlier, unit, table);
  return changeAgainst(view, past, aligned, now);
}

/** What the change of a range is computed from: its own basis and that of the earlier time. */
export interface ComparedBases {
  readonly now: Basis | null;
  readonly before: Basis | null;
}

/**
 * Lays earlier counts under the buckets of a curve and compares the two. The change comes from the bases where both
 * are by the unit that is compared, so it is the same at every resolution.
 */
export function holdAgainst(
  shown: Curve,
  before: Curve,
  { from, to, earlier, resolution, unit }: Compared,
  table: ZoneTable,
  now: number,
  bases: ComparedBases = { now: null, before: null },
): Before {
  const bounds = shown.bounds.subarray(from, to + 1);
  const aligned = alignEarlier(bounds, before.bounds, earlier, resolution, table);
  const spread = (values: Float64Array): Float64Array => {
    const out = new Float64Array(shown.counts.length).fill(Number.NaN);
    out.set(placed(values, aligned), from);
    return out;
  };
  const states = new Uint8Array(shown.counts.length);
  for (const [i, index] of aligned.entries())
    states[from + i] = before.states[index] ?? STATE.never;
  const curve = {
    bounds: shown.bounds,
    counts: spread(before.counts),
    states,
    fetchedAt: spread(before.fetchedAt),
  };
  const [starts, ends] = [spread(before.bounds.subarray(0, -1)), spread(before.bounds.subarray(1))];
  const { now: own, before: past } = bases;
  if (unit && own?.unit === unit && past?.unit === unit) {
    const change = changeOf(own.curve, past.curve, earlier, unit, table, now);
    return { curve, starts, ends, change, unit };
  }
  const inView = sliceOf(shown, { first: from, end: to });
  const change = changeAgainst(inView, before, aligned, now);
  return { curve, starts, ends, change, unit: resolution };
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
