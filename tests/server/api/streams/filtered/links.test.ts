import { randomBytes } from 'node:crypto';
import { copyFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, beforeEach, describe, expect, it } from 'vitest';
import { DAY_MS, HOUR_MS } from '#core/time/span.ts';
import { openService } from '#server/auth/store.ts';
import { signatureOf } from '#server/streams/deliverer.ts';
import { activityApp } from '#tests/server/api/streams/activity/activity-stage.ts';
import { bearer, callerOf } from '#tests/support/service/callers.ts';
import { startReceiver, testNames } from '#tests/support/service/receiver.ts';
import { startService } from '#tests/support/service/service.ts';
import { linesOf } from '#tests/support/service/stream-lines.ts';
import { FakeClock } from '#tests/support/timers.ts';

const random = (n: number): Uint8Array => randomBytes(n);
const STREAM = '/2/tweets/search/stream';
const LINKS = '/2/tweets/search/webhooks';
const NOW = '2026-11-21T10:30:20.000Z';

const clock = new FakeClock(Date.parse(NOW));
const receiver = await startReceiver();
const service = startService({
  now: clock.now,
  elapsed: clock.now,
  sample: [{ id: 1n, createdAt: NOW, text: 'old tea' }],
  outgoing: { resolve: testNames, ca: receiver.ca, timer: clock.timer, timeout: clock.timeout },
});
afterAll(async () => {
  await service.close();
  await receiver.close();
});

type App = ReturnType<typeof activityApp>;
let app: App;
// Not of the app that receives her Posts, which may end or pay.
const alice = activityApp(service).user('alice');
let webhook: string;
let hooks = 0;
async function webhookOf(of: App): Promise<string> {
  receiver.secret = of.api_key_secret;
  const { body } = await of.post('/2/webhooks', { url: receiver.url(`/${(hooks += 1)}`) });
  return body.data.id;
}
beforeEach(async () => {
  receiver.deliver = (_, response) => void response.end();
  receiver.check = null;
  for (const { id } of service.webhooks.table.all()) service.webhooks.table.remove(id);
  app = activityApp(service);
  webhook = await webhookOf(app);
  await delivered();
  receiver.deliveries.length = 0;
});

const link = (parameters = '', of = app, id = webhook, prefix = '') =>
  of.post(`${prefix}${LINKS}/${id}${parameters}`);
const unlink = (of = app, id = webhook) => of.send('DELETE', `${LINKS}/${id}`);
async function addRule(value: string, of = app, prefix = ''): Promise<string> {
  const add = [{ value, tag: `about ${value}` }];
  const { body } = await of.post(`${prefix}${STREAM}/rules`, {
    add,
  });
  return body.data[0]!.id;
}
/** Resolves when what happened was delivered. */
async function delivered(): Promise<void> {
  service.events.posts.wake();
  await service.webhooks.rest();
  await service.webhooks.deliverer.idle();
}
let posts = 0;
async function post(text: string, more: object = {}): Promise<string> {
  // The same text twice is refused.
  const { body } = await alice.post('/2/tweets', {
    text: `${text} ${(posts += 1)}`,
    ...more,
  });
  await clock.move(1000);
  return body.data.id;
}
function protectAlice(isProtected: boolean): void {
  void service.auth.accounts({
    action: 'set',
    username: 'alice',
    profile: { protected: isProtected },
  });
}

async function connect(parameters = '') {
  const headers = bearer(app.bearer_token);
  return linesOf(await service.request(STREAM + parameters, { headers }));
}
const bodies = (): string[] => receiver.deliveries.map(({ body }) => String(body));
const ids = (): string[] => bodies().map((body) => JSON.parse(body).data.id);
const settings = async () => (await callerOf(service).get('/webhooks')).body;

describe('a linked webhook', () => {
  it.each([
    '',
    '?tweet.fields=author_id,created_at&expansions=author_id&user.fields=verified',
    '?post.fields=author_id,public_metrics&expansions=author_id,attachments.media_keys',
  ])('receives the lines of the stream, signed and in their order: %s', async (parameters) => {
    const tea = await addRule('tea');
    await addRule('green');
    const stream = await connect(parameters);
    expect((await link(parameters)).body).toEqual({ data: { provisioned: true } });
    const first = await post('green tea');
    await post('coffee');
    const second = await post('tea');
    await delivered();
    expect(ids()).toEqual([first, second]);
    expect(JSON.parse(bodies()[1]!).matching_rules).toEqual([{ id: tea, tag: 'about tea' }]);
    for (const { body, signature } of receiver.deliveries) {
      expect(await stream.line()).toBe(String(body));
      expect(signature).toBe(signatureOf(app.api_key_secret, body));
    }
    await stream.close();
  });

  it('receives each version of an edited Post, with the history of its edits', async () => {
    service.auth.accounts({
      action: 'set',
      username: 'alice',
      profile: { subscription_type: 'Premium' },
    });
    await addRule('tea');
    await link();
    const first = await post('tea');
    const second = await post('tea, edited', { edit_options: { previous_post_id: first } });
    await delivered();
    expect(bodies().map((body) => JSON.parse(body).data.edit_history_tweet_ids)).toEqual([
      [first],
      [first, second],
    ]);
  });

  it('receives nothing that was there before', async () => {
    await addRule('tea');
    await post('tea');
    await link();
    const id = await post('tea');
    await delivered();
    expect(ids()).toEqual([id]);
  });

  it('receives nothing of a protected account', async () => {
    await addRule('tea');
    await link();
    protectAlice(true);
    await post('secret tea');
    await delivered();
    protectAlice(false);
    await post('coffee');
    await delivered();
    expect(ids()).toEqual([]);
  });

  it('receives no Post that was deleted or whose author was protected while it waited', async () => {
    await addRule('tea');
    await link();
    const waiting = async () => {
      receiver.deliver = (_, response) => void response.writeHead(503).end();
      const all = [await post('tea'), await post('tea')];
      await delivered();
      receiver.deliver = (_, response) => void response.end();
      receiver.deliveries.length = 0;
      return all;
    };
    const [gone, open] = await waiting();
    await alice.send('DELETE', `/2/tweets/${gone}`);
    await clock.move(HOUR_MS, delivered);
    expect(ids()).toEqual([open]);
    await waiting();
    protectAlice(true);
    await clock.move(HOUR_MS, delivered);
    protectAlice(false);
    await clock.move(HOUR_MS, delivered);
    expect([ids(), service.webhooks.queue.backlog(webhook).pending]).toEqual([[], 0]);
  });

  it('may receive activity too', async () => {
    await addRule('tea');
    await link();
    await app.subscribe('post.create', { user_id: alice.id }, { webhook_id: webhook });
    await post('tea');
    await delivered();
    expect(
      bodies()
        .map((body) => Object.keys(JSON.parse(body)))
        .sort(),
    ).toEqual([['data'], ['data', 'matching_rules']]);
  });

  it('continues after a restart where it was, once each', async () => {
    await addRule('tea');
    await link();
    const first = await post('tea');
    await delivered();
    receiver.deliver = (_, response) => void response.writeHead(503).end();
    const second = await post('tea');
    await delivered();
    await service.restart();
    receiver.deliver = (_, response) => void response.end();
    receiver.deliveries.length = 0;
    const third = await post('tea');
    await clock.move(HOUR_MS, delivered);
    expect(ids()).toEqual([second, third]);
    expect(first).not.toBe(second);
  });

  it('is replayed, and its undelivered Posts are dead letters', { tags: 'long' }, async () => {
    await addRule('tea');
    await link();
    const id = await post('tea');
    await delivered();
    const sent = bodies();
    receiver.deliveries.length = 0;
    const minute = new Date(clock.at).toISOString().replaceAll(/\D/g, '').slice(0, 12);
    const request = { webhook_id: webhook, from_date: minute, to_date: minute };
    expect((await app.post('/2/webhooks/replay', request)).status).toBe(200);
    await delivered();
    expect(bodies().slice(0, -1)).toEqual(sent);
    receiver.deliver = (_, response) => void response.writeHead(410).end();
    const lost = await post('tea');
    await clock.move(DAY_MS + HOUR_MS, delivered);
    expect((await settings()).dead_letters[0]).toMatchObject({ webhook_id: webhook, event: lost });
    expect(id).not.toBe(lost);
  });

  it('receives the stream of the sample by its own link', async () => {
    await addRule('tea', app, '/sample');
    await addRule('tea');
    expect((await link('', app, webhook, '/sample')).status).toBe(200);
    await post('tea');
    await delivered();
    expect(ids()).toEqual([]);
    const { body } = await app.get(`/sample${LINKS}`);
    expect(body.data.links).toHaveLength(1);
    expect((await app.get(LINKS)).body).toEqual({ data: { links: [] } });
    expect((await unlink()).status).toBe(400);
    expect((await app.send('DELETE', `/sample${LINKS}/${webhook}`)).status).toBe(200);
  });
});

describe('links', () => {
  it('are listed with what they request', async () => {
    const withOwner = activityApp(service, { owner: 'alice' });
    const id = await webhookOf(withOwner);
    await link('?tweet.fields=lang,author_id&expansions=author_id&user.fields=name', withOwner, id);
    expect((await withOwner.get(LINKS)).body).toEqual({
      data: {
        links: [
          {
            application_id: withOwner.id,
            business_user_id: alice.id,
            created_at: new Date(clock.at).toISOString(),
            fields: ['lang', 'author_id', 'name'],
            instance_id: expect.stringMatching(/^\d{19}$/),
            webhook_id: id,
          },
        ],
      },
    });
    expect((await app.get(LINKS)).body).toEqual({ data: { links: [] } });
  });

  it('are shown in the settings', async () => {
    const shown = async () => (await settings()).webhooks[0].filtered_stream;
    expect(await shown()).toBeNull();
    await link('', app, webhook, '/sample');
    expect(await shown()).toEqual({
      source: 'sample',
      since: new Date(clock.at).toISOString(),
    });
  });

  it('are one of a webhook: another is a conflict that names it', async () => {
    await link();
    const { links } = (await app.get(LINKS)).body.data;
    for (const prefix of ['', '/sample']) {
      const { status, body } = await link('?tweet.fields=lang', app, webhook, prefix);
      expect(status).toBe(409);
      expect(body).toEqual({
        title: 'Conflict',
        detail: `The webhook [${webhook}] has the link [${links[0]?.instance_id}] to the filtered stream already.`,
        webhook_id: webhook,
        instance_id: links[0]?.instance_id,
        type: 'about:blank',
        status: 409,
      });
    }
  });

  it.each(['POST', 'DELETE'])('%s refuses an id that is not one of this app', async (method) => {
    for (const id of ['1', webhook]) {
      const { status, body } = await activityApp(service).send(method, `${LINKS}/${id}`);
      expect([status, body.title, body.errors[0]?.message]).toEqual([
        400,
        'Invalid Request',
        `WebhookIdInvalid: This app has no webhook with the id [${id}].`,
      ]);
    }
    expect((await app.send(method, `${LINKS}/x`)).status).toBe(400);
  });

  it('refuses a webhook that is not valid, and one without a link', async () => {
    const message = async (answer: ReturnType<typeof link>) => {
      const { status, body } = await answer;
      return [status, body.errors[0]?.message];
    };
    expect(await message(unlink())).toEqual([
      400,
      `WebhookIdInvalid: The webhook [${webhook}] has no link to this stream.`,
    ]);
    receiver.check = (_, response) => void response.end('{}');
    await app.send('PUT', `/2/webhooks/${webhook}`);
    expect(await message(link())).toEqual([
      400,
      `CrcValidationFailed: The webhook [${webhook}] is not valid. The answer is not a JSON object with a response_token.`,
    ]);
  });

  it.each([
    ['?tweet.fields=nonsense', 'tweet.fields'],
    ['?tweet.fields=lang&post.fields=lang', 'post.fields'],
    ['?backfill_minutes=1', 'backfill_minutes'],
  ])('refuses the parameters %s', async (parameters, name) => {
    const { status, body } = await link(parameters);
    expect([status, JSON.stringify(body)]).toEqual([400, expect.stringContaining(name)]);
  });

  it.each(['self-service', 'pay-per-use'] as const)('are not for %s access', async (access) => {
    const other = activityApp(service, { access });
    const id = await webhookOf(other);
    for (const [method, path] of [
      ['POST', `/${id}`],
      ['GET', ''],
      ['DELETE', `/${id}`],
    ] as const) {
      expect((await other.send(method, LINKS + path)).status).toBe(403);
    }
  });
});

describe('a file of Posts that is restored from a backup', () => {
  it('delivers all that happens afterwards, and nothing again', async () => {
    await addRule('tea');
    await link();
    const first = await post('tea');
    await delivered();
    const name = join(service.folder, 'posts.sqlite');
    const backup = join(service.folder, 'backup.sqlite');
    await service.restart(() => copyFileSync(name, backup));
    const lost = [await post('tea'), await post('tea'), await post('tea')];
    // A link that begins after entries that will be gone.
    const other = await webhookOf(app);
    await link('', app, other);
    await delivered();
    await service.restart(() => copyFileSync(backup, name));
    const later = await post('tea');
    await delivered();
    expect(ids().filter((id) => !lost.includes(id))).toEqual([first, later, later]);
    expect(service.log).toContainEqual(expect.stringContaining('restored from a backup'));
  });
});

describe('the end of a link', () => {
  const ends = {
    'is unlinked': () => unlink(),
    'is removed': () => app.send('DELETE', `/2/webhooks/${webhook}`),
    'belongs to an app that is removed': async () =>
      service.auth.apps({ action: 'remove', name: app.name }),
  };
  it.each(Object.entries(ends))('drops what waits when its webhook %s', async (_, end) => {
    await addRule('tea');
    await link();
    receiver.deliver = (_request, response) => void response.writeHead(503).end();
    await post('tea');
    await post('tea');
    await delivered();
    expect(service.webhooks.queue.backlog(webhook).pending).toBe(2);
    await end();
    receiver.deliver = (_request, response) => void response.end();
    receiver.deliveries.length = 0;
    await post('tea');
    await clock.move(HOUR_MS, delivered);
    expect([ids(), service.webhooks.queue.backlog(webhook).pending]).toEqual([[], 0]);
  });

  it('also drops what a kill left after the link was removed', async () => {
    await addRule('tea');
    await link();
    receiver.deliver = (_, response) => void response.writeHead(503).end();
    await post('tea');
    await delivered();
    await service.restart(() => {
      const stored = openService(join(service.folder, 'service.sqlite'), { random });
      stored.links.remove(webhook);
      stored.close();
    });
    receiver.deliveries.length = 0;
    await link();
    receiver.deliver = (_, response) => void response.end();
    const id = await post('tea');
    await clock.move(HOUR_MS, delivered);
    expect(ids()).toEqual([id]);
  });
});

describe('the price of a delivery', () => {
  const usage = async (of: App): Promise<number> => {
    const { body } = await of.get('/2/usage/tweets');
    return Number(body.data.project_usage);
  };

  it('counts each Post once a day, as a line of the stream does', async () => {
    await addRule('tea');
    await link();
    const second = await webhookOf(app);
    await link('', app, second);
    const stream = await connect();
    await post('tea');
    await post('tea');
    await delivered();
    expect(receiver.deliveries).toHaveLength(4);
    expect(await usage(app)).toBe(2);
    await stream.close();
  });

  it('ends the deliveries when the credits are spent, and says so', async () => {
    await addRule('tea');
    await link();
    service.auth.apps({
      action: 'set',
      name: app.name,
      settings: { access: 'pay-per-use', credits: 12_000 },
    });
    const all = [];
    for (let i = 0; i < 5; i++) {
      all.push(await post('tea'));
      await delivered();
    }
    expect(ids()).toEqual(all.slice(0, 3));
    const { dead_letters: letters } = await settings();
    expect(letters[0]).toMatchObject({
      webhook_id: webhook,
      fault: expect.stringContaining('The app has spent its credits or its limit (usage-capped)'),
    });
  });
});
