import { describe, expect, it } from 'vitest';
import { bucketAt } from '#core/series/window.ts';

describe('the bucket at an instant', () => {
  it.each([
    [-1, -1],
    [0, 0],
    [9, 0],
    [10, 1],
    [39, 3],
    [40, -1],
  ])('%i is %i', (at, index) => {
    expect(bucketAt(Float64Array.of(0, 10, 20, 30, 40), at)).toBe(index);
  });
});
