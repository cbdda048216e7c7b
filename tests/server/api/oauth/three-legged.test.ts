import { afterAll, beforeEach, describe, expect, it } from 'vitest';
import { startService } from '#tests/support/service/service.ts';
import {
  addAccount,
  addApp,
  decide,
  form,
  sentTo,
  signed,
  type Signer,
  type SigningOptions,
} from '#tests/support/service/signing-in.ts';

const CALLBACK = 'http://127.0.0.1:9/back';
const HOST = 'https://api.x.com';
const UNAUTHENTICATED = { errors: [{ code: 32, message: 'Could not authenticate you.' }] };

let now = 1_790_000_000_000;
const service = startService({ now: () => now, posted: true });
afterAll(() => service.close());
const alice = addAccount(service, 'alice', { email: 'alice@example.org' }).id;
const app = addApp(service, 'Writer', { access: 'enterprise', callbacks: [CALLBACK] });
beforeEach(() => void (now += 1_000_000));

interface SendOptions extends SigningOptions {
  /** The address that the client signs, without its path. */
  readonly host?: string;
  readonly json?: object;
}

/** Sends a signed request. */
async function send(path: string, signer: Signer, options: SendOptions = {}): Promise<Response> {
  const { form: fields, json, host = HOST, method = fields || json ? 'POST' : 'GET' } = options;
  const over = { oauth_timestamp: Math.floor(now / 1000), ...options.over };
  const authorization = signed(host + path, signer, {
    method,
    ...(fields && { form: fields }),
    over,
  });
  const headers: Record<string, string> = { authorization, cookie: '' };
  if (json) headers['content-type'] = 'application/json';
  const body = json ? { body: JSON.stringify(json) } : fields ? form(fields) : {};
  return await service.request(path, { ...body, method, headers });
}
const fieldsOf = async (answer: Response): Promise<Record<string, string>> =>
  Object.fromEntries(new URLSearchParams(await answer.text()));

async function requestToken(oauth_callback = CALLBACK, more = {}, signer: Signer = app) {
  const fields = { oauth_callback, ...more };
  const answer = await send('/oauth/request_token', signer, { form: fields });
  const { oauth_token = '', oauth_token_secret = '' } = await fieldsOf(answer);
  return { token: oauth_token, secret: oauth_token_secret };
}

const access = (
  asked: { token: string; secret: string },
  oauth_verifier: string,
  signer: Signer = app,
) => send('/oauth/access_token', { ...signer, ...asked }, { form: { oauth_verifier } });

/** The page of consent for a new request token. */
async function consentTo(page: string, more: object, signer: Signer): Promise<Response> {
  const asked = await requestToken(CALLBACK, more, signer);
  return await service.request(`/oauth/${page}?oauth_token=${asked.token}`);
}

/** An access token by all three steps. */
async function accessToken(
  more = {},
  signer: Signer = app,
  page = 'authorize',
): Promise<Required<Pick<Signer, 'token' | 'secret'>>> {
  const asked = await requestToken(CALLBACK, more, signer);
  const answer = await decide(service, `/oauth/${page}?oauth_token=${asked.token}`, alice);
  const granted = await access(asked, sentTo(answer).get('oauth_verifier') ?? '', signer);
  const { oauth_token = '', oauth_token_secret = '' } = await fieldsOf(granted);
  return { token: oauth_token, secret: oauth_token_secret };
}

describe('the three steps', () => {
  it('lead to an access token of the account', async () => {
    const first = await send('/oauth/request_token', app, { form: { oauth_callback: CALLBACK } });
    expect(first.status).toBe(200);
    const fields = await fieldsOf(first);
    expect(fields['oauth_callback_confirmed']).toBe('true');
    const { oauth_token: token = '', oauth_token_secret: secret = '' } = fields;

    const answer = await decide(service, `/oauth/authorize?oauth_token=${token}`, alice);
    expect(answer.status).toBe(303);
    expect(answer.headers.get('location')).toContain(`${CALLBACK}?oauth_token=${token}&`);
    const verifier = sentTo(answer).get('oauth_verifier') ?? '';

    const granted = await access({ token, secret }, verifier);
    expect(granted.status).toBe(200);
    const issued = await fieldsOf(granted);
    expect(issued).toEqual({
      oauth_token: expect.stringMatching(new RegExp(`^${alice}-[\\w-]{48}$`)),
      oauth_token_secret: expect.stringMatching(/^[\w-]{64}$/),
      user_id: alice,
      screen_name: 'alice',
    });
    const user = { ...app, token: issued['oauth_token'], secret: issued['oauth_token_secret'] };
    const me = await send('/2/users/me', user as Signer);
    expect(await me.json()).toMatchObject({ data: { id: alice, username: 'alice' } });
    // The verifier works once.
    const again = await access({ token, secret }, verifier);
    expect([again.status, await again.json()]).toEqual([401, UNAUTHENTICATED]);
  });

  it('end with a PIN for an app without a callback, which few wrong PINs end', async () => {
    const pinOf = async (token: string): Promise<string> => {
      const page = await decide(service, `/oauth/authorize?oauth_token=${token}`, alice);
      expect(page.status).toBe(200);
      return /<output[^>]*>(\d{7})<\/output>/.exec(await page.text())?.[1] ?? '';
    };
    const wrong = (pin: string): string => String((Number(pin) + 1) % 10_000_000).padStart(7, '0');
    const asked = await requestToken('oob');
    const pin = await pinOf(asked.token);
    expect((await access(asked, wrong(pin))).status).toBe(401);
    expect((await access(asked, pin)).status).toBe(200);

    const other = await requestToken('oob');
    const otherPin = await pinOf(other.token);
    for (let i = 0; i < 5; i++) expect((await access(other, wrong(otherPin))).status).toBe(401);
    expect((await access(other, otherPin)).status).toBe(401);
  });

  it('end where the user refuses', async () => {
    const asked = await requestToken();
    const path = `/oauth/authorize?oauth_token=${asked.token}`;
    const answer = await decide(service, path, alice, 'refuse');
    expect(answer.headers.get('location')).toBe(`${CALLBACK}?denied=${asked.token}`);
    expect((await access(asked, '')).status).toBe(401);
    expect((await service.request(path)).status).toBe(400);
  });

  it.each([
    ['write', 'write', 303],
    ['write', 'read', 303],
    ['read', 'read', 303],
    ['read', 'write', 200],
  ])(
    'need no second consent with authenticate, unless it is to more: %s, then %s',
    async (first, second, status) => {
      const other = addApp(service, `Again ${now % 1e9}`, { callbacks: [CALLBACK] });
      const [allowed, next] = [first, second].map((type) => ({ x_auth_access_type: type }));
      expect((await consentTo('authenticate', allowed ?? {}, other)).status).toBe(200);
      await accessToken(allowed, other, 'authenticate');
      expect((await consentTo('authenticate', next ?? {}, other)).status).toBe(status);
      expect((await consentTo('authorize', next ?? {}, other)).status).toBe(200);
    },
  );

  it('must be done within 15 minutes', async () => {
    const asked = await requestToken();
    now += 899_999;
    const path = `/oauth/authorize?oauth_token=${asked.token}`;
    expect((await service.request(path)).status).toBe(200);
    now += 1;
    const late = await service.request(path);
    expect(late.status).toBe(400);
    expect(await late.text()).toContain('unknown, expired or used');
  });

  it.each([
    [{}, 403, { code: 38, message: 'oauth_callback parameter is missing.' }],
    [
      { oauth_callback: `${CALLBACK}/` },
      403,
      {
        code: 415,
        message:
          'Callback URL not approved for this client application. Approved callback URLs can be adjusted in your application settings',
      },
    ],
  ])('begin only with a callback of the app: %o', async (fields, status, error) => {
    const answer = await send('/oauth/request_token', app, { form: fields, method: 'POST' });
    expect([answer.status, await answer.json()]).toEqual([status, { errors: [error] }]);
  });

  it('begin only with a signature, and with read or write access', async () => {
    const wrong = await send(
      '/oauth/request_token',
      { ...app, api_key_secret: 'wrong' },
      { form: { oauth_callback: 'oob' } },
    );
    expect([wrong.status, await wrong.json()]).toEqual([401, UNAUTHENTICATED]);
    const fields = { oauth_callback: 'oob', x_auth_access_type: 'all' };
    const other = await send('/oauth/request_token', app, { form: fields });
    expect(other.status).toBe(400);
    expect(await other.text()).toContain('is not one of [read,write]');
    const none = await service.request('/oauth/request_token', { method: 'POST' });
    expect(none.status).toBe(401);
  });
});

describe('a signed request', () => {
  let user: Signer;
  beforeEach(async () => void (user = { ...app, ...(await accessToken()) }));

  it('may be signed for the address called or for one of the platform', async () => {
    for (const host of [
      'http://localhost',
      'https://api.x.com',
      'https://api.twitter.com',
      'https://ads-api.x.com',
      'https://ads-api.twitter.com',
      'https://upload.x.com',
      'https://upload.twitter.com',
    ]) {
      expect((await send('/2/users/me', user, { host })).status, host).toBe(200);
    }
    for (const host of ['http://api.x.com', 'https://localhost', 'https://example.com']) {
      expect((await send('/2/users/me', user, { host })).status, host).toBe(401);
    }
  });

  it('may be signed without the port called, as clients in Ruby and PHP do', async () => {
    const asked = async (address: string): Promise<number> => {
      const over = { oauth_timestamp: Math.floor(now / 1000) };
      const authorization = signed(`${address}/2/users/me`, user, { over });
      const headers = { authorization, cookie: '', host: 'localhost:4319' };
      return (await service.request('/2/users/me', { headers })).status;
    };
    expect(await asked('http://localhost:4319')).toBe(200);
    expect(await asked('http://localhost')).toBe(200);
    expect(await asked('http://localhost:4320')).toBe(401);
  });

  it('is signed over its query and form, and not over JSON', async () => {
    const path = '/2/users/by?usernames=alice&user.fields=created_at%2Cprotected';
    expect((await send(path, user)).status).toBe(200);
    const created = await send('/2/tweets', user, { json: { text: 'signed' } });
    expect(created.status).toBe(201);
    const formed = await send('/2/tweets', user, { form: { text: 'a form & more' } });
    // The signature is right; the body is not JSON.
    expect(formed.status).toBe(400);
    const authorization = signed(`${HOST}/2/users/by?usernames=alice`, user, {
      over: { oauth_timestamp: Math.floor(now / 1000) },
    });
    const headers = { authorization, cookie: '' };
    expect((await service.request('/2/users/by?usernames=bob', { headers })).status).toBe(401);
  });

  it('may have its parameters in the query, or in a form', async () => {
    /** The header's parameters, decoded. */
    const parameters = (path: string, signer: Signer, options: SigningOptions = {}) => {
      const over = { oauth_timestamp: Math.floor(now / 1000) };
      const header = signed(HOST + path, signer, { over, ...options });
      const pairs = [...header.matchAll(/(\w+)="([^"]*)"/g)];
      return pairs.map(([, name = '', value = '']) => [name, decodeURIComponent(value)]);
    };
    const ask = async (path: string, init: RequestInit = {}): Promise<number> =>
      (await service.request(path, { ...init, headers: { ...init.headers, cookie: '' } })).status;
    const query = (pairs: string[][]): string => new URLSearchParams(pairs).toString();

    const path = '/2/users/by?usernames=alice';
    const pairs = parameters(path, user);
    expect(await ask(`${path}&${query(pairs)}`)).toBe(200);
    // It works once.
    expect(await ask(`${path}&${query(pairs)}`)).toBe(401);
    expect(await ask(`/2/users/by?usernames=bob&${query(parameters(path, user))}`)).toBe(401);
    const repeated = parameters(path, user);
    expect(await ask(`${path}&${query([...repeated, ['oauth_nonce', 'x']])}`)).toBe(401);
    expect(await ask(`${path}&oauth_token=${String(user.token)}`)).toBe(401);

    const json = { body: '{"text":"signed in the query"}', method: 'POST' };
    const headers = { 'content-type': 'application/json' };
    const post = query(parameters('/2/tweets', user, { method: 'POST' }));
    expect(await ask(`/2/tweets?${post}`, { ...json, headers })).toBe(201);

    const fields = { oauth_callback: CALLBACK };
    const signature = parameters('/oauth/request_token', app, { method: 'POST', form: fields });
    const body = form({ ...fields, ...Object.fromEntries(signature) });
    expect(await ask('/oauth/request_token', body)).toBe(200);
    const end = parameters('/1.1/oauth/invalidate_token.json', user, { method: 'POST' });
    expect(await ask('/1.1/oauth/invalidate_token.json', form(Object.fromEntries(end)))).toBe(200);
    expect((await send('/2/users/me', user)).status).toBe(401);
  });

  it('may name the version 1.0A, as the npm client oauth does', async () => {
    expect((await send('/2/users/me', user, { over: { oauth_version: '1.0A' } })).status).toBe(200);
  });

  it.each([
    [-300, 200],
    [300, 200],
    [-301, 401],
    [301, 401],
  ])('with a clock %i seconds off gets %i', async (seconds, status) => {
    const over = { oauth_timestamp: Math.floor(now / 1000) + seconds };
    expect((await send('/2/users/me', user, { over })).status).toBe(status);
  });

  it('works once, also across a restart', async () => {
    const over = { oauth_nonce: 'the same', oauth_timestamp: Math.floor(now / 1000) };
    const options = { over };
    expect((await send('/2/users/me', user, options)).status).toBe(200);
    expect((await send('/2/users/me', user, options)).status).toBe(401);
    await service.restart();
    expect((await send('/2/users/me', user, options)).status).toBe(401);
    now += 299_000;
    expect((await send('/2/users/me', user, options)).status).toBe(401);
    const later = { ...over, oauth_timestamp: over.oauth_timestamp + 1 };
    expect((await send('/2/users/me', user, { over: later })).status).toBe(200);
    const others = { ...app, ...(await accessToken()) };
    expect((await send('/2/users/me', others, options)).status).toBe(200);
  });

  it.each<[string, Record<string, string | number>]>([
    ['another method of signature', { oauth_signature_method: 'PLAINTEXT' }],
    ['another version', { oauth_version: '2.0' }],
    ['no nonce', { oauth_nonce: '' }],
    ['a timestamp that is no number', { oauth_timestamp: 'now' }],
    ['an endless timestamp', { oauth_timestamp: '9'.repeat(40) }],
    ['another app', { oauth_consumer_key: 'unknown' }],
    ['another token', { oauth_token: '1-unknown' }],
    ['no token', { oauth_token: '' }],
  ])('is refused with %s', async (_, over) => {
    const answer = await send('/2/users/me', user, { over });
    expect(answer.status).toBe(401);
    expect(await answer.json()).toMatchObject({ title: 'Unauthorized', type: 'about:blank' });
  });

  it('is refused with the secret of another token, or a token of another app', async () => {
    expect((await send('/2/users/me', { ...user, secret: 'x' })).status).toBe(401);
    const other = addApp(service, `Other ${now % 1e9}`);
    expect((await send('/2/users/me', { ...user, ...other })).status).toBe(401);
  });

  it('is refused, never an error, if its header is malformed', async () => {
    for (const authorization of ['OAuth', 'OAuth ', 'OAuth a', 'OAuth a="%"', 'OAuth a="\u00ff"']) {
      const headers = { authorization, cookie: '' };
      expect((await service.request('/2/users/me', { headers })).status, authorization).toBe(401);
    }
    const large = await send('/2/tweets', user, { form: { text: 'x'.repeat(70_000) } });
    expect(large.status).toBe(413);
  });

  it('cannot use the token as a bearer, nor a request token', async () => {
    const headers = { authorization: `Bearer ${String(user.token)}`, cookie: '' };
    expect((await service.request('/2/users/me', { headers })).status).toBe(401);
    const asked = await requestToken();
    expect((await send('/2/users/me', { ...app, ...asked })).status).toBe(401);
  });

  it('ends with invalidate_token', async () => {
    const path = '/1.1/oauth/invalidate_token';
    const answer = await send(path, user, { method: 'POST' });
    expect([answer.status, await answer.json()]).toEqual([200, { access_token: user.token }]);
    expect((await send('/2/users/me', user)).status).toBe(401);
    expect((await send(path, user, { method: 'POST' })).status).toBe(401);
  });
});

describe('what an OAuth 1.0a token may do', () => {
  const readOnly = (answer: Promise<object>) =>
    expect(answer).resolves.toMatchObject({
      title: 'Forbidden',
      type: 'https://api.x.com/2/problems/oauth1-permissions',
    });

  it('is limited by the app and by x_auth_access_type', async () => {
    const user = { ...app, ...(await accessToken({ x_auth_access_type: 'read' })) };
    const post = { json: { text: 'hello' } };
    expect((await send('/2/users/me', user)).status).toBe(200);
    await readOnly((await send('/2/tweets', user, post)).json() as Promise<object>);

    const writer = { ...app, ...(await accessToken({ x_auth_access_type: 'write' })) };
    expect((await send('/2/tweets', writer, post)).status).toBe(201);
    service.auth.apps({ action: 'set', name: app.name, settings: { permission: 'read' } });
    await readOnly((await send('/2/tweets', writer, post)).json() as Promise<object>);
    service.auth.apps({ action: 'set', name: app.name, settings: { permission: 'read-write' } });
  });

  it('is what the page of consent showed, also once the app may do more', async () => {
    const reader = addApp(service, 'Reader', { callbacks: [CALLBACK], permission: 'read' });
    const user = { ...reader, ...(await accessToken({}, reader)) };
    const open = await requestToken(CALLBACK, {}, reader);
    const more = { permission: 'read-write-dm' } as const;
    service.auth.apps({ action: 'set', name: reader.name, settings: more });
    const post = { json: { text: 'hello again' } };
    await readOnly((await send('/2/tweets', user, post)).json() as Promise<object>);

    const late = await service.request(`/oauth/authorize?oauth_token=${open.token}`);
    expect(await late.text()).not.toContain('Create, edit');
    const again = await consentTo('authenticate', {}, reader);
    expect([again.status, await again.text()]).toEqual([200, expect.stringContaining('messages')]);
    const writer = { ...reader, ...(await accessToken({}, reader)) };
    expect((await send('/2/tweets', writer, post)).status).toBe(201);
  });

  it('does not include the e-mail address', async () => {
    const user = { ...app, ...(await accessToken()) };
    const me = await send('/2/users/me?user.fields=confirmed_email', user);
    const { data } = (await me.json()) as { data: object };
    expect(data).not.toHaveProperty('confirmed_email');
  });
});

it('many wrong signatures answer 429, and right ones still pass', async () => {
  const user = { ...app, ...(await accessToken()) };
  for (let i = 1; i < 100; i++) {
    expect((await send('/2/users/me', { ...user, secret: 'x' })).status).toBe(401);
  }
  const refused = await send('/2/users/me', { ...user, secret: 'x' });
  expect(refused.status).toBe(429);
  expect(Number(refused.headers.get('x-rate-limit-reset'))).toBeGreaterThan(now / 1000);
  expect((await send('/2/users/me', user)).status).toBe(200);
  expect(service.log).toEqual([]);
});
