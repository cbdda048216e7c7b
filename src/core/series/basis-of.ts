import { BUCKET_MS } from '#core/time/bucket.ts';
import type { Edges } from '#core/time/edges.ts';
import { intersect, type Span } from '#core/time/span.ts';
import type { Basis, BasisUnit } from './basis.ts';
import { rollup } from './rollup.ts';
import { STATE, type Series } from './series.ts';
import { bucketAt } from './window.ts';

/**
 * Sums a series to the buckets of its figures.
 *
 * @param edges - As for `rollup`.
 * @param now - As for `rollup`.
 * @param covered - The times for which the source has data, ascending, disjoint.
 * @throws {RangeError} as `rollup`.
 */
export function basisOf(
  series: Series,
  unit: BasisUnit,
  edges: Edges,
  now: number,
  covered: readonly Span[],
): Basis {
  // A curve of the series' own buckets would take over its arrays and write to them.
  const same = edges.size === series.counts.length;
  const own = same
    ? { ...series, counts: series.counts.slice(), states: series.states.slice() }
    : series;
  const curve = rollup(own, edges.all, now);
  const { bounds } = curve;
  const size = curve.counts.length;
  const known = new Float64Array(size);
  const knownMs = new Float64Array(size);
  const coveredMs = new Float64Array(size);
  const width = BUCKET_MS[series.granularity];
  const last = Math.min(series.counts.length, Math.ceil((now - series.start) / width));
  const take = (i: number, part: number, ms: number): void => {
    const state = series.states[part] ?? STATE.never;
    if (state === STATE.uncovered) return;
    coveredMs[i] = (coveredMs[i] ?? 0) + ms;
    if (state >= STATE.partial) knownMs[i] = (knownMs[i] ?? 0) + ms;
  };
  for (let i = 0; i < size; i += 1) {
    const from = Math.max(0, ((bounds[i] ?? 0) - series.start) / width);
    const to = Math.min(last, ((bounds[i + 1] ?? 0) - series.start) / width);
    if ((curve.states[i] ?? STATE.never) > STATE.partial) {
      // All its parts are covered, known and past.
      known[i] = curve.counts[i] ?? 0;
      knownMs[i] = coveredMs[i] = (to - from) * width;
      continue;
    }
    let sum = 0;
    for (let part = from; part < to; part += 1) {
      if ((series.states[part] ?? STATE.never) >= STATE.partial) sum += series.counts[part] ?? 0;
      take(i, part, width);
    }
    known[i] = sum;
  }
  // The parts at the edges of the covered times, and at now, are shorter.
  const reach = { start: series.start, end: Math.min(now, series.start + last * width) };
  const until = covered.flatMap((span) => intersect(span, reach) ?? []);
  const ends = [...until.flatMap(({ start, end }) => [start, end]), now];
  let before = -1;
  let first = 0;
  for (const at of ends) {
    const part = Math.floor((at - series.start) / width);
    if (part <= before || part >= last) continue;
    before = part;
    const start = series.start + part * width;
    const end = start + width;
    while ((until[first]?.end ?? Infinity) <= start) first += 1;
    let ms = 0;
    for (let k = first; (until[k]?.start ?? Infinity) < end; k += 1) {
      const common = intersect(until[k]!, { start, end });
      ms += common ? common.end - common.start : 0;
    }
    const i = bucketAt(bounds, start);
    if (i >= 0) take(i, part, ms - width);
  }
  return { unit, curve, known, knownMs, coveredMs, until: now };
}
