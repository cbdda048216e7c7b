import * as fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import type { Condition } from '#core/query/ast.ts';
import { ChunkBuilder } from '#server/index/builder.ts';
import type { Chunk } from '#server/index/chunk.ts';
import { evaluate } from '#server/index/evaluate.ts';
import { newest, type Hit } from '#server/index/top-newest.ts';
import { runs } from '#tests/support/run/runs.ts';
import { condition, corpus, holds, terms, type Counted } from './corpus.ts';

const START = Date.UTC(2016, 1, 27);

function chunkOf(posts: readonly Counted[]): Chunk {
  const builder = new ChunkBuilder();
  for (const { id, createdAt, terms } of posts) builder.add(id, createdAt, terms);
  return builder.build();
}

/** The same by sorting all of them. */
function plainly(posts: readonly Counted[], c: Condition, start: number, end: number): Hit[] {
  return posts
    .filter((post) => holds(c, post.terms))
    .map(({ id, createdAt }) => ({ id, second: Math.floor(createdAt / 1000) }))
    .filter(({ second }) => second >= start / 1000 && second < end / 1000)
    .sort((a, b) => b.second - a.second || (a.id > b.id ? -1 : 1));
}

function pages(chunks: Chunk[], c: Condition, start: number, end: number, most: number): Hit[] {
  const found: Hit[] = [];
  for (;;) {
    const after = found.at(-1);
    const page = newest(chunks, c, { start, end }, most, after ? { after } : {});
    found.push(...page);
    if (page.length < most) return found;
  }
}

const SECONDS = 4000;
const post: fc.Arbitrary<Counted> = fc.record({
  id: fc.bigInt({ min: 0n, max: 2n ** 63n - 1n }),
  createdAt: fc.oneof(fc.nat(SECONDS * 1000), fc.nat(3000)).map((ms) => START + ms),
  terms,
});

describe('the newest Posts', () => {
  test('over all pages are all matches, in order, without repeats, for any chunks and page sizes', () => {
    const posts = fc.uniqueArray(post, { minLength: 1, maxLength: 60, selector: ({ id }) => id });
    const bounds = fc.tuple(fc.integer({ min: -5, max: SECONDS }), fc.nat(SECONDS + 5));
    fc.assert(
      fc.property(
        posts,
        condition,
        fc.integer({ min: 1, max: 4 }),
        fc.integer({ min: 1, max: 9 }),
        bounds,
        (all, c, parts, most, [from, length]) => {
          const chunks = Array.from({ length: parts }, (_, part) =>
            all.filter((_, i) => i % parts === part),
          ).filter((part) => part.length > 0);
          const [start, end] = [START + from * 1000, START + (from + length) * 1000];
          const found = pages(chunks.map(chunkOf), c, start, end, most);
          expect(found).toEqual(plainly(all, c, start, end));
        },
      ),
      { numRuns: runs(1000) },
    );
  });

  test('are the same in large chunks, whose sets are bitmaps', () => {
    const all = corpus(20_000, 1, START);
    const chunks = [all.slice(0, 12_000), all.slice(12_000)].map(chunkOf);
    const [start, end] = [START + 86_400_000, START + 80 * 86_400_000];
    for (const c of [
      { kind: 'term', term: 'a' },
      { kind: 'not', of: { kind: 'term', term: 'is:retweet' } },
      { kind: 'any', of: [{ kind: 'term', term: 'dog' }] },
    ] satisfies Condition[]) {
      const expected = plainly(all, c, start, end);
      expect(newest(chunks, c, { start, end }, 500)).toEqual(expected.slice(0, 500));
      expect(pages(chunks, c, start, end, 997)).toEqual(expected);
    }
  });

  test('exclude deleted ones, and respect the id bounds', () => {
    const all = corpus(3000, 2, START).sort((a, b) => a.createdAt - b.createdAt);
    const chunk: Chunk = { ...chunkOf(all), dead: Uint16Array.of(2998, 2999) };
    const span = { start: START, end: START + 90 * 86_400_000 };
    const every: Condition = { kind: 'all', of: [] };
    expect(newest([chunk], every, span, 1)[0]?.id).toBe(all[2997]?.id);
    const ids = newest([chunk], every, span, 5000, { since: 70n, until: 700n }).map(({ id }) => id);
    const expected = all.slice(0, 2998).filter(({ id }) => id > 70n && id < 700n);
    expect(new Set(ids)).toEqual(new Set(expected.map(({ id }) => id)));
    expect(ids).toHaveLength(expected.length);
  });

  test('are found without reading older chunks once the page is full', () => {
    const all = corpus(4000, 3, START).sort((a, b) => a.createdAt - b.createdAt);
    const [older, newer] = [chunkOf(all.slice(0, 2000)), chunkOf(all.slice(2000))];
    let asked = 0;
    const watched: Chunk = {
      ...older,
      list: (term) => {
        asked += 1;
        return older.list(term);
      },
    };
    const c: Condition = { kind: 'term', term: 'a' };
    const span = { start: START, end: START + 90 * 86_400_000 };
    expect(newest([watched, newer], c, span, 100)).toHaveLength(100);
    expect(asked).toBe(0);
    expect(evaluate(c, watched).length).toBeGreaterThan(0);
    expect(asked).toBe(1);
  });
});
