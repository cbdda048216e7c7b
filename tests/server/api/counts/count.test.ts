import * as fc from 'fast-check';
import { afterAll, describe, expect, it } from 'vitest';
import { BUCKET_MS, floorTo, GRANULARITIES, type Granularity } from '#core/time/bucket.ts';
import { DAY_MS, PAGE_DAYS } from '#core/time/span.ts';
import { callerOf } from '#tests/support/service/callers.ts';
import { startService, type TestPost } from '#tests/support/service/service.ts';

const NOW = Date.parse('2021-09-20T19:18:34.250Z');
const ALL = '/2/tweets/counts/all';

interface Page {
  data?: { start: string; end: string; tweet_count: number }[];
  meta: { total_tweet_count: number; next_token?: string };
}

/** Posts over some years, with ids whose times differ from those of the Posts. */
const POSTS: TestPost[] = Array.from({ length: 600 }, (_, i) => ({
  id: BigInt(i + 1) * 1_000_003n + (1_300_000_000_000_000_000n + (BigInt(i) << 46n)),
  createdAt: Date.UTC(2018, 0, 1) + ((i * 7_919_317_123) % (1360 * DAY_MS)),
  text: i % 3 === 0 ? 'coffee and milk' : 'tea',
  username: i % 5 === 0 ? 'ann' : 'bob',
}));

const service = startService({ posts: POSTS, now: () => NOW });
afterAll(() => service.close());

const ask = (path: string, parameters: Record<string, string>) =>
  callerOf(service).get(`${path}?${new URLSearchParams(parameters).toString()}`);

/** Follows all pages of a request, newest first. */
async function pagesOf(parameters: Record<string, string>): Promise<Page[]> {
  const pages: Page[] = [];
  let token: string | undefined;
  do {
    const { status, body } = await ask(ALL, {
      ...parameters,
      ...(token === undefined ? {} : { next_token: token }),
    });
    expect(status).toBe(200);
    pages.push(body);
    token = body.meta.next_token;
  } while (token !== undefined);
  return pages;
}

function bruteForce(
  posts: readonly TestPost[],
  start: number,
  end: number,
  granularity: Granularity,
): Map<string, number> {
  const found = new Map<string, number>();
  for (const { createdAt } of posts) {
    const at = Math.floor(Number(createdAt) / 1000) * 1000;
    if (at < start || at >= end) continue;
    const bucket = new Date(Math.max(start, floorTo(at, granularity))).toISOString();
    found.set(bucket, (found.get(bucket) ?? 0) + 1);
  }
  return found;
}

describe('the pages of a request', () => {
  const LAST = Math.floor((NOW - 10_000) / 1000);
  const second = fc.integer({ min: Date.UTC(2017, 10, 1) / 1000, max: LAST });

  it('together have all buckets from start to end, each with its true count', async () => {
    const coffee = POSTS.filter(({ text }) => text === 'coffee and milk');
    const granularity = fc.constantFrom(...GRANULARITIES.filter((g) => g !== 'minute'));
    await fc.assert(
      fc.asyncProperty(second, second, granularity, async (a, b, granularity) => {
        fc.pre(a !== b);
        const [start, end] = [Math.min(a, b) * 1000, Math.max(a, b) * 1000];
        const bounds = {
          start_time: new Date(start).toISOString(),
          end_time: new Date(end).toISOString(),
        };
        const pages = await pagesOf({ query: 'coffee', granularity, ...bounds });
        let upTo = bounds.end_time;
        const counted = new Map<string, number>();
        for (const { data = [], meta } of pages) {
          const first = data[0]?.start ?? '';
          expect(data.at(-1)?.end).toBe(upTo);
          expect(Date.parse(upTo) - Date.parse(first)).toBeLessThanOrEqual(PAGE_DAYS * DAY_MS);
          if (meta.next_token !== undefined) expect(Date.parse(first) % DAY_MS).toBe(0);
          let at = first;
          const whole = data.every(({ start, end, tweet_count }) => {
            const joined = start === at;
            at = end;
            if (tweet_count > 0) counted.set(start, tweet_count);
            const edge = floorTo(Date.parse(start), granularity) + BUCKET_MS[granularity];
            return joined && Date.parse(end) === Math.min(edge, Date.parse(upTo));
          });
          expect(whole).toBe(true);
          expect(meta.total_tweet_count).toBe(data.reduce((sum, b) => sum + b.tweet_count, 0));
          upTo = first;
        }
        expect(upTo).toBe(bounds.start_time);
        expect(counted).toEqual(bruteForce(coffee, start, end, granularity));
      }),
      { numRuns: 12 },
    );
  });

  it('have 31, 744 and 44,640 buckets, and no token if there is only one', async () => {
    const bounds = { start_time: '2021-05-01T00:00:00Z', end_time: '2021-06-01T00:00:00Z' };
    for (const [granularity, buckets] of [
      ['day', 31],
      ['hour', 744],
      ['minute', 44_640],
    ] as const) {
      const { body } = await ask(ALL, { query: 'tea', granularity, ...bounds });
      expect(body.data).toHaveLength(buckets);
      expect(body.meta).not.toHaveProperty('next_token');
      const start_time = '2021-04-30T23:59:59Z';
      const longer = await ask(ALL, { query: 'tea', granularity, ...bounds, start_time });
      expect(longer.body.data).toHaveLength(buckets);
      expect(longer.body.meta).toHaveProperty('next_token');
    }
  });

  it('of recent are a single one at any granularity', async () => {
    for (const granularity of GRANULARITIES) {
      const { body } = await ask('/2/tweets/counts/recent', { query: 'tea', granularity });
      expect(body.meta).not.toHaveProperty('next_token');
      expect(body.data?.[0]?.start).toBe('2021-09-13T19:18:24.000Z');
      expect(body.data?.at(-1)?.end).toBe('2021-09-20T19:18:24.000Z');
    }
  });

  it('continue with either name of the token, also after a restart', async () => {
    const question = { query: 'tea', granularity: 'day', start_time: '2021-01-01T00:00:00Z' };
    const first = await ask(ALL, question);
    const token = first.body.meta.next_token ?? '';
    const second = await ask(ALL, { ...question, next_token: token });
    expect(second.body.data?.at(-1)?.end).toBe(first.body.data?.[0]?.start);
    await service.restart();
    expect((await ask(ALL, { ...question, pagination_token: token })).body).toEqual(second.body);
  });

  it('keep the end of the first page as time goes on', async () => {
    let now = NOW;
    const later = startService({ posts: POSTS, now: () => now });
    const path = `${ALL}?query=tea&granularity=day&start_time=2021-07-01T00:00:00Z`;
    const { get } = callerOf(later);
    const first = (await get(path)).body;
    now += 3 * DAY_MS;
    const second = (await get(`${path}&next_token=${first.meta.next_token}`)).body;
    expect(second.data.at(-1).end).toBe(first.data[0].start);
    await later.close();
  });
});

describe('a page token', () => {
  const question = { query: 'tea', granularity: 'day', start_time: '2021-01-01T00:00:00Z' };
  const tokenOf = async (): Promise<string> =>
    (await ask(ALL, question)).body.meta.next_token ?? '';

  it.each([
    { query: 'coffee' },
    { granularity: 'hour' },
    { start_time: '2021-01-01T00:00:01Z' },
    { end_time: '2021-09-01T00:00:00Z' },
    { since_id: '1300000000000000000' },
    { until_id: '1400000000000000000' },
  ])('is refused with %o', async (change) => {
    const next_token = await tokenOf();
    const { status, body } = await ask(ALL, { ...question, ...change, next_token });
    expect(status).toBe(400);
    expect(body.errors?.[0]?.message).toBe(
      `The \`next_token\` query parameter value [${next_token}] is not a valid token for this request`,
    );
  });

  it('is valid for the same bounds in another format', async () => {
    const next_token = await tokenOf();
    const start_time = '2021-01-01T01:00:00.000+01:00';
    expect((await ask(ALL, { ...question, start_time, next_token })).status).toBe(200);
  });

  it('is refused by another source, by the other endpoint, and if it was modified', async () => {
    const next_token = await tokenOf();
    expect((await ask(`/sample${ALL}`, { ...question, next_token })).status).toBe(400);
    const recent = { ...question, start_time: '2021-09-19T00:00:00Z', next_token };
    expect((await ask('/2/tweets/counts/recent', recent)).status).toBe(400);
    const changed = next_token.replace(/.$/, (last) => (last === '0' ? '1' : '0'));
    expect((await ask(ALL, { ...question, next_token: changed })).status).toBe(400);
    expect((await ask(ALL, { ...question, pagination_token: 'nonsense' })).body.errors).toEqual([
      expect.objectContaining({ parameters: { pagination_token: ['nonsense'] } }),
    ]);
  });

  it('may be given only once, under one name', async () => {
    const token = await tokenOf();
    const { status, body } = await ask(ALL, {
      ...question,
      next_token: token,
      pagination_token: token,
    });
    expect(status).toBe(400);
    expect(body.errors).toHaveLength(2);
  });
});

describe('bounds given as ids', () => {
  it('count exactly the Posts between them, both excluded', async () => {
    const byId = [...POSTS].sort((a, b) => (BigInt(a.id) < BigInt(b.id) ? -1 : 1));
    const [since, until] = [byId[50], byId[400]];
    const between = byId.slice(51, 400).filter(({ text }) => text === 'tea');
    const pages = await pagesOf({
      query: 'tea',
      granularity: 'day',
      since_id: String(since?.id),
      until_id: String(until?.id),
    });
    const span = {
      start: Date.parse(pages.at(-1)?.data?.[0]?.start ?? ''),
      end: Date.parse(pages[0]?.data?.at(-1)?.end ?? ''),
    };
    const expected = between.filter(
      ({ createdAt }) => Number(createdAt) >= span.start && Number(createdAt) < span.end,
    );
    const total = pages.reduce((sum, { meta }) => sum + meta.total_tweet_count, 0);
    expect(total).toBe(expected.length);
    expect(total).toBeGreaterThan(10);
  });

  it('separate Posts that times cannot: of the same second, or with times in whole minutes', async () => {
    const second = (BigInt(Date.parse('2021-09-19T10:00:34Z')) - 1_288_834_974_657n) << 22n;
    const ids = [second + 1n, second + 2n, second + 3n];
    for (const createdAt of ['2021-09-19T10:00:34.500Z', '2021-09-19T10:00:00Z']) {
      const posts = ids.map((id) => ({ id, createdAt, text: 'x1' }));
      const one = startService({ posts, now: () => NOW });
      const total = async (bounds: string): Promise<number> => {
        const path = `${ALL}?query=x1&start_time=2021-09-18T00:00:00Z${bounds}`;
        return (await callerOf(one).get(path)).body.meta.total_tweet_count;
      };
      expect(await total('')).toBe(3);
      expect(await total(`&since_id=${ids[0]}`)).toBe(2);
      expect(await total(`&until_id=${ids[2]}`)).toBe(2);
      expect(await total(`&since_id=${ids[0]}&until_id=${ids[2]}`)).toBe(1);
      await one.close();
    }
  });
});

describe('a query', () => {
  it('of an unknown user alone gets meta with total 0 and no data', async () => {
    const nothing = { meta: { total_tweet_count: 0 } };
    expect((await ask(ALL, { query: 'from:10' })).body).toEqual(nothing);
    expect((await ask(ALL, { query: 'from:nobody' })).body).toEqual(nothing);
  });

  it.each(['from:Ann', 'from:nobody tea', 'from:nobody OR from:ann', 'tea -from:nobody', 'zzz'])(
    '%s gets its buckets, zeros included',
    async (query) => {
      expect((await ask(ALL, { query })).body.data).toHaveLength(740);
    },
  );

  it('of a known user alone is counted', async () => {
    const bounds = { start_time: '2018-01-01T00:00:00Z', granularity: 'day' };
    const pages = await pagesOf({ query: 'from:ANN', ...bounds });
    const total = pages.reduce((sum, { meta }) => sum + meta.total_tweet_count, 0);
    expect(total).toBe(POSTS.filter(({ username }) => username === 'ann').length);
  });
});
