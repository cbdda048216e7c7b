import * as fc from 'fast-check';
import { expect, test } from 'vitest';
import { findInTail, hashOf, isRare, packTail } from '#server/index/tail.ts';
import type { Entry } from '#server/index/builder.ts';

const entry: fc.Arbitrary<Entry> = fc.record({
  term: fc.oneof(
    fc.string({ unit: 'grapheme', minLength: 1, maxLength: 40 }),
    fc.string({ unit: 'binary-ascii', minLength: 1, maxLength: 12 }),
  ),
  ordinals: fc
    .uniqueArray(fc.nat(65_535), { minLength: 1, maxLength: 7 })
    .map((list) => Uint16Array.from(list.sort((a, b) => a - b))),
  spots: fc
    .array(fc.nat(0xffffffff), { maxLength: 32 })
    .map((list) => Uint32Array.from(list.sort((a, b) => a - b))),
});
const entries = fc.uniqueArray(entry, { maxLength: 300, selector: (each) => each.term });

/** The block in which a reader looks: the last that begins at or before the term's hash. */
function find(blocks: ReturnType<typeof packTail>, term: string) {
  const all = [...blocks];
  const block = all.findLast(({ hash }) => hash <= hashOf(term));
  return block && findInTail(block.bytes, term);
}

test('every entry is found in its block as it was packed', () => {
  fc.assert(
    fc.property(entries, (all) => {
      for (const { term, ordinals, spots } of all) {
        expect(find(packTail(all), term)).toEqual({ ordinals, spots });
      }
    }),
    { numRuns: 20 },
  );
});

test('a term that is not there is not found', () => {
  fc.assert(
    fc.property(entries, fc.string(), (all, term) => {
      fc.pre(all.every((each) => each.term !== term));
      expect(find(packTail(all), term)).toBeUndefined();
    }),
  );
});

test('blocks ascend by hash and stay below 1.9 KB where hashes differ', () => {
  const all = Array.from({ length: 5000 }, (_, i) => ({
    term: `t${i}`,
    ordinals: Uint16Array.of(i),
    spots: Uint32Array.of(i << 16),
  }));
  const blocks = [...packTail(all)];
  expect(blocks.length).toBeGreaterThan(10);
  for (const [i, { hash, bytes }] of blocks.entries()) {
    expect(bytes.length).toBeLessThanOrEqual(1900);
    if (i > 0) expect(hash).toBeGreaterThan(blocks[i - 1]!.hash);
  }
});

test.each([
  ['seven Posts are rare', 7, 7, 'x', true],
  ['eight are not', 8, 8, 'x', false],
  ['many places in few Posts are not', 7, 33, 'x', false],
  ['a term too long for a block is not', 1, 1, 'x'.repeat(401), false],
])('%s', (_, posts, spots, term, rare) => {
  const ordinals = new Uint16Array(posts);
  expect(isRare({ term, ordinals, spots: new Uint32Array(spots) })).toBe(rare);
});
