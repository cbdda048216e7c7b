import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { HeldAnswer, MAX_HELD_PAGES, PlatformAnswer } from '#contract/counts/platform.ts';
import { DEFAULT_PLATFORM_SETTINGS } from '#contract/counts/platform-terms.ts';
import * as v from 'valibot';
import { openDb } from '#server/db/driver.ts';
import {
  closeAfterEach,
  CLOSED,
  HEAD,
  relayed,
  relayedForAll,
} from '#tests/server/platform/relayed.ts';
import { PLATFORM_FAULTS } from '#tests/support/service/platform.ts';
import { startService } from '#tests/support/service/service.ts';

closeAfterEach();
const unchanged = relayedForAll();
const always = (): boolean => true;
const search = String(new URLSearchParams(HEAD));

describe('without a token of the platform', () => {
  it.each([
    '/platform/2/tweets/counts/all',
    '/platform/settings',
    '/platform/spending',
    '/platform/held',
    '/platform/x',
  ])('%s is 404 and says how to connect it', async (path) => {
    const service = startService();
    const answer = await service.request(path);
    expect(answer.status).toBe(404);
    expect((await answer.json()).detail).toContain('GROUNDSWELL_PLATFORM_TOKEN');
    const { data } = await (await service.request('/sources')).json();
    expect(data.map(({ id }: { id: string }) => id)).toEqual(['sample', 'posts']);
    await service.close();
  });
});

describe('GET /sources', () => {
  it('lists the platform by its host, and sends it nothing', async () => {
    const { service, platform } = await relayed();
    const { data } = await (await service.request('/sources')).json();
    expect(data[2]).toEqual({
      id: 'platform',
      store: new URL(platform.url).host,
      revision: 0,
      posts: null,
      first: '2006-03-21T00:00:00.000Z',
      last: null,
      coverage: [{ start: '2006-03-21T00:00:00.000Z', end: null }],
    });
    expect(platform.sent).toEqual([]);
  });
});

describe('counts of the platform', () => {
  it('have the bytes, the status and the documented headers of its answer', async () => {
    const { ask, platform, service, now } = await relayed();
    const answer = await ask(HEAD);
    const own = await fetch(`${platform.url}/2/tweets/counts/all?${search}`, {
      headers: { authorization: `Bearer ${platform.token}` },
    });
    expect(answer.status).toBe(200);
    expect(Buffer.from(await answer.arrayBuffer())).toEqual(Buffer.from(await own.arrayBuffer()));
    for (const name of ['date', 'content-type', 'x-access-level', 'api-version']) {
      expect(answer.headers.get(name)).toBe(own.headers.get(name));
    }
    expect(Date.parse(answer.headers.get('date') ?? '')).toBe(now);
    expect(answer.headers.get('x-rate-limit-limit')).toBe('300');
    expect(answer.headers.get('x-rate-limit-remaining')).toBe('299');
    expect(answer.headers.get('x-vault')).toBe('bought');
    expect(answer.headers.get('x-price')).toBe('0.01');
    expect(answer.headers.get('cache-control')).toContain('no-store');
    expect(answer.headers.has('x-store-id')).toBe(false);
    expect(service.log).toEqual([]);
  });

  it('are requested with the token and the parameters, and with nothing else of the client', async () => {
    const { service, platform } = await relayed();
    const odd = `query=tea%20OR%20%22gr%C3%BCn%22&granularity=day&start_time=2026-11-19T00:00:00%2B00:00`;
    await service.request(`/platform/2/tweets/counts/recent?${odd}`, {
      headers: { cookie: service.cookie, 'x-ask': 'ask-0001', referer: 'http://here' },
    });
    const [sent] = platform.sent;
    expect(sent).toMatchObject({ method: 'GET', path: '/2/tweets/counts/recent' });
    expect(Object.fromEntries(sent?.search ?? [])).toEqual(
      Object.fromEntries(new URLSearchParams(odd)),
    );
    expect(sent?.authorization).toBe(`Bearer ${platform.token}`);
    for (const name of ['cookie', 'x-ask', 'referer', 'origin']) {
      expect(sent?.headers.has(name)).toBe(false);
    }
    expect(sent?.headers.get('user-agent')).toBe('groundswell/test');
    expect(sent?.headers.get('accept-encoding')).toBe('gzip');
  });

  it('need a session from this service’s pages, or a token of this service', async () => {
    const { ask, service, platform } = await relayed();
    const as = async (headers: Record<string, string>): Promise<number> =>
      (await ask(HEAD, { init: { headers } })).status;
    expect(await as({ cookie: '' })).toBe(401);
    expect(await as({ origin: 'http://evil.example' })).toBe(403);
    expect(await as({ 'sec-fetch-site': 'cross-site' })).toBe(403);
    expect(await as({ authorization: `Bearer ${platform.token}` })).toBe(401);
    expect(platform.sent).toEqual([]);
    const token = service.auth.issueToken({ access: 'pay-per-use', limited: true });
    expect(await as({ authorization: `Bearer ${token}`, cookie: '' })).toBe(200);
  });

  it.each([
    '/platform/2/tweets/search/stream?query=tea',
    '/platform/2/tweets/counts/none?query=tea',
    '/platform/2/tweets/counts/all/x?query=tea',
    '/platform/2/tweets/counts/../../lists/me',
    '/platform/2/tweets/counts/%2e%2e/search/stream?query=tea',
    '/platform//evil.example/2/tweets/counts/all?query=tea',
    '/platform/changes?since=0',
    '/platform/',
  ])('at %s are 404, and nothing is sent', async (path) => {
    const { service, platform } = unchanged();
    expect((await service.request(path)).status).toBe(404);
    expect(platform.sent).toEqual([]);
  });

  it.each(['HEAD', 'POST', 'PUT', 'DELETE', 'OPTIONS'])('do not support %s', async (method) => {
    const { service, platform } = unchanged();
    const answer = await service.request(`/platform/2/tweets/counts/all?${search}`, { method });
    expect([answer.status, answer.headers.get('allow')]).toEqual([405, 'GET']);
    expect(platform.sent).toEqual([]);
  });

  it.each([
    [{ foo: '1' }, '[foo] is not one of [query,start_time,'],
    [{ max_results: '1' }, '[max_results] is not one of'],
  ])('with %o are refused, and nothing is sent', async (over, message) => {
    const { ask, platform } = unchanged();
    const answer = await ask({ ...HEAD, ...over });
    expect(answer.status).toBe(400);
    expect((await answer.json()).errors[0].message).toContain(message);
    expect(platform.sent).toEqual([]);
  });

  it('refuse a repeated parameter', async () => {
    const { service } = unchanged();
    const answer = await service.request(`/platform/2/tweets/counts/all?${search}&query=x`);
    expect((await answer.json()).errors[0].message).toContain('only once');
  });

  it.each([
    { query: 'tea', granularity: 'week' },
    { query: '(tea' },
    { query: 'tea', start_time: 'never' },
    { query: '' },
  ])('leave the values %o to the platform, whose refusal costs nothing', async (of) => {
    const { ask, platform, settings } = await relayed();
    const answer = await ask(of as Record<string, string>);
    expect([answer.status, answer.headers.get('x-price')]).toEqual([400, '0']);
    expect((await answer.json()).title).toBe('Invalid Request');
    expect(platform.sent).toHaveLength(1);
    expect((await settings()).today).toEqual({ requests: 0, money: 0 });
  });

  it.each([
    ['x-ask', 'short'],
    ['x-ask', 'a'.repeat(65)],
    ['x-ask', 'with a space'],
    ['x-buy', 'yes'],
  ])('refuse the header %s: %s', async (name, value) => {
    const { ask, platform } = unchanged();
    const answer = await ask(HEAD, { init: { headers: { [name]: value } } });
    expect(answer.status).toBe(400);
    expect((await answer.json()).detail).toContain(name);
    expect(platform.sent).toEqual([]);
  });

  it('never follow a redirect', async () => {
    const { ask, platform, settings } = await relayed();
    platform.inject(
      always,
      PLATFORM_FAULTS.moved(`${platform.url}/2/tweets/counts/all?${search}`),
      1,
    );
    const answer = await ask(HEAD);
    expect(answer.status).toBe(502);
    expect(await answer.json()).toMatchObject({ type: 'groundswell:platform-unreachable' });
    expect(answer.headers.has('location')).toBe(false);
    expect(platform.sent).toHaveLength(1);
    expect((await settings()).today.requests).toBe(1);
  });

  it('pass on status, body and waiting times of a refusal', async () => {
    const { ask, platform } = await relayed();
    const headers = {
      'retry-after': '7',
      'x-app-limit-24hour-remaining': '3',
      'set-cookie': 'a=b',
      'x-other': 'c',
    };
    platform.inject(always, PLATFORM_FAULTS.refused(503, headers), 1);
    const answer = await ask(HEAD);
    expect(answer.status).toBe(503);
    expect(answer.headers.get('retry-after')).toBe('7');
    expect(answer.headers.get('x-app-limit-24hour-remaining')).toBe('3');
    expect(answer.headers.has('set-cookie')).toBe(false);
    expect(answer.headers.has('x-other')).toBe(false);
    expect(await answer.json()).toMatchObject({ title: 'Refused', status: 503 });
  });
});

describe('the settings of the platform', () => {
  it('are the public figures until they are changed, and survive a restart', async () => {
    const { settings, change, service, platform } = await relayed();
    const first = await settings();
    expect(v.is(PlatformAnswer, first)).toBe(true);
    expect(first).toEqual({
      host: new URL(platform.url).host,
      settings: DEFAULT_PLATFORM_SETTINGS,
      today: { requests: 0, money: 0 },
      month: { requests: 0, money: 0 },
      clockAheadMs: null,
      pools: { recent: null, all: null },
    });
    const prices = { recent: 0.1, all: 0.2, post: 0.3, user: 0.4 };
    expect((await change({ prices })).settings.prices).toEqual(prices);
    await service.restart();
    expect((await settings()).settings).toEqual({ ...DEFAULT_PLATFORM_SETTINGS, prices });
  });

  it('include the spending and the state of the limits', async () => {
    const { ask, settings, now } = await relayed();
    await ask(HEAD);
    await ask(HEAD, { endpoint: 'recent' });
    const { today, month, pools } = await settings();
    expect(today).toEqual({ requests: 2, money: 0.015 });
    expect(month).toEqual(today);
    const reset = now / 1000 + 900;
    expect(pools.all).toEqual({ remaining: 299, reset });
    expect(pools.recent).toEqual({ remaining: 299, reset });
  });

  const put = (body: unknown, headers: Record<string, string> = {}): RequestInit => ({
    method: 'PUT',
    body: typeof body === 'string' ? body : JSON.stringify(body),
    headers: { 'content-type': 'application/json', ...headers },
  });
  const D = DEFAULT_PLATFORM_SETTINGS;

  it.each([
    [{ ...D, access: 'royal' }, 'access', '"royal"', 'pay-per-use'],
    [{ ...D, prices: { ...D.prices, recent: -1 } }, 'prices.recent', '-1', '>=0'],
    [{ ...D, prices: { ...D.prices, all: 2_000_000 } }, 'prices.all', '2000000', '<=1000000'],
    [{ ...D, prices: { ...D.prices, all: 'x' } }, 'prices.all', '"x"', 'number'],
    [
      { ...D, limits: { ...D.limits, all: { requests: 0, windowSeconds: 900 } } },
      'limits.all.requests',
      '0',
      '>=1',
    ],
    [{ ...D, archiveSpacingMs: 1.5 }, 'archiveSpacingMs', '1.5', 'integer'],
    [{ ...D, settleHours: 0 }, 'settleHours', '0', '>=1'],
    [
      { ...D, caps: { ...D.caps, day: { requests: 1.5, money: null } } },
      'caps.day.requests',
      '1.5',
      'integer',
    ],
    [{ ...D, more: true }, 'more', 'true', 'never'],
    [{ ...D, caps: { day: D.caps.day } }, 'caps.month', undefined, 'month'],
  ])(
    'that are invalid are refused with member, value and rule: %#',
    async (of, member, value, rule) => {
      const { service, settings } = unchanged();
      const answer = await service.request('/platform/settings', put(of));
      expect(answer.status).toBe(400);
      const { errors } = await answer.json();
      expect(errors).toHaveLength(1);
      expect(errors[0].parameters).toEqual({ [member]: value === undefined ? [] : [value] });
      expect(errors[0].message).toContain(`\`${member}\``);
      expect(errors[0].message).toContain(rule);
      expect((await settings()).settings).toEqual(D);
    },
  );

  it.each([
    ['no JSON', put('{'), 400],
    ['no object', put([]), 400],
    ['text', put(D, { 'content-type': 'text/plain' }), 400],
    ['17 KiB', put({ ...D, more: 'x'.repeat(17 * 1024) }), 413],
    ['another origin', put(D, { origin: 'http://evil.example' }), 403],
    ['no session', put(D, { cookie: '' }), 401],
  ])('cannot be changed by %s', async (_, init, status) => {
    const { service } = unchanged();
    expect((await service.request('/platform/settings', init)).status).toBe(status);
  });

  it.each([
    ['DELETE', '/platform/settings', 'GET, HEAD, PUT'],
    ['POST', '/platform/spending', 'GET, HEAD'],
    ['POST', '/platform/held', 'GET, HEAD'],
  ])('%s %s is 405', async (method, path, allow) => {
    const { service } = unchanged();
    const answer = await service.request(path, { method });
    expect([answer.status, answer.headers.get('allow')]).toEqual([405, allow]);
  });
});

describe('GET /platform/spending', () => {
  it('sums by day, month and query, the most expensive query first', async () => {
    const relay = await relayed();
    await relay.ask(HEAD);
    relay.now = Date.parse('2026-12-01T00:30:00Z');
    await relay.ask({ ...HEAD, query: 'coffee' }, { endpoint: 'recent' });
    await relay.ask({ query: 'coffee' }, { endpoint: 'recent' });
    await relay.ask({ query: '(' }, { endpoint: 'recent' });
    expect(await relay.json('/platform/spending')).toEqual({
      today: { requests: 1, money: 0.005 },
      month: { requests: 1, money: 0.005 },
      days: [
        { day: '2026-12-01', requests: 1, money: 0.005 },
        { day: '2026-11-20', requests: 1, money: 0.01 },
      ],
      months: [
        { month: '2026-12', requests: 1, money: 0.005 },
        { month: '2026-11', requests: 1, money: 0.01 },
      ],
      queries: [
        { query: 'tea', requests: 1, money: 0.01, last: '2026-11-20T12:00:00.000Z' },
        { query: 'coffee', requests: 1, money: 0.005, last: '2026-12-01T00:30:00.000Z' },
      ],
      uncertain: { requests: 0, money: 0 },
    });
  });
});

describe('GET /platform/held', () => {
  it('lists the settled pages of a query and granularity, each window once', async () => {
    const { ask, json } = await relayed();
    const path = '/platform/held?query=tea&granularity=hour';
    expect(await json(path)).toEqual({ pages: [] });
    await ask(CLOSED);
    await ask(CLOSED, { buy: 'again' });
    await ask(HEAD);
    await ask({ ...CLOSED, granularity: 'day' });
    await ask({ ...CLOSED, query: 'green' });
    await ask({ ...CLOSED, 'search_count.fields': 'start' });
    const page = {
      endpoint: 'all',
      start: '2026-10-15T00:00:00.000Z',
      end: '2026-11-10T00:00:00.000Z',
      at: '2026-11-20T12:00:00.000Z',
    };
    expect(await json(path)).toEqual({ pages: [page] });
    expect(await json('/platform/held?query=tea&granularity=minute')).toEqual({ pages: [] });
  });

  it('lists the newest pages if there are more than its limit', async () => {
    const { ask, json, service } = await relayed();
    await ask(CLOSED);
    const day = 86_400_000;
    const db = openDb(join(service.folder, 'platform.sqlite'));
    // Adds as many pages as the limit, each with a window a day older.
    db.exec(`
      CREATE TEMP TABLE older AS WITH RECURSIVE n (i) AS
        (SELECT 1 UNION ALL SELECT i + 1 FROM n WHERE i < ${MAX_HELD_PAGES}) SELECT i FROM n;
      INSERT INTO purchase SELECT id + i, ask || i, request, endpoint, query, at, day, price, outcome, status,
        login FROM purchase, older;
      INSERT INTO page SELECT purchase + i, query, granularity, fields, start - i * ${day},
        "end" - i * ${day}, token, date, headers, body, withdrawn FROM page, older;
    `);
    db.close();
    const { pages } = v.parse(HeldAnswer, await json('/platform/held?query=tea&granularity=hour'));
    const newest = Date.parse(CLOSED.start_time);
    expect(pages.map(({ start }) => (newest - Date.parse(start)) / day)).toEqual(
      Array.from({ length: MAX_HELD_PAGES }, (_, i) => i),
    );
  });

  it.each(['', '?query=tea', '?granularity=hour', '?query=tea&granularity=week', '?query=tea&x=1'])(
    'needs both parameters and no others: %j',
    async (text) => {
      const { service } = unchanged();
      expect((await service.request(`/platform/held${text}`)).status).toBe(400);
    },
  );
});
