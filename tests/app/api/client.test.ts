import * as v from 'valibot';
import { describe, expect, test } from 'vitest';
import { BROKEN_ANSWER, UNREACHABLE } from '#app/api/answer-fault.ts';
import { Client, type Wait } from '#app/api/client.ts';
import { Fault, invalidRequest } from '#contract/fault.ts';
import { BUDGET_REACHED, PLATFORM_UNREACHABLE, UNCERTAIN } from '#contract/counts/platform.ts';
import { FakeTime } from '#tests/support/fake-time.ts';

const NOW = Date.parse('2026-11-20T12:00:00Z');

type Reply = Response | Error;

/** A client of a service that gives these replies in turn and then repeats the last one. */
function clientOf(replies: readonly (() => Reply)[], random?: () => number) {
  const time = new FakeTime(NOW);
  const sent: string[] = [];
  const waits: (Wait | null)[] = [];
  const fetch = async (path: string, init: RequestInit): Promise<Response> => {
    init.signal?.throwIfAborted();
    sent.push(`${init.method ?? 'GET'} ${path}`);
    const gets = sent.filter((line) => line.startsWith('GET')).length;
    const reply =
      path === '/session'
        ? ok({ signedIn: true })
        : replies[Math.min(gets, replies.length) - 1]?.();
    if (!(reply instanceof Response)) throw reply ?? new Error('no reply');
    return reply;
  };
  const controller = new AbortController();
  const options = { signal: controller.signal, onWait: (wait: Wait | null) => waits.push(wait) };
  return {
    time,
    sent,
    waits,
    controller,
    options,
    client: new Client(time.environment(fetch, random)),
  };
}

const date = (ms: number): string => new Date(ms).toUTCString();

const ok = (body: unknown = { fine: true }, headers: Record<string, string> = {}): Response =>
  new Response(JSON.stringify(body), { headers });

const bad = (
  status: number,
  body: BodyInit | null = null,
  headers: Record<string, string> = {},
): Response => new Response(body, { status, headers });

const lost = (): Error => new TypeError('fetch failed');

const schema = v.object({ fine: v.boolean() });

/** The fault that a promise rejects with. */
async function fault(promise: Promise<unknown>): Promise<Fault> {
  const error: unknown = await promise.catch((e: unknown) => e);
  if (!(error instanceof Fault)) throw new Error(`expected a Fault, got ${String(error)}`);
  return error;
}

describe('an answer', () => {
  test('arrives as bytes with its headers and Date', async () => {
    const { client, options } = clientOf([
      () => ok({ fine: true }, { date: date(NOW), 'x-one': '1' }),
    ]);
    const answer = await client.get('/path', options);
    expect(new TextDecoder().decode(answer.body)).toBe('{"fine":true}');
    expect(answer.headers.get('x-one')).toBe('1');
    expect(answer.date).toBe(NOW);
  });

  test('is parsed by its schema', async () => {
    const { client, options } = clientOf([ok]);
    expect(await client.json('/path', schema, options)).toEqual({ fine: true });
  });

  test.each([
    ['not JSON', () => new Response('<html>')],
    ['of the wrong type', () => ok({ fine: 1 })],
  ])('becomes a fault if it is %s', async (_, reply) => {
    const { client, options } = clientOf([reply]);
    expect((await fault(client.json('/path', schema, options))).body.type).toBe(BROKEN_ANSWER);
  });
});

describe('an error answer', () => {
  test('becomes the Fault that the service threw', async () => {
    const thrown = invalidRequest('query', 'a', 'Rules must contain a clause');
    const { client, options, sent } = clientOf([
      () => bad(400, JSON.stringify(thrown.body), { 'x-rate-limit-limit': '300' }),
    ]);
    const got = await fault(client.get('/path', options));
    expect(got.message).toBe(thrown.message);
    expect(got.body).toEqual({ ...thrown.body, status: 400 });
    expect(got.headers['x-rate-limit-limit']).toBe('300');
    expect(sent).toHaveLength(1);
  });

  test.each([400, 403, 404, 410, 500])('of status %i is not retried', async (status) => {
    const { client, options, sent, time } = clientOf([() => bad(status, 'no JSON')]);
    expect((await fault(client.get('/path', options))).status).toBe(status);
    expect(sent).toHaveLength(1);
    expect(time.slept).toEqual([]);
  });
});

describe('a temporary failure', () => {
  test.each<[string, 'busy' | 'away' | 'cut' | 'limit', () => Reply]>([
    ['502', 'busy', () => bad(502)],
    [
      '502 because the platform is unreachable',
      'cut',
      () => bad(502, JSON.stringify({ type: PLATFORM_UNREACHABLE })),
    ],
    ['503', 'busy', () => bad(503)],
    ['504', 'busy', () => bad(504)],
    ['a lost connection', 'away', lost],
    [
      'a truncated body',
      'away',
      () => new Response(new ReadableStream({ pull: (c) => c.error(new TypeError('terminated')) })),
    ],
    ['429 without a reset', 'limit', () => bad(429)],
    [
      '429 with a reset in the past',
      'limit',
      () => bad(429, null, { 'x-rate-limit-reset': String(NOW / 1000 - 5) }),
    ],
    [
      '429 for the pace, with requests remaining in the window',
      'limit',
      () =>
        bad(429, null, {
          'x-rate-limit-remaining': '7',
          'x-rate-limit-reset': String(NOW / 1000 + 600),
        }),
    ],
  ])('is retried after a pause: %s', async (_, reason, reply) => {
    const { client, options, time, waits } = clientOf([reply, reply, reply, ok]);
    await client.get('/path', options);
    expect(time.slept).toEqual([375, 750, 1500]);
    expect(waits[0]).toEqual({ until: NOW + 375, reason });
    expect(waits.at(-1)).toBeNull();
  });

  test('waits as long as Retry-After says, up to an hour, and may then take more tries', async () => {
    const named = (seconds: number) => () => bad(503, null, { 'retry-after': String(seconds) });
    const waits = [named(7), named(900), named(86_400)];
    const replies = [...waits, ...Array.from({ length: 12 }, () => named(1)), ok];
    const { client, options, time } = clientOf(replies);
    await client.get('/path', options);
    expect(time.slept.slice(0, 3)).toEqual([7_000, 900_000, 3_600_000]);
    expect(time.slept).toHaveLength(15);
  });

  test.each([
    ['by the Date of the answer', { date: date(NOW + 3_600_000) }, NOW + 3_600_000 + 90_000],
    ['by the client’s clock if the answer has no Date', {}, NOW + 90_000],
  ])('waits until the date in Retry-After, %s', async (_, headers, until) => {
    for (const status of [429, 503]) {
      const reply = () => bad(status, null, { 'retry-after': date(until), ...headers });
      const { client, options, time } = clientOf([reply, ok]);
      await client.get('/path', options);
      expect(time.slept).toEqual([90_000]);
    }
  });

  test.each([['soon'], [''], ['-5'], [date(NOW - 90_000)]])(
    'ignores a Retry-After that names no time in the future: “%s”',
    async (named) => {
      const { client, options, time } = clientOf([
        () => bad(503, null, { 'retry-after': named }),
        ok,
      ]);
      await client.get('/path', options);
      expect(time.slept).toEqual([375]);
    },
  );

  test('waits between half and all of an interval that doubles up to half a minute', async () => {
    for (const [random, first] of [
      [0, 250],
      [0.999, 499.75],
    ] as const) {
      const { client, options, time } = clientOf([() => bad(503)], () => random);
      await fault(client.get('/path', options));
      expect(time.slept[0]).toBeCloseTo(first);
      time.slept.forEach((ms, i) => {
        expect(ms).toBeGreaterThanOrEqual(Math.min(30_000, 500 * 2 ** i) / 2);
        expect(ms).toBeLessThanOrEqual(Math.min(30_000, 500 * 2 ** i));
      });
    }
  });

  test('is final after seven sends', async () => {
    const { client, options, sent } = clientOf([() => bad(503)]);
    expect((await fault(client.get('/path', options))).status).toBe(503);
    expect(sent).toHaveLength(7);
  });

  test('that may have been billed is retried at most twice, whatever other failures occur', async () => {
    for (const status of [502, 504]) {
      const uncertain = (): Response => bad(status, JSON.stringify({ [UNCERTAIN]: true }));
      const { client, options, sent } = clientOf([uncertain]);
      expect((await fault(client.get('/path', options))).body[UNCERTAIN]).toBe(true);
      expect(sent).toHaveLength(3);
      const busy = (): Response => bad(503);
      const mixed = clientOf([uncertain, busy, uncertain, busy, uncertain, ok]);
      expect((await fault(mixed.client.get('/path', mixed.options))).status).toBe(status);
      expect(mixed.sent).toHaveLength(5);
      const saved = clientOf([uncertain, uncertain, ok]);
      await saved.client.get('/path', saved.options);
      expect(saved.sent).toHaveLength(3);
    }
  });

  test('of the connection ends as unreachable, and at once if the caller is impatient', async () => {
    const patient = clientOf([lost]);
    expect((await fault(patient.client.get('/path', patient.options))).body.type).toBe(UNREACHABLE);
    expect(patient.sent).toHaveLength(7);
    const hasty = clientOf([lost]);
    await fault(hasty.client.get('/path', { ...hasty.options, impatient: true }));
    expect(hasty.sent).toHaveLength(1);
  });
});

describe('the rate limit', () => {
  const limited = (seconds: number, headers: Record<string, string> = {}): (() => Response) => {
    const reset = String(NOW / 1000 + seconds);
    return () => bad(429, null, { 'x-rate-limit-reset': reset, ...headers });
  };

  test('is waited out exactly until the reset in the header', async () => {
    const { client, options, time, waits } = clientOf([limited(437), ok]);
    await client.get('/path', options);
    expect(time.slept).toEqual([437_000]);
    expect(waits).toEqual([{ until: NOW + 437_000, reason: 'limit' }, null]);
  });

  test('uses the Date of the answer, not the client’s clock', async () => {
    const { client, options, time } = clientOf([limited(100, { date: date(NOW + 90_000) }), ok]);
    await client.get('/path', options);
    expect(time.slept).toEqual([10_000]);
  });

  test('leaves all tries to later failures, as does a cap', async () => {
    const time = new FakeTime(NOW);
    const limit = () =>
      bad(429, null, { 'x-rate-limit-reset': String(Math.ceil(time.now / 1000) + 900) });
    const cap = () => bad(429, JSON.stringify({ type: BUDGET_REACHED }));
    const untimed = () => bad(429);
    const held = [limit, cap, untimed].flatMap((reply) => [reply, reply, reply]);
    const replies = [...held, () => bad(503), () => bad(503), ok];
    let sends = 0;
    const client = new Client(time.environment(async () => replies[sends++]?.() ?? ok()));
    await client.get('/path', { signal: new AbortController().signal });
    expect(sends).toBe(replies.length);
    // Nor do the pauses after failures get longer.
    expect(time.slept.slice(-2)).toEqual([375, 750]);
  });

  test('is slept through a day at a time, because browser timers overflow', async () => {
    const days = 40.5;
    const { client, options, time, waits } = clientOf([limited(days * 86_400), ok]);
    await client.get('/path', options);
    expect(time.slept).toEqual([...Array.from({ length: 40 }, () => 86_400_000), 43_200_000]);
    expect(waits).toEqual([{ until: NOW + days * 86_400_000, reason: 'limit' }, null]);
  });

  test('uses up no tries', async () => {
    let remaining = 20;
    const { client, options, time, sent } = clientOf([
      () =>
        remaining-- > 0
          ? bad(429, null, { 'x-rate-limit-reset': String(time.now / 1000 + 900) })
          : ok(),
    ]);
    await client.get('/path', options);
    expect(sent).toHaveLength(21);
  });

  test('delays further calls to the same path only', async () => {
    const { client, options, time, sent } = clientOf([limited(100), lost, ok]);
    const first = client.get('/path?a=1', options);
    await first;
    expect(time.now).toBe(NOW + 100_000 + 375);
    expect(sent).toHaveLength(3);
    time.slept.length = 0;
    await client.get('/other', options);
    expect(time.slept).toEqual([]);
  });
});

describe('signing in', () => {
  const closed = (): Response =>
    bad(401, JSON.stringify({ title: 'Unauthorized', type: 'about:blank' }));

  test('happens once, after a 401 from the service', async () => {
    const { client, options, sent } = clientOf([closed, ok]);
    await client.get('/path', options);
    expect(sent).toEqual(['GET /path', 'POST /session', 'GET /path']);
  });

  test('does not happen if the 401 comes from the platform', async () => {
    const refused = (): Response => bad(401, null, { 'x-vault': 'bought' });
    const { client, options, sent } = clientOf([refused]);
    expect((await fault(client.get('/path', options))).status).toBe(401);
    expect(sent).toEqual(['GET /path']);
  });

  test('is not repeated if it did not help', async () => {
    const { client, options, sent } = clientOf([closed]);
    expect((await fault(client.get('/path', options))).status).toBe(401);
    expect(sent).toEqual(['GET /path', 'POST /session', 'GET /path']);
  });

  test('is shared by concurrent calls', async () => {
    const { client, options, sent } = clientOf([closed, closed, closed, ok]);
    await Promise.all(['/a', '/b', '/c'].map((path) => client.get(path, options)));
    expect(sent.filter((line) => line.startsWith('POST'))).toHaveLength(1);
  });
});

describe('aborting', () => {
  test('ends a wait and sends nothing more', async () => {
    const { client, options, controller, time, sent, waits } = clientOf([() => bad(503)]);
    time.frozen = true;
    const call = client.get('/path', options);
    await new Promise((resolve) => setImmediate(resolve));
    expect(waits).toHaveLength(1);
    controller.abort();
    await expect(call).rejects.toThrow(/abort/i);
    expect(sent).toHaveLength(1);
    expect(waits.at(-1)).toBeNull();
  });

  test('before the call sends nothing', async () => {
    const { client, options, controller, sent } = clientOf([ok]);
    controller.abort();
    await expect(client.get('/path', options)).rejects.toThrow(/abort/i);
    expect(sent).toEqual([]);
  });
});

describe('the clock', () => {
  test.each([
    ['an hour slow', 3_600_000, 3_600_000],
    ['an hour fast', -3_600_000, -3_599_000],
    ['correct to the second', 0, 0],
    ['half a second ahead of a truncated Date', -500, 0],
  ])('is corrected by the Date if it is %s', async (_, skew, corrected) => {
    // Date has whole seconds, so it gives the service's clock to within a second.
    const at = new Date(NOW + skew);
    const { client, options } = clientOf([() => ok({}, { date: at.toISOString() })]);
    await client.get('/path', options);
    expect(client.now() - NOW).toBe(corrected);
  });
});

describe('the clock of the platform', () => {
  const at = (skew: number, headers: Record<string, string> = {}) =>
    ok({}, { date: date(NOW + skew), 'x-vault': 'bought', ...headers });

  test('is separate, and the service’s until the platform has answered', async () => {
    const replies = [() => at(5_000), () => at(3_600_000)];
    const { client, options } = clientOf(replies);
    await client.get('/sources', options);
    expect(client.now('platform') - NOW).toBe(5_000);
    await client.get('/platform/2/tweets/counts/all', options);
    expect(client.now('platform') - NOW).toBe(3_600_000);
    expect(client.now() - NOW).toBe(5_000);
  });

  test('ignores the Date of a stored page', async () => {
    const old = -86_400_000;
    const { client, options } = clientOf([() => at(old, { 'x-vault': 'held' })]);
    const { date: bought } = await client.get('/platform/2/tweets/counts/all', options);
    expect(bought).toBe(NOW + old);
    expect(client.now('platform')).toBe(NOW);
  });
});

describe('the time by which counts settle', () => {
  test.each([
    ['ahead of', 3_600_000, 5_000],
    ['behind', -3_600_000, -3_600_000],
  ])(
    'is the earlier one if the platform’s clock is %s the service’s',
    async (_, theirs, earlier) => {
      const headers = {
        'x-vault': 'bought',
        'x-fetched-at': new Date(NOW + earlier).toISOString(),
      };
      const { client, options } = clientOf([
        () => ok({}, { date: date(NOW + 5_000) }),
        () => ok({}, { date: date(NOW + theirs), ...headers }),
      ]);
      expect((await client.get('/sources', options)).fetched).toBe(NOW + 5_000);
      expect(client.platformSkewMs).toBeNull();
      const answer = await client.get('/platform/2/tweets/counts/all', options);
      expect([answer.date - NOW, answer.fetched - NOW]).toEqual([theirs, earlier]);
      expect(client.settleNow('platform') - NOW).toBe(earlier);
      expect(client.settleNow('posts') - NOW).toBe(5_000);
      expect(client.platformSkewMs).toBe(theirs - 5_000);
    },
  );
});

test('sends four platform requests at once, without delaying other requests', async () => {
  const time = new FakeTime(NOW);
  const sent: string[] = [];
  const answers: (() => void)[] = [];
  const fetch = async (path: string): Promise<Response> => {
    sent.push(path);
    if (path.startsWith('/platform')) await new Promise<void>((resolve) => answers.push(resolve));
    return ok();
  };
  const client = new Client(time.environment(fetch));
  const { signal } = new AbortController();
  const pages = Array.from({ length: 9 }, (_, i) =>
    client.get(`/platform/2/tweets/counts/all?n=${i}`, { signal }),
  );
  await new Promise((resolve) => setImmediate(resolve));
  await client.get('/sources', { signal });
  expect(sent).toHaveLength(5);
  while (answers.length > 0) {
    answers.shift()?.();
    await new Promise((resolve) => setImmediate(resolve));
  }
  await Promise.all(pages);
  expect(sent).toHaveLength(10);
});

describe('a reached cap', () => {
  const reached = (): Response =>
    bad(
      429,
      JSON.stringify({
        title: 'Budget reached',
        type: BUDGET_REACHED,
        status: 429,
        scope: 'day',
        unit: 'money',
        cap: 1,
        spent: 1,
        reset: new Date(NOW + 150_000).toISOString(),
      }),
    );

  test('is waited out until the end of its day, with a check every minute', async () => {
    const { client, options, waits, time } = clientOf([reached, reached, reached, ok]);
    await client.get('/path', options);
    expect(waits[0]).toEqual({ until: NOW + 150_000, reason: 'budget' });
    expect(time.slept).toEqual([60_000, 60_000, 30_000]);
    expect(waits.at(-1)).toBeNull();
  });

  test('is checked again at once when it may have been raised', async () => {
    const { client, options, time, sent } = clientOf([reached, ok]);
    time.frozen = true;
    const call = client.get('/path', options);
    await new Promise((resolve) => setImmediate(resolve));
    expect(sent).toHaveLength(1);
    client.retryBudget();
    await call;
    expect(sent).toHaveLength(2);
  });

  test('of a month is checked every minute as well', async () => {
    const reset = new Date(NOW + 30 * 86_400_000).toISOString();
    const month = () => bad(429, JSON.stringify({ type: BUDGET_REACHED, reset }));
    const { client, options, time } = clientOf([month, month, ok]);
    await client.get('/path', options);
    expect(time.slept).toEqual([60_000, 60_000]);
  });

  test('stops the wait when the call is aborted', async () => {
    const { client, options, controller, time } = clientOf([reached]);
    time.frozen = true;
    const call = client.get('/path', options);
    await new Promise((resolve) => setImmediate(resolve));
    controller.abort();
    await expect(call).rejects.toThrow(/abort/i);
  });
});
