import { existsSync } from 'node:fs';
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { STATE } from '#core/series/series.ts';
import { DAY_MS, HOUR_MS, intersect, MINUTE_MS } from '#core/time/span.ts';
import { openCounter } from '#server/counting/counter.ts';
import { WrongQueryError } from '#server/counting/wrong-query.ts';
import { countingBytes, temporaryFolder } from '#tests/server/db/folder.ts';
import { runs } from '#tests/support/run/runs.ts';
import { writePosts, type TestPost } from '#tests/support/service/service.ts';

const file = temporaryFolder();
const START = Date.UTC(2024, 2, 10);
const NOW = START + 30 * DAY_MS;
const { signal } = new AbortController();

const counterOf = (posts: string) =>
  openCounter(
    { posts, sample: file('no-sample') },
    { now: () => NOW, elapsed: () => 0, random: countingBytes() },
  );

const edges = (...hours: number[]): Float64Array =>
  Float64Array.from(hours, (hour) => START + hour * HOUR_MS);

describe('counts', () => {
  it('are those of a plain count over the rows, whatever the buckets', async () => {
    const posts = fc.array(
      fc.record({
        at: fc.integer({ min: 0, max: 3 * DAY_MS }),
        text: fc.constantFrom('tea', 'oat milk', 'tea and oat milk'),
      }),
      { minLength: 1, maxLength: 60 },
    );
    const minutes = fc.uniqueArray(fc.integer({ min: -2000, max: 6000 }), { minLength: 2 });
    let n = 0;
    await fc.assert(
      fc.asyncProperty(posts, minutes, async (rows, cuts) => {
        const name = file(`law-${(n += 1)}`);
        const given: TestPost[] = rows.map(({ at, text }, i) => ({
          id: BigInt(i + 1),
          createdAt: START + at,
          text,
        }));
        writePosts(name, given);
        const counter = counterOf(name);
        const bounds = Float64Array.from(
          cuts.sort((a, b) => a - b),
          (minute) => START + minute * MINUTE_MS,
        );
        const counted = await counter.count({ source: 'posts', query: 'tea', bounds }, signal);
        const coverage = await counter.coverage('posts');
        counter.close();
        const times = given.flatMap(({ createdAt, text }) =>
          text?.includes('tea') ? [Number(createdAt)] : [],
        );
        for (let i = 0; i + 1 < bounds.length; i += 1) {
          const [start = 0, end = 0] = [bounds[i], bounds[i + 1]];
          const covered = coverage?.covered ?? [];
          const inside = covered.some((span) => intersect(span, { start, end }));
          const expected = times.filter((at) => start <= at && at < end).length;
          expect(counted?.counts[i]).toBe(inside ? expected : NaN);
          const whole = covered.some((span) => start >= span.start && end <= span.end);
          const state = inside ? (whole ? 'settled' : 'partial') : 'uncovered';
          expect(counted?.states[i]).toBe(STATE[state]);
        }
      }),
      { numRuns: runs(60) },
    );
  });

  it('include what another connection just added, and say what the source has', async () => {
    const name = file('growing');
    writePosts(name, [{ id: 1n, createdAt: START, text: 'tea' }]);
    const counter = counterOf(name);
    const question = { source: 'posts', query: 'tea', bounds: edges(0, 1, 2) } as const;
    expect(Array.from((await counter.count(question, signal))?.counts ?? [])).toEqual([1, NaN]);
    writePosts(name, [{ id: 2n, createdAt: START + 2 * HOUR_MS - 1, text: 'tea' }]);
    expect(Array.from((await counter.count(question, signal))?.counts ?? [])).toEqual([1, 1]);
    expect(await counter.coverage('posts')).toEqual({
      covered: [
        { start: START, end: START + MINUTE_MS },
        { start: START + 2 * HOUR_MS - MINUTE_MS, end: START + 2 * HOUR_MS },
      ],
      first: START,
      last: START + 2 * HOUR_MS - 1,
      posts: 2,
      store: expect.any(String),
      revision: 2,
      mark: expect.any(String),
    });
    counter.close();
  });

  it('are unknown where the store does not exist, which is not created', async () => {
    const name = file('missing');
    const counter = counterOf(name);
    const question = { source: 'posts', query: 'tea', bounds: edges(0, 24) } as const;
    const counted = await counter.count(question, signal);
    expect(counted).toEqual({
      counts: Float64Array.of(NaN),
      states: Uint8Array.of(STATE.uncovered),
      fetchedAt: Float64Array.of(NaN),
    });
    expect(await counter.coverage('posts')).toBeNull();
    expect(existsSync(name)).toBe(false);
  });

  it('end when they are stopped', async () => {
    const name = file('stopped');
    writePosts(name, [{ id: 1n, createdAt: START, text: 'tea' }]);
    const counter = counterOf(name);
    const question = { source: 'posts', query: 'tea', bounds: edges(0, 24) } as const;
    expect(await counter.count(question, AbortSignal.abort())).toBeNull();
    counter.close();
  });
});

describe('a question that cannot be counted', () => {
  const name = file('wrong');
  writePosts(name, [{ id: 1n, createdAt: START, text: 'tea' }]);
  const ask = (query: string, bounds = edges(0, 24), source: 'posts' | 'platform' = 'posts') =>
    counterOf(name).count({ source, query, bounds }, signal);

  it.each([
    ['(tea', 'open-parenthesis', 0],
    ['tea in:Nowhere', 'unknown-collection', 4],
    [`a${' a'.repeat(2048)}`, 'too-long', 4096],
  ])('says where the query %.20s is wrong', async (query, rule, at) => {
    const error = await ask(query).catch((thrown: unknown) => thrown);
    expect(error).toBeInstanceOf(WrongQueryError);
    expect((error as WrongQueryError).diagnostics).toMatchObject([{ rule, at }]);
  });

  it('has edges that ascend, at whole minutes', async () => {
    await expect(ask('tea', edges(1))).rejects.toThrow('at least two edges, got 1');
    await expect(ask('tea', edges(1, 1))).rejects.toThrow('expected ascending edges');
    await expect(ask('tea', edges(0, 0.0001))).rejects.toThrow('edges at whole minutes');
  });

  it('is about a source of this service', async () => {
    await expect(ask('tea', edges(0, 24), 'platform')).rejects.toThrow('got platform');
  });
});
