import { randomBytes } from 'node:crypto';
import { join } from 'node:path';
import { afterAll, beforeEach, describe, expect, it } from 'vitest';
import { NEW_PROFILE, type Profile } from '#contract/accounts/accounts.ts';
import { EVENT_NAMES, eventType, type EventType } from '#contract/streams/events.ts';
import type { Json } from '#core/import/json.ts';
import { openPosts } from '#server/posts/store/post-table.ts';
import { eventChanges, eventTable } from '#server/streams/event-table.ts';
import { activityApp } from '#tests/server/api/streams/activity/activity-stage.ts';
import { startService } from '#tests/support/service/service.ts';

// Rows of the specification's Events and of platform-facts, section 6: every type, in both spellings.

let now = Date.parse('2026-11-21T10:30:20Z');
const service = startService({ now: () => now });
afterAll(() => service.close());

type User = ReturnType<ReturnType<typeof activityApp>['user']>;
let [app, alice, bob] = [] as unknown as [ReturnType<typeof activityApp>, User, User];
beforeEach(() => {
  app = activityApp(service);
  [alice, bob] = [app.user('alice'), app.user('bob')];
  now += 60_000;
});

async function sent(as: User, method: string, path: string, body?: object): Promise<string> {
  const { status, body: answer } = await as.send(method, path, body);
  expect(status, JSON.stringify(answer)).toBeLessThan(300);
  return answer.data.id;
}
const post = (as: User, fields: object = {}) =>
  sent(as, 'POST', '/2/tweets', { text: `tea at ${(now += 1000)}`, ...fields });
const follow = () =>
  sent(alice, 'POST', `/2/users/${alice.id}/following`, { target_user_id: bob.id });
const unfollow = () => sent(alice, 'DELETE', `/2/users/${alice.id}/following/${bob.id}`);
const mute = () => sent(alice, 'POST', `/2/users/${alice.id}/muting`, { target_user_id: bob.id });
const unmute = () => sent(alice, 'DELETE', `/2/users/${alice.id}/muting/${bob.id}`);
function profile(change: Partial<Profile>): void {
  service.auth.accounts({ action: 'set', username: 'alice', profile: change });
}
function rename(username: string, to: string): void {
  service.auth.accounts({ action: 'set', username, rename: to, profile: {} });
}
/** Appends an event that happens to alice, as `groundswell emit` does. */
function emit(type: EventType, body: Json): void {
  const db = openPosts(join(service.folder, 'posts.sqlite'), { random: randomBytes });
  const table = eventTable(db, () => now);
  eventChanges(db, table).append([{ type, users: [alice.id], post: null, body }]);
  db.close();
  service.events.posts.wake();
}

const text = expect.any(String);
const changed = { before: text, after: text };
const relation = () => ({
  source: { data: expect.objectContaining({ id: alice.id, username: 'alice' }) },
  target: { data: expect.objectContaining({ id: bob.id, username: 'bob' }) },
});
const byBob = () => expect.objectContaining({ author_id: bob.id, text });
const user = () => ({ data: expect.objectContaining({ id: alice.id }) });
const MESSAGE = {
  direct_message_events: [
    {
      type: 'message_create',
      id: '5',
      created_timestamp: '1784927750704',
      message_create: {
        target: { recipient_id: '7' },
        sender_id: '8',
        message_data: { text: 'hello' },
      },
    },
  ],
};
const MARK = { created_timestamp: '1784927750704', sender_id: '8', target: { recipient_id: '7' } };
const READ = { direct_message_mark_read_events: [{ ...MARK, last_read_event_id: '5' }] };
const TYPING = { direct_message_indicate_typing_events: [MARK] };
const CHAT = { conversation_id: '1:2', encoded_event: 'CwAB' };
const BROADCAST = { broadcast_id: '1qx' };
const CHANGE = { before: 'old', after: 'new' };
const STORY = {
  id: '9',
  name: 'The tea is green',
  category: 'Other',
  hook: 'Tea',
  summary: 'Tea.',
};

interface Row {
  readonly cause: () => unknown;
  readonly payload: () => unknown;
  readonly filter?: () => object;
}
const emitted = (type: EventType, body: Json, payload: () => unknown = () => body): Row => ({
  cause: () => emit(type, body),
  payload,
});
const ofProfile = (change: Partial<Profile>): Row => ({
  cause: () => {
    profile({ name: 'alice', ...NEW_PROFILE });
    profile(change);
  },
  payload: () => changed,
});
const withUsers = (body: object) => () => ({ ...body, users: { [alice.id]: user() } });
const hosted = (type: EventType, event_type: string, body: Json = BROADCAST) =>
  emitted(type, body, () => ({ user: user(), ...body, event_type }));

const ROWS: Readonly<Record<Exclude<EventType, 'oauth.revoke'>, Row>> = {
  'profile.update.bio': ofProfile({ description: 'tea' }),
  'profile.update.screenname': {
    cause: () => {
      rename('alice', 'alice_b');
      rename('alice_b', 'alice');
    },
    payload: () => ({ before: 'alice', after: 'alice_b' }),
  },
  'profile.update.geo': ofProfile({ location: 'Kyoto' }),
  'profile.update.url': ofProfile({ url: 'https://example.com/' }),
  'profile.update.verified': ofProfile({ verified_type: 'blue' }),
  'profile.update.profile_picture': emitted('profile.update.profile_picture', CHANGE),
  'profile.update.banner_picture': emitted('profile.update.banner_picture', CHANGE),
  'profile.update.affiliate': ofProfile({ affiliation: 'bob' }),
  'follow.follow': { cause: follow, payload: relation },
  'follow.unfollow': { cause: async () => [await follow(), await unfollow()], payload: relation },
  'mute.mute': { cause: mute, payload: relation },
  'mute.unmute': { cause: async () => [await mute(), await unmute()], payload: relation },
  'block.block': {
    cause: () => emit('block.block', { source_id: alice.id, target_id: bob.id }),
    payload: relation,
  },
  'block.unblock': {
    cause: () => emit('block.unblock', { source_id: alice.id, target_id: bob.id }),
    payload: relation,
  },
  'post.create': {
    cause: () => post(alice),
    payload: () => expect.objectContaining({ author_id: alice.id, text }),
  },
  'post.delete': {
    cause: async () => await sent(alice, 'DELETE', `/2/tweets/${await post(alice)}`),
    payload: () => ({ id: text, author_id: alice.id }),
  },
  'post.mention.create': { cause: () => post(bob, { text: `@alice ${now}` }), payload: byBob },
  'post.reply.create': {
    cause: async () => await post(bob, { reply: { in_reply_to_tweet_id: await post(alice) } }),
    payload: byBob,
  },
  'post.quote.create': {
    cause: async () => await post(bob, { quote_tweet_id: await post(alice) }),
    payload: byBob,
  },
  'post.repost.create': {
    cause: async () =>
      await sent(bob, 'POST', `/2/users/${bob.id}/retweets`, { tweet_id: await post(alice) }),
    payload: byBob,
  },
  'like.create': {
    cause: async () =>
      await sent(bob, 'POST', `/2/users/${bob.id}/likes`, { tweet_id: await post(alice) }),
    payload: () => expect.objectContaining({ liked_tweet_author_id: alice.id }),
  },
  'dm.received': emitted('dm.received', MESSAGE, withUsers(MESSAGE)),
  'dm.sent': emitted('dm.sent', MESSAGE, withUsers(MESSAGE)),
  'dm.read': emitted('dm.read', READ, withUsers(READ)),
  'dm.indicate_typing': emitted('dm.indicate_typing', TYPING, withUsers(TYPING)),
  'chat.received': emitted('chat.received', CHAT),
  'chat.sent': emitted('chat.sent', CHAT),
  'chat.conversation_join': emitted('chat.conversation_join', CHAT),
  'chat.conversation.member_added': emitted('chat.conversation.member_added', CHAT),
  'chat.conversation.member_removed': emitted('chat.conversation.member_removed', CHAT),
  'chat.conversation.admin_added': emitted('chat.conversation.admin_added', CHAT),
  'chat.conversation.admin_removed': emitted('chat.conversation.admin_removed', CHAT),
  'chat.update.group_name': emitted('chat.update.group_name', CHAT),
  'chat.update.restrictions': emitted('chat.update.restrictions', CHAT),
  'spaces.start': hosted('spaces.start', 'spaces_start'),
  'spaces.end': hosted('spaces.end', 'spaces_end'),
  'broadcast.start': hosted('broadcast.start', 'broadcast_start'),
  'broadcast.end': hosted('broadcast.end', 'broadcast_end'),
  'broadcast.chat': hosted('broadcast.chat', 'broadcast_chat', { ...BROADCAST, text: 'hello' }),
  'news.new': {
    cause: () => emit('news.new', { story: STORY, texts: [STORY.name], ids: [] }),
    payload: () => STORY,
    filter: () => ({ keyword: 'tea is green' }),
  },
};

const NAMES = EVENT_NAMES.filter((name) => name !== 'oauth.revoke');

describe('Events', () => {
  it.each(NAMES)('%s is delivered in the spelling of its subscription', async (name) => {
    const type = eventType(name) as keyof typeof ROWS;
    const { cause, payload, filter = () => ({ user_id: alice.id }) } = ROWS[type];
    // A private event needs the user's own token, which public ones accept as well.
    const as = type === 'news.new' ? app : alice;
    const made = await as.subscribe(name, filter(), { tag: 'row' });
    expect(made.status, JSON.stringify(made.body)).toBe(200);
    expect(made.body.data).toMatchObject({ event_type: name, filter: filter(), tag: 'row' });
    const stream = await app.connect();
    await cause();
    const { data } = await stream.next();
    expect(data).toMatchObject({
      event_uuid: expect.stringMatching(/^\d{1,19}$/),
      filter: filter(),
      event_type: name,
      tag: 'row',
    });
    expect(data.payload).toEqual(payload());
    await stream.close();
  });

  it('oauth.revoke needs no subscription', async () => {
    const carl = app.user('carl');
    const stream = await app.connect();
    service.auth.accounts({ action: 'remove', username: 'carl' });
    expect((await stream.next()).data).toMatchObject({
      event_type: 'oauth.revoke',
      filter: {},
      payload: { user_id: carl.id, app_id: app.id, date_time: text },
    });
    await stream.close();
  });

  it.each([
    ['ProfileBioUpdate', 'profile.update.bio'],
    ['ProfilePictureUpdate', 'profile.update.profile_picture'],
    ['ProfileBannerUpdate', 'profile.update.banner_picture'],
    ['ProfileGeoUpdate', 'profile.update.geo'],
    ['ProfileUrlUpdate', 'profile.update.url'],
  ])('2026-03-18: %s was replaced by %s', async (retired, name) => {
    const { status, body } = await app.subscribe(retired, { user_id: alice.id });
    expect(status).toBe(400);
    expect(JSON.stringify(body)).toContain(`was replaced by [${name}] on 18 March 2026`);
  });
});
