import { readFileSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { condition } from '#core/query/condition.ts';
import { parse } from '#core/query/parse.ts';
import { leavesRepostsOut } from '#core/query/reposts.ts';
import { BUCKET_MS } from '#core/time/bucket.ts';
import { DAY_MS } from '#core/time/span.ts';
import type { Span } from '#core/time/span.ts';
import { openSource } from '#server/posts/source.ts';
import type { Source } from '#server/posts/source.ts';
import { appToken, serve } from '#tests/support/command.ts';
import { countAll } from '#tests/support/counts.ts';
import { giveCorpus } from '#tests/support/made-data.ts';
import { realData } from '#tests/support/posts.ts';
import { temporaryFolder, type RunningService } from '#tests/support/process.ts';
import { searchAll } from '#tests/support/search.ts';
import { giveTinySample } from '#tests/support/service.ts';
import { countingBytes } from '#tests/server/db/folder.ts';

interface Truth {
  query: string;
  total: number;
  day: Record<string, number>;
  hour: Record<string, number>;
  minute: Record<string, number>;
  minute_scope: string;
}
interface TruthIndex {
  corpus: string;
  rows: number;
  first: string;
  last: string;
  queries: { file: string; query: string }[];
}
const folder = realData();
/** Days of one page of counts. */
const PAGE_DAYS = 31;
/** Pages of minutes in a row; each has 44,640 buckets. */
const MINUTE_PAGES = 5;

type Buckets = Record<string, number>;

/** Counts above 0 by hour or minute, from the index. */
function countsOf(
  { index }: Source,
  query: string,
  span: Span,
  granularity: 'hour' | 'minute',
): Buckets {
  const parsed = parse(query, { product: 'all' });
  if (!parsed.ok) throw new Error(`expected a query, got ${query}`);
  const counts = index.histogram(condition(parsed.ast), span, granularity);
  const buckets: Buckets = {};
  for (let i = 0; i < counts.length; i += 1) {
    const count = counts[i] ?? 0;
    if (count > 0) buckets[new Date(span.start + i * BUCKET_MS[granularity]).toISOString()] = count;
  }
  return buckets;
}

/** Some pages of whole days, the first of them with the busiest bucket. */
function busiestPages(buckets: Buckets, { start, end }: Span, pages = 1): Span {
  let [peak, most] = [start, 0];
  for (const [at, count] of Object.entries(buckets)) {
    if (count > most) [peak, most] = [Date.parse(at), count];
  }
  const day = Math.floor(peak / DAY_MS) * DAY_MS;
  return { start: day, end: Math.min(end, day + pages * PAGE_DAYS * DAY_MS) };
}

function within(buckets: Buckets, { start, end }: Span): Buckets {
  const [from, to] = [new Date(start).toISOString(), new Date(end).toISOString()];
  return Object.fromEntries(Object.entries(buckets).filter(([at]) => from <= at && at < to));
}

/** Buckets as lines in order, which compare much faster than objects with tens of thousands of keys. */
const lines = (buckets: Buckets): string =>
  Object.entries(buckets)
    .map(([at, count]) => `${at} ${count}`)
    .sort()
    .join('\n');

describe.runIf(folder)('counts of real posts', () => {
  for (const [prefix, indexFile] of [
    ['ira-', 'ira-posts-index.json'],
    ['mayweather', 'fight-index.json'],
  ] as const) {
    describe(prefix, () => {
      const read = <T>(name: string): T =>
        JSON.parse(readFileSync(join(folder ?? '', 'truth', name), 'utf8')) as T;
      const index = folder ? read<TruthIndex>(indexFile) : null;
      const start = Math.floor(Date.parse(`${index?.first}Z`) / DAY_MS) * DAY_MS;
      const end = Math.ceil((Date.parse(`${index?.last}Z`) + 1) / DAY_MS) * DAY_MS;
      const data = temporaryFolder();
      let service: RunningService;
      let token: string;
      let source: Source;

      beforeAll(async () => {
        await giveCorpus(data, folder ?? '', prefix);
        giveTinySample(data);
        token = await appToken(data);
        service = await serve(data);
        source = openSource(join(data, 'posts.sqlite'), { random: countingBytes() });
      });
      afterAll(async () => {
        source?.close();
        await service?.stop();
        rmSync(data, { recursive: true, force: true });
      });

      // `*` means every row; it is not a query of the platform's language.
      const queries = (index?.queries ?? []).filter((q) => q.query !== '*');
      it.each(queries)('$query', async ({ file }) => {
        const truth = read<Truth>(file);
        const { query } = truth;
        const days = await countAll(service.url, token, query, 'day', { start, end });
        expect(days.total).toBe(truth.total);
        expect(days.buckets).toEqual(truth.day);
        const whole = truth.minute_scope === 'all';
        const from = whole ? start : Date.parse(truth.minute_scope);
        for (const [granularity, scope] of [
          ['hour', { start, end }],
          ['minute', { start: from, end: whole ? end : from + DAY_MS }],
        ] as const) {
          // All of them from the index, but only one page over HTTP, where all minutes would be gigabytes of JSON.
          const right = truth[granularity];
          expect(lines(countsOf(source, query, scope, granularity))).toBe(lines(right));
          const page = busiestPages(right, scope);
          const counted = await countAll(service.url, token, query, granularity, page);
          expect(counted.buckets).toEqual(within(right, page));
        }
      });

      it.each(['hour', 'minute'] as const)(
        'by %s are the same over HTTP, page by page to the end',
        async (granularity) => {
          const { file } = queries.toSorted((a, b) => a.query.length - b.query.length)[0]!;
          const truth = read<Truth>(file);
          const all = { start, end };
          const span = granularity === 'hour' ? all : busiestPages(truth.hour, all, MINUTE_PAGES);
          const counted = await countAll(service.url, token, truth.query, granularity, span);
          const right = countsOf(source, truth.query, span, granularity);
          expect(lines(counted.buckets)).toBe(lines(right));
          const posts = Object.values(within(truth.hour, span)).reduce((sum, n) => sum + n, 0);
          expect(counted.total).toBe(posts);
        },
      );

      it('match the Posts that search finds, except for reposts, which search leaves out', async () => {
        let compared = 0;
        for (const { file } of queries) {
          const { query, total } = read<Truth>(file);
          const parsed = parse(query, { product: 'all' });
          if (total > 2000 || !parsed.ok) continue;
          const without = `(${query}) -is:retweet`;
          const counted = leavesRepostsOut(parsed.ast)
            ? (await countAll(service.url, token, without, 'day', { start, end })).total
            : total;
          const found = await searchAll(service.url, token, query, { start, end });
          expect(new Set(found).size, query).toBe(found.length);
          expect(found.length, query).toBe(counted);
          compared += 1;
        }
        expect(compared).toBeGreaterThan(3);
      });
    });
  }
});
