import { STATE, type Curve } from '#core/series/series.ts';
import { boundaries } from '#core/time/boundary.ts';
import type { Resolution } from '#core/time/resolution.ts';
import { HOUR_MS } from '#core/time/span.ts';
import { zoneTable } from '#core/time/zone.ts';

/** A curve of whole, settled buckets of equal width. */
export function curveOf(counts: ArrayLike<number>, start = 0, width = HOUR_MS): Curve {
  return {
    bounds: Float64Array.from({ length: counts.length + 1 }, (_, i) => start + i * width),
    counts: Float64Array.from(counts),
    states: new Uint8Array(counts.length).fill(STATE.settled),
    fetchedAt: new Float64Array(counts.length).fill(start),
  };
}

/** A curve of the buckets of a zone, its counts by their start. */
export function zonedCurve(
  resolution: Resolution,
  zone: string,
  start: number,
  end: number,
  count: (start: number, end: number) => number,
): Curve {
  const bounds = boundaries({ start, end }, resolution, zoneTable(zone, { start, end }), 1);
  const counts = Float64Array.from({ length: bounds.length - 1 }, (_, i) =>
    count(bounds[i] ?? 0, bounds[i + 1] ?? 0),
  );
  return { ...curveOf(counts), bounds };
}

/** Random counts with a mean, deterministic for a seed: Poisson (Knuth), normal from 50 on. */
export function noise(seed: number): (mean: number) => number {
  let state = seed;
  const random = (): number => {
    // mulberry32
    state = (state + 0x6d2b79f5) | 0;
    let t = Math.imul(state ^ (state >>> 15), 1 | state);
    t = (t + Math.imul(t ^ (t >>> 7), 61 | t)) ^ t;
    return ((t ^ (t >>> 14)) >>> 0) / 4_294_967_296;
  };
  return (mean) => {
    if (mean > 50) {
      const normal = Math.sqrt(-2 * Math.log(random() || 1e-9)) * Math.cos(2 * Math.PI * random());
      return Math.max(0, Math.round(mean + Math.sqrt(mean) * normal));
    }
    const floor = Math.exp(-mean);
    let count = 0;
    for (let p = random(); p > floor; p *= random()) count += 1;
    return count;
  };
}
