import type { Dispersion } from '#core/series/confidence.ts';
import type { Pyramid } from '#core/series/pyramid/pyramid.ts';
import { sameBuckets, STATE, type Curve } from '#core/series/series.ts';
import {
  averageOf,
  cumulativeOf,
  indexBase,
  meanOf,
  rateOf,
  sumOf,
  trackOf,
  type Track,
} from '#core/series/trend.ts';
import type { Span } from '#core/time/span.ts';
import { compute } from '#core/series/combine.ts';
import type { Formula, Unit } from '#core/series/formula.ts';
import type { Trend } from './form.ts';
import { firstAfter } from '#core/time/edges.ts';
import { isQuotient } from './axes.ts';
import { firstKnown } from '#core/series/pyramid/pyramid-places.ts';

/** Counts with their sums. */
interface Counted {
  readonly curve: Curve;
  readonly pyramid: Pyramid | null;
}

/** Counts of an earlier period, one for each current bucket. */
export interface EarlierCounts extends Counted {
  /** Position of the period among those drawn, 0 for the latest. */
  readonly period: number;
  /** Starts of these buckets, epoch ms; NaN if there is none. */
  readonly starts?: Float64Array;
  readonly ends?: Float64Array;
  /** The variation of single buckets; without it, that of counts of independent Posts. */
  readonly noise?: Dispersion;
}

export interface FigureSeries extends Counted {
  readonly id: number;
  /** Posts by default. */
  readonly unit?: Unit | undefined;
  /** Of a quotient, the curves that it is computed from; without them it has no value over several buckets. */
  readonly parts?: Formula<Curve> | null | undefined;
  /** As far as they are known, the latest first. */
  readonly earlier?: readonly EarlierCounts[] | undefined;
}

/** Number of Posts that rates refer to. */
export const PER = 100_000;

/** The values of one series, each of buckets `[from, to)`; NaN if there is none. */
export interface Measure {
  now(from: number, to: number): number;
  /** The factor, if the measure is a multiple of counts; NaN if it is unknown. */
  readonly factor: number;
  /** The same for each earlier period of the series, in its order. */
  readonly earlier: readonly EarlierMeasure[];
}

interface EarlierMeasure {
  readonly period: number;
  /** Null if it has other buckets, or cannot be measured. */
  readonly past: Track | null;
  /** NaN if there is none. */
  at(from: number, to: number): number;
}

/** The buckets `[first, end)` that begin in a window. */
function begun({ bounds }: Curve, window: Span): { first: number; end: number } {
  const first = firstAfter(bounds, window.start);
  const inside = (bounds[first] ?? 0) >= window.start;
  return { first: inside ? first : first + 1, end: firstAfter(bounds, window.end - 1) + 1 };
}

/** The first bucket of `[first, end)` that the source covers. A sum begins there. */
function firstCovered({ curve, pyramid }: Track, first: number, end: number): number {
  return curve.states[first] === STATE.uncovered ? firstKnown(pyramid, first, end) : first;
}

/**
 * The average of {@link averageOf}. That of a quotient is computed from the means of its parts: sum over sum, never the mean
 * of quotients.
 */
export function averageIn(
  { curve, pyramid, parts }: FigureSeries,
  from: number,
  to: number,
  buckets: number,
): number {
  return parts
    ? compute(parts, (part) => averageOf(trackOf(part, null), from, to, buckets))
    : averageOf(trackOf(curve, pyramid), from, to, buckets);
}

/**
 * The measure of a trend. Sums begin with the view. An index is 100 at the mean of the first buckets in
 * view that have Posts, for the earlier period too, so that the two can be compared. Of the trends, only the average applies to quotients: that
 * of the sums that they are computed from.
 */
export function measureOf(
  series: FigureSeries,
  baseline: FigureSeries | null,
  trend: Trend,
  window: Span,
): Measure {
  const track = trackOf(series.curve, series.pyramid);
  const { earlier: pasts = [] } = series;
  const pastOf = ({ curve, pyramid }: EarlierCounts): Track | null =>
    sameBuckets(curve, series.curve) ? trackOf(curve, pyramid) : null;
  const { first, end } = begun(series.curve, window);
  const both = (of: (track: Track, from: number, to: number) => number, factor = 1): Measure => ({
    now: (from, to) => of(track, from, to),
    factor,
    earlier: pasts.map((each) => {
      const past = pastOf(each);
      const at = (from: number, to: number): number => (past ? of(past, from, to) : Number.NaN);
      return { period: each.period, past, at };
    }),
  });
  /** The count of a single bucket, even if unfinished; the mean of several, without unfinished ones. */
  const count = (of: Track, from: number, to: number): number =>
    to - from === 1 ? sumOf(of, from, to) : meanOf(of, from, to);
  if (isQuotient(series)) {
    if (trend.kind === 'average' && series.parts) {
      const now = (from: number, to: number): number => averageIn(series, from, to, trend.buckets);
      return { now, factor: Number.NaN, earlier: [] };
    }
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
      const factor = 100 / indexBase(track, first, end);
      return both((of, from, to) => count(of, from, to) * factor, factor);
    }
    case 'per': {
      const fits = baseline && !isQuotient(baseline) && sameBuckets(baseline.curve, series.curve);
      const base = fits ? trackOf(baseline.curve, baseline.pyramid) : null;
      return {
        now: (from, to) => (base ? rateOf(track, base, from, to, PER) : Number.NaN),
        factor: Number.NaN,
        earlier: pasts.map((each) => {
          const old = fits && baseline.earlier?.find(({ period }) => period === each.period);
          const pastBase = old ? pastOf(old) : null;
          const past = pastBase && pastOf(each);
          const at = (from: number, to: number): number =>
            past && pastBase ? rateOf(past, pastBase, from, to, PER) : Number.NaN;
          return { period: each.period, past, at };
        }),
      };
    }
  }
}
