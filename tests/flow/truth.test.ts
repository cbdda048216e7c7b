import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { parse } from '#core/query/parse.ts';
import { leavesRepostsOut } from '#core/query/reposts.ts';
import { DAY_MS } from '#core/time/span.ts';
import { countAll } from '#tests/support/counts.ts';
import { realData } from '#tests/support/posts.ts';
import {
  groundswell,
  importedCorpus,
  startServe,
  type RunningService,
} from '#tests/support/process.ts';
import { searchAll } from '#tests/support/search.ts';

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

describe.runIf(folder)('counts of real posts over HTTP', () => {
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
      let service: RunningService;
      let token: string;

      beforeAll(async () => {
        const data = importedCorpus(folder ?? '', prefix);
        token = groundswell('token', 'app', '--limits', 'off', '--data', data).out.trim();
        service = await startServe(data);
      });
      afterAll(() => service?.stop());

      // `*` is every row and not a query of the platform.
      const queries = (index?.queries ?? []).filter((q) => q.query !== '*');
      it.concurrent.each(queries)('$query', async ({ file }) => {
        const truth = read<Truth>(file);
        for (const granularity of ['day', 'hour'] as const) {
          const counted = await countAll(service.url, token, truth.query, granularity, {
            start,
            end,
          });
          expect(counted.total).toBe(truth.total);
          expect(counted.buckets).toEqual(truth[granularity]);
        }
        const whole = truth.minute_scope === 'all';
        const from = whole ? start : Date.parse(truth.minute_scope);
        const to = whole ? end : from + DAY_MS;
        const minutes = await countAll(service.url, token, truth.query, 'minute', {
          start: from,
          end: to,
        });
        expect(minutes.buckets).toEqual(truth.minute);
      });

      it('are the Posts that search finds, but for the reposts that it leaves out', async () => {
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
