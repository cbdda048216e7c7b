import * as fc from 'fast-check';
import { afterAll, expect, it } from 'vitest';
import * as v from 'valibot';
import { RankedRequest } from '#contract/counts/breakdown.ts';
import { DAY_MS, SECOND_MS } from '#core/time/span.ts';
import { rankedPosts } from '#server/api/search/ranked.ts';
import { openSource } from '#server/posts/index/source.ts';
import { countingBytes, temporaryFolder } from '#tests/server/db/folder.ts';
import { numbers } from '#tests/server/index/corpus.ts';
import { runs } from '#tests/support/run/runs.ts';
import { writePosts } from '#tests/support/service/service.ts';

const NOW = Date.UTC(2026, 10, 21, 12);
const START = NOW - 5 * DAY_MS;
const path = temporaryFolder();
const pick = numbers(5);

/** Mostly none, sometimes very many. */
const amount = (): number => (pick(3) === 0 ? pick(2 ** (1 + pick(24))) : 0);
const POSTS = Array.from({ length: 900 }, (_, i) => ({
  id: BigInt(1_000_000 + ((i * 7919) % 900)),
  createdAt: START + pick(3 * 3600) * 1000 + pick(1000),
  text: pick(3) === 0 ? 'milk tea' : 'tea',
  authorId: '1',
  username: 'ann',
  isRetweet: pick(4) === 0,
  likes: amount(),
  reposts: amount(),
  replies: amount(),
}));
const file = path('ranked.sqlite');
writePosts(file, POSTS.slice(0, 500));
writePosts(file, POSTS.slice(500));
const source = openSource(file, { random: countingBytes() });
afterAll(() => source.close());

const second = (at: number): number => Math.floor(at / SECOND_MS) * SECOND_MS;

function ranked(
  query: string,
  order: string,
  start: number,
  end: number,
  at: number,
  most: number,
) {
  const request = v.parse(RankedRequest, {
    query,
    order,
    start_time: new Date(start).toISOString(),
    end_time: new Date(end).toISOString(),
    at: new Date(at).toISOString(),
    max_results: String(most),
  });
  const span = { start, end };
  const question = { request, span, access: 'enterprise', own: false, now: NOW } as const;
  const step = source.over((state, due) =>
    rankedPosts(state, { ...question, people: (finder) => finder }, due),
  )(() => false);
  if (!step.done) throw new Error('expected an answer');
  return (step.value.data ?? []).map(({ id }) => String(id));
}

it('lists the Posts that a sort of all that search finds would list first', () => {
  const time = fc.integer({ min: 0, max: 3 * 3600 }).map((n) => START + n * SECOND_MS);
  fc.assert(
    fc.property(
      fc.constantFrom('tea', 'milk', 'tea is:retweet', 'tea -milk', 'nothing'),
      fc.constantFrom('engagement', 'nearest'),
      time,
      time,
      time,
      fc.integer({ min: 1, max: 60 }),
      (query, order, a, b, at, most) => {
        const [start, end] = [Math.min(a, b), Math.max(a, b) + SECOND_MS];
        const wanted = POSTS.filter(
          ({ text, isRetweet, createdAt }) =>
            createdAt >= start &&
            createdAt < end &&
            query !== 'nothing' &&
            (query !== 'milk' || text.includes('milk')) &&
            (query !== 'tea -milk' || !text.includes('milk')) &&
            isRetweet === (query === 'tea is:retweet'),
        );
        const rank = ({ likes, reposts, replies, createdAt }: (typeof POSTS)[number]): number =>
          order === 'engagement' ? likes + reposts + replies : -Math.abs(second(createdAt) - at);
        const expected = wanted
          .toSorted(
            (one, two) =>
              rank(two) - rank(one) ||
              (order === 'nearest' ? -1 : 1) * (second(two.createdAt) - second(one.createdAt)) ||
              (one.id > two.id ? -1 : 1),
          )
          .slice(0, most)
          .map(({ id }) => String(id));
        expect(ranked(query, order, start, end, at, most)).toEqual(expected);
      },
    ),
    { numRuns: runs(150) },
  );
});
