import * as fc from 'fast-check';
import { expect, test } from 'vitest';
import { ChunkBuilder } from '#server/index/builder.ts';
import { termsIn, type ChunkContent } from '#server/index/inverted.ts';
import { mergeChunks, type WholeChunk } from '#server/index/merge.ts';
import { pack } from '#server/index/ordinals.ts';
import { runs } from '#tests/support/run/runs.ts';
import { corpus, type Counted } from './corpus.ts';

const START = Date.UTC(2019, 0, 1);

function built(posts: readonly Counted[]): WholeChunk & ChunkContent {
  const builder = new ChunkBuilder();
  for (const { id, createdAt, terms } of posts) builder.add(id, createdAt, terms);
  return builder.build();
}

/** The whole content of a chunk in one form. */
function said({ n, first, last, lowestId, highestId, times, ids, inverted }: ChunkContent) {
  const terms = [...termsIn(inverted)].map(({ term, ordinals, spots }) => [
    term,
    ordinals.join(),
    spots.join(),
  ]);
  terms.sort((a, b) => (a[0]! < b[0]! ? -1 : 1));
  return { n, first, last, lowestId, highestId, times: [...times()], ids: [...ids()], terms };
}

/** Posts in parts, some of them deleted. */
const cut = fc.record({
  seed: fc.nat(1000),
  posts: fc.integer({ min: 1, max: 400 }),
  parts: fc.integer({ min: 1, max: 5 }),
  inOrder: fc.boolean(),
  dead: fc.array(fc.nat(400), { maxLength: 60 }),
});

test('merged parts have the content of one chunk of their living Posts', () => {
  fc.assert(
    fc.property(cut, ({ seed, posts, parts, inOrder, dead }) => {
      // Ordinals of a merged chunk ascend by second, then id.
      const all = corpus(posts, seed, START).map((post) => ({
        ...post,
        createdAt: Math.floor(post.createdAt / 1000) * 1000,
      }));
      const gone = new Set(dead.filter((i) => i < posts));
      const shares = Array.from({ length: parts }, (_, p) =>
        all
          .map((post, i) => ({ post, i }))
          .filter(({ i }) => (inOrder ? Math.floor((i * parts) / posts) : i % parts) === p),
      ).filter((share) => share.length > 0);
      const chunks = shares.map((share) => {
        const chunk = built(share.map(({ post }) => post));
        const ids = new Set(share.filter(({ i }) => gone.has(i)).map(({ post }) => post.id));
        const ordinals = [...chunk.ids()].flatMap((id, o) => (ids.has(id) ? [o] : []));
        return { ...chunk, dead: pack(Uint16Array.from(ordinals)) };
      });
      const joined = mergeChunks(chunks);
      const alive = all.filter((_, i) => !gone.has(i));
      if (alive.length === 0) {
        expect(joined).toBeNull();
        return;
      }
      expect(said(joined!)).toEqual(said(built(alive)));
      for (const [p, chunk] of chunks.entries()) {
        for (const [o, id] of chunk.ids().entries()) {
          const moved = joined!.ordinalOf(p, o);
          const there = alive.some((post) => post.id === id);
          expect(moved === -1 ? null : joined!.ids()[moved]).toBe(there ? id : null);
        }
      }
    }),
    { numRuns: runs(150) },
  );
});

test('first and last of merged chunks are exact to the millisecond, even if Posts at the ends are deleted', () => {
  const at = (ms: number, id: bigint): Counted => ({
    id,
    createdAt: START + ms,
    terms: { words: ['a'], urlWords: [], flags: [] },
  });
  const one = built([at(300, 9n), at(700, 2n), at(5000, 3n)]);
  const other = built([at(500, 1n), at(5900, 7n), at(5100, 8n)]);
  const withDeleted = { ...one, dead: pack(Uint16Array.of(0)) };
  expect(mergeChunks([one, other])).toMatchObject({ first: START + 300, last: START + 5900 });
  expect(mergeChunks([withDeleted, other])).toMatchObject({
    first: START + 500,
    last: START + 5900,
  });
});

test('more Posts than fit a chunk are refused', () => {
  const many = (from: number): WholeChunk => {
    const builder = new ChunkBuilder();
    const terms = { words: ['a'], urlWords: [], flags: [] };
    for (let i = 0; i < 40_000; i++) builder.add(BigInt(from + i), START + i * 1000, terms);
    return builder.build();
  };
  expect(() => mergeChunks([many(0), many(50_000)])).toThrow(
    'expected at most 65536 Posts, got 80000',
  );
});
