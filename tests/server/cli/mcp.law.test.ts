import { rmSync } from 'node:fs';
import { join } from 'node:path';
import fc from 'fast-check';
import { afterAll, beforeAll, expect, it, vi } from 'vitest';
import { findPeaks } from '#core/series/peaks.ts';
import { DAY_MS, MINUTE_MS } from '#core/time/span.ts';
import { DataFolder } from '#server/data-folder.ts';
import { answerCall } from '#server/cli/mcp/tools.ts';
import { curveOf } from '#tests/core/series/curves.ts';
import { long } from '#tests/support/run/long.ts';
import { command, depsOf } from '#tests/support/service/command.ts';
import { temporaryFolder } from '#tests/support/service/process.ts';
import { giveTinySample, writePosts } from '#tests/support/service/service.ts';

vi.setConfig({ testTimeout: 600_000 });

const NOW = Date.parse('2026-11-21T10:30:20Z');
const FIRST = NOW - 400 * DAY_MS;
const WORDS = ['tea', 'coffee', 'oat milk', 'a #storm'];
const data = temporaryFolder();
const deps = { ...depsOf({ now: () => NOW }), out: () => {}, err: () => {} };

beforeAll(() => {
  giveTinySample(data);
  const posts = Array.from({ length: 3000 }, (_, i) => ({
    id: 1_990_000_000_000_000_000n + BigInt(i),
    createdAt: FIRST + Math.floor((i / 3000) ** 0.5 * 400 * DAY_MS),
    text: `${WORDS[i % 4]} ${i % 11}`,
    authorId: String(700 + (i % 5)),
    username: `user${i % 5}`,
    lang: 'en',
  }));
  writePosts(join(data, 'posts.sqlite'), posts);
});
afterAll(() => rmSync(data, { recursive: true, force: true }));

const day = fc
  .integer({ min: 0, max: 399 })
  .map((n) => new Date(FIRST + n * DAY_MS).toISOString().slice(0, 10));
const QUERIES = ['tea', 'coffee OR tea', '"oat milk"', 'from:user1', 'tea -from:user2', '#storm'];
const questions = fc.record({
  queries: fc.uniqueArray(fc.constantFrom(...QUERIES), { minLength: 1, maxLength: 3 }),
  days: fc.uniqueArray(day, { minLength: 2, maxLength: 2 }).map((pair) => pair.toSorted()),
  zone: fc.constantFrom('UTC', 'Europe/Berlin', 'America/New_York', 'Asia/Kathmandu'),
  by: fc.constantFrom('hour', 'day', 'week', 'month', 'quarter', 'year'),
});
const TOOLS = ['counts', 'compare', 'peaks', 'what_happened', 'rising', 'posts', 'plan'] as const;

async function asked(tool: string, args: object): Promise<Record<string, unknown>> {
  const { text, isError } = await answerCall(deps, new DataFolder(data), tool, args);
  expect(isError, text).toBe(false);
  return JSON.parse(text) as Record<string, unknown>;
}

/** The output of a command, read as JSON. */
async function printed<T>(...args: string[]): Promise<T> {
  const { out, err } = await command([...args, '--json', '--data', data], { now: () => NOW });
  expect(out, err).not.toBe('');
  return JSON.parse(out) as T;
}

interface Counted {
  readonly buckets: readonly {
    readonly start: string;
    readonly end: string;
    readonly local: string;
    readonly counts: readonly (number | null)[];
    readonly states: readonly string[];
  }[];
}

const sumOf = ({ buckets }: Counted, s: number): number | null => {
  const known = buckets.flatMap(({ counts }) => counts[s] ?? []);
  return known.length === 0 ? null : known.reduce((sum, count) => sum + count, 0);
};

it.each(TOOLS)('%s gives the numbers of the command line and of the board', async (tool) => {
  await fc.assert(
    fc.asyncProperty(questions, async ({ queries, days, zone, by }) => {
      const [from = '', to = ''] = days;
      const period = ['--from', from, '--to', to];
      const range = { from, to };
      const [query = ''] = queries;
      if (tool === 'what_happened') {
        const { posts } = await printed<{ posts: number }>('breakdown', query, ...period);
        const { causes, ...found } = await asked(tool, { query, ...range });
        expect(found).toMatchObject({ posts });
        const shares = causes as { posts: number; percent: number }[];
        expect(shares.reduce((sum, cause) => sum + cause.posts, 0)).toBe(posts);
        expect(shares.reduce((sum, cause) => sum + cause.percent, 0)).toBe(posts === 0 ? 0 : 100);
        return;
      }
      if (tool === 'rising') {
        const found = await printed<Record<string, unknown>>('rising', ...period);
        const { posts, words, hashtags, authors } = found;
        expect(await asked(tool, range)).toMatchObject({
          posts,
          untrusted_words: words,
          untrusted_hashtags: hashtags,
          untrusted_authors: authors,
        });
        return;
      }
      if (tool === 'posts') {
        const line = ['search', query, ...period, '--limit', '1000', '--json', '--data', data];
        const { out } = await command(line, { now: () => NOW });
        const lines = out.split('\n').filter(Boolean);
        const ids = lines.map((each) => (JSON.parse(each) as { data: { id: string } }).data.id);
        const { posts } = await asked(tool, { query, ...range, limit: 1000 });
        expect((posts as { id: string }[]).map(({ id }) => id)).toEqual(ids);
        return;
      }
      const line = [...queries, ...period, '--zone', zone];
      if (tool === 'plan') {
        const { requests, money } = await printed<Record<string, unknown>>('plan', ...line);
        expect(await asked(tool, { queries, ...range, zone })).toMatchObject({ requests, money });
        return;
      }
      const counted = await printed<Counted>('counts', ...line, '--granularity', by);
      const answer = await asked(tool, { queries, ...range, zone, by });
      expect(answer['series']).toMatchObject(
        queries.map((name, s) => ({ name, posts: sumOf(counted, s) })),
      );
      if (tool === 'counts') {
        const rows = counted.buckets.map(({ start, local, counts, states }) => ({
          start,
          local,
          counts,
          states,
        }));
        const most = Math.floor(1000 / queries.length);
        expect(answer['buckets']).toMatchObject({ rows: rows.slice(0, most) });
      }
      // Whole months are compared with the months before, which may be longer.
      if (tool === 'compare' && zone === 'UTC' && !days.every((each) => each.endsWith('-01'))) {
        const length = Date.parse(to) - Date.parse(from);
        const before = new Date(Date.parse(from) - length).toISOString().slice(0, 10);
        const earlier = ['--from', before, '--to', from, '--granularity', 'day'];
        const past = await printed<Counted>('counts', ...queries, ...earlier);
        for (const [s, { change }] of (
          answer['series'] as { change: { before: number } | null }[]
        ).entries()) {
          if (change) expect(change.before).toBe(sumOf(past, s));
        }
      }
      if (tool === 'peaks') {
        const peaks = (answer['peaks'] as { rows: { series: string; posts: number }[] }).rows;
        for (const [s, name] of queries.entries()) {
          const { buckets } = counted;
          const curve = {
            ...curveOf(buckets.map(({ counts }) => counts[s] ?? Number.NaN)),
            bounds: Float64Array.from([
              ...buckets.map(({ start }) => Date.parse(start)),
              Date.parse(buckets.at(-1)?.end ?? ''),
            ]),
          };
          expect(curve.bounds.every((at) => at % MINUTE_MS === 0)).toBe(true);
          const found = findPeaks(curve, zone).peaks.slice(0, 12);
          const shown = peaks.filter(({ series }) => series === name).map(({ posts }) => posts);
          expect(shown.toSorted()).toEqual(found.map(({ count }) => count).toSorted());
        }
      }
    }),
    { numRuns: long() ? 150 : 2 },
  );
});
