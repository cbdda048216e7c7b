import * as fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { size } from '#server/index/ordinals.ts';
import type { Ordinals } from '#server/index/ordinals.ts';
import { adjacent, postsAdjacent, postsOf } from '#server/index/positions.ts';
import { runs } from '#tests/support/runs.ts';
import { numbers } from './corpus.ts';

/** Ascending spots without repeats, of short and long Posts. */
function made(seed: number, posts: number, longest: number, oneIn: number): Uint32Array {
  const pick = numbers(seed);
  const out: number[] = [];
  for (let o = 0; o < posts; o++) {
    for (let position = 0; position < longest; position++) {
      if (pick(oneIn) === 0) out.push(((o << 16) | position) >>> 0);
    }
  }
  return Uint32Array.from(out);
}

/** Straight from the definition. */
function expected(starts: Uint32Array, spots: Uint32Array, offset: number): number[] {
  const there = new Set(spots);
  return [...starts].filter((start) => there.has(start + offset));
}

function ordinals(set: Ordinals): number[] {
  const all = set instanceof Uint16Array ? [...set] : [];
  if (set instanceof Uint32Array) {
    for (let o = 0; o < 65_536; o++) if ((set[o >>> 5]! >>> (o & 31)) & 1) all.push(o);
  }
  return all;
}

const distinct = (spots: readonly number[]): number[] => [
  ...new Set(spots.map((spot) => spot >>> 16)),
];

const spots = fc
  .record({
    seed: fc.nat(),
    posts: fc.constantFrom(1, 50, 700),
    longest: fc.constantFrom(3, 31, 32, 33, 90),
    oneIn: fc.constantFrom(1, 2, 5, 60),
  })
  .map(({ seed, posts, longest, oneIn }) => made(seed, posts, longest, oneIn));
const offset = fc.oneof(
  fc.integer({ min: -3, max: 3 }),
  fc.constantFrom(-50, -33, -32, -31, 31, 32, 33, 50),
);

describe('adjacent', () => {
  test('finds spots with another one at the given distance, forward or back, for any number and length of Posts', () => {
    fc.assert(
      fc.property(spots, spots, offset, (starts, others, by) => {
        const wanted = expected(starts, others, by);
        expect([...adjacent(starts, others, by)]).toEqual(wanted);
        expect(ordinals(postsAdjacent(starts, others, by))).toEqual(distinct(wanted));
      }),
      { numRuns: runs(200) },
    );
  });

  test('returns the Posts of many spots', () => {
    const [starts, others] = [made(1, 60_000, 12, 8), made(2, 60_000, 12, 7)];
    for (const by of [1, -1, 4]) {
      const wanted = distinct(expected(starts, others, by));
      const posts = postsAdjacent(starts, others, by);
      expect(ordinals(posts)).toEqual(wanted);
      expect(size(posts)).toBe(wanted.length);
    }
  });

  test('does not depend on earlier calls', () => {
    const [starts, others] = [made(3, 60_000, 40, 20), made(4, 60_000, 40, 20)];
    postsAdjacent(starts, others, 1);
    const few = Uint32Array.of(5 << 16, (9 << 16) | 2);
    expect([...adjacent(Uint32Array.of(7 << 16), few, 0)]).toEqual([]);
    expect([...adjacent(few, Uint32Array.of((9 << 16) | 3, 10 << 16), 1)]).toEqual([(9 << 16) | 2]);
  });

  test('reaches the last Post of a chunk', () => {
    const last = 0xffff0000;
    const [starts, others] = [Uint32Array.of(last + 4, last + 40), Uint32Array.of(last + 41)];
    expect([...adjacent(starts, others, 1)]).toEqual([last + 40]);
    expect(ordinals(postsAdjacent(starts, others, 1))).toEqual([65_535]);
  });
});

test('each Post of several spots appears once', () => {
  fc.assert(
    fc.property(spots, (list) => {
      expect(ordinals(postsOf(list))).toEqual(distinct([...list]));
    }),
  );
});
