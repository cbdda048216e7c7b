import * as fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { listed, pack } from '#server/index/ordinals.ts';
import { packPositions, positionsIn, postsInSequence, spotsIn } from '#server/index/positions.ts';
import { runs } from '#tests/support/run/runs.ts';
import { numbers } from './corpus.ts';

/** A term of a chunk: its Posts, and its positions where it is not a flag. */
interface Term {
  readonly ordinals: Uint16Array;
  readonly spots: Uint32Array;
}

/** Posts of which one in `oneIn` words is the term, from position `from` on, and one in `flags` has it as a flag. */
function made(seed: number, posts: number, oneIn: number, from: number, flags: number): Term {
  const pick = numbers(seed);
  const spots: number[] = [];
  const ordinals: number[] = [];
  for (let o = 0; o < posts; o++) {
    const before = spots.length;
    for (let i = 0; i < 6; i++) {
      if (pick(oneIn) === 0) spots.push(((o << 16) | (from + i)) >>> 0);
    }
    if (spots.length > before || pick(flags) === 0) ordinals.push(o);
  }
  return { ordinals: Uint16Array.from(ordinals), spots: Uint32Array.from(spots) };
}

function positions({ ordinals, spots }: Term) {
  return positionsIn(pack(ordinals), packPositions(ordinals, spots))!;
}

const term = fc
  .record({
    seed: fc.nat(),
    posts: fc.constantFrom(1, 60, 700, 6000),
    oneIn: fc.constantFrom(1, 3, 8, 90),
    from: fc.constantFrom(0, 250, 253, 254, 255, 65_529),
    flags: fc.constantFrom(2, 1e9),
  })
  .map(({ seed, posts, oneIn, from, flags }) => made(seed, posts, oneIn, from, flags));

describe('packed positions', () => {
  test('are the positions that were packed, one byte for the first of most Posts', () => {
    fc.assert(
      fc.property(term, (each) => {
        expect(spotsIn(positions(each))).toEqual(each.spots);
      }),
      { numRuns: runs(60) },
    );
    const usual = made(1, 700, 40, 0, 1e9);
    const once = new Set([...usual.spots].map((spot) => spot >>> 16)).size;
    const most = Math.ceil(once / 4) * 4 + 4 * (usual.spots.length - once);
    expect(packPositions(usual.ordinals, usual.spots)).toHaveLength(most);
  });

  test('of another number of Posts are refused', () => {
    const { ordinals, spots } = made(2, 700, 3, 0, 1e9);
    const packed = packPositions(ordinals, spots);
    expect(positionsIn(ordinals, packed.subarray(0, ordinals.length - 1))).toBeNull();
    expect(positionsIn(ordinals, packed.subarray(0, packed.length - 1))).toBeNull();
  });
});

/** Straight from the definition. */
function expected(terms: readonly Term[], offsets: readonly number[]): number[] {
  const [first, ...others] = terms.map(({ spots }) => new Set(spots));
  const starts = [...first!].filter((spot) =>
    others.every((set, i) => {
      const at = spot + offsets[i + 1]! - offsets[0]!;
      return set.has(at) && at >>> 16 === spot >>> 16;
    }),
  );
  return [...new Set(starts.map((spot) => spot >>> 16))];
}

describe('a sequence', () => {
  const sequence = fc.integer({ min: 1, max: 4 }).chain((length) =>
    fc.record({
      terms: fc.array(term, { minLength: length, maxLength: length }),
      offsets: fc.shuffledSubarray([0, 1, 2, 3], { minLength: length, maxLength: length }),
    }),
  );

  test('is found in the Posts with each term at its offset, in any order of the terms', () => {
    fc.assert(
      fc.property(sequence, ({ terms, offsets }) => {
        const sets = terms.map(({ ordinals }) => new Set(ordinals));
        const together = [...sets[0]!].filter((o) => sets.every((set) => set.has(o)));
        const parts = terms.map((each, i) => ({
          offset: offsets[i]!,
          positions: () => positions(each),
        }));
        const found = postsInSequence(parts, pack(Uint16Array.from(together)));
        expect([...listed(found)]).toEqual(expected(terms, offsets));
      }),
      { numRuns: runs(150) },
    );
  });

  test('is found in the first and last Post of a chunk, and not across two Posts', () => {
    const last = 0xffff0000;
    const all = Uint16Array.of(0, 65_535);
    const of = (...spots: number[]) => ({
      ordinals: all,
      spots: Uint32Array.from(spots),
    });
    const found = (a: Term, b: Term): number[] => {
      const parts = [a, b].map((each, offset) => ({ offset, positions: () => positions(each) }));
      return [...listed(postsInSequence(parts, all))];
    };
    expect(found(of(4, last + 40), of(5, last + 41))).toEqual([0, 65_535]);
    expect(found(of(65_534, last + 40), of(7, last))).toEqual([]);
  });

  test('is in no Post if a term has no positions, whose others are then not read', () => {
    const all = Uint16Array.of(3);
    const unread = (): never => {
      throw new Error('expected not to be read');
    };
    const parts = [
      { offset: 0, positions: () => null },
      { offset: 1, positions: unread },
    ];
    expect(postsInSequence(parts, all)).toHaveLength(0);
    expect(postsInSequence([{ offset: 0, positions: unread }], Uint16Array.of())).toHaveLength(0);
  });
});
