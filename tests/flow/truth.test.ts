import { readFileSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { condition } from '#core/query/condition.ts';
import { parse } from '#core/query/parse.ts';
import { leavesRepostsOut } from '#core/query/reposts.ts';
import { DAY_MS, MINUTE_MS } from '#core/time/span.ts';
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

/** Counts above 0 by minute, from the index. */
function minutesOf({ index }: Source, query: string, span: Span): Record<string, number> {
  const parsed = parse(query, { product: 'all' });
  if (!parsed.ok) throw new Error(`expected a query, got ${query}`);
  const counts = index.histogram(condition(parsed.ast), span, 'minute');
  const minutes: Record<string, number> = {};
  counts.forEach((count, i) => {
    if (count > 0) minutes[new Date(span.start + i * MINUTE_MS).toISOString()] = count;
  });
  return minutes;
}

/** The page of whole days with the busiest minute. */
function busiestPage(minutes: Record<string, number>, { start, end }: Span): Span {
  const [peak] = Object.entries(minutes).toSorted(([, a], [, b]) => b - a);
  const day = Math.floor((peak ? Date.parse(peak[0]) : start) / DAY_MS) * DAY_MS;
  return { start: day, end: Math.min(end, day + PAGE_DAYS * DAY_MS) };
}

function within(minutes: Record<string, number>, { start, end }: Span): Record<string, number> {
  return Object.fromEntries(
    Object.entries(minutes).filter(([at]) => start <= Date.parse(at) && Date.parse(at) < end),
  );
}

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
        for (const granularity of ['day', 'hour'] as const) {
          const counted = await countAll(service.url, token, query, granularity, { start, end });
          expect(counted.total).toBe(truth.total);
          expect(counted.buckets).toEqual(truth[granularity]);
        }
        const whole = truth.minute_scope === 'all';
        const from = whole ? start : Date.parse(truth.minute_scope);
        const scope = { start: from, end: whole ? end : from + DAY_MS };
        // All minutes from the index, but only one page over HTTP, where all would be gigabytes of JSON.
        expect(minutesOf(source, query, scope)).toEqual(truth.minute);
        const page = busiestPage(truth.minute, scope);
        const minutes = await countAll(service.url, token, query, 'minute', page);
        expect(minutes.buckets).toEqual(within(truth.minute, page));
      });

      it('by minute are the same over HTTP, page by page to the end', async () => {
        const { file } = queries.toSorted((a, b) => a.query.length - b.query.length)[0]!;
        const truth = read<Truth>(file);
        const span = { start, end };
        const { total, buckets } = await countAll(service.url, token, truth.query, 'minute', span);
        expect(total).toBe(truth.total);
        expect(buckets).toEqual(minutesOf(source, truth.query, span));
      });

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
