import type { Edges } from '#core/time/edges.ts';
import { STATE, type Curve } from './series.ts';

/** Buckets `[from, to)` by number, and when the oldest part of each was fetched, epoch ms. */
export interface FetchedRun {
  readonly from: number;
  readonly to: number;
  readonly at: number;
}

const runs = new WeakMap<Curve, readonly FetchedRun[]>();

/**
 * A curve whose edges and times are written out when first read; of millions of buckets, few ever are.
 *
 * @param fetched - Ascending, disjoint; entries for unknown buckets are ignored.
 */
export function curveOver(
  edges: Edges,
  counts: Curve['counts'],
  states: Uint8Array,
  fetched: readonly FetchedRun[],
): Curve {
  let times: Float64Array | null = null;
  const curve: Curve = {
    get bounds() {
      return edges.all;
    },
    counts,
    states,
    get fetchedAt() {
      times ??= timesOf(states, fetched, 0, states.length);
      return times;
    },
  };
  runs.set(curve, fetched);
  return curve;
}

/** The fetch runs behind a curve of {@link curveOver}; null for any other. */
export function fetchedRuns(curve: Curve): readonly FetchedRun[] | null {
  return runs.get(curve) ?? null;
}

/** A copy of the times of the buckets `[from, to)`, without writing out the others. */
export function fetchedBetween(curve: Curve, from: number, to: number): Float64Array<ArrayBuffer> {
  const fetched = runs.get(curve);
  if (!fetched) return curve.fetchedAt.slice(from, to) as Float64Array<ArrayBuffer>;
  return timesOf(curve.states, fetched, from, to);
}

/** The time at which the last of a curve's known buckets was fetched, epoch ms; NaN if none is known. */
export function lastFetch(curve: Curve): number {
  const fetched = runs.get(curve);
  if (!fetched) return curve.fetchedAt.findLast((at) => !Number.isNaN(at)) ?? NaN;
  for (const { from, to, at } of fetched.toReversed()) {
    for (let i = to - 1; i >= from; i--) if ((curve.states[i] ?? 0) >= STATE.partial) return at;
  }
  return NaN;
}

function timesOf(
  states: Uint8Array,
  fetched: readonly FetchedRun[],
  from: number,
  to: number,
): Float64Array<ArrayBuffer> {
  const times = new Float64Array(to - from).fill(NaN);
  for (const run of fetched) {
    const start = Math.max(from, run.from);
    const end = Math.min(to, run.to);
    if (start < end) times.fill(run.at, start - from, end - from);
  }
  for (let i = from; i < to; i++) if ((states[i] ?? 0) < STATE.partial) times[i - from] = NaN;
  return times;
}
