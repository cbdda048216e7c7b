import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { addPacked, packCounts } from './wire.ts';

const count = fc.oneof(fc.constant(0), fc.nat(300), fc.nat(2 ** 32 - 1));

describe('packed counts', () => {
  it('added up are the counts of all parts together', () => {
    const parts = fc
      .integer({ min: 0, max: 60 })
      .chain((n) => fc.array(fc.array(count, { minLength: n, maxLength: n }), { maxLength: 6 }));
    fc.assert(
      fc.property(parts, (parts) => {
        const n = parts[0]?.length ?? 0;
        const sums = new Uint32Array(n);
        for (const part of parts) addPacked(sums, packCounts(Uint32Array.from(part)));
        const expected = Uint32Array.from({ length: n }, (_, i) =>
          parts.reduce((sum, part) => sum + part[i]!, 0),
        );
        expect(sums).toEqual(expected);
      }),
    );
  });

  it('of no Posts are a few bytes', () => {
    expect(packCounts(new Uint32Array(44_640)).length).toBeLessThan(8);
  });

  it.each([
    ['too few', [1, 2], 3],
    ['too many', [1, 2, 3], 2],
    ['too many zeros', [1, 0, 0], 2],
  ])('of %s buckets are refused', (_, counts, expected) => {
    const packed = packCounts(Uint32Array.from(counts));
    expect(() => addPacked(new Uint32Array(expected), packed)).toThrow(RangeError);
  });

  it('that end within a number are refused', () => {
    const packed = packCounts(Uint32Array.of(1000)).slice(0, 1);
    expect(() => addPacked(new Uint32Array(1), packed)).toThrow(RangeError);
  });
});
