import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { BOOKMARKS } from '#contract/relations/bookmarks.ts';
import type { Endpoint } from '#contract/endpoint.ts';
import { FOLLOWS } from '#contract/relations/follows.ts';
import { LIKES } from '#contract/relations/likes.ts';
import { LIST_WRITES, LISTS } from '#contract/relations/lists.ts';
import { MUTES } from '#contract/relations/mutes.ts';
import { REPOSTS } from '#contract/relations/reposts.ts';
import { SCOPES } from '#contract/accounts/scopes.ts';
import { HIDE_REPLY, TIMELINES } from '#contract/posts/timelines.ts';
import { callsWith, person } from '#tests/support/json-calls.ts';
import { startService, type TestService } from '#tests/support/service.ts';

/** Scopes and kinds of token by platform-facts, section 12, and platform-openapi; limits by platform-facts 1.5. */
const TABLE: readonly (readonly [
  endpoint: Endpoint,
  kinds: 'app' | 'user' | 'oauth2',
  scope: string,
  limit: number,
])[] = [
  [TIMELINES.posts, 'app', 'tweet.read', 900],
  [TIMELINES.mentions, 'app', 'tweet.read', 300],
  [TIMELINES.quotes, 'app', 'tweet.read', 75],
  [FOLLOWS.followers, 'app', 'follows.read', 300],
  [FOLLOWS.following, 'app', 'follows.read', 300],
  [FOLLOWS.follow, 'user', 'follows.write', 50],
  [FOLLOWS.unfollow, 'user', 'follows.write', 50],
  [MUTES.muting, 'user', 'mute.read', 15],
  [MUTES.blocking, 'user', 'block.read', 15],
  [MUTES.mute, 'user', 'mute.write', 50],
  [MUTES.unmute, 'user', 'mute.write', 50],
  [LIKES.liked, 'user', 'like.read', 75],
  [LIKES.likingUsers, 'user', 'like.read', 75],
  [LIKES.like, 'user', 'like.write', 50],
  [LIKES.unlike, 'user', 'like.write', 50],
  [BOOKMARKS.list, 'oauth2', 'bookmark.read', 180],
  [BOOKMARKS.add, 'oauth2', 'bookmark.write', 50],
  [BOOKMARKS.remove, 'oauth2', 'bookmark.write', 50],
  [REPOSTS.users, 'app', 'tweet.read', 75],
  [REPOSTS.repost, 'user', 'tweet.write', 50],
  [REPOSTS.unrepost, 'user', 'tweet.write', 50],
  [LISTS.owned, 'app', 'list.read', 15],
  [LISTS.followed, 'app', 'list.read', 15],
  [LISTS.memberships, 'app', 'list.read', 75],
  [LISTS.pinned, 'user', 'list.read', 15],
  [LISTS.one, 'app', 'list.read', 75],
  [LISTS.members, 'app', 'list.read', 900],
  [LISTS.followers, 'app', 'list.read', 900],
  [LISTS.posts, 'app', 'list.read', 900],
  [LIST_WRITES.create, 'user', 'list.write', 300],
  [LIST_WRITES.update, 'user', 'list.write', 300],
  [LIST_WRITES.delete, 'user', 'list.write', 300],
  [LIST_WRITES.addMember, 'user', 'list.write', 300],
  [LIST_WRITES.removeMember, 'user', 'list.write', 300],
  [LIST_WRITES.follow, 'user', 'list.write', 50],
  [LIST_WRITES.unfollow, 'user', 'list.write', 50],
  [LIST_WRITES.pin, 'user', 'list.write', 50],
  [LIST_WRITES.unpin, 'user', 'list.write', 50],
  [HIDE_REPLY, 'user', 'tweet.moderate.write', 50],
];
const rows = TABLE.map((row) => [`${row[0].method} ${row[0].path}`, ...row] as const);

let service: TestService;
let ann: ReturnType<typeof person>;
beforeAll(() => {
  service = startService();
  ann = person(service, 'ann');
});
afterAll(() => service.close());

const sent = (endpoint: Endpoint, id: string): [path: string, body: object | undefined] => [
  endpoint.path.replace(/:\w+/, id).replace(/:\w+/, '1'),
  endpoint.method === 'POST' || endpoint.method === 'PUT' ? {} : undefined,
];

describe('an operation on relations', () => {
  test.each(rows)('%s takes its kinds of token', async (_name, endpoint, kinds) => {
    const names = { oauth1: 'OAuth 1.0a User Context', oauth2: 'OAuth 2.0 User Context' };
    const types = kinds === 'oauth2' ? [names.oauth2] : [names.oauth1, names.oauth2];
    const token = service.auth.issueToken({ access: 'enterprise', limited: false });
    const [path, body] = sent(endpoint, ann.id);
    const call = callsWith(service, token);
    const { status, json } =
      endpoint.method === 'GET'
        ? await call.get(path)
        : await call.send(endpoint.method, path, body);
    if (kinds === 'app') expect(status).toBe(200);
    else {
      expect([status, json.detail]).toEqual([
        403,
        `Authenticating with OAuth 2.0 Application-Only is forbidden for this endpoint.  Supported authentication types are [${types.join(', ')}].`,
      ]);
    }
  });

  test.each(rows)('%s needs its scope', async (_name, endpoint, _kinds, scope) => {
    const scopes = SCOPES.filter((one) => one !== scope);
    const { token } = service.auth.issueUserToken({ name: 'ann', scopes, limited: false });
    const [path, body] = sent(endpoint, ann.id);
    const call = callsWith(service, token);
    const { status, json } =
      endpoint.method === 'GET'
        ? await call.get(path)
        : await call.send(endpoint.method, path, body);
    expect([status, json.detail]).toEqual([
      403,
      `You are not permitted to perform this action: the token lacks the scope ${scope}.`,
    ]);
  });

  test.each(rows)('%s has its limit', async (_name, endpoint, _kinds, _scope, limit) => {
    const { token } = service.auth.issueUserToken({ name: 'ann', limited: true });
    const [path, body] = sent(endpoint, ann.id);
    const response = await service.request(path, {
      method: endpoint.method,
      headers: {
        cookie: '',
        authorization: `Bearer ${token}`,
        ...(body && { 'content-type': 'application/json' }),
      },
      ...(body && { body: JSON.stringify(body) }),
    });
    expect(response.headers.get('x-rate-limit-limit')).toBe(String(limit));
    expect(response.status).toBeLessThan(500);
  });

  test('has the daily limit of likes', async () => {
    const { token } = service.auth.issueUserToken({ name: 'day', limited: true });
    const me = person(service, 'day');
    const response = await service.request(`/2/users/${me.id}/likes/1`, {
      method: 'DELETE',
      headers: { cookie: '', authorization: `Bearer ${token}` },
    });
    expect(response.headers.get('x-user-limit-24hour-limit')).toBe('1000');
  });

  test('may be called by a session that acts as an account', async () => {
    const response = await service.request(`/2/users/${ann.id}/bookmarks`, {
      headers: { 'x-groundswell-account': ann.id, 'sec-fetch-site': 'same-origin' },
    });
    expect([response.status, await response.json()]).toEqual([200, { meta: { result_count: 0 } }]);
  });
});
