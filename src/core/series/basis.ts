import { DAY_MS, HOUR_MS, type Span } from '#core/time/span.ts';
import { combine } from './combine.ts';
import { seriesIn, substitute, type Formula } from './formula.ts';
import { refit } from './rebucket.ts';
import { sameBuckets, STATE, type Curve } from './series.ts';
import { bucketAt, type Buckets } from './window.ts';

/** Buckets that figures are computed from. */
export const BASIS_UNITS = ['minute', 'hour', 'day'] as const;
export type BasisUnit = (typeof BASIS_UNITS)[number];

/**
 * The basis of totals, shares, changes and completeness of a range. Its buckets depend on the length of
 * the range alone, so the figures are the same at every resolution of the chart.
 */
export interface Basis {
  readonly unit: BasisUnit;
  /** The range cuts none of its buckets: only now, or the limits of the source, make one partial. */
  readonly curve: Curve;
  /** Known Posts of each bucket, even if a part of it is missing. */
  readonly known: Float64Array;
  /** Known time of each bucket, ms. */
  readonly knownMs: Float64Array;
  /** Time of each bucket that has passed and that the source covers, ms. */
  readonly coveredMs: Float64Array;
  /** The end of what the source could report, epoch ms. */
  readonly until: number;
}

/** Ranges up to these lengths use minutes, and hours. */
const BY_MINUTE_MS = 12 * HOUR_MS;
const BY_HOUR_MS = 10 * DAY_MS;

/**
 * The unit of a range's figures: fine enough that leaving out the running bucket loses little.
 *
 * @param priced - Whether counts cost money: minutes are then not bought for this.
 */
export function basisUnit({ start, end }: Span, priced: boolean): BasisUnit {
  if (end - start > BY_HOUR_MS) return 'day';
  return !priced && end - start <= BY_MINUTE_MS ? 'minute' : 'hour';
}

/**
 * The basis of given counts, which are never fetched.
 *
 * @param given - Ascending buckets; the result is null if an edge splits one, or if a count is not a
 *   whole number.
 * @param now - The end of what can be known.
 */
export function basisOfGiven(
  given: Curve,
  unit: BasisUnit,
  edges: Float64Array,
  now: number,
): Basis | null {
  const [first = 0, last = 0] = [given.bounds[0], given.bounds.at(-1)];
  const splits = edges.some(
    (at) => first < at && at < last && given.bounds[bucketAt(given.bounds, at)] !== at,
  );
  const whole = given.counts.every((count) => Number.isNaN(count) || Number.isInteger(count));
  if (splits || !whole) return null;
  const curve = refit(given, edges);
  const ms = Float64Array.from(curve.counts, (_, i) => {
    const [start = 0, end = 0] = curve.bounds.subarray(i, i + 2);
    return Math.max(0, Math.min(end, now, last) - Math.max(start, first));
  });
  const { states } = curve;
  return {
    unit,
    curve,
    known: Float64Array.from(curve.counts, (count) => count || 0),
    knownMs: ms.map((length, i) => ((states[i] ?? 0) >= STATE.partial ? length : 0)),
    coveredMs: ms.map((length, i) => (states[i] === STATE.uncovered ? 0 : length)),
    until: now,
  };
}

/** The basis of a formula; null if its bases have different buckets, or if it has none. */
export function combineBases(formula: Formula<Basis>): Basis | null {
  const bases = seriesIn(formula);
  const [first, ...rest] = bases;
  const same = ({ unit, curve }: Basis): boolean =>
    unit === first?.unit && sameBuckets(curve, first.curve);
  const curves = substitute(formula, ({ curve }) => ({ kind: 'series', of: curve }));
  if (!first || !curves || !rest.every(same)) return null;
  const curve = combine(curves);
  const shortest = (lengths: (of: Basis) => Float64Array): Float64Array =>
    lengths(first).map((_, i) => Math.min(...bases.map((basis) => lengths(basis)[i] ?? 0)));
  return {
    unit: first.unit,
    curve,
    known: Float64Array.from(curve.counts, (count) => count || 0),
    knownMs: shortest(({ knownMs }) => knownMs),
    coveredMs: shortest(({ coveredMs }) => coveredMs),
    until: Math.min(...bases.map(({ until }) => until)),
  };
}

/** The figures of a basis in a window. */
export interface BasisFigures {
  /** Known Posts, and the length of the time they were counted over, ms. */
  readonly total: number;
  readonly knownMs: number;
  /** Length of the time that the source covers, and of all that has passed, ms. */
  readonly coveredMs: number;
  readonly elapsedMs: number;
}

/** The buckets of a basis between two edges; null if either is not an edge of the basis. */
export function basisBuckets({ curve: { bounds } }: Basis, { start, end }: Span): Buckets | null {
  const size = bounds.length - 1;
  const first = bucketAt(bounds, start);
  const last = end === bounds[size] ? size : bucketAt(bounds, end);
  return first >= 0 && bounds[first] === start && bounds[last] === end
    ? { first, end: last }
    : null;
}

export function basisFigures(basis: Basis, { first, end }: Buckets): BasisFigures {
  const { known, knownMs, coveredMs, curve, until } = basis;
  const out = { total: 0, knownMs: 0, coveredMs: 0 };
  for (let i = first; i < end; i += 1) {
    out.total += known[i] ?? 0;
    out.knownMs += knownMs[i] ?? 0;
    out.coveredMs += coveredMs[i] ?? 0;
  }
  const [start = 0, stop = 0] = [curve.bounds[first], curve.bounds[end]];
  return { ...out, elapsedMs: Math.max(0, Math.min(stop, until) - start) };
}

/** The buckets `[first, end)` of a curve. */
export function sliceOf(
  { bounds, counts, states, fetchedAt }: Curve,
  { first, end }: Buckets,
): Curve {
  return {
    bounds: bounds.subarray(first, end > first ? end + 1 : first),
    counts: counts.subarray(first, end),
    states: states.subarray(first, end),
    fetchedAt: fetchedAt.subarray(first, end),
  };
}
