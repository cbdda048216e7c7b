import { brotliDecompressSync, gunzipSync } from 'node:zlib';
import { afterAll, describe, expect, it } from 'vitest';
import { bearer, callerOf, wrongOf } from '#tests/support/service/callers.ts';
import { startService } from '#tests/support/service/service.ts';

const START = Date.parse('2021-09-20T19:18:34Z');
let now = START;
const post = { id: '1439900000000000000', createdAt: '2021-09-20T10:00:00Z', text: 'tea' };
const service = startService({ posts: [post], now: () => now });
afterAll(() => service.close());

const RECENT = '/2/tweets/counts/recent';
const ALL = '/2/tweets/counts/all';

const { get } = callerOf(service);
const reader = (access: 'self-service' | 'pay-per-use' | 'enterprise') =>
  callerOf(service, bearer(service.auth.issueToken({ access, limited: true })));
const rates = (headers: Headers): (string | null)[] =>
  ['limit', 'remaining', 'reset'].map((name) => headers.get(`x-rate-limit-${name}`));

describe('an answer', () => {
  it('has the recorded headers and the state of the store', async () => {
    const { status, headers } = await reader('enterprise').get(`${RECENT}?query=tea`);
    expect(status).toBe(200);
    // platform-facts 1.4
    expect(headers.get('content-type')).toBe('application/json; charset=utf-8');
    expect(headers.get('cache-control')).toBe('no-cache, no-store, max-age=0');
    expect(headers.get('x-access-level')).toBe('read');
    expect(rates(headers)).toEqual(['300', '299', String(START / 1000 + 900)]);
    expect(headers.get('x-store-id')).toMatch(/^[0-9a-f]{32}$/);
    expect(headers.get('x-store-revision')).toBe('1');
  });

  it('comes from the source in the path', async () => {
    const total = async (path: string): Promise<number> =>
      (await get(`${path}?query=tea`)).body.meta.total_tweet_count;
    expect(await total(RECENT)).toBe(1);
    expect(await total(`/sample${RECENT}`)).toBe(0);
  });

  it('includes Posts that were just added', async () => {
    const other = startService({ now: () => START });
    const ask = () => callerOf(other).get(`${RECENT}?query=tea`);
    expect((await ask()).body.meta.total_tweet_count).toBe(0);
    other.add('posts', [post]);
    const after = await ask();
    expect(after.headers.get('x-store-revision')).toBe('1');
    expect(after.body.meta.total_tweet_count).toBe(1);
    await other.close();
  });

  it.each([
    ['gzip, deflate, br', 'gzip', gunzipSync],
    ['gzip;q=0.5, br', 'br', brotliDecompressSync],
    ['*', 'gzip', gunzipSync],
  ])('is compressed for a client that accepts %s', async (accept, encoding, unpack) => {
    const path = `${RECENT}?query=tea&granularity=minute`;
    const plain = await service.request(path);
    expect(plain.headers.get('content-encoding')).toBeNull();
    const packed = await service.request(path, { headers: { 'accept-encoding': accept } });
    expect(packed.headers.get('content-encoding')).toBe(encoding);
    expect(packed.headers.get('vary')).toBe('accept-encoding');
    const body = unpack(Buffer.from(await packed.arrayBuffer()));
    expect(body.equals(Buffer.from(await plain.arrayBuffer()))).toBe(true);
  });

  it.each([
    ['end', ['end']],
    ['tweet_count,start', ['start', 'tweet_count']],
    ['start,end,tweet_count', ['end', 'start', 'tweet_count']],
  ])('has the members in search_count.fields=%s', async (fields, members) => {
    const path = `${RECENT}?query=tea&granularity=day&search_count.fields=${fields}`;
    const { data, meta } = (await get(path)).body;
    expect(Object.keys(data[0])).toEqual(members);
    expect(meta).toEqual({ total_tweet_count: 1 });
  });
});

describe('authentication', () => {
  it.each([
    ['no token', { cookie: '' }],
    ['a wrong token', { cookie: '', authorization: 'Bearer nonsense' }],
    ['another scheme', { cookie: '', authorization: 'Basic bm86bm8=' }],
    ['a session with a wrong token', { authorization: 'Bearer nonsense' }],
    ['a forged session', { cookie: 'groundswell-80=1999999999.x.y' }],
  ])('%s is 401, without rate-limit headers', async (_, credentials) => {
    const { status, headers, body } = await get(`${RECENT}?query=tea`, credentials);
    expect(status).toBe(401);
    // Recorded body (platform-facts 1.7) without the headers (1.4).
    expect(body).toEqual({
      title: 'Unauthorized',
      type: 'about:blank',
      status: 401,
      detail: 'Unauthorized',
    });
    expect(rates(headers)).toEqual([null, null, null]);
    expect(headers.has('x-access-level')).toBe(false);
  });

  it('self-service has only recent; all is 403 client-forbidden, and counts towards the limit', async () => {
    const own = reader('self-service');
    expect((await own.get(`${RECENT}?query=tea`)).status).toBe(200);
    const { status, headers, body } = await own.get(`${ALL}?query=tea`);
    expect(status).toBe(403);
    expect(body).toMatchObject({
      title: 'Client Forbidden',
      type: 'https://api.x.com/2/problems/client-forbidden',
      reason: 'client-not-enrolled',
      required_enrollment: expect.any(String),
      registration_url: expect.any(String),
      client_id: expect.stringMatching(/^\d+$/),
    });
    expect(body).not.toHaveProperty('errors');
    expect(rates(headers)).toEqual(['300', '299', String(START / 1000 + 900)]);
    expect(headers.get('x-access-level')).toBe('read');
  });

  it.each([
    [RECENT, 'enterprise', 512],
    [ALL, 'pay-per-use', 1024],
    [ALL, 'enterprise', 4096],
  ] as const)('on %s with %s a query has at most %i characters', async (path, access, limit) => {
    const own = reader(access);
    const ask = (length: number) => own.get(`${path}?query=${'a1'.padEnd(length, 'b')}`);
    expect((await ask(limit)).status).toBe(200);
    const [[, message] = []] = wrongOf(await ask(limit + 1));
    expect(message).toContain(`'query' must have at most ${limit} characters, got ${limit + 1}`);
  });
});

describe('the rate limit', () => {
  it('is 300 in 15 minutes per token and endpoint, then 429 until the reset', async () => {
    now = START;
    const own = reader('enterprise');
    const ask = (path: string) => own.get(`${path}?query=tea&granularity=day`);
    for (let i = 0; i < 300; i++) expect((await ask(RECENT)).status).toBe(200);
    const refused = await ask(RECENT);
    expect(refused.status).toBe(429);
    // platform-facts section 0
    expect(refused.body).toEqual({
      title: 'Too Many Requests',
      type: 'about:blank',
      status: 429,
      detail: 'Too Many Requests',
    });
    expect(rates(refused.headers)).toEqual(['300', '0', String(START / 1000 + 900)]);
    expect((await ask(ALL)).status).toBe(200);
    expect((await reader('enterprise').get(`${RECENT}?query=tea`)).status).toBe(200);
    now = START + 899_000;
    expect((await ask(RECENT)).status).toBe(429);
    now = START + 900_000;
    const again = await ask(RECENT);
    expect(again.status).toBe(200);
    expect(rates(again.headers)).toEqual(['300', '299', String(START / 1000 + 1800)]);
    now = START;
  });
});

describe('an invalid parameter', () => {
  const NAMES =
    '[query,start_time,end_time,since_id,until_id,next_token,pagination_token,granularity,search_count.fields]';
  // Messages as recorded, if platform-facts 1.7 or 2.6 has them.
  it.each([
    ['', { query: [] }, 'The `query` query parameter can not be empty'],
    ['query=', { query: [''] }, "Invalid 'query':''. 'query' must be a non-empty string"],
    ['query=%20', { query: [' '] }, "Invalid 'query':''. 'query' must be a non-empty string"],
    [
      'query=a',
      { query: ['a'] },
      'There were errors processing your request: Rules must contain at least one positive, non-stopword clause (at position 1)',
    ],
    [
      'query=-tea',
      { query: ['-tea'] },
      'There were errors processing your request: Rules must contain a non-negation term (at position 1)',
    ],
    [
      'query=tea&granularity=week',
      { granularity: ['week'] },
      'The `granularity` query parameter value [week] is not one of [minute,hour,day]',
    ],
    [
      'query=tea&search_count.fields=start,posts',
      { 'search_count.fields': ['start,posts'] },
      'The `search_count.fields` query parameter value [posts] is not one of [end,start,tweet_count,post_count]',
    ],
    [
      'query=tea&since_id=12x',
      { since_id: ['12x'] },
      'The `since_id` query parameter value [12x] does not match ^[0-9]{1,19}$',
    ],
    [
      'query=tea&until_id=12345678901234567890',
      { until_id: ['12345678901234567890'] },
      'The `until_id` query parameter value [12345678901234567890] does not match ^[0-9]{1,19}$',
    ],
    [
      'query=tea&start_time=yesterday',
      { start_time: ['yesterday'] },
      'The `start_time` query parameter value [yesterday] is not a valid RFC 3339 date-time such as 2024-01-31T08:30:00Z',
    ],
    [
      'query=tea&end_time=2021-02-30T00:00:00Z',
      { end_time: ['2021-02-30T00:00:00Z'] },
      'The `end_time` query parameter value [2021-02-30T00:00:00Z] is not a valid RFC 3339 date-time such as 2024-01-31T08:30:00Z',
    ],
    [
      'query=tea&max_results=10',
      { max_results: ['10'] },
      `The query parameter [max_results] is not one of ${NAMES}`,
    ],
    [
      'query=tea&query=milk',
      { query: ['tea,milk'] },
      'The `query` query parameter may be given only once',
    ],
    [
      'query=tea&next_token=',
      { next_token: [''] },
      'The `next_token` query parameter value [] is not a valid token',
    ],
  ])('?%s', async (search, parameters, message) => {
    const { status, body } = await get(`${ALL}?${search}`);
    expect(status).toBe(400);
    expect(body).toEqual({
      errors: [{ parameters, message }],
      title: 'Invalid Request',
      detail: 'One or more parameters to your request was invalid.',
      type: 'https://api.x.com/2/problems/invalid-request',
    });
  });

  it('does not hide others', async () => {
    const wrong = wrongOf(await get(`${ALL}?granularity=week&since_id=x&foo=1`));
    expect(wrong.map(([name]) => name).sort()).toEqual(['foo', 'granularity', 'query', 'since_id']);
  });
});
