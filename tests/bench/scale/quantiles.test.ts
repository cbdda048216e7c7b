import { describe, expect, it } from 'vitest';
import { Random } from '#server/sample/random.ts';
import { draws, meanOf, quantilesOf, type Quantile } from './quantiles.ts';

const SKEWED: readonly Quantile[] = [
  [0, 1],
  [0.5, 2],
  [0.9, 2],
  [0.99, 10],
  [1, 100],
];

describe('quantiles', () => {
  it('are those of the values drawn from them, and so is the mean', () => {
    const [random, draw] = [new Random(3), draws(SKEWED)];
    const values = Array.from({ length: 200_000 }, () => draw(random));
    const shares = SKEWED.map(([share]) => share);
    for (const [i, [, value]] of quantilesOf(values, shares).entries()) {
      expect(Math.abs(value / SKEWED[i]![1] - 1)).toBeLessThan(0.05);
    }
    const mean = values.reduce((sum, value) => sum + value, 0) / values.length;
    expect(Math.abs(mean / meanOf(SKEWED) - 1)).toBeLessThan(0.02);
  });

  it.each([
    [[]],
    [[[0, 1]]],
    [
      [
        [0.1, 1],
        [1, 2],
      ],
    ],
    [
      [
        [0, 2],
        [1, 1],
      ],
    ],
    [
      [
        [0, 1],
        [0, 2],
        [1, 3],
      ],
    ],
  ] as Quantile[][][])('that are incomplete or descend are refused: %j', (quantiles) => {
    expect(() => draws(quantiles)).toThrow(RangeError);
  });
});
