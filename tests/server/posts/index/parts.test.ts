import fc from 'fast-check';
import { expect, test } from 'vitest';
import { addHits, firstFrom } from '#server/index/histogram.ts';
import { pack } from '#server/index/ordinals.ts';
import { CheckedParts, sumsOfParts } from '#server/posts/index/parts.ts';

class Damaged extends Error {}

/** Words as written, with some changed since. */
function changed(written: Uint32Array, changes: readonly (readonly [at: number, to: number])[]) {
  const words = written.slice();
  for (const [at, to] of changes) words[at % words.length] = to;
  return new CheckedParts(words, sumsOfParts(written, 'here'), 'here', () => new Damaged());
}

const seconds = fc
  .array(fc.nat(20), { minLength: 1, maxLength: 2000, size: 'max' })
  .map((steps) => {
    let second = 1_500_000_000;
    return Uint32Array.from(steps, (step) => (second += step));
  });
const changes = fc.array(fc.tuple(fc.nat(), fc.nat({ max: 0xffffffff })), { maxLength: 3 });

test('a word equals what was written, or is refused with its part', () => {
  fc.assert(
    fc.property(seconds, changes, fc.nat(), (written, made, at) => {
      const parts = changed(written, made);
      const index = at % written.length;
      try {
        parts.verify(index);
      } catch (error) {
        expect(error).toBeInstanceOf(Damaged);
        expect(parts.words).not.toEqual(written);
        return;
      }
      expect(parts.words[index]).toBe(written[index]);
    }),
  );
});

test('words of another address, or fewer of them, are refused', () => {
  const words = Uint32Array.from({ length: 130 }, (_, i) => i);
  const sums = sumsOfParts(words, 'here');
  const there = new CheckedParts(words, sums, 'there', () => new Damaged());
  expect(() => there.verify(0)).toThrow(Damaged);
  const short = new CheckedParts(words.subarray(0, 129), sums, 'here', () => new Damaged());
  expect(() => short.verifyAll()).toThrow(Damaged);
  expect(() => new CheckedParts(words.subarray(2), sums, 'here', () => new Damaged())).toThrow(
    Damaged,
  );
});

test('hits in buckets over changed seconds are counted exactly or not at all', () => {
  const picked = fc.tuple(fc.constantFrom(1, 2, 30), fc.integer({ min: 1, max: 3000 }), fc.nat());
  fc.assert(
    fc.property(seconds, changes, picked, (written, made, [every, width, from]) => {
      const count = (parts: CheckedParts, hits: ReturnType<typeof pack>): Uint32Array => {
        const base = 1_500_000_000;
        const counts = new Uint32Array(Math.ceil(50_000 / width) + 1);
        const start = firstFrom(parts, base + (from % 5000));
        addHits({ counts, base, width }, hits, parts, start, written.length);
        return counts;
      };
      const ordinals = Uint16Array.from(written.keys()).filter((o) => o % every === 0);
      const bits = new Uint32Array(2048);
      for (const o of ordinals) bits[o >>> 5]! |= 1 << (o & 31);
      for (const hits of [pack(ordinals), bits]) {
        const right = count(changed(written, []), hits);
        try {
          expect(count(changed(written, made), hits)).toEqual(right);
        } catch (error) {
          if (!(error instanceof Damaged)) throw error;
        }
      }
    }),
  );
});
