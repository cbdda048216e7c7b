import { randomBytes } from 'node:crypto';
import { join } from 'node:path';
import { afterAll, beforeEach, describe, expect, it } from 'vitest';
import { mostSubscriptions, type SubscriptionObject } from '#contract/streams/activity.ts';
import { openService } from '#server/auth/store.ts';
import { startService } from '#tests/support/service/service.ts';
import type { Answered } from '#tests/support/service/callers.ts';
import { activityApp, SUBSCRIPTIONS } from './activity-stage.ts';

const NOW = Date.parse('2026-11-21T10:30:20Z');
let now = NOW;
const service = startService({ now: () => now });
afterAll(() => service.close());
let app: ReturnType<typeof activityApp>;
beforeEach(() => {
  now = NOW;
  app = activityApp(service);
});

const failure = ({ status, body }: Answered) => [status, body.errors?.[0]?.message ?? body.detail];

describe('POST /2/activity/subscriptions', () => {
  it('adds a subscription, in both documented forms', async () => {
    const { status, body } = await app.subscribe(
      'profile.update.bio',
      { user_id: '7' },
      { tag: 'bios' },
    );
    const subscription = {
      subscription_id: expect.stringMatching(/^\d{19}$/),
      event_type: 'profile.update.bio',
      filter: { user_id: '7' },
      tag: 'bios',
      created_at: '2026-11-21T10:30:20.000Z',
      updated_at: '2026-11-21T10:30:20.000Z',
    };
    expect([status, body]).toEqual([
      200,
      {
        data: { ...subscription, subscription, total_subscriptions_for_instance_id: 1 },
        meta: { total_subscriptions: 1 },
      },
    ]);
    expect((await app.get(SUBSCRIPTIONS)).body).toEqual({
      data: [body.data.subscription],
      meta: { total_subscriptions: 1, result_count: 1 },
    });
  });

  it('keeps the spelling, and knows both as the same type', async () => {
    const first = await app.subscribe('profile.update.verified_badge', { user_id: '7' });
    expect(first.body.data.event_type).toBe('profile.update.verified_badge');
    const again = await app.subscribe('profile.update.verified', { user_id: '7' });
    expect([again.status, again.body]).toEqual([
      409,
      {
        title: 'Conflict',
        detail: `The subscription [${first.body.data.subscription_id}] has this event type and filter already.`,
        subscription_id: first.body.data.subscription_id,
        type: 'about:blank',
        status: 409,
      },
    ]);
  });

  it('knows both names of a direction, and that both directions are the same as none', async () => {
    const subscribe = (direction?: string) =>
      app.subscribe('follow.follow', { user_id: '7', ...(direction && { direction }) });
    const statuses = [];
    for (const direction of ['sent', 'outbound', undefined, 'both', 'inbound', 'received']) {
      statuses.push((await subscribe(direction)).status);
    }
    expect(statuses).toEqual([200, 409, 200, 409, 200, 409]);
    const { body } = await app.get(SUBSCRIPTIONS);
    expect(body.data.map(({ filter }: SubscriptionObject) => filter)).toEqual([
      { user_id: '7', direction: 'sent' },
      { user_id: '7' },
      { user_id: '7', direction: 'inbound' },
    ]);
  });

  it.each([
    ['nothing', { filter: { user_id: '7' } }, '$.event_type: is required'],
    [
      'an unknown type',
      { event_type: 'post.bake', filter: { user_id: '7' } },
      '$.event_type: [post.bake] is not one of [profile.update.bio,',
    ],
    [
      'a retired name',
      { event_type: 'ProfileBioUpdate', filter: { user_id: '7' } },
      '$.event_type: [ProfileBioUpdate] was replaced by [profile.update.bio] on 18 March 2026',
    ],
    [
      'what needs no subscription',
      { event_type: 'oauth.revoke', filter: {} },
      '$.event_type: [oauth.revoke] is delivered without a subscription',
    ],
    [
      'no user',
      { event_type: 'post.create', filter: {} },
      '$.filter.user_id: is required for post.create',
    ],
    [
      'a direction of a type without',
      { event_type: 'post.create', filter: { user_id: '7', direction: 'sent' } },
      '$.filter.direction: is not a filter of post.create, which has [user_id]',
    ],
    [
      'another direction',
      { event_type: 'follow.follow', filter: { user_id: '7', direction: 'up' } },
      '$.filter.direction: "up" is not one of [sent,received,both,outbound,inbound]',
    ],
    [
      'no keyword',
      { event_type: 'news.new', filter: { user_id: '7' } },
      '$.filter.keyword: is required for news.new',
    ],
    [
      'a long keyword',
      { event_type: 'news.new', filter: { keyword: 'x'.repeat(151) } },
      '$.filter.keyword: must have 1 to 150 characters, got 151',
    ],
    [
      'a long tag',
      { event_type: 'post.create', filter: { user_id: '7' }, tag: 'x'.repeat(201) },
      '$.tag: must have 1 to 200 characters, got 201',
    ],
    [
      'the webhook of another app',
      { event_type: 'post.create', filter: { user_id: '7' }, webhook_id: '5' },
      '$.webhook_id: [5] is not the id of a webhook of this app',
    ],
    [
      'an unknown filter',
      { event_type: 'post.create', filter: { user_id: '7', color: 'red' } },
      '$.filter.color: is not defined in the schema',
    ],
  ])('refuses %s', async (_, body, message) => {
    const answer = await app.post(SUBSCRIPTIONS, body);
    expect(failure(answer)).toEqual([400, expect.stringContaining(message)]);
  });

  it('accepts a keyword of 150 characters and a tag of 200', async () => {
    const filter = { keyword: 'x'.repeat(150) };
    const { status, body } = await app.subscribe('news.new', filter, { tag: 'x'.repeat(200) });
    expect([status, body.errors]).toEqual([200, undefined]);
  });

  it('allows news.new for enterprise only', async () => {
    expect((await app.subscribe('news.new', { keyword: 'tea' })).status).toBe(200);
    const other = activityApp(service, { access: 'pay-per-use' });
    expect((await other.subscribe('news.new', { keyword: 'tea' })).body.title).toBe(
      'Client Forbidden',
    );
  });

  it(
    'refuses one more than the limit, which is higher for enterprise',
    { tags: 'long' },
    async () => {
      const usual = mostSubscriptions('self-service');
      expect([usual, mostSubscriptions('enterprise')]).toEqual([1500, 75_000]);
      const poor = activityApp(service, { access: 'self-service' });
      const file = openService(join(service.folder, 'service.sqlite'), { random: randomBytes });
      file.write('fill', () => {
        for (let n = 1; n <= 2 * usual; n++) {
          const filter = { subject: String(n), direction: null, directionName: null };
          file.subscriptions.add(
            { stream: 'posts', app: n > usual ? poor.id : app.id },
            { type: 'post.create', name: 'post.create', ...filter, tag: null, webhook: null },
            usual,
            { firstId: 1n, now },
          );
        }
      });
      file.close();
      const more = { user_id: '99999' };
      expect((await app.subscribe('post.create', more)).status).toBe(200);
      expect(failure(await poor.subscribe('post.create', more))).toEqual([
        403,
        'The app may have 1500 subscriptions.',
      ]);
    },
  );
});

describe('Private events', () => {
  it.each([
    ['like.create', 'like.read'],
    ['mute.mute', 'mute.read'],
    ['block.block', 'block.read'],
    ['post.mention.create', 'tweet.read'],
    ['chat.received', 'dm.read'],
  ] as const)("%s needs the user's own token with %s", async (type, scope) => {
    const alice = app.user('alice', [scope]);
    const filter = { user_id: alice.id };
    const others = scope === 'tweet.read' ? 'like.read' : 'tweet.read';
    for (const each of [app, app.user('alice', [others]), app.user('bob', [scope])]) {
      const { status, body } = await each.subscribe(type, filter);
      expect([status, body.title]).toEqual([403, 'Forbidden']);
    }
    expect((await alice.subscribe(type, filter)).status).toBe(200);
  });

  it('dm.* answers 93 without the permission', async () => {
    const alice = app.user('alice', ['tweet.read']);
    const { status, body } = await alice.subscribe('dm.received', { user_id: alice.id });
    expect([status, body]).toEqual([
      403,
      {
        errors: [
          {
            code: 93,
            message: 'This application is not allowed to access or delete your direct messages.',
          },
        ],
      },
    ]);
    const may = app.user('alice', ['dm.read']);
    expect((await may.subscribe('dm.received', { user_id: alice.id })).status).toBe(200);
  });

  it.each([
    ['read-write', [], 'dm.sent', 403],
    ['read-write', ['dm.read'], 'dm.sent', 403],
    ['read-write-dm', [], 'dm.sent', 200],
    ['read', [], 'like.create', 200],
  ] as const)(
    'the OAuth 1.0a permission %s decides, not the scopes %j: %s',
    async (permission, scopes, type, status) => {
      const other = activityApp(service, { permission });
      service.auth.issueUserToken({ name: 'alice', app: other.name, limited: false, oauth1: true });
      const alice = other.user('alice', scopes);
      expect((await alice.subscribe(type, { user_id: alice.id })).status).toBe(status);
    },
  );
});

describe('Subscriptions', () => {
  it('are listed by pages', async () => {
    for (const user_id of ['1', '2', '3']) await app.subscribe('post.create', { user_id });
    const first = await app.get(`${SUBSCRIPTIONS}?max_results=2`);
    expect(first.body.meta).toEqual({
      total_subscriptions: 3,
      result_count: 2,
      next_token: expect.any(String),
    });
    const token = first.body.meta.next_token;
    const second = await app.get(`${SUBSCRIPTIONS}?pagination_token=${token}`);
    expect(second.body.data).toMatchObject([{ filter: { user_id: '3' } }]);
    const other = activityApp(service);
    expect((await other.get(SUBSCRIPTIONS)).body).toEqual({
      meta: { total_subscriptions: 0, result_count: 0 },
    });
    expect((await other.get(`${SUBSCRIPTIONS}?pagination_token=${token}`)).status).toBe(400);
  });

  it('change their tag', async () => {
    const { body } = await app.subscribe('post.create', { user_id: '7' }, { tag: 'old' });
    const { subscription } = body.data;
    now += 1000;
    const { status, body: changed } = await app.send(
      'PUT',
      `${SUBSCRIPTIONS}/${subscription.subscription_id}`,
      { tag: 'new' },
    );
    const after = { ...subscription, tag: 'new', updated_at: '2026-11-21T10:30:21.000Z' };
    expect([status, changed]).toEqual([
      200,
      {
        data: { ...after, subscription: after, total_subscriptions: 1 },
        meta: { total_subscriptions: 1 },
      },
    ]);
    const wrong = await app.send('PUT', `${SUBSCRIPTIONS}/${subscription.subscription_id}`, {
      filter: {},
    });
    expect(failure(wrong)).toEqual([400, expect.stringContaining('$.filter: is not defined')]);
  });

  it('are removed by their id, and by many', async () => {
    const ids = [];
    for (const user_id of ['1', '2', '3']) {
      ids.push((await app.subscribe('post.create', { user_id })).body.data.subscription_id);
    }
    const one = await app.send('DELETE', `${SUBSCRIPTIONS}/${ids[0]}`);
    expect([one.status, one.body]).toEqual([
      200,
      { data: { deleted: true }, meta: { total_subscriptions: 2 } },
    ]);
    for (const id of [ids[0], '9999999999999999999']) {
      expect((await app.send('DELETE', `${SUBSCRIPTIONS}/${id}`)).status).toBe(404);
      const changed = await app.send('PUT', `${SUBSCRIPTIONS}/${id}`, { tag: 'other' });
      expect(changed.status).toBe(404);
    }
    const many = await app.send('DELETE', `${SUBSCRIPTIONS}?ids=${ids.join(',')}`);
    expect([many.status, many.body]).toEqual([
      200,
      {
        data: [
          { deleted: true, subscription_id: ids[1] },
          { deleted: true, subscription_id: ids[2] },
        ],
        errors: [
          {
            subscription_id: ids[0],
            reason: 'NotFound',
            message: `This app has no subscription with the id [${ids[0]}].`,
          },
        ],
        meta: { total_subscriptions: 0 },
      },
    ]);
  });

  it('of the sample are others, and survive a restart', async () => {
    await app.subscribe('post.create', { user_id: '7' }, {}, '/sample');
    await service.restart();
    const list = async (prefix: string) =>
      (await app.get(prefix + SUBSCRIPTIONS)).body.meta.total_subscriptions;
    expect([await list(''), await list('/sample')]).toEqual([0, 1]);
  });

  it('of an app that is removed are gone', async () => {
    await app.subscribe('post.create', { user_id: '7' });
    service.auth.apps({ action: 'remove', name: app.name });
    expect((await app.get(SUBSCRIPTIONS)).status).toBe(401);
  });
});
