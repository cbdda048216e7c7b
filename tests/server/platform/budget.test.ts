import { randomBytes } from 'node:crypto';
import { describe, expect, it } from 'vitest';
import type { LoginRole } from '#contract/accounts/logins.ts';
import { BUDGET_REACHED, BudgetReached, type PlatformSettings } from '#contract/counts/platform.ts';
import { DEFAULT_PLATFORM_SETTINGS } from '#contract/counts/platform-terms.ts';
import { openPasswords } from '#server/auth/passwords.ts';
import { readBlock } from '#server/http/forwarded.ts';
import { CHEAP } from '#tests/support/service/service.ts';
import * as v from 'valibot';
import { heldUp, PLATFORM_FAULTS } from '#tests/support/service/platform.ts';
import { closeAfterEach, CLOSED, HEAD, relayed, outcomeOf } from './relayed.ts';

closeAfterEach();
const always = (): boolean => true;

type Cap = PlatformSettings['caps']['day'];
const PRICES = DEFAULT_PLATFORM_SETTINGS.prices;
const NONE: Cap = { requests: null, money: null };
const caps = (over: { day?: Partial<Cap>; month?: Partial<Cap> }) => ({
  caps: { day: { ...NONE, ...over.day }, month: { ...NONE, ...over.month } },
});

describe('a cap', () => {
  it.each([
    ['requests of a day', { day: { requests: 2 } }, 'day', 'requests', 2, 2],
    ['money of a day', { day: { money: 0.02 } }, 'day', 'money', 0.02, 0.02],
    [
      'money of a day, not a multiple of the price',
      { day: { money: 0.029 } },
      'day',
      'money',
      0.029,
      0.02,
    ],
    ['requests of a month', { month: { requests: 2 } }, 'month', 'requests', 2, 2],
    ['money of a month', { month: { money: 0.02 } }, 'month', 'money', 0.02, 0.02],
    [
      'both, and then the one that resets last is reported',
      { day: { requests: 2 }, month: { money: 0.02 } },
      'month',
      'money',
      0.02,
      0.02,
    ],
  ])('on %s is never exceeded', async (_, over, scope, unit, cap, spent) => {
    const relay = await relayed();
    const { ask, platform, change } = relay;
    await change(caps(over));
    expect((await ask(HEAD)).status).toBe(200);
    expect((await ask(HEAD)).status).toBe(200);
    const answer = await ask(HEAD, { ask: 'ask-0003' });
    const reset = scope === 'day' ? '2026-11-21T00:00:00.000Z' : '2026-12-01T00:00:00.000Z';
    expect(answer.status).toBe(429);
    expect(answer.headers.get('retry-after')).toBe(String((Date.parse(reset) - relay.now) / 1000));
    expect([...answer.headers.keys()].filter((name) => name.startsWith('x-rate'))).toEqual([]);
    const body = await answer.json();
    expect(v.is(BudgetReached, body)).toBe(true);
    expect(body).toMatchObject({
      type: BUDGET_REACHED,
      status: 429,
      scope,
      unit,
      cap,
      spent,
      reset,
    });
    expect(platform.sent).toHaveLength(2);

    await change(caps({}));
    expect(outcomeOf(await ask(HEAD, { ask: 'ask-0003' }))).toBe('200 bought 0.01');
  });

  it('of zero allows only stored pages', async () => {
    const { ask, platform, change } = await relayed();
    await ask(CLOSED);
    await change(caps({ day: { requests: 0 } }));
    expect((await ask(HEAD)).status).toBe(429);
    expect(outcomeOf(await ask(CLOSED))).toBe('200 held 0');
    await change(caps({ month: { money: 0 } }));
    expect((await ask(HEAD, { endpoint: 'recent' })).status).toBe(429);
    expect(platform.sent).toHaveLength(1);
  });

  it('allows a cheaper request when it forbids a more expensive one', async () => {
    const { ask, change } = await relayed();
    await change(caps({ day: { money: 0.005 } }));
    expect((await ask(HEAD)).status).toBe(429);
    expect(outcomeOf(await ask(HEAD, { endpoint: 'recent' }))).toBe('200 bought 0.005');
  });

  it('is exact in cents: a hundred requests of a tenth of a cent are ten cents', async () => {
    const { ask, change, settings } = await relayed();
    await change({
      prices: { ...PRICES, recent: 0.001, all: 0.001 },
      ...caps({ day: { money: 0.1 } }),
    });
    for (let i = 0; i < 100; i += 1) {
      expect((await ask(HEAD, { endpoint: 'recent' })).status).toBe(200);
    }
    expect((await ask(HEAD, { endpoint: 'recent' })).status).toBe(429);
    expect((await settings()).today).toEqual({ requests: 100, money: 0.1 });
  });

  it('gives its last cent to one of several concurrent requests', async () => {
    const { ask, platform, change, service } = await relayed();
    await change(caps({ day: { money: 0.05 } }));
    const token = service.auth.issueToken({ access: 'pay-per-use', limited: true });
    const headers = { authorization: `Bearer ${token}` };
    const { fault, release } = heldUp();
    platform.inject(always, fault);
    const pending = Array.from({ length: 8 }, (_, i) =>
      ask(HEAD, { endpoint: 'recent', ...(i % 2 === 0 ? {} : { init: { headers } }) }),
    );
    const dear = Array.from({ length: 4 }, () => ask(HEAD));
    const refused = (await Promise.race([...dear, ...pending.slice(5)])).status;
    release();
    const answers = await Promise.all([...pending, ...dear]);
    expect(refused).toBe(429);
    const prices = answers.map(({ headers }) => Number(headers.get('x-price') ?? 0));
    const spent = Math.round(prices.reduce((sum, price) => sum + price, 0) * 1000) / 1000;
    expect(spent).toBeGreaterThan(0.04);
    expect(spent).toBeLessThanOrEqual(0.05);
    expect(platform.sent).toHaveLength(answers.filter(({ status }) => status === 200).length);
  });

  it('counts running requests', async () => {
    const { ask, platform, change, settings } = await relayed();
    await change(caps({ day: { requests: 1 } }));
    const { fault, reached, release } = heldUp();
    platform.inject(always, fault, 1);
    const first = ask(HEAD);
    await reached;
    expect((await ask(HEAD)).status).toBe(429);
    expect((await settings()).today).toEqual({ requests: 1, money: 0.01 });
    release();
    expect((await first).status).toBe(200);
  });

  it('is not charged for requests that the platform refuses', async () => {
    const { ask, platform, change } = await relayed();
    await change(caps({ day: { requests: 1 } }));
    platform.inject(always, PLATFORM_FAULTS.unavailable, 3);
    for (let i = 0; i < 3; i += 1) expect((await ask(HEAD)).status).toBe(503);
    expect((await ask(HEAD)).status).toBe(200);
    expect((await ask(HEAD)).status).toBe(429);
  });

  it('counts possibly billed requests, also after a restart', async () => {
    const { ask, platform, service, change, json } = await relayed();
    await change(caps({ day: { requests: 1 } }));
    platform.inject(always, PLATFORM_FAULTS.reset, 1);
    expect((await ask(HEAD)).status).toBe(502);
    for (const restart of [false, true]) {
      if (restart) await service.restart();
      expect((await ask(HEAD)).status).toBe(429);
      expect(await json('/platform/spending')).toMatchObject({
        uncertain: { requests: 1, money: 0.01 },
        today: { requests: 1, money: 0.01 },
      });
    }
    expect(platform.sent).toHaveLength(1);
  });

  it('of a day resets with the UTC day, one of a month with the month', async () => {
    const relay = await relayed();
    const { ask, change } = relay;
    await change(caps({ day: { requests: 1 }, month: { requests: 3 } }));
    const at = async (instant: string): Promise<number> => {
      relay.now = Date.parse(instant);
      return (await ask({ query: 'tea' }, { endpoint: 'recent' })).status;
    };
    expect(await at('2026-11-28T23:59:58Z')).toBe(200);
    expect(await at('2026-11-28T23:59:59Z')).toBe(429);
    expect(await at('2026-11-29T00:00:00Z')).toBe(200);
    expect(await at('2026-11-29T00:00:01Z')).toBe(429);
    expect(await at('2026-11-30T00:00:00Z')).toBe(200);
    expect(await at('2026-11-30T23:59:59Z')).toBe(429);
    expect(await at('2026-12-01T00:00:00Z')).toBe(200);
    expect((await relay.settings()).month).toEqual({ requests: 1, money: 0.005 });
    // December still has two requests; the new year resets both caps.
    expect(await at('2026-12-31T00:00:00Z')).toBe(200);
    expect(await at('2027-01-01T00:00:00Z')).toBe(200);
    expect((await relay.settings()).month).toEqual({ requests: 1, money: 0.005 });
  });

  it('is by default a hundred dollars a month and a quarter of that a day', () => {
    expect(DEFAULT_PLATFORM_SETTINGS.caps).toEqual({
      day: { requests: null, money: 25 },
      month: { requests: null, money: 100 },
    });
  });

  it('applies to the price in the settings at the time of sending', async () => {
    const { ask, change, settings } = await relayed();
    await ask(HEAD);
    await change({ prices: { ...PRICES, recent: 0.5, all: 2 } });
    expect(outcomeOf(await ask(HEAD))).toBe('200 bought 2');
    expect((await settings()).today).toEqual({ requests: 2, money: 2.01 });
  });
});

describe('the budget of a login', () => {
  const NAME = 'dash.example.org';
  const network = {
    kind: 'network',
    names: [NAME],
    proxies: [readBlock('10.0.0.1')],
  } as const;
  const FORWARDED = { host: NAME, 'x-forwarded-proto': 'https', 'x-forwarded-for': '203.0.113.9' };

  async function stage() {
    const relay = await relayed({ network });
    const { service } = relay;
    const send = (path: string, headers: Record<string, string>, init: RequestInit = {}) =>
      service.app.request(
        path,
        { ...init, headers: { ...FORWARDED, ...headers } },
        { incoming: { socket: { remoteAddress: '10.0.0.1' } } },
      );
    const password = await openPasswords((n) => randomBytes(n), CHEAP).hash(
      'correct horse battery',
    );
    /** Adds a login. @returns The headers of its session. */
    const session = async (name: string, role: LoginRole, budget: number | null) => {
      service.logins.order({ action: 'add', name, role, password, budget });
      const attempt = { name, password: 'correct horse battery', address: null, agent: null };
      const outcome = await service.logins.signIn(attempt);
      if (outcome.kind !== 'signed-in') throw new Error(`expected a session, got ${outcome.kind}`);
      return { cookie: `__Host-groundswell-443=${outcome.cookie}` };
    };
    let asks = 0;
    const buy = async (headers: Record<string, string>) => {
      const query = new URLSearchParams(HEAD).toString();
      const ask = { 'x-ask': `login-ask-${(asks += 1)}` };
      return await send(`/platform/2/tweets/counts/all?${query}`, { ...ask, ...headers });
    };
    const json = async (path: string, headers: Record<string, string>) =>
      await (await send(path, headers)).json();
    return { relay, service, send, session, buy, read: json };
  }

  it('stops the login and no other, until the month ends', async () => {
    const { relay, session, buy, read } = await stage();
    const [bob, eve] = [
      await session('bob', 'member', 0.025),
      await session('eve', 'member', null),
    ];
    expect([(await buy(bob)).status, (await buy(bob)).status]).toEqual([200, 200]);
    const refused = await buy(bob);
    expect(refused.status).toBe(429);
    expect(await refused.json()).toMatchObject({
      type: BUDGET_REACHED,
      scope: 'month',
      unit: 'money',
      cap: 0.025,
      spent: 0.02,
      reset: '2026-12-01T00:00:00.000Z',
      detail: 'Your own budget of $0.025 per month does not allow this request: $0.02 are spent.',
    });
    expect((await buy(eve)).status).toBe(200);
    expect(await read('/platform/settings', bob)).toMatchObject({
      month: { requests: 3, money: 0.03 },
      own: { month: { requests: 2, money: 0.02 }, budget: 0.025 },
    });
    relay.now = Date.parse('2026-12-01T00:00:00Z');
    expect((await buy(await session('kim', 'member', 0))).status).toBe(429);
    const attempt = { name: 'bob', password: 'correct horse battery', address: null, agent: null };
    const again = await relay.service.logins.signIn(attempt);
    const cookie = again.kind === 'signed-in' ? again.cookie : '';
    expect((await buy({ cookie: `__Host-groundswell-443=${cookie}` })).status).toBe(200);
  });

  it('is within the caps of the service, which all share', async () => {
    const { session, buy, send, read } = await stage();
    const anna = await session('anna', 'administrator', null);
    const bob = await session('bob', 'member', 100);
    const { settings: before } = await read('/platform/settings', anna);
    const body = JSON.stringify({ ...before, ...caps({ month: { money: 0.02 } }) });
    const change = (headers: Record<string, string>) =>
      send(
        '/platform/settings',
        { ...headers, 'content-type': 'application/json' },
        { method: 'PUT', body },
      );
    expect((await change(bob)).status).toBe(403);
    expect((await change(anna)).status).toBe(200);
    expect([(await buy(anna)).status, (await buy(bob)).status]).toEqual([200, 200]);
    const refused = await buy(bob);
    expect(await refused.json()).toMatchObject({ cap: 0.02, spent: 0.02 });
  });

  it('is reported to the login, and all of them to administrators', async () => {
    const { session, buy, read, service } = await stage();
    const anna = await session('anna', 'administrator', null);
    const [bob, eve] = [await session('bob', 'member', null), await session('eve', 'member', null)];
    for (const each of [anna, bob, bob, eve]) await buy(each);
    const bearer = service.auth.issueToken({ access: 'enterprise', limited: false });
    expect((await buy({ authorization: `Bearer ${bearer}` })).status).toBe(200);
    expect(await read('/platform/spending', bob)).toMatchObject({
      month: { requests: 2, money: 0.02 },
      days: [{ requests: 2 }],
      months: [{ requests: 2 }],
      queries: [{ query: 'tea', requests: 2 }],
    });
    expect(await read('/platform/spending', bob)).not.toHaveProperty('logins');
    service.logins.order({ action: 'remove', name: 'eve' });
    const all = await read('/platform/spending', anna);
    expect(all).toMatchObject({ month: { requests: 5, money: 0.05 } });
    expect(new Set(all.logins)).toEqual(
      new Set([
        { name: null, requests: 1, money: 0.01 },
        { name: 'anna', requests: 1, money: 0.01 },
        { name: 'bob', requests: 2, money: 0.02 },
        { name: '(removed)', requests: 1, money: 0.01 },
      ]),
    );
  });
});
