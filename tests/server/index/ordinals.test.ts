import * as fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import {
  and,
  andNot,
  below,
  bitsBetween,
  BITMAP_FROM,
  lowerBound,
  or,
  pack,
  size,
  type Ordinals,
} from '#server/index/ordinals.ts';
import { runs } from '#tests/support/run/runs.ts';

/** Sets on both sides of the border between arrays and bitmaps, with the lowest and highest ordinals. */
const ordinals: fc.Arbitrary<Set<number>> = fc
  .record({
    single: fc.array(fc.constantFrom(0, 1, 31, 32, 63, 4095, 65_504, 65_535), { maxLength: 4 }),
    scattered: fc.array(fc.nat(65_535), { maxLength: 40 }),
    from: fc.nat(60_000),
    length: fc.constantFrom(0, 0, 5, 100, BITMAP_FROM - 1, BITMAP_FROM, 30_000),
    step: fc.integer({ min: 1, max: 3 }),
  })
  .map(({ single, scattered, from, length, step }) => {
    const set = new Set([...single, ...scattered]);
    for (let i = 0; i < length && from + i * step < 65_536; i++) set.add(from + i * step);
    return set;
  });

const packed = (set: ReadonlySet<number>): Ordinals =>
  pack(Uint16Array.from([...set].sort((a, b) => a - b)));

function members(set: Ordinals): number[] {
  if (set instanceof Uint16Array) return [...set];
  return Array.from({ length: 65_536 }, (_, o) => o).filter(
    (o) => bitsBetween(set, o, o + 1) === 1,
  );
}

const ascending = (set: Iterable<number>): number[] => [...set].sort((a, b) => a - b);

describe('sets of ordinals', () => {
  test('are an array below 4,096 ordinals and a bitmap from there on', () => {
    expect(pack(new Uint16Array(4095).map((_, i) => i))).toBeInstanceOf(Uint16Array);
    expect(pack(new Uint16Array(4096).map((_, i) => i))).toBeInstanceOf(Uint32Array);
  });

  test('and, and-not, or and size are those of sets, in either form', () => {
    fc.assert(
      fc.property(ordinals, ordinals, (a, b) => {
        const [x, y] = [packed(a), packed(b)];
        expect(members(and(x, y))).toEqual(ascending(a).filter((o) => b.has(o)));
        expect(members(andNot(x, y))).toEqual(ascending(a).filter((o) => !b.has(o)));
        expect(members(or([x, y]))).toEqual(ascending(new Set([...a, ...b])));
        expect(size(x)).toBe(a.size);
      }),
      { numRuns: runs(40) },
    );
  });

  test('or of many sets is their union', () => {
    fc.assert(
      fc.property(fc.array(ordinals, { maxLength: 5 }), (sets) => {
        expect(members(or(sets.map(packed)))).toEqual(
          ascending(new Set(sets.flatMap((s) => [...s]))),
        );
      }),
      { numRuns: runs(20) },
    );
  });

  test('operations do not change their operands', () => {
    const [a, b] = [packed(new Set(Array(9000).keys())), packed(new Set([1, 8, 9500]))];
    const before = [a.slice(), b.slice()];
    and(a, b);
    andNot(a, b);
    andNot(b, a);
    or([a, b]);
    expect([a, b]).toEqual(before);
  });

  test.each([0, 1, 31, 32, 33, 65_535, 65_536])('all below %i are that many, from 0 on', (n) => {
    expect(size(below(n))).toBe(n);
    expect(members(below(n)).at(-1)).toBe(n === 0 ? undefined : n - 1);
  });

  test('bits between two ordinals include the first and exclude the last', () => {
    fc.assert(
      fc.property(ordinals, fc.nat(65_536), fc.nat(65_536), (set, from, to) => {
        const bits = or([packed(set), below(0)]);
        const bitmap =
          bits instanceof Uint32Array ? bits : andNot(below(65_536), andNot(below(65_536), bits));
        if (!(bitmap instanceof Uint32Array)) throw new TypeError('expected a bitmap');
        expect(bitsBetween(bitmap, from, to)).toBe(
          [...set].filter((o) => o >= from && o < to).length,
        );
      }),
      { numRuns: runs(50) },
    );
  });

  test('the lower bound is the first index not below', () => {
    expect(lowerBound(Uint16Array.of(2, 4, 4, 9), 4)).toBe(1);
    expect(lowerBound(Uint16Array.of(2, 4, 4, 9), 5)).toBe(3);
    expect(lowerBound(Uint16Array.of(2, 4, 4, 9), 10)).toBe(4);
    expect(lowerBound(Uint16Array.of(), 1)).toBe(0);
  });
});
