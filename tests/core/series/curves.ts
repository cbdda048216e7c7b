import fc from 'fast-check';
import { STATE, type Curve, type Series } from '#core/series/series.ts';
import { MINUTE_MS } from '#core/time/span.ts';

/**
 * A curve from literals: counts (NaN is missing) in buckets of a width, settled if known, unless states
 * are given, of all or of the last one.
 */
export function curveOf(
  counts: readonly number[],
  {
    last = STATE.settled,
    states,
    start = 0,
    width = 10,
  }: { last?: number; states?: readonly number[]; start?: number; width?: number } = {},
): Curve {
  const known = counts.map((count, i) => {
    if (Number.isNaN(count)) return STATE.never;
    return i === counts.length - 1 ? last : STATE.settled;
  });
  return {
    bounds: Float64Array.from({ length: counts.length + 1 }, (_, i) => start + i * width),
    counts: Float64Array.from(counts),
    states: Uint8Array.from(states ?? known),
    fetchedAt: Float64Array.from(counts, (count, i) => (Number.isNaN(count) ? NaN : 1000 + i)),
  };
}

/** Two curves of the same buckets, as from roll-ups: a count is NaN if its state is below partial. */
export const twoCurves: fc.Arbitrary<[Curve, Curve]> = fc
  .array(fc.tuple(fc.nat(5), fc.nat(5), fc.nat(5), fc.nat(5)), { minLength: 1, maxLength: 60 })
  .map((rows) => {
    const one = (count: 0 | 2, state: 1 | 3): Curve =>
      curveOf(
        rows.map((row) => (row[state] < STATE.partial ? NaN : row[count])),
        { states: rows.map((row) => row[state]) },
      );
    return [one(0, 1), one(2, 3)];
  });

/** A curve of stretches with one state each, some as long as several blocks of a pyramid, with spikes. */
export const longCurve: fc.Arbitrary<Curve> = fc
  .tuple(
    fc.array(
      fc.tuple(
        fc.integer({ min: 1, max: 300 }),
        fc.constantFrom(...Object.values(STATE)),
        fc.nat(9),
      ),
      { minLength: 1, maxLength: 12 },
    ),
    fc.array(fc.tuple(fc.nat(), fc.nat(1000)), { maxLength: 6 }),
  )
  .map(([runs, spikes]) => {
    const states = runs.flatMap(([length, state]) => Array<number>(length).fill(state));
    const counts = runs.flatMap(([length, state, count]) =>
      Array.from({ length }, (_, i) => (state < STATE.partial ? NaN : (count + i * 7) % 11)),
    );
    for (const [at, count] of spikes) {
      const i = at % counts.length;
      if (!Number.isNaN(counts[i])) counts[i] = count;
    }
    return curveOf(counts, { states });
  });

/** Minutes from a start, settled except for a few with another state. */
export function minutes(
  start: number,
  counts: readonly number[],
  odd: readonly (readonly [minute: number, state: number])[] = [],
): Series {
  const states = new Uint8Array(counts.length).fill(STATE.settled);
  for (const [minute, state] of odd) states[minute % counts.length] = state;
  const fetched = [{ from: start, to: start + counts.length * MINUTE_MS, at: start }];
  return { granularity: 'minute', start, counts: Uint32Array.from(counts), states, fetched };
}
