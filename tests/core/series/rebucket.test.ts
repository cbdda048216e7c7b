import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { refit } from '#core/series/rebucket.ts';
import { STATE, type Curve } from '#core/series/series.ts';

/** A curve over edges whose missing counts are null. */
function curveOf(bounds: readonly number[], counts: readonly (number | null)[]): Curve {
  return {
    bounds: Float64Array.from(bounds),
    counts: Float64Array.from(counts, (count) => count ?? Number.NaN),
    states: Uint8Array.from(counts, (count) => (count === null ? STATE.never : STATE.settled)),
    fetchedAt: Float64Array.from(counts, (count, i) => (count === null ? Number.NaN : i)),
  };
}

describe('fitting a curve to other buckets', () => {
  it('makes a bucket partial if the source covers only a part of it, and uncovered if none', () => {
    const curve = curveOf([0, 10, 20, 30, 40], [null, 2, null, null]);
    for (const i of [0, 2, 3]) curve.states[i] = STATE.uncovered;
    const { counts, states } = refit(curve, Float64Array.of(0, 20, 40));
    expect([...counts]).toEqual([2, NaN]);
    expect([...states]).toEqual([STATE.partial, STATE.uncovered]);
  });

  it.each([
    ['sums whole buckets', [0, 10, 20, 30, 40], [1, 2, 3, 4], [0, 20, 40], [3, 7]],
    ['keeps the same buckets', [0, 10, 20], [1, 2], [0, 10, 20], [1, 2]],
    ['knows nothing of a part of a bucket', [0, 20, 40], [3, 4], [0, 10, 20, 40], [NaN, NaN, 4]],
    ['knows nothing beyond its ends', [10, 20], [5], [0, 10, 20, 30], [NaN, 5, NaN]],
    ['passes a missing count on', [0, 10, 20, 30, 40], [1, null, 3, 4], [0, 20, 40], [NaN, 7]],
  ])('%s', (_, bounds, counts, wanted, expected) => {
    const { counts: got, states } = refit(curveOf(bounds, counts), Float64Array.from(wanted));
    expect([...got]).toEqual(expected);
    expect([...states].map((state) => state >= STATE.partial)).toEqual(
      expected.map((count) => !Number.isNaN(count)),
    );
  });

  it('calls an outer bucket that the range cuts partial, however much of the curve lies in it', () => {
    const curve = curveOf([0, 1, 2, 3, 4], [1, 2, 3, 4]);
    const states = (first: boolean, last: boolean): number[] => [
      ...refit(curve, Float64Array.of(0, 1, 3, 4), { first, last }).states,
    ];
    const { partial, settled } = STATE;
    expect(states(false, false)).toEqual([settled, settled, settled]);
    expect(states(true, false)).toEqual([partial, settled, settled]);
    expect(states(true, true)).toEqual([partial, settled, partial]);
  });

  it('has the oldest fetch and the weakest state of the parts', () => {
    const curve = curveOf([0, 1, 2, 3], [1, 1, 1]);
    curve.states[1] = STATE.provisional;
    const fitted = refit(curve, Float64Array.of(0, 3));
    expect([fitted.states[0], fitted.fetchedAt[0]]).toEqual([STATE.provisional, 0]);
  });

  it('has the sum of all buckets between any two edges', () => {
    const widths = fc.array(fc.integer({ min: 1, max: 9 }), { minLength: 2, maxLength: 30 });
    fc.assert(
      fc.property(
        widths,
        fc.infiniteStream(fc.nat(99)),
        fc.infiniteStream(fc.boolean()),
        (w, c, b) => {
          const edges = w.reduce<number[]>(
            (all, width) => [...all, (all.at(-1) ?? 0) + width],
            [0],
          );
          const counts = w.map(() => c.next().value as number);
          const inner = edges.slice(1, -1).filter(() => b.next().value);
          const wanted = [0, ...inner, edges.at(-1) ?? 0];
          const fitted = refit(curveOf(edges, counts), Float64Array.from(wanted));
          for (const [i, sum] of fitted.counts.entries()) {
            const [from = 0, to = 0] = [wanted[i], wanted[i + 1]];
            const parts = counts.filter((_, k) => (edges[k] ?? 0) >= from && (edges[k] ?? 0) < to);
            expect(sum).toBe(parts.reduce((a, part) => a + part, 0));
          }
        },
      ),
    );
  });
});
