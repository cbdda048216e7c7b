import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { liftScope, liftInput } from '#app/lift/lift-scope.ts';
import { liftPicture } from '#app/lift/lift-picture.ts';
import { liftOf } from '#core/lift/lift.ts';
import { DAY_MS } from '#core/time/span.ts';
import { Random } from '#server/sample/random.ts';
import { plainCurve } from '#tests/support/data/volumes.ts';
import { dayBounds } from './day-bounds.ts';

const COVERED = { start: Date.UTC(2023, 0, 1), end: Date.UTC(2026, 10, 29) };

describe('the picture of a lift', () => {
  it('has every window as a dot inside it, in the order of their sizes, and agrees with the band', () => {
    fc.assert(
      fc.property(
        fc.integer({ min: 1, max: 1_000 }),
        fc.integer({ min: 3, max: 14 }),
        fc.constantFrom(0.5, 1, 1.5, 4),
        (seed, days, times) => {
          const start = Date.UTC(2026, 5, 1);
          const scope = liftScope({ start, end: start + days * DAY_MS }, 'UTC', COVERED);
          const bounds = dayBounds(scope);
          const random = new Random(seed);
          const counts = Float64Array.from({ length: bounds.length - 1 }, (_, i) => {
            const at = bounds[i] ?? 0;
            const inside = at >= scope.campaign.start && at < scope.campaign.end;
            return random.poisson(inside ? 40 * times : 40);
          });
          const curve = plainCurve(bounds, counts);
          const input = liftInput(scope, { curve, seams: [] }, null, []);
          const figure = input && liftOf(input);
          if (figure?.kind !== 'figure') throw new Error('expected a figure');
          const picture = liftPicture(figure, curve, scope, 338);
          const { dots, chance } = picture;
          expect(dots.filter(({ kind }) => kind === 'earlier')).toHaveLength(figure.earlier.length);
          for (const { x, y } of dots) {
            expect(x).toBeGreaterThanOrEqual(0);
            expect(x).toBeLessThanOrEqual(338);
            expect(y).toBeGreaterThan(picture.plot.bottom);
            expect(y).toBeLessThan(picture.axis);
          }
          const bySize = dots.toSorted((a, b) => a.lift - b.lift).map(({ x }) => x);
          expect(bySize).toEqual(dots.map(({ x }) => x).toSorted((a, b) => a - b));
          const campaign = dots.find(({ kind }) => kind === 'campaign')?.x ?? NaN;
          const outside = campaign < chance.x - 1e-6 || campaign > chance.x + chance.width + 1e-6;
          expect(outside).toBe(figure.band.low > 0 || figure.band.high < 0);
        },
      ),
      { numRuns: 60 },
    );
  });
});
