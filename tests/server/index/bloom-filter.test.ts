import * as fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { makeFilter, mayHold } from '#server/index/bloom-filter.ts';
import { termHash } from '#server/index/rare-terms.ts';
import { numbers } from './corpus.ts';

const hash = fc.oneof(fc.nat(0x7fffffff), fc.constantFrom(0, 1, 0x7ffffffe, 0x7fffffff));

/** Distinct hashes of invented words. */
function hashes(n: number, word: string): Uint32Array {
  const pick = numbers(11);
  return Uint32Array.from({ length: n }, (_, i) => termHash(`${word}${i}${pick(1000)}`));
}

/** The share of hashes for which a filter gives a false positive. */
function taken(bits: Uint8Array, asked: Uint32Array): number {
  return asked.reduce((n, each) => n + (mayHold(bits, each) ? 1 : 0), 0) / asked.length;
}

describe('a filter', () => {
  test('may contain every hash that it was made of, repeated or not', () => {
    fc.assert(
      fc.property(fc.array(hash, { maxLength: 400 }), (list) => {
        const bits = makeFilter(Uint32Array.from(list));
        expect(list.filter((each) => !mayHold(bits, each))).toEqual([]);
      }),
    );
  });

  test('has the same bytes for the same hashes in any order', () => {
    fc.assert(
      fc.property(fc.array(hash, { maxLength: 100 }), (list) => {
        expect(makeFilter(Uint32Array.from(list.toReversed()))).toEqual(
          makeFilter(Uint32Array.from(list)),
        );
      }),
    );
  });

  test('works at any address', () => {
    const own = hashes(200, 'own');
    const bits = makeFilter(own);
    const asked = Uint32Array.of(...own, ...hashes(2000, 'other'));
    const answers = Array.from(asked, (each) => mayHold(bits, each));
    for (const at of [1, 2, 8, 24]) {
      const within = new Uint8Array(bits.length + 40).fill(0xff);
      within.set(bits, at);
      const view = within.subarray(at, at + bits.length);
      expect(Array.from(asked, (each) => mayHold(view, each))).toEqual(answers);
    }
  });

  test('of nothing is empty and contains nothing', () => {
    const bits = makeFilter(new Uint32Array(0));
    expect(bits.length).toBe(0);
    expect(taken(bits, hashes(1000, 'other'))).toBe(0);
  });

  test.each([[23], [1000], [100_000]])(
    'of %i hashes has under 1 % false positives, in 12 bits each',
    (n) => {
      const bits = makeFilter(hashes(n, 'own'));
      expect(bits.length).toBeLessThanOrEqual(32 + (n * 12) / 8);
      expect(taken(bits, hashes(100_000, 'other'))).toBeLessThan(0.01);
    },
  );

  test('is not worse if all hashes are close together', () => {
    const own = Uint32Array.from({ length: 5000 }, (_, i) => i * 2);
    const bits = makeFilter(own);
    // All in one block: there, nothing can be distinguished; elsewhere it can.
    expect(own.every((each) => mayHold(bits, each))).toBe(true);
    expect(taken(bits, hashes(10_000, 'other'))).toBeLessThan(0.02);
  });

  test('refuses a hash of more than 31 bits', () => {
    expect(() => makeFilter(Uint32Array.of(0x80000000))).toThrow(
      new RangeError('expected a hash of 31 bits, got 2147483648'),
    );
  });
});
