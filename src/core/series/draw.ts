import type { Edges } from '#core/time/edges.ts';
import type { Span } from '#core/time/span.ts';
import type { Basis } from './basis.ts';
import { basisOf } from './basis-of.ts';
import type { BucketView } from './bucket-layout.ts';
import type { Pyramid } from '#core/series/pyramid/pyramid.ts';
import { oneByOne, rollup, type Cut } from './rollup.ts';
import { STATE, type Curve, type Series } from './series.ts';
import { buildPyramid } from '#core/series/pyramid/build-pyramid.ts';

/** The buckets of a view. */
export type DrawnBuckets = Pick<BucketView, 'edges' | 'cut' | 'basis'>;

/** A series as a view shows it. */
export interface Drawn {
  readonly curve: Curve;
  readonly pyramid: Pyramid;
  readonly basis: Basis | null;
}

/**
 * Sums a series to the buckets of a view. The curve may take over the arrays of the series.
 *
 * @param now - As for `rollup`.
 * @param covered - The times for which the source has data, ascending, disjoint.
 * @throws {RangeError} as `rollup`.
 */
export function draw(
  series: Series,
  view: DrawnBuckets,
  now: number,
  covered: readonly Span[],
): Drawn {
  const { edges, cut, basis: by } = view;
  // Before the curve, which may take ownership of the series' arrays.
  const basis = by && basisOf(series, by.unit, by.edges, now, covered);
  const fits = edges.minutes && series.granularity === 'minute';
  const curve = fits
    ? oneByOne(series, edges, now, cut)
    : ((basis && ofBasis(basis, edges, cut)) ?? rollup(series, edges.all, now, cut));
  return { curve, pyramid: buildPyramid(curve.counts, curve.states), basis };
}

/** The curve of a view whose figures come from the same buckets; null if they come from others. */
function ofBasis({ curve }: Basis, { all }: Edges, { first, last }: Cut): Curve | null {
  const { bounds, counts, states, fetchedAt } = curve;
  const end = all.length - 1;
  // The outer ones are where the source can distinguish them.
  if (end !== bounds.length - 1 || all.some((at, i) => i > 0 && i < end && at !== bounds[i]))
    return null;
  const cut = states.slice();
  const most = (i: number): number => Math.min(cut[i] ?? 0, STATE.partial);
  if (first) cut[0] = most(0);
  if (last) cut[end - 1] = most(end - 1);
  return {
    bounds: bounds.slice(),
    counts: counts.slice(),
    states: cut,
    fetchedAt: fetchedAt.slice(),
  };
}
