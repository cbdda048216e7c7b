import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { liftPicture } from '#app/lift/lift-picture.ts';
import { liftReports } from '#tests/support/data/lift-reports.ts';
import { runs } from '#tests/support/run/runs.ts';

describe('the picture of a lift', () => {
  it('has every window as a dot inside it, in the order of their sizes, and agrees with the band', () => {
    fc.assert(
      fc.property(liftReports, (report) => {
        const { figure } = report;
        const picture = liftPicture(report, 338);
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
      }),
      { numRuns: runs(150) },
    );
  });
});
