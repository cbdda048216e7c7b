import * as fc from 'fast-check';
import { expect, test } from 'vitest';
import type { Inverted } from '#server/index/inverted.ts';
import {
  findInTail,
  termHash,
  isRare,
  packTail,
  type TailBlock,
} from '#server/index/rare-terms.ts';
import { runs } from '#tests/support/run/runs.ts';

interface Entry {
  readonly term: string;
  readonly spots: readonly number[];
  readonly flags: readonly number[];
}

/** The entries as terms 1, 2, 3, … */
function inverted(entries: readonly Entry[]): Inverted {
  const spotsAt = [0, 0];
  const flagsAt = [0, 0];
  for (const { spots, flags } of entries) {
    spotsAt.push(spotsAt.at(-1)! + spots.length);
    flagsAt.push(flagsAt.at(-1)! + flags.length);
  }
  return {
    terms: ['', ...entries.map((entry) => entry.term)],
    spots: Uint32Array.from(entries.flatMap((entry) => entry.spots)),
    spotsAt: Uint32Array.from(spotsAt),
    flags: Uint16Array.from(entries.flatMap((entry) => entry.flags)),
    flagsAt: Uint32Array.from(flagsAt),
  };
}

const blocksOf = (entries: readonly Entry[]): TailBlock[] =>
  packTail(
    inverted(entries),
    entries.map((_, i) => i + 1),
  );

/** Searches as a reader does: in the last block that begins at or before the term's hash. */
function find(blocks: readonly TailBlock[], term: string) {
  const block = blocks.findLast(({ hash }) => hash <= termHash(term));
  return block && findInTail(block.bytes, term);
}

const ascending = (list: number[]): number[] => list.sort((a, b) => a - b);
const entry: fc.Arbitrary<Entry> = fc.record({
  term: fc.oneof(
    fc.string({ unit: 'grapheme', minLength: 1, maxLength: 40 }),
    fc.string({ unit: 'binary-ascii', minLength: 1, maxLength: 12 }),
  ),
  spots: fc.array(fc.nat(0xffffffff), { maxLength: 32 }).map(ascending),
  flags: fc.uniqueArray(fc.nat(65_535), { maxLength: 7 }).map(ascending),
});
const entries = fc.uniqueArray(entry, { maxLength: 300, selector: (each) => each.term });

test('every entry is found in its block with its positions and Posts', () => {
  fc.assert(
    fc.property(entries, (all) => {
      const blocks = blocksOf(all);
      for (const { term, spots, flags } of all) {
        const ordinals = new Set([...flags, ...spots.map((spot) => spot >>> 16)]);
        expect(find(blocks, term)).toEqual({
          ordinals: Uint16Array.from(ascending([...ordinals])),
          spots: Uint32Array.from(spots),
        });
      }
    }),
    { numRuns: runs(50) },
  );
});

test('an absent term is not found', () => {
  fc.assert(
    fc.property(entries, fc.string(), (all, term) => {
      fc.pre(all.every((each) => each.term !== term));
      expect(find(blocksOf(all), term)).toBeUndefined();
    }),
  );
});

test('blocks ascend by hash and stay below 1.9 KB', () => {
  const blocks = blocksOf(
    Array.from({ length: 5000 }, (_, i) => ({ term: `t${i}`, spots: [i * 65_536], flags: [i] })),
  );
  expect(blocks.length).toBeGreaterThan(10);
  for (const [i, { hash, bytes }] of blocks.entries()) {
    expect(bytes.length).toBeLessThanOrEqual(1900);
    if (i > 0) expect(hash).toBeGreaterThan(blocks[i - 1]!.hash);
  }
});

const places = (n: number, apart: number): number[] =>
  Array.from({ length: n }, (_, i) => i * apart);

test.each([
  ['seven Posts are rare', 'x', places(7, 65_536), [], true],
  ['eight are not', 'x', places(8, 65_536), [], false],
  ['eight flagged ones are not', 'x', [], places(8, 1), false],
  ['many places in few Posts are rare', 'x', places(32, 1), [], true],
  ['very many are not', 'x', places(33, 1), [], false],
  ['a Post that has it both ways is one', 'x', places(7, 65_536), places(7, 1), true],
  ['a term too long for a block is not', 'x'.repeat(401), [1], [], false],
])('%s', (_, term, spots, flags, rare) => {
  expect(isRare(inverted([{ term, spots, flags }]), 1)).toBe(rare);
});
