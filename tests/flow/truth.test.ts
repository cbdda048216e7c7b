import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { DAY_MS } from '#core/time/span.ts';
import type { Granularity } from '#core/time/bucket.ts';
import { realData } from '#tests/support/posts.ts';
import {
  groundswell,
  importedCorpus,
  startServe,
  type RunningService,
} from '#tests/support/process.ts';

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
interface Page {
  data?: { start: string; end: string; tweet_count: number }[];
  meta: { total_tweet_count: number; next_token?: string };
}

const folder = realData();

/** Follows every page of an archive question; returns the buckets that hold something, and the sum of the totals. */
async function countAll(
  service: RunningService,
  token: string,
  query: string,
  granularity: Granularity,
  start: number,
  end: number,
): Promise<{ total: number; buckets: Record<string, number> }> {
  const buckets: Record<string, number> = {};
  let total = 0;
  let next: string | undefined;
  let expectedEnd = new Date(end).toISOString();
  do {
    const url = new URL('/2/tweets/counts/all', service.url);
    url.search = new URLSearchParams({
      query,
      granularity,
      start_time: new Date(start).toISOString(),
      end_time: new Date(end).toISOString(),
      ...(next ? { next_token: next } : {}),
    }).toString();
    const answer = await fetch(url, { headers: { authorization: `Bearer ${token}` } });
    expect(answer.status, url.search).toBe(200);
    const page = (await answer.json()) as Page;
    const data = page.data ?? [];
    expect(data.at(-1)?.end).toBe(expectedEnd);
    let sum = 0;
    for (const bucket of data) {
      sum += bucket.tweet_count;
      if (bucket.tweet_count > 0) buckets[bucket.start] = bucket.tweet_count;
    }
    expect(page.meta.total_tweet_count).toBe(sum);
    total += sum;
    expectedEnd = data[0]?.start ?? '';
    next = page.meta.next_token;
  } while (next);
  expect(expectedEnd).toBe(new Date(start).toISOString());
  return { total, buckets };
}

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
      it.each(queries)('$query', async ({ file }) => {
        const truth = read<Truth>(file);
        for (const granularity of ['day', 'hour'] as const) {
          const counted = await countAll(service, token, truth.query, granularity, start, end);
          expect(counted.total).toBe(truth.total);
          expect(counted.buckets).toEqual(truth[granularity]);
        }
        const whole = truth.minute_scope === 'all';
        const from = whole ? start : Date.parse(truth.minute_scope);
        const to = whole ? end : from + DAY_MS;
        const minutes = await countAll(service, token, truth.query, 'minute', from, to);
        expect(minutes.buckets).toEqual(truth.minute);
      });
    });
  }
});
