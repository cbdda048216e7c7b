import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { openPosts } from '#server/posts/store/post-table.ts';
import { relationTable } from '#server/posts/store/relations.ts';
import { countingBytes } from '#tests/server/db/folder.ts';
import { callerOf, pagesOf, person, serviceWithPeople } from '#tests/support/service/callers.ts';
import { addApp } from '#tests/support/service/signing-in.ts';
import type { TestPost } from '#tests/support/service/service.ts';

const POSTS: TestPost[] = [
  { id: 1n, createdAt: '2024-01-01T00:00:00Z', text: 'tea', authorId: '70', username: 'Zed' },
];

/** The lead of the service's clock over the machine's, ms. */
let skewMs = 0;
const { service, ann, bob, app } = serviceWithPeople({
  posts: POSTS,
  now: () => Date.now() + skewMs,
});

type Person = ReturnType<typeof person>;
const follow = (who: Person, target: string) =>
  who.send('POST', `/2/users/${who.id}/following`, { target_user_id: target });
const unfollow = (who: Person, target: string) =>
  who.send('DELETE', `/2/users/${who.id}/following/${target}`);

describe('following', () => {
  test('shows at both ends, and unfollowing restores the state before it', async () => {
    const counts = async () =>
      (await app.get(`/2/users?ids=${ann.id},${bob.id}&user.fields=public_metrics`)).body;
    const before = await counts();
    expect(await follow(ann, bob.id)).toMatchObject({
      status: 200,
      body: { data: { following: true, pending_follow: false } },
    });
    expect((await follow(ann, bob.id)).status).toBe(200);
    expect(await app.ids(`/2/users/${ann.id}/following`)).toEqual([bob.id]);
    expect(await app.ids(`/2/users/${bob.id}/followers`)).toEqual([ann.id]);
    const [a, b] = (await counts()).data;
    expect(a.public_metrics).toMatchObject({ following_count: 1, followers_count: 0 });
    expect(b.public_metrics).toMatchObject({ following_count: 0, followers_count: 1 });
    const undone = { data: { following: false } };
    expect((await unfollow(ann, bob.id)).body).toEqual(undone);
    expect((await unfollow(ann, bob.id)).body).toEqual(undone);
    expect(await counts()).toEqual(before);
    expect((await app.get(`/2/users/${bob.id}/followers`)).body).toEqual({
      meta: { result_count: 0 },
    });
  });

  test('names an author whom only Posts know', async () => {
    await follow(ann, '70');
    const { body } = await app.get(`/2/users/${ann.id}/following`);
    expect(body.data).toEqual([{ id: '70', name: 'Zed', username: 'Zed' }]);
    await unfollow(ann, '70');
  });

  test('names one whose account was removed as lookups do, by its Posts', async () => {
    const eve = person(service, 'eve');
    await follow(ann, eve.id);
    await eve.send('POST', '/2/tweets', { text: 'tea' });
    service.auth.accounts({ action: 'remove', username: 'eve' });
    const { data } = (await app.get(`/2/users/${eve.id}`)).body;
    expect(data.username).toBe('eve');
    expect((await app.get(`/2/users/${ann.id}/following`)).body.data).toEqual([data]);
    await unfollow(ann, eve.id);
  });

  test('needs another account that exists', async () => {
    expect(await follow(ann, '4711')).toMatchObject({
      status: 404,
      body: {
        title: 'Not Found Error',
        detail: 'Could not find user with target_user_id: [4711].',
      },
    });
    expect((await follow(ann, ann.id)).status).toBe(400);
    const missing = await ann.send('POST', `/2/users/${ann.id}/following`, {});
    expect(missing.body.errors[0].message).toBe('$.target_user_id: is required');
    const more = await ann.send('POST', `/2/users/${ann.id}/following`, {
      target_user_id: bob.id,
      x: 1,
    });
    expect(more.body.errors[0].message).toBe(
      '$.x: is not defined in the schema and the schema does not allow additional properties',
    );
  });

  test('is refused by an account that blocks the caller', async () => {
    const db = openPosts(join(service.folder, 'posts.sqlite'), { random: countingBytes() });
    relationTable(db).put('block', BigInt(bob.id), BigInt(ann.id));
    expect((await follow(ann, bob.id)).status).toBe(403);
    relationTable(db).remove('block', BigInt(bob.id), BigInt(ann.id));
    db.close();
  });

  test('is only for the caller itself', async () => {
    const { status, body } = await ann.send('POST', `/2/users/${bob.id}/following`, {
      target_user_id: '70',
    });
    expect(status).toBe(400);
    expect(body.errors).toEqual([
      {
        parameters: { id: [bob.id] },
        message: `The \`id\` query parameter value [${bob.id}] must be the same as the authenticating user [${ann.id}]`,
      },
    ]);
  });

  test('needs enterprise access; unfollowing does not', async () => {
    const { name } = addApp(service, 'small', { access: 'pay-per-use' });
    const small = person(service, 'ann', { app: name });
    const refused = await follow(small, bob.id);
    expect(refused.status).toBe(403);
    expect(refused.body).toMatchObject({
      title: 'Client Forbidden',
      required_enrollment: 'Enterprise',
    });
    expect((await unfollow(small, bob.id)).status).toBe(200);
  });
});

describe('a protected account', () => {
  test('gets a request, which is no follow', async () => {
    const eve = person(service, 'eve');
    service.auth.accounts({ action: 'set', username: 'eve', profile: { protected: true } });
    const pending = { data: { following: false, pending_follow: true } };
    expect((await follow(ann, eve.id)).body).toEqual(pending);
    expect((await follow(ann, eve.id)).body).toEqual(pending);
    expect(await eve.ids(`/2/users/${eve.id}/followers`)).toEqual([]);
    service.auth.accounts({ action: 'set', username: 'eve', profile: { protected: false } });
    expect((await follow(ann, eve.id)).body).toEqual({
      data: { following: true, pending_follow: false },
    });
    expect(await eve.ids(`/2/users/${eve.id}/followers`)).toEqual([ann.id]);
  });

  test('has the followers who asked once it is open, by its settings', async () => {
    const fay = person(service, 'fay');
    const set = (isProtected: boolean) =>
      callerOf(service).post('/accounts', {
        action: 'set',
        username: 'fay',
        profile: { protected: isProtected },
      });
    await set(true);
    expect((await follow(ann, fay.id)).body.data).toMatchObject({ pending_follow: true });
    expect((await set(false)).status).toBe(200);
    expect(await app.ids(`/2/users/${fay.id}/followers`)).toEqual([ann.id]);
    expect(await app.ids(`/2/users/${ann.id}/following`)).toContain(fay.id);
  });

  test('shows its Posts and relations only to itself and its followers', async () => {
    const dan = person(service, 'dan');
    await follow(bob, dan.id);
    service.auth.accounts({ action: 'set', username: 'dan', profile: { protected: true } });
    const made = await dan.send('POST', '/2/tweets', { text: 'a secret teapot' });
    const { id } = made.body.data;
    // Search ends some seconds before now.
    skewMs += 11_000;
    for (const path of [
      `/2/tweets?ids=${id}`,
      '/2/tweets/search/recent?query=teapot',
      `/2/users/${dan.id}/tweets`,
    ]) {
      expect.soft(await dan.ids(path), path).toEqual([id]);
      expect.soft(await bob.ids(path), path).toEqual([id]);
      expect.soft(await ann.ids(path), path).toEqual([]);
      expect.soft(await app.ids(path), path).toEqual([]);
    }
    expect(await bob.ids(`/2/users/${dan.id}/followers`)).toEqual([bob.id]);
    const { body } = await app.get(`/2/users/${dan.id}/followers`);
    expect(body.errors[0]).toMatchObject({
      title: 'Authorization Error',
      detail: `Sorry, you are not authorized to see the user with id: [${dan.id}].`,
    });
    // A follower stays one.
    expect((await follow(bob, dan.id)).body.data).toEqual({
      following: true,
      pending_follow: false,
    });
  });
});

describe('pages of followers', () => {
  test('lead forward and back, and refuse a token of another user', async () => {
    const star = person(service, 'star');
    const fans: string[] = [];
    for (let i = 0; i < 7; i++) {
      const fan = person(service, `fan${i}`);
      await follow(fan, star.id);
      fans.unshift(fan.id);
    }
    const path = `/2/users/${star.id}/followers?max_results=3`;
    const pages = [fans.slice(0, 3), fans.slice(3, 6), fans.slice(6)];
    expect(await pagesOf(app, path)).toEqual(pages);
    const token = (await app.get(path)).body.meta.next_token;
    const other = await app.get(`/2/users/${ann.id}/followers?pagination_token=${token}`);
    expect(other.status).toBe(400);
    expect(other.body.errors[0].message).toContain('`pagination_token` query parameter value');
  });

  test('have 1 to 1000 users', async () => {
    for (const most of [0, 1001]) {
      const { status, body } = await app.get(`/2/users/${ann.id}/followers?max_results=${most}`);
      expect(status).toBe(400);
      expect(body.errors[0].message).toBe(
        `The \`max_results\` query parameter value [${most}] is not between 1 and 1000`,
      );
    }
  });

  test('of an unknown user are an error', async () => {
    const { status, body } = await app.get('/2/users/4711/followers');
    expect(status).toBe(200);
    expect(body.errors[0]).toMatchObject({ detail: 'Could not find user with id: [4711].' });
  });
});
