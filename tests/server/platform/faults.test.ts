import { describe, expect, it } from 'vitest';
import { PLATFORM_SLOW, PLATFORM_UNREACHABLE, UNCERTAIN } from '#contract/counts/platform.ts';
import {
  brokenBody,
  cutBody,
  lostAnswer,
  lostConnection,
  repeatedPage,
} from '#tests/support/service/faults.ts';
import { heldUp, PLATFORM_FAULTS, type PlatformFault } from '#tests/support/service/platform.ts';
import { closeAfterEach, CLOSED, HEAD, relayed, outcomeOf } from './relayed.ts';

closeAfterEach();
const always = (): boolean => true;
const ONE = { requests: 1, money: 0.01 };
const NOTHING = { requests: 0, money: 0 };

/** The platform's page with another status. */
const answered =
  (status: number): PlatformFault =>
  async (_, pass) => {
    const answer = await pass();
    return new Response(answer.body, { status, headers: answer.headers });
  };

/** A status that no HTTP library writes. */
const raw =
  (status: number): PlatformFault =>
  async (_, _pass, wire) => {
    wire.socket?.end(
      `HTTP/1.1 ${status} Odd\r\ncontent-type: application/json\r\ncontent-length: 2\r\n\r\n{}`,
    );
    return null;
  };

describe('a request without a complete answer', () => {
  it.each<[string, PlatformFault]>([
    ['the connection is reset', PLATFORM_FAULTS.reset],
    ['the connection is closed', lostConnection],
    ['the answer is lost', lostAnswer],
    ['the body breaks off', brokenBody],
    ['the body ends before its length', PLATFORM_FAULTS.cutShort],
    ['the body ends early without a sign', cutBody],
    ['the body is empty', async () => new Response('')],
    ['the body is no JSON', async () => new Response('<html>')],
    ['the body nests without an end', async () => new Response('['.repeat(8_000_000))],
    [
      'the body nests deeper than a page',
      async () => new Response(`{"data":${'['.repeat(9000)}${']'.repeat(9000)}}`),
    ],
    ['the body is no UTF-8', async () => new Response(Buffer.of(0x22, 0xff, 0x22))],
    ...[201, 206, 302].map((status): [string, PlatformFault] => [
      `status ${status}`,
      answered(status),
    ]),
    ...[204, 304].map((status): [string, PlatformFault] => [
      `status ${status}`,
      async () => new Response(null, { status }),
    ]),
    ...[101, 600].map((status): [string, PlatformFault] => [`status ${status}`, raw(status)]),
  ])(
    'is possibly billed, not stored, and bought again when it is repeated: %s',
    async (_, fault) => {
      const { ask, platform, service, json } = await relayed();
      platform.inject(always, fault, 1);
      const answer = await ask(CLOSED, { ask: 'ask-0001' });
      expect(answer.status).toBe(502);
      expect(answer.headers.get('content-type')).toContain('application/problem+json');
      const body = await answer.json();
      expect(body).toMatchObject({ type: PLATFORM_UNREACHABLE, status: 502, uncertain: true });
      expect(await json('/platform/spending')).toMatchObject({ uncertain: ONE, today: ONE });
      expect(await json('/platform/held?query=tea&granularity=hour')).toEqual({ pages: [] });
      expect(service.log).toEqual([`Platform: ${body.detail}`]);

      expect(outcomeOf(await ask(CLOSED, { ask: 'ask-0001' }))).toBe('200 bought 0.01');
      expect(outcomeOf(await ask(CLOSED))).toBe('200 held 0');
      expect(await json('/platform/spending')).toMatchObject({
        uncertain: ONE,
        today: { requests: 2, money: 0.02 },
      });
      expect(platform.sent).toHaveLength(2);
    },
  );

  it('costs nothing if no connection can be made', async () => {
    const { ask, platform, json } = await relayed();
    await platform.refuse();
    const answer = await ask(HEAD, { ask: 'ask-0001' });
    expect(answer.status).toBe(502);
    const body = await answer.json();
    expect(body.detail).toContain('ECONNREFUSED');
    expect(body).not.toHaveProperty(UNCERTAIN);
    expect(await json('/platform/spending')).toMatchObject({ uncertain: NOTHING, today: NOTHING });
    await platform.accept();
    expect(outcomeOf(await ask(HEAD, { ask: 'ask-0001' }))).toBe('200 bought 0.01');
  });

  it('costs nothing if the platform’s name cannot be resolved', async () => {
    const { ask, json } = await relayed({
      relay: {
        fetch: async () => {
          const cause = Object.assign(new Error('getaddrinfo'), { code: 'ENOTFOUND' });
          throw new TypeError('fetch failed', { cause });
        },
      },
    });
    const answer = await ask(HEAD);
    expect(answer.status).toBe(502);
    expect(await answer.json()).not.toHaveProperty(UNCERTAIN);
    expect(await json('/platform/spending')).toMatchObject({ uncertain: NOTHING, today: NOTHING });
  });

  it('reports a timeout if the platform is too slow, and is possibly billed', async () => {
    const { ask, platform, json, timeouts } = await relayed();
    const { fault, reached, release } = heldUp();
    platform.inject(always, fault, 1);
    const pending = ask(HEAD, { ask: 'ask-0001' });
    await reached;
    expect(timeouts).toHaveLength(1);
    timeouts[0]?.abort();
    const answer = await pending;
    expect(answer.status).toBe(504);
    expect(await answer.json()).toMatchObject({
      type: PLATFORM_SLOW,
      status: 504,
      uncertain: true,
    });
    expect(await json('/platform/spending')).toMatchObject({ uncertain: ONE });
    release();
    expect(outcomeOf(await ask(HEAD, { ask: 'ask-0001' }))).toBe('200 bought 0.01');
  });

  it('reports a timeout if the body is too slow', async () => {
    const { ask, platform, timeouts } = await relayed();
    let head = (): void => {};
    const sent = new Promise<void>((resolve) => (head = resolve));
    const halfway: PlatformFault = async (_, _pass, wire) => {
      wire.writeHead(200, { 'content-type': 'application/json' });
      wire.write('{"data":', () => head());
      return null;
    };
    platform.inject(always, halfway, 1);
    const pending = ask(HEAD);
    await sent;
    timeouts[0]?.abort();
    const answer = await pending;
    expect([answer.status, await answer.json()]).toMatchObject([504, { uncertain: true }]);
  });
});

describe('a cap', () => {
  it.each([202, 204, 308])(
    'is not exceeded by answers of status %i: each counts as possibly billed',
    async (status) => {
      const { ask, change, platform, json } = await relayed();
      const none = { requests: null, money: null };
      await change({ caps: { day: { requests: 3, money: null }, month: none } });
      const body = status === 204 ? null : '{"data":[]}';
      platform.inject(always, async () => new Response(body, { status }));
      const statuses: number[] = [];
      for (let i = 0; i < 6; i += 1) statuses.push((await ask(HEAD)).status);
      expect(statuses).toEqual([502, 502, 502, 429, 429, 429]);
      expect(platform.sent).toHaveLength(3);
      expect(await json('/platform/spending')).toMatchObject({
        uncertain: { requests: 3, money: 0.03 },
        today: { requests: 3, money: 0.03 },
      });
    },
  );
});

describe('a burst of failures', () => {
  it('is passed on one by one, and costs only the page bought at its end', async () => {
    const { ask, platform, settings } = await relayed();
    platform.inject(always, PLATFORM_FAULTS.unavailable, 5);
    const statuses: number[] = [];
    for (let i = 0; i < 6; i += 1) statuses.push((await ask(HEAD, { ask: 'ask-0001' })).status);
    expect(statuses).toEqual([503, 503, 503, 503, 503, 200]);
    expect((await settings()).today).toEqual(ONE);
  });
});

describe('a page that repeats another', () => {
  it('is passed on and stored as received', async () => {
    const { ask, platform } = await relayed();
    platform.inject(always, repeatedPage());
    const first = await (await ask(CLOSED)).text();
    const other = await ask({ ...CLOSED, end_time: '2026-11-09T00:00:00Z' });
    expect(await other.text()).toBe(first);
  });
});
