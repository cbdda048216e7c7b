import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { sparklinePath } from '#app/ui/sparkline-path.ts';
import { buildPyramid } from '#core/series/pyramid/build-pyramid.ts';

const pathOf = (counts: readonly number[]): string =>
  sparklinePath(buildPyramid(Float64Array.from(counts)), 84, 26);

describe('a sparkline', () => {
  it.each([
    ['counts stand on zero', [0, 5, 10], 'M1.0 24.0L42.0 13.0L83.0 2.0'],
    ['values below zero hang from it', [-10, -5, -10], 'M1.0 24.0L42.0 13.0L83.0 24.0'],
    ['values on both sides share its height', [-5, 0, 5], 'M1.0 24.0L42.0 13.0L83.0 2.0'],
    ['zeros are flat', [0, 0], 'M1.0 24.0L83.0 24.0'],
    ['there is a gap where nothing is known', [1, NaN, 1], 'M1.0 2.0M83.0 2.0'],
    ['one count has no shape', [3], ''],
  ])('shows all values: %s', (_, counts, path) => {
    expect(pathOf(counts)).toBe(path);
  });

  it('never leaves its box', () => {
    const counts = fc.array(fc.integer({ min: -1000, max: 1000 }), {
      minLength: 2,
      maxLength: 300,
    });
    fc.assert(
      fc.property(counts, (values) => {
        for (const [, x, y] of pathOf(values).matchAll(/[ML](\S+) ([^ML]+)/g)) {
          expect(Number(x)).toBeGreaterThanOrEqual(1);
          expect(Number(x)).toBeLessThanOrEqual(83);
          expect(Number(y)).toBeGreaterThanOrEqual(2);
          expect(Number(y)).toBeLessThanOrEqual(24);
        }
      }),
    );
  });
});
