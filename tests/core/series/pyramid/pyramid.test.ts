import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import {
  columnStep,
  extentsBetween,
  extentOf,
  gridEdges,
  holesBefore,
  sumBefore,
} from '#core/series/pyramid/pyramid.ts';
import { runs } from '#tests/support/run/runs.ts';
import { longCurve } from '#tests/core/series/curves.ts';
import { buildPyramid } from '#core/series/pyramid/build-pyramid.ts';
import {
  firstAbove,
  firstHighest,
  firstKnown,
  lastKnown,
} from '#core/series/pyramid/pyramid-places.ts';

describe('a pyramid', () => {
  it('finds the minimum and the maximum of any stretch as the values do', () => {
    const value = fc.oneof({ weight: 9, arbitrary: fc.nat(1000) }, fc.constant(NaN));
    fc.assert(
      fc.property(
        fc.array(value, { minLength: 1, maxLength: 3000, size: 'max' }),
        fc.nat(),
        fc.nat(),
        (values, a, b) => {
          const [from = 0, to = 0] = [a % (values.length + 1), b % (values.length + 1)].sort(
            (x, y) => x - y,
          );
          const known = values.slice(from, to).filter((n) => !Number.isNaN(n));
          const got = extentOf(buildPyramid(Float64Array.from(values)), from, to);
          expect([...got]).toEqual([Math.min(...known), Math.max(...known)]);
        },
      ),
      { numRuns: runs(200) },
    );
  });

  it('finds sums, holes, the last known, the highest and the first value above of any stretch as the values do', () => {
    const rare = fc.oneof(
      { weight: 30, arbitrary: fc.constant(NaN) },
      fc.integer({ min: -5, max: 9 }),
    );
    const often = fc.oneof({ weight: 30, arbitrary: fc.constant(0) }, rare);
    fc.assert(
      fc.property(
        fc.oneof(rare, often).chain((one) =>
          fc.array(Number.isNaN(one) ? rare : often, {
            minLength: 1,
            maxLength: 3000,
            size: 'max',
          }),
        ),
        fc.nat(),
        fc.nat(),
        fc.integer({ min: -1, max: 8 }),
        (values, a, b, floor) => {
          const [from = 0, to = 0] = [a % (values.length + 1), b % (values.length + 1)].sort(
            (x, y) => x - y,
          );
          const pyramid = buildPyramid(Float64Array.from(values));
          const before = values.slice(0, to);
          expect(sumBefore(pyramid, to)).toBe(before.reduce((sum, n) => sum + (n || 0), 0));
          expect(holesBefore(pyramid, to)).toBe(before.filter((n) => Number.isNaN(n)).length);
          const last = values.slice(from, to).findLastIndex((n) => !Number.isNaN(n));
          expect(lastKnown(pyramid, from, to)).toBe(last < 0 ? -1 : from + last);
          const known = values.slice(from, to).findIndex((n) => !Number.isNaN(n));
          expect(firstKnown(pyramid, from, to)).toBe(known < 0 ? to : from + known);
          const first = values.slice(from, to).findIndex((n) => n > floor);
          expect(firstAbove(pyramid, from, to, floor)).toBe(first < 0 ? -1 : from + first);
          const high = Math.max(...values.slice(from, to).filter((n) => !Number.isNaN(n)));
          const highest = values.slice(from, to).indexOf(high);
          expect(firstHighest(pyramid, from, to)).toBe(highest < 0 ? -1 : from + highest);
        },
      ),
      { numRuns: runs(200) },
    );
  });
});

describe('columns on a grid', () => {
  it('cover a stretch once and do not depend on its start', () => {
    fc.assert(
      fc.property(
        fc.nat(100_000),
        fc.integer({ min: 1, max: 900_000 }),
        fc.integer({ min: 1, max: 760 }),
        (from, size, most) => {
          const step = columnStep(size, most);
          const edges = [...gridEdges(from, from + size, step)];
          expect([edges[0], edges.at(-1)]).toEqual([from, from + size]);
          expect(edges.length - 1).toBeLessThanOrEqual(most + 1);
          expect(edges.slice(1, -1).every((edge) => edge % step === 0)).toBe(true);
          for (let k = 2; k + 1 < edges.length; k++) {
            expect((edges[k] ?? 0) - (edges[k - 1] ?? 0)).toBe(step);
          }
        },
      ),
    );
  });

  it('have the extents of their values', () => {
    fc.assert(
      fc.property(
        longCurve,
        fc.nat(3000),
        fc.nat(3000),
        fc.constantFrom(1, 7, 64, 192, 256, 320, 1024),
        ({ counts }, one, other, step) => {
          const [from = 0, to = 0] = [one, other]
            .map((at) => at % (counts.length + 1))
            .sort((a, b) => a - b);
          const edges = gridEdges(from, to, step);
          const extents = extentsBetween(buildPyramid(counts), edges, step);
          expect(extents).toHaveLength(2 * Math.max(0, edges.length - 1));
          for (let k = 0; k + 1 < edges.length; k++) {
            const known = [...counts.subarray(edges[k], edges[k + 1])].filter(
              (count) => count === count,
            );
            expect([extents[2 * k], extents[2 * k + 1]]).toEqual([
              Math.min(...known),
              Math.max(...known),
            ]);
          }
        },
      ),
      { numRuns: runs(300) },
    );
  });

  it('are whole blocks if they are wide, and none for an empty stretch', () => {
    expect(columnStep(760 * 300, 760) % 64).toBe(0);
    expect(columnStep(700, 760)).toBe(1);
    expect(gridEdges(5, 5, 3)).toHaveLength(0);
  });
});
