import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import type { SubscriptionObject } from '#contract/streams/activity.ts';
import { eventChanges, eventTable, type NewEvent } from '#server/streams/event-table.ts';
import { openPosts } from '#server/posts/store/post-table.ts';
import { randomBytes } from 'node:crypto';
import { join } from 'node:path';
import { startService, type TestService } from '#tests/support/service/service.ts';
import { activityApp, SUBSCRIPTIONS } from './activity-stage.ts';

const NOW = Date.parse('2026-11-21T10:30:20Z');
let now = NOW;
let service: TestService;
let app: ReturnType<typeof activityApp>;
let alice: ReturnType<typeof app.user>;
let bob: ReturnType<typeof app.user>;
beforeEach(() => {
  now = NOW;
  service = startService({ now: () => now });
  app = activityApp(service);
  alice = app.user('alice');
  bob = app.user('bob');
});
afterEach(() => service.close());

/** Appends events to the log, as `groundswell emit` does. */
function emit(...events: readonly NewEvent[]): void {
  const db = openPosts(join(service.folder, 'posts.sqlite'), { random: randomBytes });
  eventChanges(
    db,
    eventTable(db, () => now),
  ).append(events);
  db.close();
  service.events.posts.wake();
}

type User = typeof alice;
async function post(user: User, text: string, fields: object = {}): Promise<string> {
  now += 1000;
  const { status, body } = await user.post('/2/tweets', { text, ...fields });
  expect([status, body]).toEqual([201, body]);
  return body.data.id;
}

const uuid = expect.stringMatching(/^\d{1,19}$/);
const wrapped = (user: User, username: string) => ({
  data: expect.objectContaining({ id: user.id, username }),
});

describe('GET /2/activity/stream', () => {
  it('sends a new Post as the documents have it, with a text of each number', async () => {
    await app.subscribe('post.create', { user_id: alice.id }, { tag: 'posts' });
    const stream = await app.connect();
    const id = await post(alice, 'Hello from the Activity API');
    const { data, ...rest } = await stream.next();
    expect(rest).toEqual({});
    const { payload, includes, ...envelope } = data;
    expect(envelope).toEqual({
      event_uuid: uuid,
      filter: { user_id: alice.id },
      event_type: 'post.create',
      tag: 'posts',
    });
    const metrics = ['retweet', 'reply', 'like', 'quote', 'bookmark', 'impression'].flatMap(
      (name) => [
        [`${name}_count`, 0],
        [`${name}_count_str`, '0'],
      ],
    );
    expect(payload).toEqual({
      public_metrics: Object.fromEntries(metrics),
      lang: expect.any(String),
      created_at: '2026-11-21T10:30:21.000Z',
      author_id: alice.id,
      reply_settings: 'everyone',
      display_text_range: [0, 27],
      paid_partnership: false,
      id,
      possibly_sensitive: false,
      edit_history_tweet_ids: [id],
      conversation_id: id,
      text: 'Hello from the Activity API',
      edit_controls: {
        edits_remaining: 5,
        edits_remaining_str: '5',
        is_edit_eligible: expect.any(Boolean),
        editable_until: '2026-11-21T11:30:21.000Z',
      },
    });
    expect(includes).toEqual({
      tweets: [payload],
      users: [expect.objectContaining({ id: alice.id, username: 'alice' })],
    });
    expect(includes.users[0].public_metrics).toMatchObject({
      tweet_count: 1,
      tweet_count_str: '1',
    });
    await stream.close();
  });

  it('sends a reply, a quote, a mention and a repost to whom they concern, each once', async () => {
    const filter = { user_id: alice.id };
    const types = ['mention', 'reply', 'quote', 'repost'].map((kind) => `post.${kind}.create`);
    for (const type of types) expect((await alice.subscribe(type, filter)).status).toBe(200);
    const stream = await app.connect();
    const own = await post(alice, 'tea');
    const reply = await post(bob, 'with milk', { reply: { in_reply_to_tweet_id: own } });
    const quote = await post(bob, 'this', { quote_tweet_id: own });
    const mention = await post(bob, 'dear @Alice');
    now += 1000;
    const { body } = await bob.post(`/2/users/${bob.id}/retweets`, { tweet_id: own });
    expect(body.data.retweeted).toBe(true);
    const seen = [];
    for (let i = 0; i < 4; i++) seen.push((await stream.next()).data);
    expect(seen.map(({ event_type, payload }) => [event_type, payload.id])).toEqual([
      ['post.reply.create', reply],
      ['post.quote.create', quote],
      ['post.mention.create', mention],
      ['post.repost.create', expect.any(String)],
    ]);
    expect(seen[0].payload.in_reply_to_tweet_id).toBe(own);
    expect(seen[1].includes.tweets.map(({ id }: { id: string }) => id)).toEqual([quote, own]);
    expect(new Set(seen.map(({ event_uuid }) => event_uuid)).size).toBe(4);
    await stream.close();
  });

  it('sends the end of a Post, and nothing of its beginning from then on', async () => {
    for (const type of ['post.create', 'post.delete']) {
      await app.subscribe(type, { user_id: alice.id });
    }
    const id = await post(alice, 'short');
    await alice.send('DELETE', `/2/tweets/${id}`);
    const stream = await app.connect('?backfill_minutes=5');
    expect((await stream.next()).data).toEqual({
      event_uuid: uuid,
      filter: { user_id: alice.id },
      event_type: 'post.delete',
      payload: { id, author_id: alice.id },
      includes: { users: [wrapped(alice, 'alice')] },
    });
    await stream.close();
  });

  it.each([
    ['outbound', [true, false]],
    ['received', [false, true]],
    ['both', [true, true]],
  ])('sends follows by direction: %s', async (direction, expected) => {
    await app.subscribe('follow.follow', { user_id: alice.id, direction });
    const stream = await app.connect('?backfill_minutes=5');
    const follow = (from: User, to: User) =>
      from.post(`/2/users/${from.id}/following`, { target_user_id: to.id });
    await follow(alice, bob);
    await follow(bob, alice);
    const own = { source: wrapped(alice, 'alice'), target: wrapped(bob, 'bob') };
    const theirs = { source: wrapped(bob, 'bob'), target: wrapped(alice, 'alice') };
    for (const payload of [own, theirs].filter((_, i) => expected[i])) {
      expect((await stream.next()).data).toEqual({
        event_uuid: uuid,
        filter: { user_id: alice.id, direction },
        event_type: 'follow.follow',
        payload,
      });
    }
    await stream.close();
  });

  it('sends likes, with a hexadecimal id', { tags: 'long' }, async () => {
    await alice.subscribe('like.create', { user_id: alice.id, direction: 'inbound' });
    const stream = await app.connect();
    const id = await post(alice, 'tea');
    await bob.post(`/2/users/${bob.id}/likes`, { tweet_id: id });
    expect((await stream.next()).data.payload).toEqual({
      id: expect.stringMatching(/^[0-9a-f]{32}$/),
      created_at: '2026-11-21T10:30:21.000Z',
      timestamp_ms: now,
      timestamp_ms_str: String(now),
      liked_tweet_author_id: alice.id,
      liked_tweet_id: id,
    });
    await stream.close();
  });

  it('sends mutes to the account that mutes', async () => {
    await alice.subscribe('mute.mute', { user_id: alice.id });
    await bob.subscribe('mute.mute', { user_id: bob.id });
    const stream = await app.connect();
    await alice.post(`/2/users/${alice.id}/muting`, { target_user_id: bob.id });
    await bob.post(`/2/users/${bob.id}/muting`, { target_user_id: alice.id });
    expect((await stream.next()).data).toMatchObject({
      filter: { user_id: alice.id },
      payload: { source: wrapped(alice, 'alice'), target: wrapped(bob, 'bob') },
    });
    expect((await stream.next()).data.filter).toEqual({ user_id: bob.id });
    await stream.close();
  });

  it('sends changes of profiles in the spelling of the subscription', async () => {
    await app.subscribe('profile.update.bio', { user_id: alice.id });
    await app.subscribe('profile.update.verified_badge', { user_id: alice.id });
    const stream = await app.connect();
    const profile = { description: 'tea', verified_type: 'blue' } as const;
    service.auth.accounts({ action: 'set', username: 'alice', profile });
    const event = (event_type: string, before: string, after: string) => ({
      data: {
        event_uuid: uuid,
        filter: { user_id: alice.id },
        event_type,
        payload: { before, after },
      },
    });
    expect(await stream.next()).toEqual(event('profile.update.bio', '', 'tea'));
    expect(await stream.next()).toEqual(event('profile.update.verified_badge', 'none', 'blue'));
    await stream.close();
  });

  it('sends messages with their users, and Spaces with their host', async () => {
    await alice.subscribe('dm.received', { user_id: alice.id });
    await app.subscribe('spaces.start', { user_id: alice.id });
    await alice.subscribe('chat.sent', { user_id: alice.id, direction: 'sent' });
    const stream = await app.connect();
    const message = {
      direct_message_events: [
        {
          type: 'message_create',
          id: '5',
          created_timestamp: '1784927750704',
          message_create: {
            target: { recipient_id: alice.id },
            sender_id: bob.id,
            message_data: { text: 'hello!' },
          },
        },
      ],
    };
    const chat = { conversation_id: '1:2', encoded_event: 'CwAB' };
    const event = (type: NewEvent['type'], body: NewEvent['body'], users = [alice.id]) => ({
      type,
      users,
      post: null,
      body,
    });
    emit(
      event('dm.received', message, [alice.id, bob.id]),
      event('spaces.start', { broadcast_id: '1qx' }),
      event('chat.sent', chat),
    );
    expect((await stream.next()).data.payload).toEqual({
      ...message,
      users: { [alice.id]: wrapped(alice, 'alice'), [bob.id]: wrapped(bob, 'bob') },
    });
    expect((await stream.next()).data.payload).toEqual({
      user: wrapped(alice, 'alice'),
      broadcast_id: '1qx',
      event_type: 'spaces_start',
    });
    expect((await stream.next()).data.payload).toEqual(chat);
    await stream.close();
  });

  it('sends news by their words', async () => {
    await app.subscribe('news.new', { keyword: 'green TEA' });
    await app.subscribe('news.new', { keyword: 'gree' });
    const stream = await app.connect();
    const story = { id: '9', name: 'Green tea is back' };
    emit({ type: 'news.new', users: [], post: null, body: { story, texts: [story.name] } });
    emit({ type: 'news.new', users: [], post: null, body: { story, texts: ['greed'] } });
    emit({ type: 'news.new', users: [], post: null, body: { story, texts: ['the gree'] } });
    expect((await stream.next()).data).toEqual({
      event_uuid: uuid,
      filter: { keyword: 'green TEA' },
      event_type: 'news.new',
      payload: story,
    });
    expect((await stream.next()).data.filter).toEqual({ keyword: 'gree' });
    await stream.close();
  });

  it('sends nothing about protected accounts', async () => {
    service.auth.accounts({ action: 'add', username: 'carl', profile: { protected: true } });
    const carl = app.user('carl');
    for (const type of ['post.create', 'follow.follow', 'profile.update.bio']) {
      for (const { id } of [carl, bob]) await app.subscribe(type, { user_id: id });
    }
    await alice.subscribe('post.mention.create', { user_id: alice.id });
    const stream = await app.connect();
    await post(carl, 'hidden @alice');
    await carl.post(`/2/users/${carl.id}/following`, { target_user_id: bob.id });
    service.auth.accounts({ action: 'set', username: 'carl', profile: { description: 'shy' } });
    const message = { direct_message_mark_read_events: [] };
    await alice.subscribe('dm.read', { user_id: alice.id });
    emit({ type: 'dm.read', users: [alice.id, carl.id], post: null, body: message });
    const id = await post(bob, 'open');
    expect((await stream.next()).data.payload.id).toBe(id);
    await stream.close();
  });

  it('opens no connection for HEAD', async () => {
    const headers = { cookie: '', authorization: `Bearer ${app.bearer_token}` };
    const answer = await service.request('/2/activity/stream', { method: 'HEAD', headers });
    expect(answer.status).toBe(200);
    expect(service.connections.of(app.id)).toEqual([]);
  });

  it('sends the end of access to the app, and ends its private subscriptions for that user', async () => {
    await alice.subscribe('like.create', { user_id: alice.id });
    await bob.subscribe('like.create', { user_id: bob.id });
    await app.subscribe('post.create', { user_id: alice.id });
    const other = activityApp(service);
    const [stream, others] = [await app.connect(), await other.connect()];
    service.auth.accounts({ action: 'remove', username: 'alice' });
    expect((await stream.next()).data).toEqual({
      event_uuid: uuid,
      filter: {},
      event_type: 'oauth.revoke',
      payload: { date_time: '2026-11-21T10:30:20+00:00', user_id: alice.id, app_id: app.id },
    });
    const { body } = await app.get(SUBSCRIPTIONS);
    expect(
      body.data.map(({ event_type, filter }: SubscriptionObject) => [event_type, filter]),
    ).toEqual([
      ['like.create', { user_id: bob.id }],
      ['post.create', { user_id: alice.id }],
    ]);
    await Promise.all([stream.close(), others.close()]);
  });

  it('ends what a revoked token alone had allowed', async () => {
    const messages = app.user('alice', ['dm.read']);
    const likes = app.user('alice', ['like.read']);
    await messages.subscribe('dm.received', { user_id: alice.id });
    await likes.subscribe('like.create', { user_id: alice.id });
    await app.subscribe('post.create', { user_id: alice.id });
    const types = async (): Promise<string[]> => {
      const { body } = await app.get(SUBSCRIPTIONS);
      return body.data.map(({ event_type }: SubscriptionObject) => event_type);
    };
    // The first token of alice has all scopes.
    await app.revoke(alice.token);
    expect(await types()).toEqual(['dm.received', 'like.create', 'post.create']);
    await app.revoke(messages.token);
    expect(await types()).toEqual(['like.create', 'post.create']);
    await app.revoke(likes.token);
    expect(await types()).toEqual(['post.create']);
  });

  it('recovers a period, and allows two connections', async () => {
    await app.subscribe('post.create', { user_id: alice.id });
    const ids = [await post(alice, 'one'), await post(alice, 'two')];
    now += 1000;
    const start = new Date(NOW).toISOString();
    const past = await app.connect(`?start_time=${start}`);
    expect([(await past.next()).data.payload.id, (await past.next()).data.payload.id]).toEqual(ids);
    expect(await past.line()).toBeNull();
    const open = [await app.connect(), await app.connect()];
    await expect(app.connect()).rejects.toThrow('429');
    for (const { close } of open) await close();
    const poor = activityApp(service, { access: 'pay-per-use' });
    await expect(poor.connect('?backfill_minutes=1')).rejects.toThrow('403');
  });

  it('ends when the credits are spent: each Post is billed once a day, its deletion is free', async () => {
    const poor = activityApp(service, { access: 'pay-per-use', credits: 12_000 });
    for (const type of ['post.create', 'post.delete']) {
      await poor.subscribe(type, { user_id: alice.id });
    }
    const streams = [await poor.connect(), await poor.connect()];
    const both = async () => {
      const types = [];
      for (const { next } of streams) types.push((await next()).data?.event_type);
      return types;
    };
    const first = await post(alice, 'one');
    expect(await both()).toEqual(['post.create', 'post.create']);
    await alice.send('DELETE', `/2/tweets/${first}`);
    expect(await both()).toEqual(['post.delete', 'post.delete']);
    await post(alice, 'two');
    expect(await both()).toEqual(['post.create', 'post.create']);
    await post(alice, 'three');
    expect((await streams[0]!.next()).data.event_type).toBe('post.create');
    expect((await streams[1]!.next()).errors[0].type).toContain('usage-capped');
    const { body } = await poor.send('GET', '/2/connections?status=inactive');
    expect(body.data[0]).toMatchObject({
      endpoint_name: 'activity_stream',
      disconnect_reason: 'usage_capped',
    });
    for (const { close } of streams) await close();
  });
});
