import * as fc from 'fast-check';
import { expect, test } from 'vitest';
import { evaluate } from '#server/index/evaluate.ts';
import { ChunkBuilder } from '#server/index/builder.ts';
import { termsIn } from '#server/index/inverted.ts';
import { BITMAP_FROM, listed } from '#server/index/ordinals.ts';
import { isPair, pairTerm, withPairs } from '#server/index/pairs.ts';
import { addChunk } from '#server/posts/index/chunks.ts';
import { indexTables } from '#server/maintenance/compact.ts';
import { openPosts } from '#server/posts/store/post-table.ts';
import { countingBytes, temporaryFolder } from '#tests/server/db/folder.ts';
import { runs } from '#tests/support/run/runs.ts';
import { holds, numbers } from './corpus.ts';
import type { Condition } from '#core/query/ast.ts';
import type { PostTerms } from '#core/text/post.ts';

const POSTS = 9000;
const file = temporaryFolder();

/** Words from common to rare, also as tokens of addresses and, for one of them, as a flag. */
function made(): PostTerms[] {
  const pick = numbers(5);
  const WORDS = ['a', 'b', 'c', 'd', 'e', 'f'] as const;
  return Array.from({ length: POSTS }, (_, i) => {
    const word = (): string => WORDS[Math.min(pick(4), pick(7))] ?? 'x';
    const words = Array.from({ length: pick(7) }, word);
    // A sequence of two common words in few Posts.
    if (i % 3000 === 7) words.push('only', 'a', 'a', 'a', 'd');
    const urlWords = pick(2) === 0 ? [] : ['https', 't', 'co', `p${pick(90)}`, '', 't', 'https'];
    return { words, urlWords, flags: pick(3) === 0 ? ['url:t', 'a'] : [] };
  });
}

const posts = made();
const builder = new ChunkBuilder();
for (const [i, terms] of posts.entries()) builder.add(BigInt(i), i * 1000, terms);
const built = builder.build();

test('the pairs of a chunk are each two common words in sequence, and the Posts with them', () => {
  const plain = [...termsIn(built.inverted)];
  const common = new Set(
    plain.flatMap(({ term, ordinals }) => (ordinals.length >= BITMAP_FROM ? [term] : [])),
  );
  expect(common.size).toBeGreaterThan(4);
  const expected = new Map<string, number[]>();
  for (const [o, { words, urlWords }] of posts.entries()) {
    for (const list of [words, urlWords.map((token) => (token === '' ? '' : `url:${token}`))]) {
      for (const [i, second] of list.entries()) {
        const first = list[i - 1];
        if (first === undefined || !common.has(first) || !common.has(second)) continue;
        const term = pairTerm(first, second);
        const of = expected.get(term) ?? [];
        if (of.at(-1) !== o) of.push(o);
        expected.set(term, of);
      }
    }
  }
  const all = [...termsIn(withPairs(built.inverted))];
  const pairs = all.filter(({ term }) => isPair(term));
  expect(all.length - pairs.length).toBe(plain.length);
  expect(new Map(pairs.map(({ term, ordinals }) => [term, [...ordinals]]))).toEqual(expected);
});

test('a phrase finds the same in a stored chunk, by pairs, as Post by Post', () => {
  const db = openPosts(file('pairs'), { random: countingBytes() });
  const { chunks } = indexTables(db);
  db.write('test', () => addChunk(chunks, built));
  const stored = chunks.read(chunks.live()[0]!);
  const token = (field: 'word' | 'url') =>
    field === 'url'
      ? fc.constantFrom('https', 't', 'co', 'p1', 'absent')
      : fc.constantFrom('a', 'b', 'c', 'd', 'e', 'only', 'x', 'absent');
  const phrase = fc.constantFrom('word' as const, 'url' as const).chain((field) =>
    fc.record({
      kind: fc.constant('phrase' as const),
      field: fc.constant(field),
      tokens: fc.array(token(field), { minLength: 1, maxLength: 4 }),
    }),
  );
  fc.assert(
    fc.property(phrase, (condition: Condition) => {
      const expected = [...posts.keys()].filter((o) => holds(condition, posts[o]!));
      expect([...listed(evaluate(condition, stored))]).toEqual(expected);
      expect([...listed(evaluate(condition, built))]).toEqual(expected);
    }),
    { numRuns: runs(80) },
  );
  // Not among the chunk's terms, which merging and the breakdown read.
  expect([...stored.terms()].filter(({ term }) => isPair(term))).toEqual([]);
  expect([...stored.lists(1, () => true)].filter(({ term }) => isPair(term))).toEqual([]);
  db.close();
});
