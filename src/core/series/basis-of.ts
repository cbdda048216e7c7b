import { BUCKET_MS } from '#core/time/bucket.ts';
import type { Edges } from '#core/time/edges.ts';
import type { Span } from '#core/time/span.ts';
import type { Basis, BasisUnit } from './basis.ts';
import { rollup } from './rollup.ts';
import { STATE, type Series } from './series.ts';

/**
 * Sums a series to the buckets of its figures.
 *
 * @param edges - As for `rollup`.
 * @param now - As for `rollup`.
 * @param covered - The time for which the source has data.
 * @throws {RangeError} as `rollup`.
 */
export function basisOf(
  series: Series,
  unit: BasisUnit,
  edges: Edges,
  now: number,
  covered: Span,
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
  const end = Math.min(now, covered.end);
  const last = Math.min(series.counts.length, Math.ceil((end - series.start) / width));
  for (let i = 0; i < size; i += 1) {
    const from = Math.max(0, ((bounds[i] ?? 0) - series.start) / width);
    const to = Math.min(last, ((bounds[i + 1] ?? 0) - series.start) / width);
    const take = (state: number, ms: number): void => {
      if (state === STATE.uncovered) return;
      coveredMs[i] = (coveredMs[i] ?? 0) + ms;
      if (state >= STATE.partial) knownMs[i] = (knownMs[i] ?? 0) + ms;
    };
    let sum = 0;
    for (let part = from; part < to; part += 1) {
      const state = series.states[part] ?? STATE.never;
      if (state >= STATE.partial) sum += series.counts[part] ?? 0;
      take(state, width);
    }
    // The parts at the edges of the covered time, and at now, are shorter.
    for (const [at, cut] of [
      [covered.start, 1],
      [end, -1],
    ] as const) {
      const part = Math.floor((at - series.start) / width);
      const rest = at - (series.start + part * width);
      if (part < from || part >= to || rest === 0) continue;
      take(series.states[part] ?? STATE.never, cut === 1 ? -rest : rest - width);
    }
    known[i] = sum;
  }
  return { unit, curve, known, knownMs, coveredMs, until: now };
}
