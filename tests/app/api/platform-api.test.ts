import { describe, expect, test } from 'vitest';
import { BROKEN_ANSWER, UNREACHABLE } from '#app/api/answer-fault.ts';
import { Client } from '#app/api/client.ts';
import { platformApi } from '#app/api/platform-api.ts';
import { Fault } from '#contract/fault.ts';
import { BUDGET_REACHED, type PlatformAnswer } from '#contract/counts/platform.ts';
import { DEFAULT_PLATFORM_SETTINGS } from '#contract/counts/platform-terms.ts';
import { FakeTime } from '#tests/support/fake-time.ts';

const ANSWER: PlatformAnswer = {
  host: 'api.x.com',
  settings: DEFAULT_PLATFORM_SETTINGS,
  today: { requests: 1, money: 0.01 },
  month: { requests: 2, money: 0.02 },
  clockAheadMs: null,
  pools: { recent: null, all: { remaining: 299, reset: 1_800_000_000 } },
};
const DEARER = {
  ...DEFAULT_PLATFORM_SETTINGS,
  prices: { ...DEFAULT_PLATFORM_SETTINGS.prices, all: 0.02 },
};

const json = (body: unknown, status = 200): Response =>
  new Response(JSON.stringify(body), { status });

/** An API client of a service that gives these replies in turn. */
function apiOf(...replies: (Response | Error)[]) {
  const sent: { line: string; body: unknown; type: string | null }[] = [];
  const time = new FakeTime(Date.UTC(2026, 10, 20, 12));
  const client = new Client(
    time.environment(async (path, init) => {
      const type = new Headers(init.headers).get('content-type');
      const body = typeof init.body === 'string' ? (JSON.parse(init.body) as unknown) : null;
      sent.push({ line: `${init.method ?? 'GET'} ${path}`, body, type });
      if (path === '/session') return json({ signedIn: true });
      const reply = replies.shift() ?? new Error('no reply');
      if (reply instanceof Error) throw reply;
      return reply;
    }),
  );
  return {
    client,
    api: platformApi(client),
    sent,
    lines: () => sent.map(({ line }) => line),
    time,
  };
}

async function fault(promise: Promise<unknown>): Promise<Fault> {
  const error: unknown = await promise.catch((e: unknown) => e);
  if (!(error instanceof Fault)) throw new Error(`expected a Fault, got ${String(error)}`);
  return error;
}

describe('platformApi', () => {
  test('reads the settings and the spending', async () => {
    const spending = {
      today: ANSWER.today,
      month: ANSWER.month,
      days: [],
      months: [],
      queries: [],
      uncertain: { requests: 0, money: 0 },
    };
    const { api, lines } = apiOf(json(ANSWER), json(spending));
    expect(await api.answer()).toEqual(ANSWER);
    expect(await api.spending()).toEqual(spending);
    expect(lines()).toEqual(['GET /platform/settings', 'GET /platform/spending']);
  });

  test('sends all settings as JSON and returns what the service stored', async () => {
    const { api, sent } = apiOf(json({ ...ANSWER, settings: DEARER }));
    expect((await api.change(DEARER)).settings).toEqual(DEARER);
    expect(sent).toEqual([
      { line: 'PUT /platform/settings', body: DEARER, type: 'application/json' },
    ]);
  });

  test('retries calls that wait for a cap after a change', async () => {
    const reached = { title: 'Budget', type: BUDGET_REACHED, reset: '2026-11-21T00:00:00.000Z' };
    const { client, api, time, lines } = apiOf(json(reached, 429), json(ANSWER), json({}));
    time.frozen = true;
    let change: Promise<PlatformAnswer> | null = null;
    await client.get('/platform/2/tweets/counts/all', {
      signal: new AbortController().signal,
      onWait: (wait) => {
        if (wait?.reason === 'budget') change = api.change(DEARER);
      },
    });
    expect(await change).toEqual(ANSWER);
    expect(lines().map((line) => line.split(' ')[0])).toEqual(['GET', 'PUT', 'GET']);
  });

  test('signs in once after a 401', async () => {
    const { api, lines } = apiOf(json({ title: 'Unauthorized' }, 401), json(ANSWER));
    expect(await api.change(DEARER)).toEqual(ANSWER);
    expect(lines()).toEqual(['PUT /platform/settings', 'POST /session', 'PUT /platform/settings']);
  });

  test('gives up if signing in does not help', async () => {
    const refused = () => json({ title: 'Unauthorized' }, 401);
    const { api, lines } = apiOf(refused(), refused());
    expect((await fault(api.change(DEARER))).status).toBe(401);
    expect(lines().filter((line) => line.startsWith('PUT'))).toHaveLength(2);
  });

  test('throws the refusal of the service', async () => {
    const errors = [{ message: 'prices.all: expected at most 1000000' }];
    const { api } = apiOf(json({ title: 'Invalid Request', errors }, 400));
    const refusal = await fault(api.change(DEARER));
    expect([refusal.status, refusal.message]).toEqual([400, errors[0]?.message]);
  });

  test.each([
    ['change', 1],
    ['answer', 1],
    ['spending', 1],
  ] as const)('reports an unreachable service at once: %s', async (method, sends) => {
    const { api, lines, time } = apiOf(new TypeError('fetch failed'), json(ANSWER));
    expect((await fault(api[method](DEARER))).body.type).toBe(UNREACHABLE);
    expect(lines()).toHaveLength(sends);
    expect(time.slept).toEqual([]);
  });

  test.each([
    ['no JSON', () => new Response('<html>')],
    ['the wrong type', () => json({ host: 1 })],
  ])('reports an answer of %s as broken', async (_, reply) => {
    const { api } = apiOf(reply());
    expect((await fault(api.change(DEARER))).body.type).toBe(BROKEN_ANSWER);
  });
});
