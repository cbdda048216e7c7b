import { join } from 'node:path';
import { afterAll, describe, expect, it } from 'vitest';
import { ACCOUNT_HEADER, NO_ACCOUNT } from '#contract/accounts/session.ts';
import { openPosts, postTable } from '#server/posts/store/post-table.ts';
import { countingBytes } from '#tests/server/db/folder.ts';
import { callerOf } from '#tests/support/service/callers.ts';
import { startService } from '#tests/support/service/service.ts';

const service = startService();
afterAll(() => service.close());

const { post: send } = callerOf(service);

const account = (username: string, profile: object = {}, action = 'add') =>
  send('/accounts', { action, username, profile });
const app = (name: string, settings: object = {}, action = 'add') =>
  send('/apps', { action, name, settings });
/** The kind of caller with a token; null if the token is not accepted. */
const kindOf = (token: string) => service.auth.bearer(token)?.kind ?? null;

describe('POST /accounts', () => {
  it('adds, changes, lists and removes accounts', async () => {
    const added = await account('Ann', { email: 'ann@example.com', protected: true });
    expect([added.status, added.headers.get('cache-control')]).toEqual([
      200,
      'no-cache, no-store, max-age=0',
    ]);
    const [ann] = added.body.accounts;
    expect(ann).toMatchObject({ username: 'Ann', name: 'Ann', protected: true, description: '' });
    const changed = await account('ann', { name: 'Ann B.' }, 'set');
    expect(changed.body.accounts).toEqual([{ ...ann, name: 'Ann B.' }]);
    expect((await send('/accounts', { action: 'list' })).body.accounts).toEqual(
      changed.body.accounts,
    );
    const { token } = service.auth.issueUserToken({ name: 'Ann', limited: true });
    expect(kindOf(token)).toBe('oauth2');
    const removed = await send('/accounts', { action: 'remove', username: 'ann' });
    expect(removed.body.accounts).toEqual(changed.body.accounts);
    expect(kindOf(token)).toBeNull();
    expect((await send('/accounts', { action: 'list' })).body).toEqual({ accounts: [] });
  });

  it('gives a new account the id of the imported user of its name', async () => {
    const db = openPosts(join(service.folder, 'posts.sqlite'), { random: countingBytes() });
    const user = { kind: 'users', key: '77', json: '{"username":"archived"}' } as const;
    db.write('imported', () => postTable(db).putObjects([user]));
    db.close();
    const { body } = await account('Archived');
    expect(body.accounts[0].id).toBe('77');
    await send('/accounts', { action: 'remove', username: 'archived' });
  });

  it('refuses an account that exists already, whatever its case, and one that does not exist', async () => {
    await account('bob');
    expect(await account('BOB')).toMatchObject({
      status: 409,
      body: { title: 'Conflict', status: 409, detail: 'The account @bob exists already.' },
    });
    expect(await account('nobody', {}, 'set')).toMatchObject({
      status: 404,
      body: { title: 'Not Found', status: 404, detail: 'There is no account @nobody.' },
    });
    const removed = await send('/accounts', { action: 'remove', username: 'nobody' });
    expect(removed.status).toBe(404);
  });

  it.each([
    [{}, 'action', undefined, 'Invalid'],
    [{ action: 'drop' }, 'action', '"drop"', 'Invalid'],
    [{ action: 'list', more: 1 }, 'more', '1', 'Expected never'],
    [{ action: 'add', profile: {} }, 'username', undefined, 'Expected "username"'],
    [{ action: 'add', username: 'a b', profile: {} }, 'username', '"a b"', '{1,15}'],
    [{ action: 'add', username: 'a', profile: 'x' }, 'profile', '"x"', 'Expected Object'],
    [
      { action: 'add', username: 'a', profile: { email: 'x' } },
      'profile.email',
      '"x"',
      'is wrong: ["x"] is not an e-mail address.',
    ],
    [
      { action: 'set', username: 'a', profile: { name: 'n'.repeat(51) } },
      'profile.name',
      `"${'n'.repeat(51)}"`,
      'has 51 characters; the limit is 50.',
    ],
    [
      { action: 'set', username: 'a', profile: { protected: 'yes' } },
      'profile.protected',
      '"yes"',
      'Expected boolean',
    ],
    [
      { action: 'add', username: 'a', profile: { verified_type: 'gold' } },
      'profile.verified_type',
      '"gold"',
      'business',
    ],
    [{ action: 'add', username: 'a', profile: { id: '1' } }, 'profile.id', '"1"', 'never'],
  ])('refuses %j: names the field, value and rule', async (body, field, value, rule) => {
    const refused = await send('/accounts', body);
    expect(refused.status).toBe(400);
    const [error] = refused.body.errors;
    expect(error.parameters).toEqual({ [field]: value === undefined ? [] : [value] });
    expect(error.message).toContain(`\`${field}\``);
    expect(error.message).toContain(rule);
  });
});

describe('POST /apps', () => {
  it('adds, changes, rotates, lists and removes apps, and shows secrets only after adding and rotating', async () => {
    await account('owner');
    const added = await app(' Radar ', { owner: 'OWNER', credits: 1_500_000 });
    expect(added.status).toBe(200);
    const [radar] = added.body.apps;
    expect(radar).toMatchObject({ name: 'Radar', owner: 'owner', credits: 1_500_000 });
    const { secrets } = added.body;
    expect(Object.keys(secrets)).toEqual(['api_key_secret', 'bearer_token', 'client_secret']);
    expect(kindOf(secrets.bearer_token)).toBe('app');
    const changed = await app('radar', { early_access: true, client: 'public' }, 'set');
    expect(changed.body).toEqual({ apps: [{ ...radar, early_access: true, client: 'public' }] });
    const rotated = await send('/apps', { action: 'rotate', name: 'Radar' });
    expect(Object.keys(rotated.body.secrets)).toEqual(['api_key_secret', 'bearer_token']);
    expect(rotated.body.apps[0].api_key).not.toBe(radar.api_key);
    expect([secrets, rotated.body.secrets].map(({ bearer_token: t }) => kindOf(t))).toEqual([
      null,
      'app',
    ]);
    const list = await send('/apps', { action: 'list' });
    expect(list.body.apps).toHaveLength(2);
    const shown = JSON.stringify(list.body);
    for (const secret of Object.values<string>({ ...secrets, ...rotated.body.secrets })) {
      expect(shown).not.toContain(secret);
    }
    const removed = await send('/apps', { action: 'remove', name: 'Radar' });
    expect(removed.body).toEqual({ apps: rotated.body.apps });
    expect(kindOf(rotated.body.secrets.bearer_token)).toBeNull();
  });

  it('refuses orders that do not fit', async () => {
    await app('Twice');
    const [dedicated] = (await send('/apps', { action: 'list' })).body.apps;
    for (const [answer, status, detail] of [
      [await app('TWICE'), 409, 'The app TWICE exists already.'],
      [await app('Gone', {}, 'set'), 404, 'There is no app named Gone.'],
      [await app('New', { owner: 'missing' }), 404, 'There is no account @missing.'],
      [await send('/apps', { action: 'rotate', name: 'Gone' }), 404, 'There is no app named Gone.'],
      [
        await send('/apps', { action: 'remove', name: dedicated.name }),
        409,
        `The app ${dedicated.name} holds the tokens of the command line and cannot be removed.`,
      ],
    ] as const) {
      expect(answer).toMatchObject({ status, body: { status, detail } });
    }
  });

  it.each([
    [{ action: 'add', name: '', settings: {} }, 'name', 'must have 1 to 32 characters'],
    [{ action: 'add', name: 'A' }, 'settings', 'Expected "settings"'],
    [
      { action: 'add', name: 'A', settings: { credits: -1 } },
      'settings.credits',
      'Expected >=0 but received -1',
    ],
    [{ action: 'add', name: 'A', settings: { credits: 0.5 } }, 'settings.credits', 'integer'],
    [{ action: 'add', name: 'A', settings: { credits: 2 ** 60 } }, 'settings.credits', 'safe'],
    [
      { action: 'add', name: 'A', settings: { callbacks: ['here'] } },
      'settings.callbacks.0',
      'is wrong: here is not an absolute address without a fragment.',
    ],
    [
      { action: 'add', name: 'A', settings: { callbacks: Array(11).fill('https://a.example') } },
      'settings.callbacks',
      'lists more than 10 addresses',
    ],
    [{ action: 'set', name: 'A', settings: { access: 'free' } }, 'settings.access', '"free"'],
    [{ action: 'rotate', name: 'A', settings: {} }, 'settings', 'never'],
  ])('refuses %j: names the field and rule', async (body, field, rule) => {
    const refused = await send('/apps', body);
    expect(refused.status).toBe(400);
    const [error] = refused.body.errors;
    expect(Object.keys(error.parameters)).toEqual([field]);
    expect(error.message).toContain(`\`${field}\``);
    expect(error.message).toContain(rule);
  });
});

describe('POST /apps/tokens', () => {
  it('issues a token of an account for an app, with exactly the chosen scopes and the limits of the app', async () => {
    const { body: added } = await account('carol');
    await app('Free', { access: 'enterprise', limited: false });
    const scopes = ['tweet.read', 'users.read'];
    const issued = await send('/apps/tokens', { username: 'Carol', app: 'free', scopes });
    expect(issued.status).toBe(200);
    const { access_token, ...rest } = issued.body;
    expect(rest).toEqual({ id: added.accounts[0].id, username: 'carol' });
    expect(service.auth.bearer(access_token)).toMatchObject({
      kind: 'oauth2',
      access: 'enterprise',
      app: { name: 'Free' },
      pool: null,
      user: { username: 'carol' },
      scopes,
    });
  });

  it('issues an OAuth 1.0a token with its secret', async () => {
    const request = { username: 'carol', app: 'Free', oauth1: true };
    const issued = await send('/apps/tokens', request);
    expect(issued.status).toBe(200);
    const { apps } = service.auth.apps({ action: 'list' });
    expect(issued.body).toEqual({
      api_key: apps.find(({ name }) => name === 'Free')?.api_key,
      access_token: expect.stringMatching(/^\d+-[\w-]{64}$/),
      access_token_secret: expect.stringMatching(/^[\w-]{64}$/),
      id: expect.stringMatching(/^\d+$/),
      username: 'carol',
    });
    const { body: own } = await send('/apps/tokens', { ...request, app: 'Command line' });
    expect(own.api_key_secret).toMatch(/^[\w-]{64}$/);
    // It signs requests; as a bearer token it is worth nothing.
    expect(service.auth.bearer(issued.body.access_token)).toBeNull();
    const refused = await send('/apps/tokens', { ...request, scopes: ['tweet.read'] });
    expect(refused.status).toBe(400);
    expect(refused.body.errors[0].message).toContain('scopes');
  });

  it('creates no account', async () => {
    const before = service.auth.accounts({ action: 'list' });
    const scopes = ['tweet.read'];
    for (const [body, detail] of [
      [{ username: 'dave', app: 'Free', scopes }, 'There is no account @dave.'],
      [{ username: 'carol', app: 'None', scopes }, 'There is no app named None.'],
    ] as const) {
      const refused = await send('/apps/tokens', body);
      expect(refused).toMatchObject({ status: 404, body: { detail } });
    }
    expect(service.auth.accounts({ action: 'list' })).toEqual(before);
  });

  it.each([
    [{ username: 'a', app: 'A', scopes: [] }, 'scopes', 'must have at least one scope'],
    [{ username: 'a', app: 'A', scopes: ['tweet.eat'] }, 'scopes.0', '"tweet.eat"'],
    [{ username: 'a', app: 'A' }, 'scopes', 'Expected "scopes"'],
    [{ username: 'a', scopes: ['tweet.read'] }, 'app', 'Expected "app"'],
  ])('refuses %j: names the field and rule', async (body, field, rule) => {
    const refused = await send('/apps/tokens', body);
    expect(refused.status).toBe(400);
    expect(Object.keys(refused.body.errors[0].parameters)).toEqual([field]);
    expect(refused.body.errors[0].message).toContain(rule);
  });
});

describe.each(['/accounts', '/apps', '/apps/tokens'])('%s', (path) => {
  it('refuses what is no order', async () => {
    expect((await send(path, [])).status).toBe(400);
    expect((await send(path, { action: 'x'.repeat(64 * 1024) })).status).toBe(413);
    expect((await send(`${path}?x=1`, { action: 'list' })).status).toBe(400);
  });
});

it('a session that acts as a missing account is refused with a type of its own', async () => {
  const path = '/2/tweets/search/recent?query=tea';
  const { status, body } = await callerOf(service).get(path, { [ACCOUNT_HEADER]: '404' });
  expect([status, body.type]).toEqual([400, NO_ACCOUNT]);
});
