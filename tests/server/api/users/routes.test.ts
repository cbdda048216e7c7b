import { afterAll, describe, expect, it } from 'vitest';
import type { Profile } from '#contract/accounts/accounts.ts';
import { callerOf, person, type Caller } from '#tests/support/service/callers.ts';
import { startService } from '#tests/support/service/service.ts';

const createdAt = '2026-11-21T09:00:00Z';
const service = startService({
  now: () => Date.parse('2026-11-21T10:30:20Z'),
  posts: [
    { id: '11', createdAt, text: 'tea', authorId: '7', username: 'Ann' },
    { id: '12', createdAt, text: 'tea', authorId: '8', username: '7' },
    { id: '13', createdAt, text: 'secret tea', authorId: '9', username: 'carl' },
  ],
});
afterAll(() => service.close());

const [dora] = service.auth.accounts({
  action: 'add',
  username: 'Dora',
  profile: { name: 'Dora D', verified_type: 'blue', description: 'Tea', email: 'd@example.com' },
});
const { get } = callerOf(service);
const as = (name: string) => person(service, name);
const missing = (value: string, parameter: string) => ({
  value,
  detail: `Could not find user with ${parameter}: [${value}].`,
  title: 'Not Found Error',
  resource_type: 'user',
  parameter,
  resource_id: value,
  type: 'https://api.x.com/2/problems/resource-not-found',
});

describe('a user', () => {
  it('is found by id and by username, whatever its case', async () => {
    const ann = { data: { id: '7', name: 'Ann', username: 'Ann' } };
    expect((await get('/2/users/7')).body).toEqual(ann);
    expect((await get('/2/users/by/username/ANN')).body).toEqual(ann);
    // A username may be another user's id.
    expect((await get('/2/users/by/username/7')).body.data).toMatchObject({ id: '8' });
    expect((await get('/2/users/by/username/8')).body.errors).toEqual([missing('8', 'username')]);
  });

  it('of this service has the requested members of its profile, but not its e-mail', async () => {
    const fields =
      'created_at,description,location,verified,verified_type,confirmed_email,protected';
    const { body } = await get(`/2/users/${dora?.id}?user.fields=${fields}`);
    expect(body).toEqual({
      data: {
        id: dora?.id,
        name: 'Dora D',
        username: 'Dora',
        created_at: '2026-11-21T10:30:20.000Z',
        description: 'Tea',
        verified: true,
        verified_type: 'blue',
        protected: false,
      },
    });
  });
});

describe('several users', () => {
  it('come in the order of the request, once, with an error for each unknown one', async () => {
    const { status, body } = await get(`/2/users?ids=${dora?.id},5,7,${dora?.id}`);
    expect(status).toBe(200);
    expect(body.data.map(({ username }: { username: string }) => username)).toEqual([
      'Dora',
      'Ann',
    ]);
    expect(body.errors).toEqual([missing('5', 'ids')]);
    const named = await get('/2/users/by?usernames=dora,nobody');
    expect(named.body.data).toHaveLength(1);
    expect(named.body.errors).toEqual([missing('nobody', 'usernames')]);
    expect((await get('/2/users?ids=5')).body).toEqual({ errors: [missing('5', 'ids')] });
  });

  it.each([
    ['/2/users', 'The `ids` query parameter can not be empty'],
    ['/2/users?ids=ann', 'The `ids` query parameter value [ann] does not match ^[0-9]{1,19}$'],
    [
      '/2/users/by?usernames=a-b',
      'The `usernames` query parameter value [a-b] does not match ^[A-Za-z0-9_]{1,15}$',
    ],
    ['/2/users/ann', 'The `id` query parameter value [ann] does not match ^[0-9]{1,19}$'],
    // An operation of the platform that is not here.
    [
      '/2/users/search?query=tea',
      'The `id` query parameter value [search] does not match ^[0-9]{1,19}$',
    ],
    ['/2/users/7?expansions=author_id', /^The `expansions` query parameter value \[author_id\]/],
    ['/2/users/7?tweet.fields=id&expansions=pinned_post_id', /`tweet.fields`.*pinned_post_id/],
  ])('are not %s', async (path, message) => {
    const { status, body } = await get(path);
    expect(status).toBe(400);
    expect(body.errors[0].message).toMatch(message);
  });
});

describe('what a user shows of its Posts and relations', () => {
  it('includes its newest Post, by its field and by its expansion', async () => {
    const asked = await get('/2/users/by?usernames=ann,dora&user.fields=most_recent_tweet_id');
    expect(asked.body.data).toEqual([
      { id: '7', name: 'Ann', username: 'Ann', most_recent_tweet_id: '11' },
      { id: dora?.id, name: 'Dora D', username: 'Dora' },
    ]);
    const expanded = await get('/2/users/7?expansions=most_recent_tweet_id,pinned_tweet_id');
    expect(expanded.body).toMatchObject({
      data: { most_recent_tweet_id: '11' },
      includes: { tweets: [{ id: '11', text: 'tea' }] },
    });
    const renamed = await get('/2/users/7?post.fields=id&user.fields=most_recent_post_id');
    expect(renamed.body.data).toMatchObject({ most_recent_post_id: '11' });
  });

  it('includes how the caller is related to it, and nothing to an app', async () => {
    const profile = { protected: true };
    const [gina] = service.auth.accounts({ action: 'add', username: 'gina', profile });
    const [hugo] = service.auth.accounts({ action: 'add', username: 'hugo', profile: {} });
    const write = async (name: string, path: string, target_user_id: string | undefined) =>
      expect((await as(name).post(path, { target_user_id })).status).toBe(200);
    await write('Dora', `/2/users/${dora?.id}/following`, hugo?.id);
    await write('hugo', `/2/users/${hugo?.id}/following`, dora?.id);
    await write('Dora', `/2/users/${dora?.id}/muting`, hugo?.id);
    await write('Dora', `/2/users/${dora?.id}/following`, gina?.id);
    const path = '/2/users/by?usernames=hugo,gina,dora&user.fields=connection_status';
    const statusesFor = async (who: Caller) =>
      (await who.get(path)).body.data.map(
        ({ connection_status }: { connection_status?: string[] }) => connection_status,
      );
    expect(await statusesFor(as('Dora'))).toEqual([
      ['following', 'followed_by', 'muting'],
      ['follow_request_sent'],
      [],
    ]);
    expect(await statusesFor(as('gina'))).toEqual([[], [], ['follow_request_received']]);
    expect(await statusesFor(callerOf(service))).toEqual([undefined, undefined, undefined]);
    // In a list of users, too.
    const listed = `/2/users/${dora?.id}/followers?user.fields=connection_status`;
    expect((await as('Dora').get(listed)).body.data).toMatchObject([
      { username: 'hugo', connection_status: ['following', 'followed_by', 'muting'] },
    ]);
  });
});

it('a mention has the id of its user, if that is known', async () => {
  const made = await as('Dora').post('/2/tweets', { text: 'tea with @dora and @nobody' });
  const { id } = made.body.data;
  const { body } = await get(`/2/tweets/${id}?tweet.fields=entities`);
  expect(body.data.entities.mentions).toEqual([
    { start: 9, end: 14, username: 'dora', id: dora?.id },
    { start: 19, end: 26, username: 'nobody' },
  ]);
});

it('hides the Posts of a protected account, in search and by id, and counts them', async () => {
  const erin = as('erin');
  const { id } = (await erin.post('/2/tweets', { text: 'rooibos' })).body.data;
  service.auth.accounts({ action: 'set', username: 'erin', profile: { protected: true } });
  expect((await get(`/2/tweets/${id}`)).body.errors[0].title).toBe('Authorization Error');
  // Its author sees it.
  expect((await erin.get(`/2/tweets/${id}`)).body.data.text).toBe('rooibos');
  expect((await get(`/2/users/${erin.id}`)).body.data).toMatchObject({ username: 'erin' });
  const newest = `/2/users/${erin.id}?user.fields=most_recent_tweet_id`;
  expect((await get(newest)).body.data).not.toHaveProperty('most_recent_tweet_id');
  expect((await erin.get(newest)).body.data.most_recent_tweet_id).toBe(id);
  service.auth.accounts({ action: 'set', username: 'erin', profile: { protected: false } });
  expect((await get(`/2/tweets/${id}`)).body.data.text).toBe('rooibos');
});

describe('the affiliation of an account', () => {
  const set = (username: string, profile: Partial<Profile>, action: 'add' | 'set' = 'set') =>
    service.auth.accounts({ action, username, profile })[0]?.id;
  const acme = set('acme', { name: 'Acme', verified_type: 'business' }, 'add');
  const iris = set('iris', { affiliation: 'acme' }, 'add');

  it.each(['affiliation.user_ids', 'affiliation.user_id', 'affiliation'])(
    'has its accounts included by %s',
    async (expansion) => {
      const { body } = await get(`/2/users/${iris}?expansions=${expansion}`);
      expect(body).toEqual({
        data: {
          id: iris,
          name: 'iris',
          username: 'iris',
          affiliation: { description: 'Acme', user_id: [acme], user_ids: [acme] },
        },
        includes: { users: [{ id: acme, name: 'Acme', username: 'acme' }] },
      });
    },
  );

  it('is a field of the user, also in lists', async () => {
    const field = 'user.fields=affiliation';
    const badge = {
      affiliation_description: 'Staff',
      affiliation_url: 'https://acme.example/staff',
      affiliation_badge_url: 'https://acme.example/badge.png',
    };
    set('iris', badge);
    const affiliation = {
      description: 'Staff',
      url: badge.affiliation_url,
      badge_url: badge.affiliation_badge_url,
      user_id: [acme],
      user_ids: [acme],
    };
    expect((await get(`/2/users/${iris}?${field}`)).body).toMatchObject({ data: { affiliation } });
    await as('iris').post(`/2/users/${iris}/following`, { target_user_id: acme });
    const path = `/2/users/${acme}/followers?expansions=affiliation.user_ids&user.fields=verified_type`;
    expect((await get(path)).body).toMatchObject({
      data: [{ id: iris, affiliation }],
      includes: { users: [{ id: acme, verified_type: 'business' }] },
    });
  });

  it('keeps its texts for the same accounts, and loses them with its accounts', async () => {
    const affiliation = async () =>
      (await get(`/2/users/${iris}?user.fields=affiliation`)).body.data.affiliation;
    set('iris', { affiliation: 'ACME' });
    expect(await affiliation()).toMatchObject({ description: 'Staff' });
    set('iris', { affiliation: `dora,${acme}` });
    const user_ids = [dora?.id, acme];
    expect(await affiliation()).toEqual({ description: 'Dora D', user_id: user_ids, user_ids });
    set('iris', { affiliation: '' });
    expect(await affiliation()).toBeUndefined();
    const { body } = await get(`/2/users/${iris}?expansions=affiliation.user_ids`);
    expect(body).not.toHaveProperty('includes');
  });

  it('is without an account that was removed, and ends with the last one', async () => {
    const affiliation = async () =>
      (await get(`/2/users/${iris}?user.fields=affiliation`)).body.data.affiliation;
    const [initech, hooli] = [set('initech', { name: 'Initech' }, 'add'), set('hooli', {}, 'add')];
    set('iris', { affiliation: 'initech,hooli' });
    expect(await affiliation()).toMatchObject({
      description: 'Initech',
      user_ids: [initech, hooli],
    });
    service.auth.accounts({ action: 'remove', username: 'initech' });
    expect(await affiliation()).toEqual({
      description: 'hooli',
      user_id: [hooli],
      user_ids: [hooli],
    });
    service.auth.accounts({ action: 'remove', username: 'hooli' });
    expect(await affiliation()).toBeUndefined();
  });

  it.each([
    [{ affiliation: 'nobody' }, 'There is no account @nobody.'],
    [
      { affiliation_url: 'https://acme.example' },
      'Name the account that @iris is affiliated with.',
    ],
  ])('is not %j', (profile, message) => {
    expect(() => set('iris', profile)).toThrow(message);
  });
});

it('revokes the tokens of a removed account', async () => {
  const fred = as('fred');
  expect((await fred.get('/2/users/me')).status).toBe(200);
  service.auth.accounts({ action: 'remove', username: 'fred' });
  expect((await fred.get('/2/users/me')).status).toBe(401);
});
