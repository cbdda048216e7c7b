import * as fc from 'fast-check';
import { expect, test } from 'vitest';
import { ChunkBuilder } from '#server/index/builder.ts';
import type { Chunk } from '#server/index/chunk.ts';
import { finish, NEVER } from '#server/index/steps.ts';
import { newest, type Hit } from '#server/index/top-newest.ts';
import { oldestSteps } from '#server/index/top-oldest.ts';
import { runs } from '#tests/support/run/runs.ts';
import { condition, terms, type Counted } from './corpus.ts';

const START = Date.UTC(2016, 1, 27);
const SECONDS = 4000;
const post: fc.Arbitrary<Counted> = fc.record({
  id: fc.bigInt({ min: 0n, max: 2n ** 63n - 1n }),
  createdAt: fc.oneof(fc.nat(SECONDS * 1000), fc.nat(3000)).map((ms) => START + ms),
  terms,
});

function chunkOf(posts: readonly Counted[]): Chunk {
  const builder = new ChunkBuilder();
  for (const { id, createdAt, terms } of posts) builder.add(id, createdAt, terms);
  return builder.build();
}

test('the oldest Posts over all pages are the newest ones in the opposite order', () => {
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
        )
          .filter((part) => part.length > 0)
          .map(chunkOf);
        const span = { start: START + from * 1000, end: START + (from + length) * 1000 };
        const [since, until] = [2n ** 61n, 2n ** 63n - 5n];
        const found: Hit[] = [];
        for (;;) {
          const before = found.at(-1);
          const place = { since, until, ...(before && { before }) };
          const page = finish(oldestSteps(chunks, c, span, most, place, NEVER));
          found.push(...page);
          if (page.length < most) break;
        }
        expect(found.reverse()).toEqual(newest(chunks, c, span, all.length, { since, until }));
      },
    ),
    { numRuns: runs(1000) },
  );
});
