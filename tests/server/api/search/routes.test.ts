import { afterAll, describe, expect, it } from 'vitest';
import { snowflake } from '#core/import/id.ts';
import { callerOf, person, program } from '#tests/support/service/callers.ts';
import { startService } from '#tests/support/service/service.ts';

const START = Date.parse('2026-11-20T12:00:00Z');
let now = START;
const at = (minutes: number): number => START - minutes * 60_000;
const POSTS = Array.from({ length: 25 }, (_, i) => ({
  id: BigInt(1000 - i),
  createdAt: at(i + 1),
  text: i % 5 === 4 ? 'coffee' : 'tea',
  authorId: '7',
  username: 'ann',
  isRetweet: i === 0,
}));
const service = startService({
  posts: POSTS,
  sample: [{ id: '5', createdAt: at(1), text: 'tea of the sample' }],
  now: () => now,
});
afterAll(() => service.close());

const LAST_HOUR = `start_time=${new Date(at(60)).toISOString()}&end_time=${new Date(at(0)).toISOString()}`;
const RECENT = '/2/tweets/search/recent';
const ALL = '/2/tweets/search/all';

const { get } = callerOf(service);
const rates = (headers: Headers): (string | null)[] =>
  ['limit', 'remaining', 'reset'].map((name) => headers.get(`x-rate-limit-${name}`));

describe('an answer of search', () => {
  it('has the newest Posts, their meta, the recorded headers and the state of the store', async () => {
    const reader = program(service, { limited: true });
    const { status, headers, body } = await reader.get(`${RECENT}?query=tea`);
    expect(status).toBe(200);
    expect(body.data).toHaveLength(10);
    // The repost is left out (platform-facts section 0).
    expect(body.data[0]).toEqual({ id: '999', text: 'tea', edit_history_tweet_ids: ['999'] });
    expect(body.meta).toEqual({
      newest_id: '999',
      oldest_id: body.data[9].id,
      result_count: 10,
      next_token: expect.stringMatching(/^[0-9a-v]+$/),
    });
    expect(headers.get('content-type')).toBe('application/json; charset=utf-8');
    expect(headers.get('cache-control')).toBe('no-cache, no-store, max-age=0');
    expect(headers.get('x-access-level')).toBe('read');
    expect(rates(headers)).toEqual(['450', '449', String(START / 1000 + 900)]);
    expect(headers.get('x-store-id')).toMatch(/^[0-9a-f]{32}$/);
    expect(headers.get('x-store-revision')).toBe('1');
  });

  it('continues by its token, up to a last page without one', async () => {
    const first = await get(`${ALL}?query=tea`);
    const path = `${ALL}?query=tea&next_token=${first.body.meta.next_token}`;
    const { body } = await get(path);
    expect(body.meta).toEqual({ newest_id: body.data[0].id, oldest_id: '977', result_count: 9 });
  });

  it('is the same by relevancy, which also sorts newest first', async () => {
    const { body } = await get(`${RECENT}?query=tea`);
    expect((await get(`${RECENT}?query=tea&sort_order=relevancy`)).body).toEqual(body);
  });

  it('is meta alone if nothing is found, as recorded', async () => {
    expect((await get(`${RECENT}?query=absent`)).body).toEqual({ meta: { result_count: 0 } });
  });

  it('comes from the source in the path', async () => {
    const { body } = await get(`/sample${RECENT}?query=tea`);
    expect(body.data.map(({ id }: { id: string }) => id)).toEqual(['5']);
  });

  it('includes Posts that were just created, and no deleted ones', async () => {
    const bob = person(service, 'bob');
    const { id } = (await bob.post('/2/tweets', { text: 'fresh mint' })).body.data;
    now += 11_000;
    const params = 'query=mint&expansions=author_id&tweet.fields=author_id,created_at';
    const { body } = await get(`${RECENT}?${params}`);
    expect(body.data).toMatchObject([{ id, text: 'fresh mint' }]);
    expect(body.includes.users).toMatchObject([{ id: body.data[0].author_id, username: 'bob' }]);
    await bob.send('DELETE', `/2/tweets/${id}`);
    expect((await get(`${RECENT}?${params}`)).body).toEqual({ meta: { result_count: 0 } });
    now = START;
  });
});

describe('the origin of Posts', () => {
  it('is for the dashboard alone: author and address, which no Post that was made here has', async () => {
    const made = snowflake(at(3), 1);
    const imported = startService({
      posts: [
        { id: String(made), createdAt: at(3), text: 'oolong', username: 'ann' },
        { id: '5', createdAt: at(4), text: 'oolong', username: 'Bob B' },
      ],
      now: () => now,
    });
    const paths = [`${ALL}?query=oolong`, `/ranked?query=oolong&order=engagement&${LAST_HOUR}`];
    for (const path of paths) {
      const { data } = (await callerOf(imported).get(path)).body;
      expect(data.map(({ origin }: { origin: unknown }) => origin)).toEqual([
        { username: 'ann', url: `https://x.com/ann/status/${made}` },
        { username: 'Bob B' },
      ]);
    }
    await imported.close();
    const { body } = await program(service).get(`${RECENT}?query=tea`);
    expect(body.data[0].origin).toBeUndefined();
  });
});

describe('authentication', () => {
  it('with self-service access allows only recent; all is 403 client-forbidden', async () => {
    const reader = program(service, { access: 'self-service' });
    expect((await reader.get(`${RECENT}?query=tea`)).status).toBe(200);
    const { status, body } = await reader.get(`${ALL}?query=tea`);
    expect(status).toBe(403);
    expect(body).toMatchObject({
      title: 'Client Forbidden',
      reason: 'client-not-enrolled',
      detail: expect.stringContaining('Search of the whole archive'),
    });
  });
});

describe('an invalid request', () => {
  it.each([
    ['query=(tea', 'query', 'There were errors processing your request'],
    ['query=a', 'query', 'non-stopword clause (at position 1)'],
    ['query=tea&next_token=zz', 'next_token', 'is not a valid token'],
    [
      'query=tea&start_time=2026-01-01T00:00Z',
      'start_time',
      'must be on or after 2026-11-13T12:00Z',
    ],
    [
      'query=tea&end_time=2026-11-20T11:59:55Z',
      'end_time',
      'must be a minimum of 10 seconds prior to the request time.',
    ],
    [`query=${'a'.repeat(513)}`, 'query', 'must have at most 512 characters, got 513'],
  ])('%s is 400 and names the parameter', async (params, parameter, message) => {
    const { status, body } = await get(`${RECENT}?${params}`);
    expect(status).toBe(400);
    expect(body).toMatchObject({
      title: 'Invalid Request',
      type: 'https://api.x.com/2/problems/invalid-request',
      errors: [
        {
          parameters: { [parameter]: expect.anything() },
          message: expect.stringContaining(message),
        },
      ],
    });
  });
});

describe('a ranking', () => {
  const span = LAST_HOUR;

  it('is for the dashboard, with authors as in search', async () => {
    const path = `/ranked?query=tea&${span}&order=nearest&at=${new Date(at(8)).toISOString()}&max_results=3`;
    const { status, headers, body } = await get(
      `${path}&expansions=author_id&tweet.fields=author_id`,
    );
    expect(status).toBe(200);
    // 992 and 994 are equally near: the earlier Post comes first.
    expect(body.data.map(({ id }: { id: string }) => id)).toEqual(['993', '992', '994']);
    expect(body.includes.users).toHaveLength(1);
    expect(body.meta).toEqual({ result_count: 3 });
    expect(headers.get('x-store-revision')).toMatch(/^\d+$/);
    expect((await get(`/sample${path}`)).status).toBe(200);
  });

  it.each([
    ['query=tea', 'The `order` query parameter is not one of [engagement,nearest]'],
    [
      'query=tea&order=size',
      'The `order` query parameter value [size] is not one of [engagement,nearest]',
    ],
    ['query=tea&order=nearest', "The order 'nearest' needs 'at', an instant"],
    ['order=engagement', 'The `query` query parameter can not be empty'],
    ['query=tea&order=engagement&max_results=501', '501'],
    ['query=(tea&order=engagement', ''],
  ])('refuses %s', async (parameters, message) => {
    const { status, body } = await get(`/ranked?${parameters}&${span}`);
    expect(status).toBe(400);
    expect(JSON.stringify(body)).toContain(JSON.stringify(message).slice(1, -1));
  });
});
