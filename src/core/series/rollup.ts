import { BUCKET_MS } from '#core/time/bucket.ts';
import { Edges } from '#core/time/edges.ts';
import { curveOver, type FetchedRun } from './fetch-times.ts';
import { STATE, byFours, stateOfParts, type Curve, type Series } from './series.ts';

/** Ends at which the range cuts a bucket that is longer in its calendar. */
export interface Cut {
  readonly first: boolean;
  readonly last: boolean;
}

/**
 * Sums a series to the displayed buckets.
 *
 * @param series - Covers `[bounds[0], bounds.at(-1))`; buckets outside it count as never requested.
 * @param bounds - Edges in epoch ms, ascending, inner ones on the series' grid. The two outer ones are
 *   moved outward to it, because a source bucket cannot be split. If they are on it, the curve uses
 *   these same edges.
 * @param now - The end of what the source could report. What begins later is not missing: a bucket that
 *   extends beyond it contains what there is and is `partial`.
 * @param cut - Ends that the range cuts; such a bucket is at most `partial`.
 * @returns One bucket per pair of edges, with exact sums; NaN if a part before `now` is unknown.
 * @throws {RangeError} if the edges do not ascend or an inner one is off the grid.
 */
export function rollup(
  series: Series,
  bounds: Float64Array,
  now: number,
  cut: Cut = { first: false, last: false },
): Curve {
  const width = BUCKET_MS[series.granularity];
  const size = Math.max(0, bounds.length - 1);
  const edges = size > 0 ? onGrid(bounds, width) : bounds;
  if (isGrid(edges, width)) return oneByOne(series, Edges.of(edges), now, cut);
  const counts = new Float64Array(size);
  const states = new Uint8Array(size);
  const fetchedAt = new Float64Array(size).fill(NaN);
  const { counts: parts, states: stateOf, fetched } = series;
  const known = parts.length;
  const { settled } = STATE;
  const reach = Math.ceil((now - series.start) / width);
  let stretch = 0;
  let run = fetched[0];
  let to = ((edges[0] ?? 0) - series.start) / width;

  for (let i = 0; i < size; i++) {
    const start = edges[i] ?? 0;
    const end = edges[i + 1] ?? 0;
    if (!(start < end))
      throw new RangeError(`expected ascending edges, got ${start} before ${end}`);
    const from = to;
    to = (end - series.start) / width;
    // Remainders would take most of the time for millions of minutes.
    if (from !== Math.floor(from) || to !== Math.floor(to)) {
      throw new RangeError(`edge ${start % width === 0 ? end : start} is no ${series.granularity}`);
    }
    const available = Math.min(to, reach);
    if (available <= from) {
      counts[i] = NaN;
      states[i] = STATE.never;
      continue;
    }
    let sum = 0;
    let uncovered = 0;
    let weakest: number = from < 0 || available > known ? STATE.never : STATE.settled;
    if (weakest !== STATE.never) {
      for (let part = from; part < available; part++) {
        const state = stateOf[part] ?? 0;
        if (state < settled) {
          if (state === STATE.uncovered) {
            uncovered++;
            continue;
          }
          if (state < weakest) weakest = state;
        }
        sum += parts[part] ?? 0;
      }
      weakest = stateOfParts(weakest, uncovered, available - from);
    }
    const cutHere = available < to || (cut.first && i === 0) || (cut.last && i === size - 1);
    if (cutHere && weakest > STATE.partial) weakest = STATE.partial;
    states[i] = weakest;
    if (weakest < STATE.partial) {
      counts[i] = NaN;
      continue;
    }
    counts[i] = sum;
    while (run && run.to <= start) run = fetched[++stretch];
    if (run && run.from <= start && run.to >= end) {
      fetchedAt[i] = run.at;
      continue;
    }
    let oldest = Infinity;
    for (let s = stretch; (fetched[s]?.from ?? Infinity) < end; s++) {
      oldest = Math.min(oldest, fetched[s]?.at ?? Infinity);
    }
    fetchedAt[i] = oldest === Infinity ? NaN : oldest;
  }
  return { bounds: edges, counts, states, fetchedAt };
}

/** The edges, with the outer ones moved outward to a grid. */
function onGrid(bounds: Float64Array, width: number): Float64Array {
  const last = bounds.length - 1;
  const [first, end] = [bounds[0] ?? 0, bounds[last] ?? 0];
  const [start, stop] = [Math.floor(first / width) * width, Math.ceil(end / width) * width];
  if (start === first && stop === end) return bounds;
  const edges = bounds.slice();
  [edges[0], edges[last]] = [start, stop];
  return edges;
}

/** True if all edges are one width apart, beginning at a multiple of it. */
function isGrid(edges: Float64Array, width: number): boolean {
  const first = edges[0] ?? NaN;
  if (first % width !== 0) return false;
  for (let i = 1; i < edges.length; i++) if (edges[i] !== first + i * width) return false;
  return edges.length > 1;
}

/**
 * {@link rollup} for buckets that are those of the series, where nothing needs summing. If the series
 * has exactly these buckets, the curve takes over its arrays.
 */
export function oneByOne(
  series: Series,
  edges: Edges,
  now: number,
  cut: Cut = { first: false, last: false },
): Curve {
  const width = BUCKET_MS[series.granularity];
  const { size, start } = edges;
  const offset = (start - series.start) / width;
  const same = offset === 0 && series.counts.length === size;
  const own = same && !(series.counts instanceof Uint32Array) ? series.counts : null;
  const counts = own ?? new Float64Array(size);
  const states = own ? series.states : new Uint8Array(size);
  const reach = Math.min(Math.ceil((now - series.start) / width), series.counts.length) - offset;
  const known = Math.max(0, Math.min(size, reach));
  const first = Math.min(known, Math.max(0, -offset));
  if (!own) {
    counts.set(series.counts.subarray(first + offset, known + offset), first);
    states.set(series.states.subarray(first + offset, known + offset), first);
  }
  states.fill(STATE.never, known);
  if (cut.first) states[0] = Math.min(states[0] ?? 0, STATE.partial);
  if (cut.last) states[size - 1] = Math.min(states[size - 1] ?? 0, STATE.partial);
  const fours = byFours(states);
  const settledFour = STATE.settled * 0x0101_0101;
  for (let i = 0; i < known; i++) {
    if (i % 4 === 0 && fours[i / 4] === settledFour) i += 3;
    else if ((states[i] ?? 0) < STATE.partial) counts[i] = NaN;
  }
  counts.fill(NaN, known);
  return curveOver(edges, counts, states, runsOf(series, start, size));
}

/** The times at which the buckets of a series were fetched, by their numbers. */
function runsOf({ granularity, fetched }: Series, first: number, size: number): FetchedRun[] {
  const width = BUCKET_MS[granularity];
  const runs: { from: number; to: number; at: number }[] = [];
  for (const { from, to, at } of fetched) {
    let start = Math.max(0, Math.floor((from - first) / width));
    const end = Math.min(size, Math.ceil((to - first) / width));
    const last = runs.at(-1);
    // If two fetches meet within a bucket, the older one counts.
    if (last && start < last.to) {
      if (at < last.at) last.to = start;
      else start = last.to;
      if (last.from >= last.to) runs.pop();
    }
    if (start < end) runs.push({ from: start, to: end, at });
  }
  return runs;
}
