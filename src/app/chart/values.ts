import { firstKnown, type Pyramid } from '#core/series/pyramid.ts';
import { sameBuckets, STATE, type Curve } from '#core/series/series.ts';
import {
  averageOf,
  cumulativeOf,
  firstCounted,
  meanOf,
  rateOf,
  sumOf,
  trackOf,
  type Track,
} from '#core/series/trend.ts';
import type { Span } from '#core/time/span.ts';
import type { Trend, Unit } from './form.ts';
import { firstAfter } from '#core/time/edges.ts';
import { isQuotient } from './axes.ts';

/** Counts with their sums. */
export interface Counted {
  readonly curve: Curve;
  readonly pyramid: Pyramid | null;
}

/** Counts of an earlier period, one for each bucket of now. */
export interface Earlier extends Counted {
  /** When these buckets were, epoch ms; NaN where there is none. */
  readonly starts?: Float64Array;
  readonly ends?: Float64Array;
}

export interface FigureSeries extends Counted {
  readonly id: number;
  /** Posts by default. */
  readonly unit?: Unit | undefined;
  readonly earlier?: Earlier | undefined;
}

/** Rates are per so many Posts. */
export const PER = 100_000;

/** The value of buckets `[from, to)` of one series; NaN where it has none. */
export interface Measure {
  now(from: number, to: number): number;
  /** The same of the earlier period; NaN without one. */
  earlier(from: number, to: number): number;
  /** Factor of counts where the measure is one; NaN where it has no value. */
  readonly factor: number;
  /** The earlier period. */
  readonly past: Track | null;
}

/** The buckets `[first, end)` that begin in a window. */
function begun({ bounds }: Curve, window: Span): { first: number; end: number } {
  const first = firstAfter(bounds, window.start);
  const inside = (bounds[first] ?? 0) >= window.start;
  return { first: inside ? first : first + 1, end: firstAfter(bounds, window.end - 1) + 1 };
}

/** The first bucket of `[first, end)` that the source covers, where a sum begins. */
function firstCovered({ curve, pyramid }: Track, first: number, end: number): number {
  return curve.states[first] === STATE.uncovered ? firstKnown(pyramid, first, end) : first;
}

/**
 * The measure of a trend. Sums begin with the view; an index calls 100 the first whole bucket in view that holds
 * a Post, for the earlier time too, so that both can be compared. Quotients stay as they are, whatever the
 * trend, and have values of single buckets alone.
 */
export function measureOf(
  series: FigureSeries,
  baseline: FigureSeries | null,
  trend: Trend,
  window: Span,
): Measure {
  const track = trackOf(series.curve, series.pyramid);
  const { earlier } = series;
  const past =
    earlier && sameBuckets(earlier.curve, series.curve)
      ? trackOf(earlier.curve, earlier.pyramid)
      : null;
  const { first, end } = begun(series.curve, window);
  const both = (of: (track: Track, from: number, to: number) => number, factor = 1): Measure => ({
    now: (from, to) => of(track, from, to),
    earlier: (from, to) => (past ? of(past, from, to) : Number.NaN),
    factor,
    past,
  });
  /** A single bucket as it is, unfinished or not; several as the mean of the whole ones. */
  const count = (of: Track, from: number, to: number): number =>
    to - from === 1 ? sumOf(of, from, to) : meanOf(of, from, to);
  if (isQuotient(series)) {
    const own = ({ curve }: Track, from: number, to: number): number =>
      to - from === 1 ? (curve.counts[from] ?? Number.NaN) : Number.NaN;
    return both(own);
  }
  switch (trend.kind) {
    case 'none':
      return both(count);
    case 'average':
      return both((of, from, to) => averageOf(of, from, to, trend.buckets));
    case 'cumulative':
      return both((of, _, to) => cumulativeOf(of, firstCovered(of, first, end), to));
    case 'index': {
      const base = firstCounted(track, first, end);
      const factor = base < 0 ? Number.NaN : 100 / (track.curve.counts[base] ?? Number.NaN);
      return both((of, from, to) => count(of, from, to) * factor, factor);
    }
    case 'per': {
      const fits = baseline && !isQuotient(baseline) && sameBuckets(baseline.curve, series.curve);
      const base = fits ? trackOf(baseline.curve, baseline.pyramid) : null;
      const old = fits && baseline.earlier ? baseline.earlier : null;
      const pastBase =
        old && sameBuckets(old.curve, series.curve) ? trackOf(old.curve, old.pyramid) : null;
      return {
        now: (from, to) => (base ? rateOf(track, base, from, to, PER) : Number.NaN),
        earlier: (from, to) =>
          past && pastBase ? rateOf(past, pastBase, from, to, PER) : Number.NaN,
        factor: Number.NaN,
        past: pastBase && past,
      };
    }
  }
}
