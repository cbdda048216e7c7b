import * as fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import type { Condition } from '#core/query/ast.ts';
import { BUCKET_MS, floorTo, GRANULARITIES } from '#core/time/bucket.ts';
import { ChunkBuilder } from '#server/index/builder.ts';
import type { Chunk } from '#server/index/chunk.ts';
import { anyWith, extent, histogram } from '#server/index/counting.ts';
import { evaluate } from '#server/index/evaluate.ts';
import { size } from '#server/index/ordinals.ts';
import { runs } from '#tests/support/run/runs.ts';
import { condition, corpus, holds, terms, type Counted } from './corpus.ts';

const START = Date.UTC(2016, 1, 27);

function chunkOf(posts: readonly Counted[]): Chunk {
  const builder = new ChunkBuilder();
  for (const { id, createdAt, terms } of posts) builder.add(id, createdAt, terms);
  return builder.build();
}

const post: fc.Arbitrary<Counted> = fc.record({
  id: fc.bigInt({ min: 0n, max: 2n ** 63n - 1n }),
  createdAt: fc.oneof(
    fc.nat(3 * 86_400_000).map((ms) => START + ms),
    fc.nat(5000).map((ms) => START + ms),
  ),
  terms,
});
const posts = fc.uniqueArray(post, { minLength: 1, maxLength: 60, selector: (each) => each.id });

describe('evaluation', () => {
  test('finds exactly the Posts that a naive evaluation finds', () => {
    fc.assert(
      fc.property(posts, condition, (all, c) => {
        const chunk = chunkOf(all);
        const found = evaluate(c, chunk);
        expect(size(found)).toBe(all.filter((each) => holds(c, each.terms)).length);
      }),
      { numRuns: runs(1000) },
    );
  });

  test('finds the same in large chunks, whose sets are bitmaps', () => {
    const all = corpus(20_000, 1, START);
    const chunk = chunkOf(all);
    fc.assert(
      fc.property(condition, (c) => {
        expect(size(evaluate(c, chunk))).toBe(all.filter((each) => holds(c, each.terms)).length);
      }),
      { numRuns: runs(60) },
    );
  });

  test('leaves out deleted Posts, also in negations', () => {
    const all = corpus(5000, 2, START).sort((a, b) => a.createdAt - b.createdAt);
    const chunk: Chunk = { ...chunkOf(all), dead: Uint16Array.of(0, 17, 4000, 4999) };
    const alive = all.filter((_, i) => ![0, 17, 4000, 4999].includes(i));
    for (const c of [
      { kind: 'term', term: 'a' },
      { kind: 'not', of: { kind: 'term', term: 'a' } },
    ] satisfies Condition[]) {
      expect(size(evaluate(c, chunk))).toBe(alive.filter((each) => holds(c, each.terms)).length);
    }
    expect(extent([chunk]).posts).toBe(4996);
  });

  test('no phrase spans the end of one Post and the beginning of the next', () => {
    const long = Array<string>(65_535).fill('x');
    const chunk = chunkOf([
      {
        id: 1n,
        createdAt: START,
        terms: { words: [...long.slice(1), 'a'], urlWords: [], flags: [] },
      },
      { id: 2n, createdAt: START + 1, terms: { words: ['b', 'a'], urlWords: [], flags: [] } },
    ]);
    const count = (...tokens: string[]): number =>
      size(evaluate({ kind: 'phrase', field: 'word', tokens }, chunk));
    expect(count('a', 'b')).toBe(0);
    expect(count('x', 'b')).toBe(0);
    expect(count('x', 'a')).toBe(1);
    expect(count('b', 'a')).toBe(1);
  });
});

describe('builder', () => {
  test('returns the terms of a Post unchanged', () => {
    fc.assert(
      fc.property(posts, (all) => {
        const builder = new ChunkBuilder();
        for (const { id, createdAt, terms } of all) builder.add(id, createdAt, terms);
        for (const [i, { terms }] of all.entries()) expect(builder.termsOf(i)).toEqual(terms);
      }),
    );
  });

  test('orders Posts by time, then id', () => {
    const [a, b, c] = [
      { id: 9n, createdAt: START + 1, terms: { words: [], urlWords: [], flags: [] } },
      { id: 5n, createdAt: START + 1, terms: { words: [], urlWords: [], flags: [] } },
      { id: 7n, createdAt: START, terms: { words: [], urlWords: [], flags: [] } },
    ] as const;
    const chunk = chunkOf([a, b, c]);
    expect([...chunk.ids()]).toEqual([7n, 5n, 9n]);
    expect([chunk.first, chunk.last]).toEqual([START, START + 1]);
    expect([chunk.lowestId, chunk.highestId]).toEqual([5n, 9n]);
  });

  test.each([
    ['more tokens than positions', 1n, START, Array<string>(65_536).fill('x')],
    ['an id of 64 bits', 2n ** 63n, START, []],
    ['a negative id', -1n, START, []],
    ['an instant before 1970', 1n, -1, []],
    ['an instant after 2106', 1n, 2 ** 32 * 1000, []],
    ['part of a millisecond', 1n, START + 0.5, []],
    ['no instant', 1n, Number.NaN, []],
  ])('refuses %s', (_, id, createdAt, words) => {
    const builder = new ChunkBuilder();
    expect(() => builder.add(id, createdAt, { words, urlWords: [], flags: [] })).toThrow(
      RangeError,
    );
    expect(builder.size).toBe(0);
  });
});

/** The expected histogram, Post by Post. */
function expected(
  all: readonly Counted[],
  c: Condition,
  span: { start: number; end: number },
  granularity: (typeof GRANULARITIES)[number],
  ids: { since?: bigint; until?: bigint } = {},
): number[] {
  const base = floorTo(span.start, granularity);
  const width = BUCKET_MS[granularity];
  const counts = Array<number>(Math.ceil((span.end - base) / width)).fill(0);
  for (const { id, createdAt, terms } of all) {
    const second = Math.floor(createdAt / 1000) * 1000;
    if (second < span.start || second >= span.end || !holds(c, terms)) continue;
    if (ids.since !== undefined && id <= ids.since) continue;
    if (ids.until !== undefined && id >= ids.until) continue;
    counts[Math.floor((second - base) / width)]!++;
  }
  return counts;
}

describe('histogram', () => {
  const all = corpus(12_000, 3, START);
  // Chunks that overlap in time, of very different sizes.
  const chunks = [
    chunkOf(all.slice(0, 9000)),
    chunkOf(all.slice(9000, 11_990)),
    chunkOf(all.slice(11_990)),
  ];
  const second = fc.integer({ min: -86_400, max: 91 * 86_400 }).map((s) => START + s * 1000);
  const id = fc.option(fc.bigInt({ min: 0n, max: 90_000n }), { nil: undefined });

  test('counts by bucket within the span, exact to the second and by id', () => {
    fc.assert(
      fc.property(
        condition,
        second,
        second,
        fc.constantFrom(...GRANULARITIES),
        id,
        id,
        (c, one, other, granularity, since, until) => {
          fc.pre(one !== other);
          const span = { start: Math.min(one, other), end: Math.max(one, other) };
          const ids = {
            ...(since !== undefined && { since }),
            ...(until !== undefined && { until }),
          };
          expect([...histogram(chunks, c, span, granularity, ids)]).toEqual(
            expected(all, c, span, granularity, ids),
          );
        },
      ),
      { numRuns: runs(60) },
    );
  });

  const one = (createdAt: number, n: bigint): Counted => ({
    id: n,
    createdAt,
    terms: { words: ['x'], urlWords: [], flags: [] },
  });
  const X: Condition = { kind: 'term', term: 'x' };
  const noon = Date.UTC(2020, 5, 1, 12);

  test.each([
    [
      'a Post half a second after the start is in',
      noon + 500,
      { start: noon, end: noon + 1000 },
      1,
    ],
    ['a Post in the second of the end is out', noon + 500, { start: noon - 1000, end: noon }, 0],
    [
      'a Post in the last second before the end is in',
      noon - 1,
      { start: noon - 60_000, end: noon },
      1,
    ],
    [
      'parts of a second in the bounds are dropped',
      noon,
      { start: noon + 900, end: noon + 1000 },
      1,
    ],
  ])('%s', (_, createdAt, span, count) => {
    expect([...histogram([chunkOf([one(createdAt, 1n)])], X, span, 'minute')]).toEqual([count]);
  });

  test('id bounds are exclusive, whatever the order of time', () => {
    const chunk = chunkOf([one(noon, 30n), one(noon + 1000, 10n), one(noon + 2000, 20n)]);
    const span = { start: noon, end: noon + 60_000 };
    expect([...histogram([chunk], X, span, 'minute', { since: 10n })]).toEqual([2]);
    expect([...histogram([chunk], X, span, 'minute', { until: 30n })]).toEqual([2]);
    expect([...histogram([chunk], X, span, 'minute', { since: 10n, until: 20n })]).toEqual([0]);
    expect([...histogram([chunk], X, span, 'minute', { since: 9n, until: 31n })]).toEqual([3]);
  });

  test('an empty span has no buckets', () => {
    expect(histogram(chunks, X, { start: noon, end: noon }, 'day')).toHaveLength(0);
  });

  test('extent and presence cover all chunks', () => {
    const instants = all.map((each) => each.createdAt);
    expect(extent(chunks)).toEqual({
      posts: 12_000,
      first: Math.min(...instants),
      last: Math.max(...instants),
    });
    expect(extent([])).toEqual({ posts: 0, first: null, last: null });
    expect(anyWith(chunks, 'from:dog')).toBe(true);
    expect(anyWith(chunks, 'from:cat')).toBe(false);
  });
});
