import type { Span } from '#core/time/span.ts';
import { median } from './median.ts';
import { STATE, type Curve } from './series.ts';
import { begun, type Result, type Statistics } from './statistics.ts';

/** Counts below this are tallied by value, which is faster than sorting. */
const TALLIED = 65_536;

/**
 * The median of the whole buckets of a curve; exact, in linear time, without changing the curve.
 *
 * @param of - From {@link statistics} for the same curve, now and window.
 * @returns A value if the mean has one, otherwise the reason.
 */
export function medianPerBucket(
  curve: Curve,
  of: Statistics,
  now: number,
  window: Span | null = null,
): Result<number> {
  if (!of.mean.ok) return of.mean;
  const { counts, states } = curve;
  const { first, end } = begun(curve, now, window);
  if ((of.lowest?.value ?? -1) >= 0 && (of.highest?.value ?? TALLIED) < TALLIED) {
    const tally = new Uint32Array(TALLIED);
    let i = first;
    for (; i < end; i++) {
      if ((states[i] ?? 0) < STATE.provisional) continue;
      const count = counts[i] ?? NaN;
      if (count !== Math.trunc(count)) break;
      tally[count] = (tally[count] ?? 0) + 1;
    }
    if (i === end) {
      const lower = ranked(tally, (of.whole - 1) >> 1);
      return { ok: true, value: (lower + ranked(tally, of.whole >> 1)) / 2 };
    }
  }
  const values = new Float64Array(of.whole);
  let size = 0;
  for (let i = first; i < end; i++) {
    if ((states[i] ?? 0) >= STATE.provisional) values[size++] = counts[i] ?? NaN;
  }
  return { ok: true, value: median(values) };
}

/** The value of a rank (0 is the smallest) of a tally. */
function ranked(tally: Uint32Array, rank: number): number {
  let value = 0;
  for (let below = tally[0] ?? 0; below <= rank; below += tally[value] ?? 0) value++;
  return value;
}
