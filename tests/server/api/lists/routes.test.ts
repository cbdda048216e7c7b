import { describe, expect, test } from 'vitest';
import { STORE_REVISION_HEADER } from '#contract/counts/source.ts';
import { pagesOf, serviceWithPeople } from '#tests/support/service/callers.ts';
import type { TestPost } from '#tests/support/service/service.ts';

const POSTS: TestPost[] = Array.from({ length: 6 }, (_, i) => ({
  id: BigInt(i + 1),
  createdAt: Date.now() - 3_600_000 + i * 1000,
  text: `tea ${i}`,
  authorId: i % 2 === 0 ? '70' : '71',
  username: i % 2 === 0 ? 'zed' : 'amy',
}));

const { service, ann, bob, app } = serviceWithPeople({ posts: POSTS });

async function created(list: object): Promise<string> {
  const { status, body } = await ann.send('POST', '/2/lists', list);
  expect(status).toBe(200);
  return body.data.id;
}
const add = (list: string, user_id: string) =>
  ann.send('POST', `/2/lists/${list}/members`, { user_id });
const countOf = async (list: string): Promise<unknown> => {
  const { body } = await app.get(`/2/tweets/counts/recent?query=list:${list}`);
  return body.meta.total_tweet_count;
};

describe('a list', () => {
  test('has fields, an owner, members and followers', async () => {
    const id = await created({ name: 'Tea', description: 'who drinks it' });
    await add(id, '70');
    await add(id, '70');
    expect((await add(id, '71')).body).toEqual({ data: { is_member: true } });
    const followed = `/2/users/${bob.id}/followed_lists`;
    expect((await bob.send('POST', followed, { list_id: id })).body).toEqual({
      data: { following: true },
    });
    const fields = 'created_at,description,follower_count,id,member_count,name,owner_id,private';
    const { body } = await app.get(`/2/lists/${id}?list.fields=${fields}&expansions=owner_id`);
    expect(body).toEqual({
      data: {
        id,
        name: 'Tea',
        description: 'who drinks it',
        private: false,
        follower_count: 1,
        member_count: 2,
        owner_id: ann.id,
        created_at: expect.stringMatching(/^\d{4}-.*Z$/),
      },
      includes: { users: [{ id: ann.id, name: 'ann', username: 'ann' }] },
    });
    expect((await app.get(`/2/lists/${id}`)).body.data).toEqual({ id, name: 'Tea' });
    expect(await app.ids(`/2/lists/${id}/members`)).toEqual(['71', '70']);
    expect(await app.ids(`/2/lists/${id}/followers`)).toEqual([bob.id]);
    expect(await app.ids(`/2/users/${ann.id}/owned_lists`)).toEqual([id]);
    expect(await app.ids(followed)).toEqual([id]);
    expect(await app.ids('/2/users/70/list_memberships')).toEqual([id]);
    expect((await app.get('/2/users/70?user.fields=public_metrics')).body.data).toMatchObject({
      public_metrics: { listed_count: 1 },
    });
    expect(await app.ids(`/2/lists/${id}/tweets?max_results=4`)).toEqual(['6', '5', '4', '3']);
    expect((await bob.send('DELETE', `${followed}/${id}`)).body).toEqual({
      data: { following: false },
    });
    expect(await app.ids(`/2/lists/${id}/followers`)).toEqual([]);
    await ann.send('DELETE', `/2/lists/${id}`);
  });

  test('is what `list:` counts, at once', async () => {
    const id = await created({ name: 'Counted' });
    expect(await countOf(id)).toBe(0);
    const revision = async () => {
      const path = '/2/tweets/counts/recent?query=tea';
      return Number((await service.request(path)).headers.get(STORE_REVISION_HEADER));
    };
    const before = await revision();
    await add(id, '70');
    expect(await countOf(id)).toBe(3);
    await add(id, '71');
    expect(await countOf(id)).toBe(6);
    expect((await ann.send('DELETE', `/2/lists/${id}/members/70`)).body).toEqual({
      data: { is_member: false },
    });
    expect(await countOf(id)).toBe(3);
    // Three changes of counts, so that nothing cached stays in use.
    expect(await revision()).toBe(before + 3);
    await ann.send('PUT', `/2/lists/${id}`, { private: true });
    expect(await countOf(id)).toBe(0);
    await ann.send('PUT', `/2/lists/${id}`, { private: false });
    expect(await countOf(id)).toBe(3);
    await ann.send('DELETE', `/2/lists/${id}`);
    expect(await countOf(id)).toBe(0);
  });

  test("that is private is only its owner's to see", async () => {
    const id = await created({ name: 'Mine', private: true });
    await add(id, '70');
    expect(await ann.ids(`/2/users/${ann.id}/owned_lists`)).toEqual([id]);
    expect(await ann.ids(`/2/lists/${id}/members`)).toEqual(['70']);
    for (const path of [`/2/lists/${id}`, `/2/lists/${id}/members`, `/2/lists/${id}/tweets`]) {
      const { status, body } = await bob.get(path);
      expect.soft([status, body.data], path).toEqual([200, undefined]);
      expect
        .soft(body.errors[0])
        .toMatchObject({ detail: `Could not find list with id: [${id}].` });
    }
    expect(await app.ids(`/2/users/${ann.id}/owned_lists`)).toEqual([]);
    expect(await app.ids('/2/users/70/list_memberships')).toEqual([]);
    const follow = await bob.send('POST', `/2/users/${bob.id}/followed_lists`, { list_id: id });
    expect(follow.status).toBe(404);
    await ann.send('DELETE', `/2/lists/${id}`);
  });

  test('is changed and deleted by its owner alone', async () => {
    const id = await created({ name: 'Old' });
    for (const [method, path, body] of [
      ['PUT', `/2/lists/${id}`, { name: 'New' }],
      ['DELETE', `/2/lists/${id}`, undefined],
      ['POST', `/2/lists/${id}/members`, { user_id: '70' }],
      ['DELETE', `/2/lists/${id}/members/70`, undefined],
    ] as const) {
      expect.soft((await bob.send(method, path, body)).status, method).toBe(403);
    }
    expect((await ann.send('PUT', `/2/lists/${id}`, { name: 'New' })).body).toEqual({
      data: { updated: true },
    });
    expect((await app.get(`/2/lists/${id}`)).body.data).toEqual({ id, name: 'New' });
    expect((await ann.send('DELETE', `/2/lists/${id}`)).body).toEqual({
      data: { deleted: true },
    });
    expect((await ann.send('DELETE', `/2/lists/${id}`)).status).toBe(404);
  });

  test.each([
    [{}, '$.name: is required'],
    [{ name: '' }, '$.name: must have 1 to 25 characters, got 0'],
    [{ name: 'x'.repeat(26) }, '$.name: must have 1 to 25 characters, got 26'],
    [
      { name: 'a', description: 'x'.repeat(101) },
      '$.description: must have 0 to 100 characters, got 101',
    ],
    [{ name: 'a', private: 1 }, '$.private: must be a boolean, got 1'],
    [{ name: 'a\0' }, '$.name: must not contain NUL or half a character'],
  ])('of %j is refused', async (list, message) => {
    const { status, body } = await ann.send('POST', '/2/lists', list);
    expect([status, body.errors[0].message]).toEqual([400, message]);
  });

  test('can be pinned', async () => {
    const id = await created({ name: 'Pinned' });
    const path = `/2/users/${ann.id}/pinned_lists`;
    expect((await ann.send('POST', path, { list_id: id })).body).toEqual({
      data: { pinned: true },
    });
    const { body } = await ann.get(path);
    expect(body).toEqual({ data: [{ id, name: 'Pinned' }], meta: { result_count: 1 } });
    expect((await bob.get(path)).status).toBe(400);
    expect((await ann.send('DELETE', `${path}/${id}`)).body).toEqual({ data: { pinned: false } });
    expect(await ann.ids(path)).toEqual([]);
    await ann.send('DELETE', `/2/lists/${id}`);
  });
});

test('pages of lists lead both ways', async () => {
  const made: string[] = [];
  for (let i = 0; i < 5; i++) made.unshift(await created({ name: `List ${i}` }));
  const path = `/2/users/${ann.id}/owned_lists?max_results=2`;
  expect(await pagesOf(app, path)).toEqual([made.slice(0, 2), made.slice(2, 4), made.slice(4)]);
});
