import { afterAll, afterEach, beforeEach, describe, expect, it } from 'vitest';
import type { Access } from '#contract/accounts/access.ts';
import { DAY_MS, HOUR_MS } from '#core/time/span.ts';
import { signatureOf } from '#server/streams/deliverer.ts';
import { ANYWHERE, PUBLIC_ONLY } from '#server/fetcher/target.ts';
import { callerOf, program, type Answered } from '#tests/support/service/callers.ts';
import { RECEIVER, startReceiver, testNames } from '#tests/support/service/receiver.ts';
import { startService } from '#tests/support/service/service.ts';
import { FakeClock } from '#tests/support/timers.ts';

const NOW = Date.parse('2026-11-21T10:30:20Z');
const MINUTE = 60_000;
const clock = new FakeClock(NOW);
const REBOUND = 'rebound.receiver.test';
const receiver = await startReceiver([RECEIVER, REBOUND]);
const rules = { ...ANYWHERE };
const service = startService({
  now: clock.now,
  elapsed: clock.now,
  outgoing: {
    rules,
    resolve: testNames,
    ca: receiver.ca,
    timer: clock.timer,
    timeout: clock.timeout,
  },
});
afterAll(async () => {
  await service.close();
  await receiver.close();
});

/** A program with an app-only token, through an app of its own. */
function receiving(access: Access = 'enterprise') {
  const app = program(service, { access });
  receiver.secret = app.api_key_secret;
  return { ...app, create: (url: string) => app.post('/2/webhooks', { url }) };
}

/** The status and the first message of an answer. */
const failure = ({ status, body }: Answered) => [status, body.title, body.errors?.[0]?.message];

beforeEach(() => {
  receiver.check = null;
  receiver.deliver = (_, response) => void response.end();
  receiver.deliveries.length = 0;
  receiver.checks.length = 0;
});
afterEach(() => {
  Object.assign(rules, ANYWHERE);
  for (const { id } of service.webhooks.table.all()) service.webhooks.table.remove(id);
});
const idle = async (): Promise<void> => {
  await service.webhooks.checks.idle();
  await service.webhooks.deliverer.idle();
};
const settings = async () => (await callerOf(service).get('/webhooks')).body;

describe('POST /2/webhooks', () => {
  it('checks the receiver and stores the webhook', async () => {
    const app = receiving();
    const { status, body } = await app.create(receiver.url('/hook?a=b'));
    const webhook = {
      id: expect.stringMatching(/^\d{19}$/),
      url: receiver.url('/hook?a=b'),
      valid: true,
      created_at: '2026-11-21T10:30:20.000Z',
    };
    expect([status, body]).toEqual([200, { data: webhook, ...webhook }]);
    expect(receiver.checks).toMatchObject([
      { method: 'GET', path: expect.stringMatching(/^\/hook\?a=b&crc_token=[\w-]{32}$/) },
    ]);
    expect((await app.get('/2/webhooks')).body).toEqual({
      data: [body.data],
      meta: { result_count: 1 },
    });
    const some = await app.get('/2/webhooks?webhook_config.fields=id,valid');
    expect(some.body.data).toEqual([{ id: body.data.id, valid: true }]);
    expect((await receiving().get('/2/webhooks')).body).toEqual({ meta: { result_count: 0 } });
  });

  it.each([
    ['no JSON', 'hello', 'The answer is not a JSON object with a response_token.'],
    ['no token', '{}', 'The answer is not a JSON object with a response_token.'],
    ['another token', '{"response_token":"sha256=x"}', 'Invalid response_token'],
  ])('refuses a receiver that answers with %s', async (_, answer, message) => {
    receiver.check = (_request, response) => void response.end(answer);
    const app = receiving();
    expect(failure(await app.create(receiver.url()))).toEqual([
      400,
      'Invalid Request',
      `CrcValidationFailed: ${message}`,
    ]);
    expect((await app.get('/2/webhooks')).body.meta.result_count).toBe(0);
  });

  it.each([
    [302, 'The server redirected the request (status 302).'],
    [404, 'The server answered with status 404.'],
    [503, 'The server answered with status 503.'],
  ])('refuses a receiver that answers with status %i', async (status, message) => {
    receiver.check = (_, response) => void response.writeHead(status, { location: '/x' }).end();
    expect(failure(await receiving().create(receiver.url()))[2]).toBe(
      `CrcValidationFailed: ${message}`,
    );
  });

  it('refuses a receiver that never answers', async () => {
    const came = new Promise<void>((resolve) => {
      receiver.check = () => resolve();
    });
    const made = receiving().create(receiver.url());
    await came;
    await clock.move(10_000);
    expect(failure(await made)[2]).toBe(
      'CrcValidationFailed: There was no answer within 10 seconds.',
    );
  });

  it('refuses a certificate for another name', async () => {
    const url = receiver.url().replace('receiver.test', 'other.receiver.test');
    expect(failure(await receiving().create(url))[2]).toBe(
      "CrcValidationFailed: The server's certificate was not accepted: ERR_TLS_CERT_ALTNAME_INVALID.",
    );
  });

  it.each([
    ['http://example.com/', 'The URL must begin with https.'],
    ['https://example.com:8443/', 'The URL must not contain a port.'],
    ['https://10.0.0.1/', 'The URL leads to an address that is not public (private).'],
    ['https://receiver.test/', 'The URL leads to an address that is not public (loopback).'],
    ['nonsense', 'The URL must be an absolute one'],
  ])('refuses %s', async (url, message) => {
    Object.assign(rules, PUBLIC_ONLY);
    const [status, title, text] = failure(await receiving().create(url));
    expect([status, title]).toEqual([400, 'Invalid Request']);
    expect(text).toContain(`UrlValidationFailed: ${message}`);
  });

  it('refuses a name that resolves to a private address on the second lookup', async () => {
    const app = receiving();
    receiver.check = ({ path }, response) => {
      const token = new URL(path, receiver.url()).searchParams.get('crc_token') ?? '';
      const json = JSON.stringify({ response_token: signatureOf(app.api_key_secret, token) });
      response.writeHead(200, { connection: 'close' }).end(json);
    };
    const { body } = await app.create(receiver.url().replace('receiver.test', REBOUND));
    expect(body.data.valid).toBe(true);
    // The same lookup, of an address that is now a private one.
    Object.assign(rules, { rangeOf: () => 'private' });
    const { body: again } = await app.send('PUT', `/2/webhooks/${body.data.id}`);
    expect([again.data, receiver.checks.length]).toEqual([{ attempted: true, valid: false }, 1]);
    expect((await settings()).webhooks[0].fault).toContain('not public (private)');
  });

  it('refuses the same URL twice for an app, not for two', async () => {
    const app = receiving();
    await app.create(receiver.url());
    expect(failure(await app.create(receiver.url()))).toEqual([
      400,
      'Invalid Request',
      `DuplicateUrlFailed: This app has a webhook with the URL [${receiver.url()}] already.`,
    ]);
    expect((await receiving().create(receiver.url())).status).toBe(200);
  });

  it.each([
    ['self-service', 1],
    ['pay-per-use', 1],
    ['enterprise', 25],
  ] as const)('gives an app with %s access %i', async (access, most) => {
    const app = receiving(access);
    for (let i = 0; i < most; i++) {
      expect((await app.create(receiver.url(`/${i}`))).status).toBe(200);
    }
    expect(failure(await app.create(receiver.url('/more')))).toEqual([
      400,
      'Invalid Request',
      `WebhookLimitExceeded: This app may have ${most} webhook${most === 1 ? '' : 's'}.`,
    ]);
  });

  it('gives no more to requests at the same time', async () => {
    const app = receiving('pay-per-use');
    const all = await Promise.all([0, 1, 2].map((i) => app.create(receiver.url(`/${i}`))));
    expect(all.map(({ status }) => status).sort()).toEqual([200, 400, 400]);
  });

  it.each([
    [{}, '$.url: is required'],
    [{ url: '' }, '$.url: must have 1 to 200 characters, got 0'],
    [{ url: `https://x.test/${'a'.repeat(186)}` }, '$.url: must have 1 to 200 characters, got 201'],
    [{ url: 5 }, '$.url: must be a string, got 5'],
    [{ url: 'https://x.test/', more: 1 }, '$.more: is not defined in the schema'],
  ])('refuses the body %j', async (request, message) => {
    const [status, , text] = failure(await receiving().post('/2/webhooks', request));
    expect([status, text]).toEqual([400, expect.stringContaining(message)]);
  });
});

describe('PUT /2/webhooks/:webhook_id', () => {
  it('checks the receiver again: a wrong answer invalidates at once, a right one validates', async () => {
    const app = receiving();
    const { id } = (await app.create(receiver.url())).body.data;
    receiver.check = (_, response) => void response.end('{}');
    const put = async () => (await app.send('PUT', `/2/webhooks/${id}`)).body;
    expect(await put()).toEqual({ data: { attempted: true, valid: false } });
    expect((await app.get('/2/webhooks')).body.data[0].valid).toBe(false);
    expect(service.log.at(-1)).toContain(`The webhook ${id}`);
    receiver.check = null;
    expect(await put()).toEqual({ data: { attempted: true, valid: true } });
  });

  it('keeps a valid webhook when the receiver is only away', async () => {
    const app = receiving();
    const { id } = (await app.create(receiver.url())).body.data;
    receiver.check = (_, response) => void response.writeHead(503).end();
    expect((await app.send('PUT', `/2/webhooks/${id}`)).body.data.valid).toBe(true);
    expect((await settings()).webhooks).toMatchObject([
      { id, app: app.name, fault: 'The server answered with status 503.' },
    ]);
  });

  it.each(['PUT', 'DELETE'])('%s refuses an id that is not one of this app', async (method) => {
    const other = (await receiving().create(receiver.url())).body.data.id;
    for (const id of ['1', other]) {
      expect(failure(await receiving().send(method, `/2/webhooks/${id}`))).toEqual([
        400,
        'Invalid Request',
        `WebhookIdInvalid: This app has no webhook with the id [${id}].`,
      ]);
    }
    const [status] = failure(await receiving().send(method, '/2/webhooks/x'));
    expect(status).toBe(400);
  });
});

it('DELETE removes a webhook and what waits for it', async () => {
  const app = receiving();
  const { id } = (await app.create(receiver.url())).body.data;
  receiver.deliver = (_, response) => void response.writeHead(500).end();
  enqueue(id, 'x');
  await idle();
  expect((await app.send('DELETE', `/2/webhooks/${id}`)).body).toEqual({ data: { deleted: true } });
  await idle();
  expect(service.webhooks.queue.backlog(id).pending).toBe(0);
  expect((await app.get('/2/webhooks')).body.meta.result_count).toBe(0);
});

it('removing an app removes its webhooks', async () => {
  const app = receiving();
  await app.create(receiver.url());
  service.auth.apps({ action: 'remove', name: app.name });
  expect(service.webhooks.table.of(app.id)).toEqual([]);
});

describe('checks', () => {
  /** Moves the clock by so many minutes. @returns The minutes at which checks came. */
  const checkedAt = async (minutes: number): Promise<number[]> => {
    const times: number[] = [];
    for (let minute = 1; minute <= minutes; minute++) {
      const before = receiver.checks.length;
      await clock.move(MINUTE, idle);
      if (receiver.checks.length > before) times.push(minute);
    }
    return times;
  };

  it('are hourly', { tags: 'long' }, async () => {
    await receiving().create(receiver.url());
    const times = await checkedAt(185);
    expect(times.map((at, i) => at - (times[i - 1] ?? 0))).toEqual([
      expect.closeTo(60, -1),
      60,
      60,
    ]);
  });

  it(
    'are half-hourly after a day without a success, and end after 28 hours',
    { tags: 'long' },
    async () => {
      const app = receiving();
      const { id } = (await app.create(receiver.url())).body.data;
      receiver.check = (_, response) => void response.writeHead(503).end();
      const times = await checkedAt(30 * 60);
      const gaps = times.slice(1).map((at, i) => [times[i], at - times[i]!]);
      expect(gaps.filter(([at]) => at! < 23 * 60).every(([, gap]) => gap === 60)).toBe(true);
      expect(gaps.filter(([at]) => at! > 24 * 60).every(([, gap]) => gap === 30)).toBe(true);
      expect(times.at(-1)).toBeGreaterThanOrEqual(28 * 60);
      expect(times.at(-1)).toBeLessThanOrEqual(28 * 60 + 31);
      expect(service.webhooks.table.find(id)?.valid).toBe(false);
    },
  );
});

let cursor = 0;
function enqueue(webhook: string, ...events: string[]): void {
  const deliveries = events.map((event) => ({
    webhook,
    subscription: 'a',
    event,
    body: Buffer.from(`{"event":"${event}"}`),
    createdAt: clock.at,
  }));
  service.webhooks.enqueue({ name: 'test', cursor: (cursor += 1) }, deliveries);
}
const bodies = (): string[] => receiver.deliveries.map(({ body }) => body.toString());

describe('deliveries', () => {
  it('have the exact bytes, signed by the consumer secret', async () => {
    const app = receiving();
    const { id } = (await app.create(receiver.url('/to'))).body.data;
    enqueue(id, 'é');
    await idle();
    const body = Buffer.from('{"event":"é"}');
    expect(receiver.deliveries).toEqual([
      { method: 'POST', path: '/to', body, signature: signatureOf(app.api_key_secret, body) },
    ]);
  });

  it('that fail are listed with their reason, and survive a restart', async () => {
    const { id } = (await receiving().create(receiver.url())).body.data;
    receiver.deliver = (_, response) => void response.writeHead(500).end();
    enqueue(id, 'x', 'y');
    await idle();
    expect((await settings()).webhooks).toMatchObject([
      { id, pending: 2, delivery_fault: 'The server answered with status 500.' },
    ]);
    await service.restart();
    receiver.deliver = (_, response) => void response.end();
    receiver.deliveries.length = 0;
    await clock.move(HOUR_MS, idle);
    expect(bodies()).toEqual(['{"event":"x"}', '{"event":"y"}']);
  });

  it('that fail for 24 hours are dead letters', { tags: 'long' }, async () => {
    const app = receiving();
    const { id } = (await app.create(receiver.url())).body.data;
    receiver.deliver = (_, response) => void response.writeHead(410).end();
    enqueue(id, 'lost');
    await clock.move(DAY_MS + HOUR_MS, idle);
    const { dead_letters: letters } = await settings();
    expect(letters[0]).toMatchObject({
      webhook_id: id,
      subscription: 'a',
      event: 'lost',
      fault: 'The server answered with status 410.',
    });
    expect(service.log.some((line) => line.includes('given up after 24 hours'))).toBe(true);
  });
});

describe('POST /2/webhooks/replay', () => {
  const minute = (at: number): string => new Date(at).toISOString().replace(/\D/g, '').slice(0, 12);

  it('repeats what was sent, and reports when it is complete', async () => {
    const app = receiving();
    const { id } = (await app.create(receiver.url())).body.data;
    enqueue(id, 'before');
    await clock.move(MINUTE, idle);
    const began = clock.at;
    enqueue(id, 'first');
    await clock.move(MINUTE, idle);
    enqueue(id, 'last');
    await clock.move(MINUTE, idle);
    enqueue(id, 'after');
    await idle();
    const sent = bodies();
    receiver.deliveries.length = 0;
    const request = { webhook_id: id, from_date: minute(began), to_date: minute(began + MINUTE) };
    const { status, body } = await app.post('/2/webhooks/replay', request);
    const job = { job_id: expect.stringMatching(/^\d+$/), created_at: expect.any(String) };
    expect([status, body]).toEqual([200, { data: job, ...job }]);
    await idle();
    expect(bodies().slice(0, -1)).toEqual(sent.slice(1, 3));
    expect(JSON.parse(bodies().at(-1) ?? '')).toEqual({
      replay_job_status: {
        webhook_id: id,
        job_state: 'Complete',
        job_state_description: 'Job completed successfully',
        job_id: body.job_id,
      },
    });
    expect((await settings()).replays[0]).toMatchObject({ job_id: body.job_id, state: 'complete' });
  });

  it('continues after a restart, and refuses another one meanwhile', async () => {
    const app = receiving();
    const { id } = (await app.create(receiver.url())).body.data;
    enqueue(id, 'x', 'y');
    await idle();
    receiver.deliver = (_, response) => void response.writeHead(500).end();
    receiver.deliveries.length = 0;
    const request = { webhook_id: id, from_date: minute(clock.at), to_date: minute(clock.at) };
    expect((await app.post('/2/webhooks/replay', request)).status).toBe(200);
    await idle();
    const second = await app.post('/2/webhooks/replay', request);
    expect([second.status, second.body.title]).toEqual([409, 'Conflict']);
    await service.restart();
    receiver.deliver = (_, response) => void response.end();
    receiver.deliveries.length = 0;
    await clock.move(HOUR_MS, idle);
    expect(bodies()).toHaveLength(3);
  });

  it.each([
    ['from_date', '20261120103', '$.from_date: [20261120103] does not match ^[0-9]{12}$'],
    ['from_date', '202613010000', '$.from_date: [202613010000] is not a minute'],
    ['from_date', '202611312400', '$.from_date: [202611312400] is not a minute'],
    ['to_date', 5, '$.to_date: must be a string, got 5'],
    ['webhook_id', 'x', '$.webhook_id: [x] does not match ^[0-9]{1,19}$'],
    ['more', 'x', '$.more: is not defined in the schema'],
  ])('refuses %s %j', async (name, value, message) => {
    const request = {
      webhook_id: '1',
      from_date: minute(clock.at),
      to_date: minute(clock.at),
      [name]: value,
    };
    const [status, , text] = failure(await receiving().post('/2/webhooks/replay', request));
    expect([status, text]).toEqual([400, expect.stringContaining(message)]);
  });

  it('refuses bounds beyond the last 24 hours, and the webhook of another app', async () => {
    const app = receiving();
    const { id } = (await app.create(receiver.url())).body.data;
    const ask = async (from: number, to: number, webhook = id) => {
      const request = { webhook_id: webhook, from_date: minute(from), to_date: minute(to) };
      return failure(await app.post('/2/webhooks/replay', request));
    };
    const at = clock.at;
    expect(await ask(at - DAY_MS - MINUTE, at)).toEqual([
      400,
      'Invalid Request',
      `$.from_date: [${minute(at - DAY_MS - MINUTE)}] must be ${minute(at - DAY_MS)} or later: 24 hours are kept`,
    ]);
    expect((await ask(at, at + MINUTE))[2]).toContain('or earlier: now');
    expect((await ask(at, at - MINUTE))[2]).toContain('must not be before the from_date');
    expect((await ask(at, at, '1'))[2]).toContain('WebhookIdInvalid: ');
    expect((await ask(at - DAY_MS, at))[0]).toBe(200);
  });
});
