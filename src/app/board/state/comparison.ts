import type { Comparison } from '#app/chart/draw/form.ts';
import type { BasisUnit } from '#core/series/basis.ts';
import type { Dispersion } from '#core/series/confidence.ts';
import type { Change } from '#core/series/change.ts';
import { earlierSpan, parseNamed, type Alignment } from '#core/series/comparison.ts';
import type { Pyramid } from '#core/series/pyramid/pyramid.ts';
import type { Result } from '#core/series/statistics.ts';
import type { Curve } from '#core/series/series.ts';
import { bucketsIn } from '#core/series/window.ts';
import type { Edges } from '#core/time/edges.ts';
import type { Resolution } from '#core/time/resolution.ts';
import { ARCHIVE_START, type Span } from '#core/time/span.ts';
import type { ZoneTable } from '#core/time/zone.ts';
import { buildPyramid } from '#core/series/pyramid/build-pyramid.ts';

/** Buckets in view, and the earlier period to compare them with. */
export interface ComparedPeriod {
  /** Indexes of the buckets in view, `to` exclusive. */
  readonly from: number;
  readonly to: number;
  readonly earlier: Alignment;
  /** The number of steps back: 2 for the year before the last. */
  readonly back: number;
  /** The time in view, and the earlier one. */
  readonly view: Span;
  readonly span: Span;
  /** About how many buckets it has. */
  readonly buckets: number;
  readonly resolution: Resolution;
  /** The unit of the basis of figures of the range; null for a zoom, whose figures come from the buckets shown. */
  readonly unit: BasisUnit | null;
}

/** Above this many buckets there is no comparison: it would load as many again. */
const MOST_BUCKETS = 300_000;

/** A view and its buckets. */
interface Cut {
  /** Edges of the buckets shown. */
  readonly edges: Edges;
  /** The whole range. */
  readonly range: Span;
  /** The part in view. */
  readonly window: Span;
  /** The requested range, which the outer buckets may exceed; null if the view is exactly its buckets. */
  readonly asked: Span | null;
  readonly resolution: Resolution;
  readonly table: ZoneTable;
  /** The unit of the basis of figures of the range; null for a zoom. */
  readonly unit: BasisUnit | null;
}

/** Finds the span of a chosen period. */
export type ChosenSpan = typeof import('#core/series/chosen-span.ts').chosenSpan;

/** The coarser of what is shown and what figures are computed from. */
const coarser = (resolution: Resolution, unit: BasisUnit | null): Resolution =>
  unit && (resolution === 'minute' || unit === 'day') ? unit : resolution;

/**
 * The earlier periods to compare the buckets in view with: the chosen ones, otherwise the previous period.
 *
 * @param chosenSpan - Null until its code has loaded: until then a chosen period is unknown.
 * @returns The latest first, without those of which part is before the archive; none if one has too many buckets.
 */
export function comparedOf(
  { edges, range, window, asked, resolution, table, unit }: Cut,
  chosen: Comparison,
  chosenSpan: ChosenSpan | null = null,
): ComparedPeriod[] {
  const { start, end } = window;
  if (edges.firstAfter(end) - edges.firstAfter(start) > MOST_BUCKETS) return [];
  const bounds = edges.all;
  const { first: from, end: to } = bucketsIn(bounds, start, end);
  if (from >= to) return [];
  const inView = { start: bounds[from] ?? 0, end: bounds[to] ?? 0 };
  const view = asked ?? inView;
  const period = (
    earlier: Alignment,
    span: Span | null | undefined,
    back: number,
  ): ComparedPeriod[] => {
    if (!span || span.start < ARCHIVE_START) return [];
    const buckets = ((to - from) * (span.end - span.start)) / (view.end - view.start);
    return [{ from, to, earlier, back, view, span, buckets, resolution, unit }];
  };
  if (typeof chosen !== 'string') {
    const found = chosenSpan?.(view, range, chosen, coarser(resolution, unit), table);
    return found ? period(found.earlier, found.span, 1) : [];
  }
  const { earlier, periods } = parseNamed(chosen) ?? { earlier: 'previous', periods: 1 };
  return Array.from({ length: periods }, (_, i) => i + 1).flatMap((back) =>
    period(earlier, earlierSpan(view, earlier, table, back), back),
  );
}

/** True if two views are compared with the same periods in the same buckets. */
export function sameTime(a: readonly ComparedPeriod[], b: readonly ComparedPeriod[]): boolean {
  const keyOf = (periods: readonly ComparedPeriod[]): string =>
    JSON.stringify(periods.map(({ span, resolution, unit }) => [span, resolution, unit]));
  return keyOf(a) === keyOf(b);
}

/** True if a curve covers the earlier period: while one loads, the curve is still that of the one before. */
export function coversPeriod({ bounds }: Curve, { span, buckets }: ComparedPeriod): boolean {
  const size = bounds.length - 1;
  const starts = (bounds[0] ?? Infinity) <= span.start && (bounds[1] ?? 0) > span.start;
  const ends = (bounds[size] ?? 0) >= span.end && (bounds[size - 1] ?? Infinity) < span.end;
  // Another resolution has many times more or fewer buckets; month lengths and clock changes add little.
  const much = Math.abs(size - buckets) <= Math.max(2, buckets / 4);
  return starts && ends && much;
}

/** Earlier counts aligned with the buckets in view, and the change since. */
export interface Before {
  /** One entry per bucket shown: the earlier count that corresponds to it. */
  readonly curve: Curve;
  /** Start of the earlier bucket behind each bucket shown, epoch ms; NaN if there is none. */
  readonly starts: Float64Array;
  readonly ends: Float64Array;
  readonly change: Result<Change>;
  /** The variation of single buckets. */
  readonly noise: Dispersion;
  /** The buckets the change compares pairwise. */
  readonly unit: Resolution;
}

const pyramids = new WeakMap<Curve, Pyramid>();

interface EarlierDrawn extends Pick<Before, 'curve' | 'starts' | 'ends' | 'noise'> {
  readonly pyramid: Pyramid;
  readonly period: number;
}

/**
 * Earlier counts as the chart draws them; each curve is summarised once.
 *
 * @param period - Position of the period among those drawn, 0 for the latest.
 */
export function drawnBefore({ curve, starts, ends, noise }: Before, period: number): EarlierDrawn {
  const pyramid = pyramids.get(curve) ?? buildPyramid(curve.counts);
  pyramids.set(curve, pyramid);
  return { curve, pyramid, starts, ends, noise, period };
}
