import { describe, expect, it } from 'vitest';
import { DAY_MS, HOUR_MS } from '#core/time/span.ts';
import { stage } from '#tests/support/conformance.ts';

// Rows of the specification's tables about counts.

const NEWEST = Date.parse('2026-11-21T09:30:00Z');
/** One Post per hour for 70 days. */
const HOURS = 24 * 70;
const on = stage(
  Array.from({ length: HOURS }, (_, i) => ({
    id: BigInt(i + 1),
    createdAt: NEWEST - i * HOUR_MS,
    text: i % 2 === 0 ? 'green tea' : 'coffee',
    authorId: '7',
    username: 'ann',
  })),
);
const enterprise = on.app();
const payPerUse = on.app({ access: 'pay-per-use', limited: false });
const selfService = on.app({ access: 'self-service', limited: false });
const recent = '/2/tweets/counts/recent?query=tea';
const all = '/2/tweets/counts/all?query=tea';

describe('Count bucket', () => {
  const STAMP = /^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z$/;

  it('start and end: ISO 8601, UTC, with milliseconds', async () => {
    const { body } = await enterprise.get(recent);
    for (const { start, end } of body.data) {
      expect([start, end]).toEqual([expect.stringMatching(STAMP), expect.stringMatching(STAMP)]);
    }
  });

  it('tweet_count and meta.total_tweet_count: the total is the sum over all buckets', async () => {
    const { body } = await enterprise.get(recent);
    const counts: number[] = body.data.map((bucket: { tweet_count: number }) => bucket.tweet_count);
    expect(counts.reduce((sum, count) => sum + count, 0)).toBe(body.meta.total_tweet_count);
    expect(body.meta.total_tweet_count).toBe(84);
  });
});

describe('Post counts', () => {
  it('recent: the last 7 days, for all developers', async () => {
    for (const caller of [enterprise, payPerUse, selfService]) {
      const { status, body } = await caller.get(recent);
      expect(status).toBe(200);
      const span = Date.parse(body.data.at(-1).end) - Date.parse(body.data[0].start);
      expect(span).toBe(7 * DAY_MS);
    }
    const before = new Date(on.now - 8 * DAY_MS).toISOString();
    expect((await enterprise.get(`${recent}&start_time=${before}`)).status).toBe(400);
  });

  it('all: the complete archive back to 2006, for pay-per-use and enterprise', async () => {
    for (const caller of [enterprise, payPerUse]) {
      const answer = await caller.get(`${all}&granularity=day&start_time=2006-03-21T00:00:00Z`);
      expect(answer.status).toBe(200);
    }
    const refused = await selfService.get(all);
    expect([refused.status, refused.body.title]).toEqual([403, 'Client Forbidden']);
  });

  it('query: required, at most 512 characters for recent', async () => {
    expect((await enterprise.get('/2/tweets/counts/recent')).status).toBe(400);
    const ask = async (length: number) => {
      const query = 'tea '
        .repeat(length / 4)
        .trim()
        .padEnd(length, 'x');
      const { status } = await enterprise.get(`/2/tweets/counts/recent?query=${query}`);
      return status;
    };
    expect([await ask(512), await ask(513)]).toEqual([200, 400]);
  });

  it('query: the operators of search', async () => {
    for (const query of ['tea', '"green tea"', '-tea coffee', 'from:ann tea', '(tea OR coffee)']) {
      const text = encodeURIComponent(query);
      const start = new Date(on.now - DAY_MS).toISOString();
      const { body } = await enterprise.get(
        `/2/tweets/counts/recent?query=${text}&start_time=${start}`,
      );
      const search = await enterprise.get(
        `/2/tweets/search/recent?query=${text}&start_time=${start}&max_results=100`,
      );
      expect(body.meta.total_tweet_count, query).toBe(search.body.meta.result_count);
      expect(search.body.meta.result_count, query).toBeGreaterThan(0);
    }
  });

  it('neither counts nor search tell a stranger of Posts of protected accounts', async () => {
    const shy = on.user('shy', { protected: true });
    const { body } = await shy.send('POST', '/2/tweets', { text: 'rooibos' });
    on.now += 60_000;
    const counted = await enterprise.get('/2/tweets/counts/recent?query=rooibos');
    expect(counted.body.meta.total_tweet_count).toBe(0);
    const path = '/2/tweets/search/recent?query=rooibos';
    expect((await enterprise.get(path)).body.meta.result_count).toBe(0);
    await shy.send('DELETE', `/2/tweets/${body.data.id}`);
    on.now -= 60_000;
  });

  it('granularity: minute, hour or day; hour by default', async () => {
    const widths: number[] = [];
    for (const granularity of [
      '&granularity=minute',
      '&granularity=hour',
      '&granularity=day',
      '',
    ]) {
      const end = new Date(on.now - HOUR_MS).toISOString();
      const { body } = await enterprise.get(`${recent}${granularity}&end_time=${end}`);
      const { start, end: until } = body.data[1];
      widths.push(Date.parse(until) - Date.parse(start));
    }
    expect(widths).toEqual([60_000, HOUR_MS, DAY_MS, HOUR_MS]);
    expect((await enterprise.get(`${recent}&granularity=week`)).status).toBe(400);
  });

  it('pages of 31 days: 31 buckets by day, 744 by hour, 44,640 by minute', async () => {
    const start = '2026-09-01T00:00:00Z';
    const end = '2026-11-21T00:00:00Z';
    for (const [granularity, most] of [
      ['day', 31],
      ['hour', 744],
      ['minute', 44_640],
    ] as const) {
      const { body } = await enterprise.get(
        `${all}&granularity=${granularity}&start_time=${start}&end_time=${end}`,
      );
      expect(body.data).toHaveLength(most);
      expect(body.meta.next_token).toEqual(expect.any(String));
    }
  });
});

describe('Limits', () => {
  const statusOf = async (caller: typeof enterprise, length: number) => {
    const query = 'tea '
      .repeat(length / 4)
      .trim()
      .padEnd(length, 'x');
    return (await caller.get(`/2/tweets/counts/all?query=${query}`)).status;
  };

  it('Recent counts query length: 512 characters, for enterprise too', async () => {
    const query = 'x'.repeat(513);
    for (const caller of [enterprise, payPerUse, selfService]) {
      const { status } = await caller.get(`/2/tweets/counts/recent?query=${query}`);
      expect(status).toBe(400);
    }
  });

  it('Full-archive counts query length: 1,024 characters; 4,096 for enterprise', async () => {
    expect([await statusOf(payPerUse, 1024), await statusOf(payPerUse, 1025)]).toEqual([200, 400]);
    expect([await statusOf(enterprise, 4096), await statusOf(enterprise, 4097)]).toEqual([
      200, 400,
    ]);
  });

  it('Full-archive counts page span: 31 days', async () => {
    const ask = async (start: string) => {
      const { body } = await enterprise.get(
        `${all}&granularity=day&start_time=${start}&end_time=2026-11-01T00:00:00Z`,
      );
      return [body.data.length, body.meta.next_token !== undefined];
    };
    expect(await ask('2026-10-01T00:00:00Z')).toEqual([31, false]);
    expect(await ask('2026-09-30T23:59:59Z')).toEqual([31, true]);
  });

  it('Recent counts window: 7 days', async () => {
    const start = (ms: number) => new Date(on.now - ms).toISOString().slice(0, 19);
    const ask = (ms: number) => enterprise.get(`${recent}&start_time=${start(ms)}Z`);
    expect((await ask(7 * DAY_MS)).status).toBe(200);
    expect((await ask(7 * DAY_MS + 1000)).status).toBe(400);
  });
});
