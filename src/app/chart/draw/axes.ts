import { extentOf, type Pyramid } from '#core/series/pyramid/pyramid.ts';
import type { Curve } from '#core/series/series.ts';
import { trackOf } from '#core/series/trend.ts';
import type { Unit } from '#core/series/formula.ts';
import type { Trend } from './form.ts';
import type { EarlierLine, LineParts } from './decimate.ts';

interface Unitary {
  readonly id: number;
  readonly unit?: Unit | undefined;
}

/** True if the values of a series are quotients, which can be neither added nor averaged over buckets. */
export function isQuotient({ unit = 'count' }: Pick<Unitary, 'unit'>): boolean {
  return unit !== 'count';
}

/** True if a series has an average: counts, and quotients whose parts are known. */
export function isAveraged(series: Pick<Unitary, 'unit'> & { readonly parts?: unknown }): boolean {
  return !isQuotient(series) || !!series.parts;
}

/** Series to draw: counts and quotients, which have separate scales. */
export interface Sides<T> {
  readonly counted: readonly T[];
  readonly quotients: readonly T[];
}

/** Separates counts from quotients. The denominator of rates is not drawn. */
export function sidesOf<T extends Unitary>(
  series: readonly T[],
  baseline: Unitary | null,
  trend: Trend,
): Sides<T> {
  return {
    counted: series.filter(
      (each) => !isQuotient(each) && (trend.kind !== 'per' || each.id !== baseline?.id),
    ),
    quotients: series.filter(isQuotient),
  };
}

/** The extent of an axis of values. */
export interface FigureAxis {
  /** `part` only if all values are parts. */
  readonly unit: Unit;
  /** Highest and lowest value; zero if all are on the other side of zero. */
  readonly peak: number;
  readonly low: number;
  /** The value at which a log scale begins: for quotients about their smallest value above zero, for counts 1. */
  readonly least: number;
}

/** Maximum powers of ten on a log scale of quotients: smaller values are drawn near zero. */
const MOST_DECADES = 6;

interface Drawn extends LineParts {
  readonly earlier: readonly EarlierLine[];
}

/** Computes the extent of lines. */
export function axisOf(parts: Iterable<Drawn>, unit: Unit): FigureAxis {
  let peak = 0;
  let low = 0;
  let least = Infinity;
  const see = (points: Float64Array): void => {
    for (let i = 1; i < points.length; i += 2) {
      const y = points[i] ?? Number.NaN;
      if (y > peak) peak = y;
      if (y < low) low = y;
      if (y > 0 && y < least) least = y;
    }
  };
  for (const part of parts) {
    peak = Math.max(peak, part.peak);
    low = Math.min(low, part.low);
    for (const { line } of part.earlier) see(line);
    if (unit !== 'count') for (const points of [part.line, part.rings]) see(points);
  }
  const begun = Math.max(least, Math.max(peak, -low) / 10 ** MOST_DECADES);
  return { unit, peak, low, least: unit === 'count' || begun === Infinity ? 1 : begun };
}

/** Lowest and highest value of buckets `[from, to)`; null if none has a value. */
export function spreadOf(
  { curve, pyramid }: { readonly curve: Curve; readonly pyramid: Pyramid | null },
  from: number,
  to: number,
): { readonly low: number; readonly high: number } | null {
  const [low = 0, high = 0] = extentOf(trackOf(curve, pyramid).pyramid, from, to);
  return low <= high ? { low, high } : null;
}
