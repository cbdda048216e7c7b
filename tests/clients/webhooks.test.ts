import { Client } from '@xdevplatform/xdk';
import { ApiResponseError } from 'twitter-api-v2';
import { afterAll, beforeEach, describe, expect, it } from 'vitest';
import { signatureOf } from '#server/streams/deliverer.ts';
import { startReceiver, testNames } from '#tests/support/service/receiver.ts';
import { refusal, v2ClientOf } from '#tests/support/service/clients.ts';
import { startService } from '#tests/support/service/service.ts';

const receiver = await startReceiver();
const service = startService({ outgoing: { resolve: testNames, ca: receiver.ca } });
const url = await service.listen();
afterAll(async () => {
  await service.close();
  await receiver.close();
});

const { apps, secrets } = service.auth.apps({ action: 'add', name: 'Receiver', settings: {} });
const appKey = apps[0]?.api_key ?? '';
const appSecret = secrets?.api_key_secret ?? '';
const token = secrets?.bearer_token ?? '';
const signed = service.auth.issueUserToken({
  name: 'ann',
  app: 'Receiver',
  limited: true,
  oauth1: true,
});
receiver.secret = appSecret;

let cursor = 0;
function enqueue(webhook: string, event: string): void {
  const body = Buffer.from(JSON.stringify({ event }));
  const one = { webhook, subscription: 'a', event, body, createdAt: Date.now() };
  service.webhooks.enqueue({ name: 'test', cursor: (cursor += 1) }, [one]);
}
const bodies = (): string[] => receiver.deliveries.map(({ body }) => body.toString());
/** The minute of an instant, as replays name it. */
const minute = (at: number): string => new Date(at).toISOString().replace(/\D/g, '').slice(0, 12);

beforeEach(() => {
  receiver.deliveries.length = 0;
});

describe('twitter-api-v2', () => {
  const clients = {
    'an app-only token': () => v2ClientOf(url, token),
    'OAuth 1.0a': () =>
      v2ClientOf(url, {
        appKey,
        appSecret,
        accessToken: signed.token,
        accessSecret: signed.signing?.access_token_secret ?? '',
      }),
  };

  it.each(Object.entries(clients))('registers a receiver with %s', async (_, open) => {
    const v2 = open();
    const { data: made } = await v2.post<{ data: { id: string } }>('webhooks', {
      url: receiver.url(),
    });
    expect(made).toMatchObject({ url: receiver.url(), valid: true });
    enqueue(made.id, 'one');
    await service.webhooks.deliverer.idle();
    const body = Buffer.from('{"event":"one"}');
    expect(receiver.deliveries).toMatchObject([{ body, signature: signatureOf(appSecret, body) }]);

    const error = await refusal(ApiResponseError, v2.post('webhooks', { url: receiver.url() }));
    expect([error.code, error.errors?.[0]]).toMatchObject([
      400,
      { message: expect.stringMatching(/^DuplicateUrlFailed: /) },
    ]);
    expect(await v2.put(`webhooks/${made.id}`)).toEqual({ data: { attempted: true, valid: true } });
    expect(await v2.delete(`webhooks/${made.id}`)).toEqual({ data: { deleted: true } });
  });
});

describe('@xdevplatform/xdk', () => {
  const { webhooks } = new Client({ baseUrl: url, bearerToken: token });

  it('registers, lists, validates, replays and removes', async () => {
    const made = await webhooks.create({ url: receiver.url('/xdk') });
    const { id = '' } = made.data ?? {};
    expect(made.data).toMatchObject({ url: receiver.url('/xdk'), valid: true });
    expect((await webhooks.get()).data).toMatchObject([{ id, valid: true }]);
    expect((await webhooks.validate(id)).data).toMatchObject({ valid: true });

    const began = Date.now();
    enqueue(id, 'one');
    enqueue(id, 'two');
    await service.webhooks.deliverer.idle();
    const sent = bodies();
    expect(sent).toEqual(['{"event":"one"}', '{"event":"two"}']);
    receiver.deliveries.length = 0;
    const job = await webhooks.createWebhookReplayJob({
      webhookId: id,
      fromDate: minute(began),
      toDate: minute(Date.now()),
    });
    await service.webhooks.deliverer.idle();
    expect(bodies().slice(0, 2)).toEqual(sent);
    expect(JSON.parse(bodies()[2] ?? '')).toMatchObject({
      replay_job_status: { webhook_id: id, job_id: job.data?.jobId, job_state: 'Complete' },
    });
    expect((await webhooks.delete(id)).data).toEqual({ deleted: true });
    expect((await webhooks.get()).data ?? []).toEqual([]);
  });

  it('reads why a receiver was refused', async () => {
    receiver.check = (_, response) => void response.end('{}');
    const error: unknown = await webhooks
      .create({ url: receiver.url('/wrong') })
      .catch((error: unknown) => error);
    receiver.check = null;
    expect(error).toMatchObject({ status: 400 });
    expect(JSON.stringify(error)).toContain('CrcValidationFailed: ');
  });

  it('links a webhook to the filtered stream, which then receives its lines', async () => {
    service.auth.apps({ action: 'set', name: 'Receiver', settings: { access: 'enterprise' } });
    const v2 = v2ClientOf(url, token);
    await v2.updateStreamRules({ add: [{ value: 'tea', tag: 'hot' }] });
    const { data: made } = await webhooks.create({ url: receiver.url('/linked') });
    const id = made?.id ?? '';
    expect((await webhooks.createStreamLink(id)).data).toEqual({ provisioned: true });
    expect((await webhooks.getStreamLinks()).data).toMatchObject({ links: [{ webhookId: id }] });
    const error: unknown = await webhooks.createStreamLink(id).catch((error: unknown) => error);
    expect(error).toMatchObject({ status: 409 });

    const author = service.auth.issueUserToken({ name: 'bea', limited: false });
    const { data: post } = await v2ClientOf(url, author.token).tweet('green tea');
    service.events.posts.wake();
    await service.webhooks.rest();
    await service.webhooks.deliverer.idle();
    expect(bodies().map((body) => JSON.parse(body))).toEqual([
      {
        data: { id: post.id, text: 'green tea', edit_history_tweet_ids: [post.id] },
        matching_rules: [{ id: expect.any(String), tag: 'hot' }],
      },
    ]);
    expect((await webhooks.deleteStreamLink(id)).data).toEqual({ deleted: true });
    await webhooks.delete(id);
  });
});
