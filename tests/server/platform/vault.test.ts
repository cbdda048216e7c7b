import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { ASK_FORM, PLATFORM_UNREACHABLE } from '#contract/counts/platform.ts';
import { openDb } from '#server/db/driver.ts';
import { rawOpen } from '#tests/support/service/raw-http.ts';
import { failing } from '#tests/support/service/faults.ts';
import { heldUp, PLATFORM_FAULTS, type PlatformFault } from '#tests/support/service/platform.ts';
import { closeAfterEach, CLOSED, HEAD, NOW, relayed, outcomeOf } from './relayed.ts';

closeAfterEach();
const always = (): boolean => true;
/** The bytes of an answer, each as a character: Vitest compares texts much faster. */
const bytesOf = async (answer: Response): Promise<string> =>
  Buffer.from(await answer.arrayBuffer()).toString('latin1');
const counted = (n: number) => PLATFORM_FAULTS.refused(200 + n, {});

describe('an ask', () => {
  it('is answered from the vault when repeated, byte for byte, also after a restart', async () => {
    const { ask, platform, service, settings } = await relayed();
    const first = await ask(HEAD, { ask: 'ask-0001' });
    expect(outcomeOf(first)).toBe('200 bought 0.01');
    const body = await bytesOf(first);
    for (const restart of [false, true]) {
      if (restart) await service.restart();
      const again = await ask(HEAD, { ask: 'ask-0001' });
      expect(outcomeOf(again)).toBe('200 held 0');
      expect(await bytesOf(again)).toEqual(body);
      expect(again.headers.get('date')).toBe(first.headers.get('date'));
      expect(again.headers.get('content-type')).toBe(first.headers.get('content-type'));
      expect(again.headers.has('x-rate-limit-remaining')).toBe(false);
    }
    expect(platform.sent).toHaveLength(1);
    expect((await settings()).today).toEqual({ requests: 1, money: 0.01 });
  });

  it.each(['no', 'again', 'instead'])('is never bought twice, x-buy %s', async (buy) => {
    const { ask, platform } = await relayed();
    await ask(HEAD, { ask: 'ask-0001' });
    expect(outcomeOf(await ask(HEAD, { ask: 'ask-0001', buy }))).toBe('200 held 0');
    expect(platform.sent).toHaveLength(1);
  });

  it.each([
    [{ ...HEAD, query: 'coffee' }, {}],
    [{ ...HEAD, granularity: 'day' }, {}],
    [HEAD, { endpoint: 'recent' as const }],
  ])('belongs to a single request: %j %j', async (other, options) => {
    const { ask, platform } = await relayed();
    await ask(HEAD, { ask: 'ask-0001' });
    const answer = await ask(other, { ask: 'ask-0001', ...options });
    expect(answer.status).toBe(400);
    expect((await answer.json()).detail).toContain('ask-0001');
    expect(platform.sent).toHaveLength(1);
  });

  it('belongs to a single request also while that is running', async () => {
    const { ask, platform } = await relayed();
    const { fault, reached, release } = heldUp();
    platform.inject(always, fault, 1);
    const first = ask(HEAD, { ask: 'ask-0001' });
    await reached;
    expect((await ask(CLOSED, { ask: 'ask-0001' })).status).toBe(400);
    release();
    expect((await first).status).toBe(200);
  });

  it('joins itself while it is running', async () => {
    const { ask, platform } = await relayed();
    const { fault, reached, release } = heldUp();
    platform.inject(always, fault, 1);
    const asked = [1, 2, 3].map(() => ask(HEAD, { ask: 'ask-0001' }));
    await reached;
    release();
    const answers = await Promise.all(asked);
    expect(answers.map(outcomeOf)).toEqual(['200 bought 0.01', '200 held 0', '200 held 0']);
    const [one, ...others] = await Promise.all(answers.map(bytesOf));
    for (const other of others) expect(other).toEqual(one);
    expect(platform.sent).toHaveLength(1);
  });

  it('is bought when repeated after a failure', async () => {
    const { ask, platform, settings } = await relayed();
    platform.inject(always, failing(503), 1);
    expect(outcomeOf(await ask(HEAD, { ask: 'ask-0001' }))).toBe('503 bought 0');
    expect(outcomeOf(await ask(HEAD, { ask: 'ask-0001' }))).toBe('200 bought 0.01');
    expect((await settings()).today.requests).toBe(1);
  });

  it('without an id is new each time, for bearer tokens', async () => {
    const { ask, platform, service } = await relayed();
    const token = service.auth.issueToken({ access: 'enterprise', limited: true });
    const unnamed = { ask: null, init: { headers: { authorization: `Bearer ${token}` } } };
    const made = [await ask(HEAD, unnamed), await ask(HEAD, unnamed)].map(({ headers }) =>
      headers.get('x-ask'),
    );
    expect(new Set(made).size).toBe(2);
    for (const each of made) expect(each).toMatch(ASK_FORM);
    expect(platform.sent).toHaveLength(2);
  });

  it('without an id in a session buys nothing, but still gets stored pages', async () => {
    const { ask, platform, settings } = await relayed();
    for (const buy of [undefined, 'again', 'instead']) {
      const answer = await ask(CLOSED, { ask: null, ...(buy && { buy }) });
      expect(answer.status).toBe(403);
      expect((await answer.json()).detail).toContain('x-ask');
    }
    expect((await ask(CLOSED, { ask: null, buy: 'no' })).status).toBe(204);
    expect(platform.sent).toEqual([]);
    expect((await settings()).today.requests).toBe(0);
    await ask(CLOSED);
    expect(outcomeOf(await ask(CLOSED, { ask: null }))).toBe('200 held 0');
  });

  it('is finished, billed and stored when its client disconnects, and returned when repeated', async () => {
    const { platform, service, settings } = await relayed();
    const url = await service.listen();
    const { fault, reached, release } = heldUp();
    platform.inject(always, fault, 1);
    const path = `/platform/2/tweets/counts/all?${new URLSearchParams(HEAD)}`;
    const headers = { cookie: service.cookie, 'x-ask': 'ask-0001' };
    const gone = new AbortController();
    const given = fetch(url + path, { headers, signal: gone.signal }).catch((e: Error) => e.name);
    await reached;
    gone.abort();
    expect(await given).toBe('AbortError');
    const again = fetch(url + path, { headers });
    release();
    expect(outcomeOf(await again)).toBe('200 held 0');
    expect(platform.sent).toHaveLength(1);
    expect((await settings()).today).toEqual({ requests: 1, money: 0.01 });
  });

  it('is stored even if its client reads nothing of the answer', async () => {
    const { platform, service } = await relayed();
    const url = await service.listen();
    const path = `/platform/2/tweets/counts/all?${new URLSearchParams({ ...HEAD, granularity: 'minute' })}`;
    const headers = { cookie: service.cookie, 'x-ask': 'ask-0001' };
    const open = await rawOpen(url + path, { headers });
    open.destroy();
    expect(outcomeOf(await fetch(url + path, { headers }))).toBe('200 held 0');
    expect(platform.sent).toHaveLength(1);
  });

  it('is uncertain if it was running when the service stopped, and bought when repeated', async () => {
    const { ask, platform, service, json } = await relayed();
    const { fault, reached, release } = heldUp();
    platform.inject(always, fault, 1);
    const lost = ask(HEAD, { ask: 'ask-0001' });
    await reached;
    await service.restart();
    const uncertain = { requests: 1, money: 0.01 };
    expect(await json('/platform/spending')).toMatchObject({ uncertain, today: uncertain });
    expect(outcomeOf(await ask(HEAD, { ask: 'ask-0001' }))).toBe('200 bought 0.01');
    expect(await json('/platform/spending')).toMatchObject({
      uncertain,
      today: { requests: 2, money: 0.02 },
    });
    release();
    await lost;
  });
});

describe('a settled page', () => {
  it('is returned to all requests for its window, from either endpoint, and bought once', async () => {
    const { ask, platform, service, settings } = await relayed();
    const first = await bytesOf(await ask(CLOSED, { ask: 'ask-0001' }));
    await service.restart();
    const same = { ...CLOSED, start_time: '2026-10-15T02:00:00+02:00' };
    for (const other of [
      await ask(CLOSED, { ask: 'ask-0002' }),
      await ask(CLOSED),
      await ask(CLOSED, { endpoint: 'recent' }),
      await ask(same),
      await ask(CLOSED, { buy: 'no' }),
      await ask({ ...CLOSED, 'search_count.fields': 'tweet_count,start,end' }),
    ]) {
      expect(outcomeOf(other)).toBe('200 held 0');
      expect(other.headers.get('x-ask')).toBe('ask-0001');
      expect(await bytesOf(other)).toEqual(first);
    }
    expect(platform.sent).toHaveLength(1);
    expect((await settings()).month.requests).toBe(1);
  });

  it('is returned for every spelling of the same query', async () => {
    const { ask } = await relayed();
    const storm = { ...CLOSED, query: 'green tea' };
    await ask(storm);
    expect(outcomeOf(await ask({ ...CLOSED, query: ' tea   Green ' }))).toBe('200 held 0');
  });

  it.each([
    ['another query', { ...CLOSED, query: 'teas' }],
    ['another granularity', { ...CLOSED, granularity: 'day' }],
    ['another start', { ...CLOSED, start_time: '2026-10-16T00:00:00Z' }],
    ['another end', { ...CLOSED, end_time: '2026-11-09T00:00:00Z' }],
    ['fewer members', { ...CLOSED, 'search_count.fields': 'start' }],
    ['a bound by id', { ...CLOSED, until_id: '900' }],
  ])('is not returned for %s', async (_, other) => {
    const { ask } = await relayed();
    await ask(CLOSED);
    expect((await ask(other, { buy: 'no' })).status).toBe(204);
    expect(outcomeOf(await ask(other))).toBe('200 bought 0.01');
  });

  const day = { ...HEAD, end_time: '2026-11-19T10:00:00Z' };
  it.each([
    ['2026-11-20T23:59:59Z', 24, 'bought'],
    ['2026-11-21T00:00:00Z', 24, 'held'],
    ['2026-11-20T12:00:00Z', 12, 'held'],
    ['2026-11-21T00:00:00Z', 25, 'bought'],
  ])('has a day that was over long enough at %s, with %i hours: %s', async (at, hours, vault) => {
    const relay = await relayed();
    relay.now = Date.parse(at);
    await relay.change({ settleHours: hours });
    await relay.ask(day);
    const held = await relay.json('/platform/held?query=tea&granularity=hour');
    expect(held).toMatchObject({ pages: { length: vault === 'held' ? 1 : 0 } });
    expect((await relay.ask(day)).headers.get('x-vault')).toBe(vault);
  });

  const HOUR = 3_600_000;
  const dated =
    (date: string | null): PlatformFault =>
    async (_, pass) => {
      const answer = await pass();
      const headers = new Headers(answer.headers);
      if (date === null) headers.delete('date');
      else headers.set('date', date);
      return new Response(answer.body, { status: answer.status, headers });
    };

  it.each<[string, PlatformFault, number]>([
    ['30 hours ahead', PLATFORM_FAULTS.dateOff(30 * HOUR), 0],
    ['five years ahead', PLATFORM_FAULTS.dateOff(5 * 365 * 24 * HOUR), 0],
    ['centuries ahead', dated('Fri, 31 Dec 9999 23:59:59 GMT'), 0],
    ['unparsable', dated('tomorrow'), 0],
    ['absent', dated(null), 0],
    ['ten days behind', PLATFORM_FAULTS.dateOff(-240 * HOUR), -240 * HOUR],
    ['decades behind', dated('Thu, 01 Jan 1970 00:00:00 GMT'), -NOW],
  ])(
    'is judged by the earlier of the platform’s Date and our clock: %s',
    async (_, fault, fetched) => {
      const relay = await relayed();
      const { ask, platform, json } = relay;
      const yesterday = {
        ...CLOSED,
        start_time: '2026-10-25T00:00:00Z',
        end_time: '2026-11-20T00:00:00Z',
      };
      platform.inject(always, fault);
      const bought = await ask(yesterday, { ask: 'ask-0001' });
      expect(outcomeOf(bought)).toBe('200 bought 0.01');
      expect(Date.parse(bought.headers.get('x-fetched-at') ?? '')).toBe(NOW + fetched);
      const again = await ask(yesterday, { ask: 'ask-0001' });
      expect(again.headers.get('x-fetched-at')).toBe(bought.headers.get('x-fetched-at'));
      // Days later, when yesterday has settled, the answer of that day is still not returned to others.
      relay.now = NOW + 72 * HOUR;
      platform.repair();
      expect(await json('/platform/held?query=tea&granularity=hour')).toEqual({ pages: [] });
      expect(outcomeOf(await ask(yesterday))).toBe('200 bought 0.01');
      expect(outcomeOf(await ask(yesterday))).toBe('200 held 0');
    },
  );

  it('stored by an earlier version under a future Date is not returned to others', async () => {
    const relay = await relayed();
    const { ask, json, service } = relay;
    const yesterday = {
      ...CLOSED,
      start_time: '2026-10-25T00:00:00Z',
      end_time: '2026-11-20T00:00:00Z',
    };
    await ask(yesterday, { ask: 'ask-0001' });
    const db = openDb(join(service.folder, 'platform.sqlite'));
    db.exec(`UPDATE page SET date = ${NOW + 30 * HOUR}`);
    db.close();
    expect(await json('/platform/held?query=tea&granularity=hour')).toEqual({ pages: [] });
    relay.now = NOW + 72 * HOUR;
    expect(outcomeOf(await ask(yesterday))).toBe('200 bought 0.01');
    const own = await ask(yesterday, { ask: 'ask-0001' });
    expect(outcomeOf(own)).toBe('200 held 0');
    expect(Date.parse(own.headers.get('x-fetched-at') ?? '')).toBeLessThanOrEqual(NOW + 60_000);
  });

  it.each([30 * HOUR, -240 * HOUR])(
    'is judged by a clock whose skew the settings report: %i ms',
    async (ms) => {
      const { ask, platform, settings } = await relayed();
      expect((await settings()).clockAheadMs).toBeNull();
      platform.inject(always, PLATFORM_FAULTS.dateOff(ms));
      await ask(HEAD);
      expect((await settings()).clockAheadMs).toBe(ms);
    },
  );

  it('needs an end: a window without one is bought again', async () => {
    const { ask } = await relayed();
    await ask(HEAD);
    expect(outcomeOf(await ask(HEAD, { buy: 'no' }))).toBe('204  ');
  });

  it('in flight is shared by all requests for the same window', async () => {
    const { ask, platform } = await relayed();
    const { fault, reached, release } = heldUp();
    platform.inject(always, fault, 1);
    const first = ask(CLOSED, { ask: 'ask-0001' });
    await reached;
    const others = [
      ask(CLOSED, { ask: 'ask-0002' }),
      ask(CLOSED, { buy: 'no' }),
      ask(CLOSED, { endpoint: 'recent' }),
    ];
    release();
    expect(outcomeOf(await first)).toBe('200 bought 0.01');
    for (const other of others) {
      const answer = await other;
      expect(outcomeOf(answer)).toBe('200 held 0');
      expect(answer.headers.get('x-ask')).toBe('ask-0001');
    }
    expect(platform.sent).toHaveLength(1);
  });

  it('that fails makes all waiting requests fail, and nothing more is sent', async () => {
    const { ask, platform } = await relayed();
    platform.inject(always, PLATFORM_FAULTS.refused(503, { 'retry-after': '3' }), 1);
    const answers = await Promise.all([ask(CLOSED), ask(CLOSED), ask(CLOSED)]);
    for (const { status, headers } of answers) {
      expect([status, headers.get('retry-after')]).toEqual([503, '3']);
    }
    expect(platform.sent).toHaveLength(1);
    expect(outcomeOf(await ask(CLOSED))).toBe('200 bought 0.01');
  });

  it('that proves unsettled is bought by each request that waited', async () => {
    const { ask, platform } = await relayed();
    platform.inject(always, PLATFORM_FAULTS.dateOff(-86_400_000 * 10));
    const answers = await Promise.all([ask(CLOSED), ask(CLOSED), ask(CLOSED)]);
    expect(answers.map(outcomeOf)).toEqual(Array.from({ length: 3 }, () => '200 bought 0.01'));
    expect(platform.sent).toHaveLength(3);
  });

  it('is still returned after buying again, and replaced by buying instead', async () => {
    const { ask, platform, json } = await relayed();
    const first = await bytesOf(await ask(CLOSED, { ask: 'ask-0001' }));
    platform.inject(always, PLATFORM_FAULTS.pages.changedBucket);
    const again = await ask(CLOSED, { buy: 'again' });
    expect(outcomeOf(again)).toBe('200 bought 0.01');
    const second = await bytesOf(again);
    expect(second).not.toEqual(first);
    expect(await bytesOf(await ask(CLOSED))).toEqual(first);

    platform.repair();
    platform.inject(always, PLATFORM_FAULTS.pages.wrongTotal);
    const instead = await ask(CLOSED, { buy: 'instead' });
    expect(outcomeOf(instead)).toBe('200 bought 0.01');
    const third = await bytesOf(instead);
    expect(await bytesOf(await ask(CLOSED))).toEqual(third);
    // An ask always gets the page it bought.
    expect(await bytesOf(await ask(CLOSED, { ask: 'ask-0001' }))).toEqual(first);
    expect(await json('/platform/held?query=tea&granularity=hour')).toMatchObject({
      pages: [{}],
    });
  });

  it('is still returned if buying instead fails', async () => {
    const { ask, platform } = await relayed();
    await ask(CLOSED);
    platform.inject(always, failing(503), 1);
    expect((await ask(CLOSED, { buy: 'instead' })).status).toBe(503);
    expect(outcomeOf(await ask(CLOSED))).toBe('200 held 0');
  });
});

describe('a page with a token for the rest', () => {
  const held = '/platform/held?query=tea&granularity=hour';
  const long = { ...CLOSED, start_time: '2026-09-01T00:00:00Z' };

  it.each([
    ['because the window is longer than a page', long, null],
    ['although the window fits into a page', CLOSED, PLATFORM_FAULTS.pages.unexpectedToken],
  ])('%s is returned only to its own ask', async (_, params, fault) => {
    const { ask, platform, json } = await relayed();
    if (fault) platform.inject(always, fault, 1);
    const first = await bytesOf(await ask(params, { ask: 'ask-0001' }));
    expect(JSON.parse(first).meta).toHaveProperty('next_token');
    expect((await ask(params, { buy: 'no' })).status).toBe(204);
    expect(await json(held)).toEqual({ pages: [] });
    const again = await ask(params, { ask: 'ask-0001' });
    expect(outcomeOf(again)).toBe('200 held 0');
    expect(await bytesOf(again)).toEqual(first);

    expect(outcomeOf(await ask(params))).toBe('200 bought 0.01');
    expect((await ask(params, { buy: 'no' })).status).toBe(fault ? 200 : 204);
  });

  it('is bought by each request that waited for it', async () => {
    const { ask, platform } = await relayed();
    const answers = await Promise.all([ask(long), ask(long), ask(long)]);
    expect(answers.map(outcomeOf)).toEqual(Array.from({ length: 3 }, () => '200 bought 0.01'));
    expect(platform.sent).toHaveLength(3);
  });

  it('bought instead is not returned to others, and neither is the page before', async () => {
    const { ask, platform, json } = await relayed();
    await ask(CLOSED);
    platform.inject(always, PLATFORM_FAULTS.pages.unexpectedToken, 1);
    expect(outcomeOf(await ask(CLOSED, { buy: 'instead' }))).toBe('200 bought 0.01');
    expect(await json(held)).toEqual({ pages: [] });
    expect(outcomeOf(await ask(CLOSED))).toBe('200 bought 0.01');
  });
});

describe('x-buy: no', () => {
  it('spends nothing if nothing is stored', async () => {
    const { ask, platform, settings } = await relayed();
    const answer = await ask(CLOSED, { buy: 'no', ask: 'ask-0001' });
    expect([answer.status, await answer.text()]).toEqual([204, '']);
    expect(platform.sent).toEqual([]);
    expect((await settings()).today.requests).toBe(0);
    expect(outcomeOf(await ask(CLOSED, { ask: 'ask-0001' }))).toBe('200 bought 0.01');
  });

  it('waits for a running ask', async () => {
    const { ask, platform } = await relayed();
    const { fault, reached, release } = heldUp();
    platform.inject(always, fault, 1);
    const first = ask(HEAD, { ask: 'ask-0001' });
    await reached;
    const other = ask(HEAD, { ask: 'ask-0001', buy: 'no' });
    release();
    expect([outcomeOf(await first), outcomeOf(await other)]).toEqual([
      '200 bought 0.01',
      '200 held 0',
    ]);
  });
});

describe('an answer that is not a page', () => {
  it('of any status is passed on, costs nothing and is not stored', async () => {
    const { ask, platform, settings } = await relayed();
    const statuses = [400, 401, 402, 403, 404, 418, 429, 500, 503, 599];
    const asked = (status: number) =>
      ask({ ...CLOSED, query: `tea -x${status}` }, { ask: `ask-0${status}` });
    for (const status of statuses) {
      platform.inject(always, counted(status - 200), 1);
      const answer = await asked(status);
      expect(outcomeOf(answer)).toBe(`${status} bought 0`);
      expect([status, await answer.json()]).toMatchObject([status, { title: 'Refused' }]);
    }
    expect((await settings()).today).toEqual({ requests: 0, money: 0 });
    for (const status of statuses) {
      expect([status, outcomeOf(await asked(status))]).toEqual([status, '200 bought 0.01']);
    }
  });

  it('is not judged by the relay: any page is passed on and stored as sent', async () => {
    const { ask, platform } = await relayed();
    for (const [name, fault] of Object.entries(PLATFORM_FAULTS.pages)) {
      if (name === 'unexpectedToken') continue;
      const query = { ...CLOSED, query: `tea -${name}` };
      let sent = '';
      platform.inject(
        always,
        async (request, pass, wire) => {
          const answer = await fault(request, pass, wire);
          sent = await bytesOf(answer!.clone());
          return answer;
        },
        1,
      );
      const bought = await ask(query);
      expect([name, outcomeOf(bought)]).toEqual([name, '200 bought 0.01']);
      expect([name, await bytesOf(bought)]).toEqual([name, sent]);
      expect([name, await bytesOf(await ask(query))]).toEqual([name, sent]);
    }
  });

  it(
    'with more than 32 MiB is refused as unreachable, and possibly billed',
    { tags: 'long' },
    async () => {
      const { ask, platform, json } = await relayed();
      const big = JSON.stringify({ data: 'x'.repeat(32 * 1024 * 1024) });
      platform.inject(always, async () => new Response(big), 1);
      const answer = await ask(CLOSED);
      expect(answer.status).toBe(502);
      expect(await answer.json()).toMatchObject({ type: PLATFORM_UNREACHABLE });
      expect(await json('/platform/spending')).toMatchObject({ uncertain: { requests: 1 } });
    },
  );
});
