import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { levelOf, medianOf } from '#core/series/median.ts';

describe('the median', () => {
  it('is the middle of the sorted values, whatever their order', () => {
    const values = fc.array(fc.oneof(fc.nat(5), fc.nat(1e6)), { minLength: 1, maxLength: 200 });
    fc.assert(
      fc.property(values, (given) => {
        const middle = given.toSorted((a, b) => a - b)[given.length >> 1];
        expect(medianOf(Float64Array.from(given), given.length)).toBe(middle);
      }),
    );
  });

  it('covers the first values only, and is NaN for none', () => {
    expect(medianOf(Float64Array.of(1, 2, 3, 900, 900, 900), 3)).toBe(2);
    expect(medianOf(new Float64Array(4), 0)).toBeNaN();
  });
});

describe('the level', () => {
  it.each([
    ['is the median of large counts', [90, 100, 110, 5000, 95], 100],
    ['is a mean where counts are few', [0, 0, 1, 0, 1, 0, 0, 1, 1, 0], 0.4],
    ['is not moved by one far off', [0, 0, 1, 0, 1, 0, 0, 1, 1, 900], 0.5],
    ['is zero of zeros', [0, 0, 0], 0],
  ])('%s', (_, given, level) => {
    expect(levelOf(Float64Array.from(given), given.length)).toBeCloseTo(level);
  });
});
