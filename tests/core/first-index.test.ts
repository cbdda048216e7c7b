import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { firstIndex } from '#core/first-index.ts';

describe('firstIndex', () => {
  it('is where a linear search ends, and the end where nothing passes', () => {
    fc.assert(
      fc.property(fc.integer({ min: 0, max: 50 }), fc.nat(70), fc.nat(120), (from, size, limit) => {
        const numbers = Array.from({ length: size }, (_, i) => from + i);
        const expected = numbers.find((i) => i >= limit) ?? from + size;
        expect(firstIndex(from, from + size, (i) => i >= limit)).toBe(expected);
      }),
    );
  });

  it('tests a million numbers at most 20 times', () => {
    let tests = 0;
    firstIndex(0, 1_000_000, (i) => {
      tests += 1;
      return i > 765_432;
    });
    expect(tests).toBeLessThanOrEqual(20);
  });
});
