import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { STATE, type Curve } from '#core/series/series.ts';
import { shareOver } from '#core/series/share.ts';
import { runs } from '#tests/support/run/runs.ts';
import { curveOf, longCurve } from './curves.ts';
import { buildPyramid } from '#core/series/pyramid/build-pyramid.ts';

const NONE = Number.NaN;
const { partial, provisional, settled, uncovered } = STATE;

const field = fc
  .tuple(fc.integer({ min: 1, max: 6 }), fc.integer({ min: 1, max: 40 }))
  .chain(([curves, size]) =>
    fc.array(
      fc.array(
        fc.tuple(fc.nat(3), fc.constantFrom(settled, settled, provisional, partial, uncovered)),
        {
          minLength: size,
          maxLength: size,
        },
      ),
      { minLength: curves, maxLength: curves },
    ),
  )
  .map((rows) =>
    rows.map((row): Curve =>
      curveOf(
        row.map(([count, state]) => (state < partial ? NONE : count * 7)),
        { states: row.map(([, state]) => state) },
      ),
    ),
  );

describe('shares of voice', () => {
  it('cover buckets that are alike in all curves', () => {
    const a = curveOf([1, 2, 3, 0, 4], {
      states: [settled, settled, partial, settled, provisional],
    });
    const b = curveOf([3, NONE, 3, 0, 0]);
    expect(shareOver([a, b], 0, 50)).toEqual({
      shares: [5 / 8, 3 / 8],
      sums: [5, 3],
      total: 8,
      buckets: 5,
      complete: 3,
      whole: 3,
      leftOutMs: 20,
      elapsedMs: 50,
    });
  });

  it('of a window are shares of the sums', () => {
    fc.assert(
      fc.property(
        field,
        fc.integer({ min: -10, max: 300 }),
        fc.integer({ min: 0, max: 300 }),
        (curves, from, length) => {
          const size = curves[0]?.counts.length ?? 0;
          const over = shareOver(curves, from, from + length);
          let total = 0;
          let complete = 0;
          let buckets = 0;
          for (let i = 0; i < size; i++) {
            if (length === 0 || (i + 1) * 10 <= from || i * 10 >= from + length) continue;
            const states = curves.map((curve) => curve.states[i] ?? 0);
            buckets++;
            // The same extent in each: whole, or cut alike.
            const alike =
              states.every((state) => state === partial) ||
              states.every((state) => state >= provisional);
            if (!alike) continue;
            total += curves.reduce((sum, curve) => sum + (curve.counts[i] ?? NONE), 0);
            complete++;
          }
          expect(over).toMatchObject({ total, complete });
          expect(over.leftOutMs).toBe((buckets - complete) * 10);
          const sum = over.shares.reduce((sum, share) => sum + share, 0);
          if (total > 0) expect(sum).toBeCloseTo(1, 12);
          else expect(sum).toBeNaN();
          expect(over.shares).toHaveLength(curves.length);
        },
      ),
    );
  });

  it('of a window are the same with pyramids', () => {
    fc.assert(
      fc.property(longCurve, longCurve, fc.nat(), fc.nat(), (one, two, a, b) => {
        const size = Math.min(one.counts.length, two.counts.length);
        const curves = [one, two].map((curve) => ({
          bounds: curve.bounds.subarray(0, size + 1),
          counts: curve.counts.subarray(0, size),
          states: curve.states.subarray(0, size),
          fetchedAt: curve.fetchedAt.subarray(0, size),
        }));
        const pyramids = curves.map(({ counts, states }) => buildPyramid(counts, states));
        const from = a % (size * 10);
        const to = from + (b % (size * 10));
        expect(shareOver(curves, from, to, pyramids)).toEqual(shareOver(curves, from, to));
        expect(shareOver(curves, -1e9, 1e9, pyramids)).toEqual(shareOver(curves, -1e9, 1e9));
      }),
      { numRuns: runs(300) },
    );
  });

  it('are undefined if no curve has a Post', () => {
    expect(shareOver([curveOf([0, 0]), curveOf([0, 0])], 0, 20)).toMatchObject({
      shares: [NONE, NONE],
      complete: 2,
      leftOutMs: 0,
    });
  });

  it('refuse no curve and curves of different buckets', () => {
    expect(() => shareOver([], 0, 10)).toThrow(RangeError);
    expect(() => shareOver([curveOf([1]), curveOf([1, 2])], 0, 10)).toThrow(RangeError);
  });
});
