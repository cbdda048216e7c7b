import { putNewest } from '#core/newest.ts';
import { boundaries, isBoundary, neededGranularity } from '#core/time/boundary.ts';
import { BUCKET_MS, ceilTo, floorTo, type Granularity } from '#core/time/bucket.ts';
import { Edges } from '#core/time/edges.ts';
import type { Resolution, WeekStart } from '#core/time/resolution.ts';
import { checkSpan, type Span } from '#core/time/span.ts';
import { zoneTable } from '#core/time/zone.ts';
import { basisUnit, type BasisUnit } from './basis.ts';
import type { Cut } from './rollup.ts';

/** The buckets of a need. */
export interface BucketView {
  /** Of the buckets shown. Shared with other views. */
  readonly edges: Edges;
  /** The buckets that figures are computed from, whatever the resolution; null if those are the buckets shown. */
  readonly basis: { readonly unit: BasisUnit; readonly edges: Edges } | null;
  /** The coarsest granularity that divides the edges of both. */
  readonly granularity: Granularity;
  /** The edges widened to whole buckets of the granularity. */
  readonly span: Span;
  /** The outer buckets that the range cuts. */
  readonly cut: Cut;
}

/** The buckets that are to be shown. */
export interface LayoutNeed {
  readonly span: Span;
  readonly resolution: Resolution;
  /** IANA name. */
  readonly zone: string;
  readonly weekStart: WeekStart;
  /** True if the outer buckets end exactly where the span does, to the minute. Only set if minutes cost nothing. */
  readonly exact?: boolean;
  /** The unit of its figures; absent: chosen by the length of the span; null: the buckets shown. */
  readonly unit?: BasisUnit | null;
  /** With terms, counts cost money. */
  readonly policy?: { readonly terms: object | null };
}

/** Recent views are cached: the series of a board share their buckets, and twenty years of minutes take a while. */
const MAX_RECENT = 3;
const recent = new Map<string, BucketView>();

/**
 * The buckets that a need shows, and the granularity that they require. An end of the range that is not a boundary of
 * the zone's buckets is widened to the hour, so that a range up to the current minute can be shown without fetching
 * minutes; with `exact`, to the minute. Equal needs share one view: do not write to its edges.
 *
 * @throws {RangeError} if the span is empty or the zone unknown.
 */
export function viewOf(need: LayoutNeed): BucketView {
  const { span, resolution, zone, weekStart, exact = false } = need;
  const unit = unitOf(need);
  const key = JSON.stringify([span.start, span.end, resolution, zone, weekStart, exact, unit]);
  const view = recent.get(key) ?? layOut(need);
  putNewest(recent, key, view, MAX_RECENT);
  return view;
}

function unitOf({ span, unit, policy }: LayoutNeed): BasisUnit | null {
  return unit === undefined ? basisUnit(span, policy?.terms != null) : unit;
}

/** Needs no zone for the edges: minutes are the same in every zone. Sources count whole minutes. */
function minutesOf(need: LayoutNeed): BucketView {
  const { span, zone, weekStart } = need;
  checkSpan(span);
  const wide = { start: floorTo(span.start, 'minute'), end: ceilTo(span.end, 'minute') };
  const cut = { first: false, last: false };
  const unit = unitOf(need);
  const basis = unit && {
    unit,
    edges: Edges.of(boundaries(wide, unit, zoneTable(zone, wide), weekStart)),
  };
  return { edges: Edges.ofMinutes(wide), basis, granularity: 'minute', span: wide, cut };
}

function layOut(need: LayoutNeed): BucketView {
  const { span, resolution, zone, weekStart, exact } = need;
  if (resolution === 'minute') return minutesOf(need);
  const table = zoneTable(zone, span);
  const bounds = boundaries(span, resolution, table, weekStart);
  const whole = (instant: number): boolean => isBoundary(instant, resolution, table, weekStart);
  const last = bounds.length - 1;
  const by = exact ? 'minute' : 'hour';
  if (!whole(span.start)) bounds[0] = floorTo(span.start, by);
  if (!whole(span.end)) bounds[last] = ceilTo(span.end, by);
  const unit = unitOf(need);
  const parts = unit && boundaries(span, unit, table, weekStart);
  const shown = neededGranularity(bounds);
  const figures = parts ? neededGranularity(parts.subarray(1, -1)) : shown;
  const granularity = BUCKET_MS[shown] < BUCKET_MS[figures] ? shown : figures;
  [bounds[0], bounds[last]] = [span.start, span.end];
  const wide = { start: floorTo(span.start, granularity), end: ceilTo(span.end, granularity) };
  if (parts) [parts[0], parts[parts.length - 1]] = [wide.start, wide.end];
  return {
    edges: Edges.of(bounds),
    basis: unit && parts && { unit, edges: Edges.of(parts) },
    granularity,
    span: wide,
    cut: { first: !whole(wide.start), last: !whole(wide.end) },
  };
}

/** The edges of a need's buckets, with the outer ones moved outward to what a source can distinguish. */
export function edgesOf(need: LayoutNeed): Edges {
  const { edges, span } = viewOf(need);
  if (edges.start === span.start && edges.end === span.end) return edges;
  const moved = edges.all.slice();
  [moved[0], moved[moved.length - 1]] = [span.start, span.end];
  return Edges.of(moved);
}

/**
 * The rows of tables and exports, by number: from the first bucket of a window to the one after the last that has
 * begun, at least one.
 */
export function rowsOf(edges: Edges, window: Span, now: number): { from: number; to: number } {
  const from = edges.firstAfter(window.start);
  const to = edges.firstAfter(Math.min(window.end, Math.max(now, window.start + 1)) - 1) + 1;
  return { from, to };
}
