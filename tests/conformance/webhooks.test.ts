import { createHmac } from 'node:crypto';
import { afterAll, describe, expect, it } from 'vitest';
import type { Access } from '#contract/accounts/access.ts';
import { HOUR_MS } from '#core/time/span.ts';
import { checked } from '#server/webhooks/checks.ts';
import type { FetchFault } from '#server/fetcher/fetch-error.ts';
import { startReceiver, testNames } from '#tests/support/receiver.ts';
import { startService } from '#tests/support/service.ts';
import { FakeClock } from '#tests/support/timers.ts';

// Rows of platform-facts 1.5 and 6.4 and of platform-facts-additions, section 6.

const clock = new FakeClock(Date.parse('2026-11-21T10:30:20Z'));
const receiver = await startReceiver();
const service = startService({
  now: clock.now,
  outgoing: { resolve: testNames, ca: receiver.ca, timer: clock.timer },
});
afterAll(async () => {
  await service.close();
  await receiver.close();
});

let apps = 0;
function program(access: Access = 'enterprise') {
  const name = `App ${(apps += 1)}`;
  const { secrets } = service.auth.apps({ action: 'add', name, settings: { access } });
  const secret = secrets?.api_key_secret ?? '';
  receiver.secret = secret;
  const ask = async <A = { readonly id: string }>(method: string, path: string, body?: object) => {
    const headers = {
      cookie: '',
      authorization: `Bearer ${secrets?.bearer_token}`,
      'content-type': 'application/json',
    };
    const answer = await service.request(path, {
      method,
      headers,
      ...(body && { body: JSON.stringify(body) }),
    });
    return { status: answer.status, body: (await answer.json()) as A };
  };
  return { secret, ask };
}

describe('Limits', () => {
  it('pay-per-use allows one webhook', async () => {
    const { ask } = program('pay-per-use');
    const statuses = [];
    for (const path of ['/1', '/2']) {
      statuses.push((await ask('POST', '/2/webhooks', { url: receiver.url(path) })).status);
    }
    expect(statuses).toEqual([200, 400]);
  });
});

describe('Errors: 400 invalid-request with `REASON: details`', () => {
  it.each([
    ['CrcValidationFailed', 'POST', '/2/webhooks', { url: receiver.url('/wrong') }],
    ['UrlValidationFailed', 'POST', '/2/webhooks', { url: 'ftp://example.com/' }],
    ['DuplicateUrlFailed', 'POST', '/2/webhooks', { url: receiver.url('/known') }],
    ['WebhookLimitExceeded', 'POST', '/2/webhooks', { url: receiver.url('/more') }],
    ['WebhookIdInvalid', 'PUT', '/2/webhooks/1', undefined],
    ['WebhookIdInvalid', 'DELETE', '/2/webhooks/1', undefined],
    ['WebhookIdInvalid', 'POST', '/2/tweets/search/webhooks/1', undefined],
    ['WebhookIdInvalid', 'DELETE', '/2/tweets/search/webhooks/1', undefined],
  ])('%s by %s %s', async (reason, method, path, body) => {
    const isFull = reason === 'WebhookLimitExceeded' || reason === 'DuplicateUrlFailed';
    const { ask } = program(isFull ? 'pay-per-use' : 'enterprise');
    if (isFull) await ask('POST', '/2/webhooks', { url: receiver.url('/known') });
    receiver.check =
      reason === 'CrcValidationFailed' ? (_, response) => void response.end('{}') : null;
    const answer = await ask(method, path, body);
    receiver.check = null;
    expect(answer).toMatchObject({
      status: 400,
      body: {
        title: 'Invalid Request',
        type: 'https://api.x.com/2/problems/invalid-request',
        errors: [{ message: expect.stringMatching(new RegExp(`^${reason}: .`)) }],
      },
    });
  });
});

describe('The check', () => {
  const webhook = {
    id: '1',
    app: '1',
    url: receiver.url(),
    valid: true,
    createdAt: 0,
    checkedAt: 0,
    validatedAt: 0,
    fault: null,
  };
  const validAfter = (fault: FetchFault | 'response', hours: number): boolean =>
    checked(webhook, { fault, message: 'x' }, hours * HOUR_MS).valid;

  it.each(['response', 'redirect', 'certificate', 'address', 'answer'] as const)(
    'a %s fault invalidates at once',
    (fault) => {
      expect(validAfter(fault, 0)).toBe(false);
    },
  );

  it.each(['timeout', 'status', 'connection'] as const)(
    'a %s fault invalidates after 28 hours',
    (fault) => {
      expect([validAfter(fault, 27.99), validAfter(fault, 28)]).toEqual([true, false]);
    },
  );

  it('is a GET with a crc_token, answered by its HMAC', async () => {
    const { secret, ask } = program();
    receiver.check = ({ method, path }, response) => {
      expect(method).toBe('GET');
      const token = new URL(path, receiver.url()).searchParams.get('crc_token') ?? '';
      const hmac = createHmac('sha256', secret).update(token).digest('base64');
      response.end(JSON.stringify({ response_token: `sha256=${hmac}` }));
    };
    const { status } = await ask('POST', '/2/webhooks', { url: receiver.url('/crc') });
    receiver.check = null;
    expect(status).toBe(200);
  });
});

it('a delivery is a POST of JSON with its HMAC in x-twitter-webhooks-signature', async () => {
  const { secret, ask } = program();
  const { body } = await ask('POST', '/2/webhooks', { url: receiver.url('/delivery') });
  const bytes = Buffer.from('{"data":{}}');
  const hmac = createHmac('sha256', secret).update(bytes).digest('base64');
  service.webhooks.enqueue({ name: 'test', cursor: 1 }, [
    { webhook: body.id, subscription: 'a', event: '1', body: bytes, createdAt: clock.at },
  ]);
  await service.webhooks.deliverer.idle();
  expect(receiver.deliveries.at(-1)).toEqual({
    method: 'POST',
    path: '/delivery',
    signature: `sha256=${hmac}`,
    body: bytes,
  });
});

describe('Filtered stream webhooks (2025-09-09)', () => {
  it('are linked once, listed and unlinked', async () => {
    const { ask } = program();
    const { id } = (await ask('POST', '/2/webhooks', { url: receiver.url('/linked') })).body;
    const path = `/2/tweets/search/webhooks/${id}`;
    expect((await ask('POST', `${path}?tweet.fields=lang`)).body).toEqual({
      data: { provisioned: true },
    });
    expect((await ask('POST', path)).status).toBe(409);
    expect((await ask('GET', '/2/tweets/search/webhooks')).body).toMatchObject({
      data: { links: [{ webhook_id: id, fields: ['lang'] }] },
    });
    expect((await ask('DELETE', path)).body).toEqual({ data: { deleted: true } });
  });
});
