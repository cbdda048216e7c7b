import { afterAll, afterEach, beforeEach, describe, expect, it } from 'vitest';
import type { NewConnection } from '#server/streams/connections.ts';
import { randomBytes } from 'node:crypto';
import { join } from 'node:path';
import type { AppSettings } from '#contract/accounts/apps.ts';
import { openService } from '#server/auth/store.ts';
import { bearer, callerOf, idsOf, type Answered } from '#tests/support/service/callers.ts';
import { addApp } from '#tests/support/service/signing-in.ts';
import { startService } from '#tests/support/service/service.ts';
import { activityApp } from '#tests/server/api/streams/activity/activity-stage.ts';

const START = Date.parse('2026-11-21T10:30:20Z');

let now = START;
let service = startService({ now: () => now });
afterAll(() => service.close());
beforeEach(() => {
  now = START;
});

/** A new app, in place of one with the same name. */
function added(name: string, settings: Partial<AppSettings> = {}) {
  const known = service.auth.apps({ action: 'list' }).apps;
  if (known.some((each) => each.name === name)) service.auth.apps({ action: 'remove', name });
  const app = addApp(service, name, settings);
  return { ...app, ...callerOf(service, bearer(app.bearer_token)) };
}

type Added = ReturnType<typeof added>;

/** The number that an app may have, and has for each source. */
const amounts = (limit: number, posts = 0, sample = 0) => ({ limit, posts, sample });

const call = (path: string, method = 'GET') => callerOf(service).send(method, path);

/** Adds rules with the values `word1`, `word2` and so on. Returns their ids. */
async function addRules(app: Added, prefix: '' | '/sample', count: number): Promise<string[]> {
  const add = Array.from({ length: count }, (_, i) => ({
    value: `word${i + 1}`,
    ...(i === 0 && { tag: 'first' }),
  }));
  const answer = await app.post(`${prefix}/2/tweets/search/stream/rules`, { add });
  expect(answer.status).toBe(201);
  return idsOf(answer);
}

async function addPowerRule(app: Added, prefix: '' | '/sample'): Promise<void> {
  const rules = [{ value: 'contains:power' }];
  expect((await app.post(`${prefix}/2/powerstream/rules`, { rules })).status).toBe(201);
}

/** Subscribes an app to events. Returns the id of the subscription. */
async function subscribe(
  app: Added,
  event_type: string,
  filter: object,
  prefix: '' | '/sample' = '',
  more: object = {},
): Promise<string> {
  const path = `${prefix}/2/activity/subscriptions`;
  const { status, body } = await app.post(path, { event_type, filter, ...more });
  expect([status, body]).toEqual([200, body]);
  return body.data.subscription_id;
}

/** Opens a connection, a second after the one before. */
function open(app: string, over: Partial<NewConnection> = {}) {
  now += 1000;
  const wanted = {
    source: 'posts',
    stream: 'filtered_stream',
    ip: '127.0.0.1',
    most: 1000,
  } as const;
  return service.connections.open({ app, ...wanted, ...over });
}

describe('GET /streams', () => {
  const shared = service;
  beforeEach(() => {
    service = startService({ now: () => now });
  });
  afterEach(async () => {
    await service.close();
    service = shared;
  });

  it('lists apps with what they have and may have, those with the most first', async () => {
    const [some, most, hook, past] = [
      added('Some'),
      added('Most', { access: 'enterprise', stream_rules: 30_000 }),
      added('Hook'),
      added('Past'),
    ];
    added('None');
    await addRules(some, '', 2);
    await addRules(most, '', 1);
    await addRules(most, '/sample', 1);
    await addPowerRule(most, '/sample');
    await subscribe(most, 'post.create', { user_id: '1' }, '/sample');
    await subscribe(some, 'post.create', { user_id: '1' });
    const times = { createdAt: now, checkedAt: now, validatedAt: now };
    const url = 'https://example.com/hook';
    service.webhooks.table.add(
      { id: '5', app: hook.id, url, valid: true, ...times, fault: null },
      1,
    );
    open(past.id).end('client_disconnect');
    const usual = {
      access: 'pay-per-use',
      filtered_stream: amounts(1000),
      powerstream: amounts(1000),
      subscriptions: amounts(1500),
    };
    expect((await call('/streams')).body.apps).toEqual({
      count: 4,
      most: [
        {
          id: most.id,
          name: 'Most',
          access: 'enterprise',
          filtered_stream: amounts(30_000, 1, 1),
          powerstream: amounts(1000, 0, 1),
          subscriptions: amounts(75_000, 0, 1),
        },
        {
          ...usual,
          id: some.id,
          name: 'Some',
          filtered_stream: amounts(1000, 2),
          subscriptions: amounts(1500, 1),
        },
        { ...usual, id: hook.id, name: 'Hook' },
        { ...usual, id: past.id, name: 'Past' },
      ],
    });
  });

  it('lists open and past connections of all apps, the newest first', async () => {
    const [ann, bob] = [added('Ann'), added('Bob')];
    const slow = open(ann.id);
    now += 500;
    slow.end('slow_reader');
    const [first, second] = [open(ann.id), open(bob.id, { source: 'sample', ip: null })];
    const { body } = await call('/streams');
    expect(body.open).toEqual({
      count: 2,
      newest: [
        {
          id: second.id,
          app: 'Bob',
          source: 'sample',
          stream: 'filtered_stream',
          client_ip: null,
          connected_at: '2026-11-21T10:30:23.500Z',
          disconnected_at: null,
          reason: null,
        },
        expect.objectContaining({ id: first.id, app: 'Ann', client_ip: '127.0.0.1' }),
      ],
    });
    expect(body.past).toEqual({
      count: 1,
      newest: [
        expect.objectContaining({
          id: slow.id,
          disconnected_at: '2026-11-21T10:30:21.500Z',
          reason: 'slow_reader',
        }),
      ],
    });
  });

  it('lists the newest 100 and says how many there are', async () => {
    const { id } = added('Ann');
    const all = Array.from({ length: 101 }, () => open(id));
    const { count, newest } = (await call('/streams')).body.open;
    expect([count, newest.length, newest[0].id]).toEqual([101, 100, all.at(-1)?.id]);
  });
});

describe('GET /streams/rules', () => {
  it('lists the rules of an app for a source by pages', async () => {
    const ann = added('Ann');
    const { id } = ann;
    const ids = await addRules(ann, '/sample', 101);
    const first = (await call(`/streams/rules?app=${id}&source=sample`)).body;
    expect(first.rules).toHaveLength(100);
    expect(first.rules.slice(0, 2)).toEqual([
      { id: ids[0], value: 'word1', tag: 'first' },
      { id: ids[1], value: 'word2', tag: null },
    ]);
    expect(first.next).toBe(ids[99]);
    expect((await call(`/streams/rules?app=${id}&source=sample&after=${ids[99]}`)).body).toEqual({
      rules: [{ id: ids[100], value: 'word101', tag: null }],
      next: null,
    });
    expect((await call(`/streams/rules?app=${id}&source=posts`)).body).toEqual({
      rules: [],
      next: null,
    });
  });

  it.each([
    ['?app=x&source=posts', 'The `app` query parameter value [x] is not a number'],
    ['?app=1&source=all', 'The `source` query parameter value [all] is not one of [posts,sample]'],
    ['?app=1&source=posts&after=-2', 'The `after` query parameter value [-2] is not a number'],
    ['?app=1', 'The query parameters `app` and `source` are required'],
    [
      '?app=1&source=posts&odd=1',
      'The query parameter [odd] is not one of [app,source,after,stream]',
    ],
  ])('refuses %s', async (parameters, message) => {
    const { status, body } = await call(`/streams/rules${parameters}`);
    expect([status, body.errors[0].message]).toEqual([400, message]);
  });

  it('lists those of powerstream apart', async () => {
    const ann = added('Ann', { access: 'enterprise' });
    await addRules(ann, '', 1);
    await addPowerRule(ann, '');
    const path = `/streams/rules?app=${ann.id}&source=posts`;
    const valuesOf = async (of: string) =>
      (await call(of)).body.rules.map(({ value }: { value: string }) => value);
    expect(await valuesOf(path)).toEqual(['word1']);
    expect(await valuesOf(`${path}&stream=powerstream`)).toEqual(['contains:power']);
  });

  it('has no rules after the highest number', async () => {
    const { status, body } = await call(
      '/streams/rules?app=1&source=posts&after=9999999999999999999',
    );
    expect([status, body]).toEqual([200, { rules: [], next: null }]);
  });
});

describe('GET /streams/subscriptions', () => {
  it('lists the subscriptions of an app for a source with their accounts', async () => {
    const ann = added('Ann', { access: 'enterprise' });
    const { account } = service.auth.issueUserToken({ name: 'bob', limited: false });
    service.add('posts', [
      { id: '99', createdAt: START, text: 'hello', authorId: '77', username: 'writer' },
    ]);
    const ids = [
      await subscribe(ann, 'follow.follow', { user_id: account.id, direction: 'sent' }),
      await subscribe(ann, 'profile.update.verified_badge', { user_id: '77' }, '', {
        tag: 'badge',
      }),
      await subscribe(ann, 'follow.follow', { user_id: '5' }),
      await subscribe(ann, 'news.new', { keyword: 'tea' }),
    ];
    await subscribe(ann, 'post.create', { user_id: '1' }, '/sample');
    const { body } = await call(`/streams/subscriptions?app=${ann.id}&source=posts`);
    const common = {
      keyword: null,
      direction: null,
      tag: null,
      webhook_id: null,
      created_at: '2026-11-21T10:30:20.000Z',
    };
    const follow = { ...common, type: 'follow.follow', event_type: 'follow.follow' };
    const news = { ...common, type: 'news.new', event_type: 'news.new' };
    const bob = { id: account.id, username: 'bob' };
    expect(body).toEqual({
      subscriptions: [
        { ...follow, id: ids[0], account: bob, direction: 'outbound' },
        {
          ...common,
          id: ids[1],
          type: 'profile.update.verified',
          event_type: 'profile.update.verified_badge',
          account: { id: '77', username: 'writer' },
          tag: 'badge',
        },
        { ...follow, id: ids[2], account: { id: '5', username: null }, direction: 'both' },
        { ...news, id: ids[3], account: null, keyword: 'tea' },
      ],
      types: [
        { type: 'follow.follow', count: 2 },
        { type: 'news.new', count: 1 },
        { type: 'profile.update.verified', count: 1 },
      ],
      next: null,
    });
  });

  it('gives pages of 100, of all types or of one', async () => {
    const ann = added('Ann');
    const path = `/streams/subscriptions?app=${ann.id}&source=posts`;
    const ids: string[] = [];
    for (let user = 1; user <= 101; user++) {
      ids.push(await subscribe(ann, 'post.create', { user_id: String(user) }));
      if (user === 50) await subscribe(ann, 'post.delete', { user_id: '1' });
    }
    const shown = ({ body }: Answered) => [
      body.subscriptions.map(({ id }: { id: string }) => id),
      body.next,
    ];
    const [first, next] = shown(await call(path));
    expect([first.length, next]).toEqual([100, ids[98]]);
    expect(shown(await call(`${path}&after=${next}`))).toEqual([ids.slice(99), null]);
    const one = `${path}&type=post.create`;
    expect(shown(await call(one))).toEqual([ids.slice(0, 100), ids[99]]);
    expect(shown(await call(`${one}&after=${ids[99]}`))).toEqual([[ids[100]], null]);
    expect(shown(await call(`${path}&type=post.create&after=9999999999999999999`))).toEqual([
      [],
      null,
    ]);
    expect(shown(await call(`${path}&type=unknown`))).toEqual([[], null]);
  });

  it.each([
    ['?app=1&source=posts&type=A', 'The `type` query parameter value [A] is not a type of event'],
    [
      '?app=1&source=posts&odd=1',
      'The query parameter [odd] is not one of [app,source,after,type]',
    ],
    ['?source=posts', 'The query parameters `app` and `source` are required'],
  ])('refuses %s', async (parameters, message) => {
    const { status, body } = await call(`/streams/subscriptions${parameters}`);
    expect([status, body.errors[0].message]).toEqual([400, message]);
  });
});

describe('DELETE /streams/subscriptions/:id', () => {
  const remove = (id: string) => call(`/streams/subscriptions/${id}`, 'DELETE');
  const restore = (id: string) => call(`/streams/subscriptions/${id}/restore`, 'POST');
  const listed = async ({ id }: Added) =>
    (await call(`/streams/subscriptions?app=${id}&source=posts`)).body.subscriptions;

  it('deletes a subscription, which can be restored as it was', async () => {
    const ann = added('Ann');
    const more = { tag: 'first' };
    const id = await subscribe(ann, 'follow.follow', { user_id: '1', direction: 'both' }, '', more);
    await subscribe(ann, 'post.create', { user_id: '1' });
    const before = await listed(ann);
    expect((await remove(id)).body).toEqual({ deleted: true });
    expect(await listed(ann)).toEqual(before.slice(1));
    now += 60_000;
    expect((await restore(id)).body).toEqual({ restored: true });
    expect(await listed(ann)).toEqual(before);
    for (const again of [await restore(id), await restore('9999999999999999999')]) {
      expect([again.status, again.body.detail]).toEqual([
        404,
        'The subscription can no longer be restored.',
      ]);
    }
  });

  it.each(['7', '9999999999999999999'])('knows no subscription %s', async (id) => {
    const { status, body } = await remove(id);
    expect([status, body.detail]).toEqual([404, `There is no subscription with the id [${id}].`]);
  });

  it('does not restore what the app subscribed to again', async () => {
    const ann = added('Ann');
    const id = await subscribe(ann, 'post.create', { user_id: '1' });
    await remove(id);
    await subscribe(ann, 'post.create', { user_id: '1' });
    const { status, body } = await restore(id);
    expect([status, body.detail]).toEqual([
      409,
      'The app has a new subscription with the same event type and filter.',
    ]);
  });

  it('does not restore more than the app may have', async () => {
    const ann = added('Ann');
    const id = await subscribe(ann, 'post.create', { user_id: '1' });
    await remove(id);
    const file = openService(join(service.folder, 'service.sqlite'), { random: randomBytes });
    file.write('fill', () => {
      for (let n = 2; n <= 1501; n++) {
        const filter = { subject: String(n), direction: null, directionName: null };
        file.subscriptions.add(
          { stream: 'posts', app: ann.id },
          { type: 'post.create', name: 'post.create', ...filter, tag: null, webhook: null },
          1500,
          { firstId: 1n, now },
        );
      }
    });
    file.close();
    const { status, body } = await restore(id);
    expect([status, body.detail]).toEqual([
      409,
      'The app has as many subscriptions as it may have.',
    ]);
  });

  it('does not restore a private one after the user has revoked the access', async () => {
    const ann = activityApp(service);
    const bob = ann.user('bob', ['tweet.read', 'like.read']);
    const filter = { user_id: bob.id };
    const [secret, open] = [
      (await bob.subscribe('like.create', filter)).body.data.subscription_id,
      (await bob.subscribe('post.create', filter)).body.data.subscription_id,
    ];
    await remove(secret);
    await remove(open);
    service.auth.accounts({ action: 'remove', username: 'bob' });
    expect((await restore(secret)).status).toBe(404);
    expect((await restore(open)).status).toBe(200);
  });

  it('does not restore those of an app that was removed', async () => {
    const ann = added('Ann');
    const id = await subscribe(ann, 'post.create', { user_id: '1' });
    await remove(id);
    service.auth.apps({ action: 'remove', name: 'Ann' });
    expect((await restore(id)).status).toBe(404);
  });
});

describe('DELETE /streams/connections/:id', () => {
  it('ends an open connection, once', async () => {
    const { id } = open(added('Ann').id);
    const end = () => call(`/streams/connections/${id}`, 'DELETE');
    expect((await end()).body).toEqual({ ended: true });
    const { open: left, past } = (await call('/streams')).body;
    expect([left.count, past.newest[0].reason]).toEqual([0, 'operator_disconnect']);
    expect(await end()).toMatchObject({
      status: 404,
      body: { detail: `There is no open connection with the id [${id}].` },
    });
  });

  it('refuses what is no id of a connection', async () => {
    const { status, body } = await call('/streams/connections/1', 'DELETE');
    expect([status, body.errors[0].message]).toEqual([
      400,
      'The `id` query parameter value [1] does not match ^[0-9a-f-]{36}$',
    ]);
  });
});
