import { readFileSync, readdirSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, beforeEach, describe, expect, it } from 'vitest';
import { startService } from '#tests/support/service/service.ts';
import {
  addAccount,
  addApp,
  basic,
  challengeOf,
  consentPath,
  decide,
  form,
  sentTo,
  VERIFIER,
} from '#tests/support/service/signing-in.ts';

const CALLBACK = 'http://127.0.0.1:9/back?from=groundswell';
const REFUSED_CODE = {
  status: 400,
  body: {
    error: 'invalid_request',
    error_description: 'Value passed for the authorization code was invalid.',
  },
};
const REFUSED_TOKEN = {
  status: 400,
  body: {
    error: 'invalid_request',
    error_description: 'Value passed for the token was invalid.',
  },
};
const UNAUTHORIZED = {
  status: 401,
  body: { error: 'unauthorized_client', error_description: 'Missing valid authorization header' },
};

let now = 1_790_000_000_000;
const service = startService({ now: () => now });
afterAll(() => service.close());
const alice = addAccount(service, 'alice', { email: 'alice@example.org' }).id;
const app = addApp(service, 'Writer', { access: 'enterprise', callbacks: [CALLBACK] });
const page = addApp(service, 'Page', { client: 'public', callbacks: ['app.page:/back', CALLBACK] });
// Failed attempts to authenticate count for 15 minutes.
beforeEach(() => void (now += 1_000_000));

interface Answer {
  readonly status: number;
  readonly body: Record<string, string>;
}

async function post(path: string, fields: Record<string, string>, who = client()): Promise<Answer> {
  const answer = await service.request(path, { ...form(fields), headers: { ...who, cookie: '' } });
  return { status: answer.status, body: (await answer.json()) as Record<string, string> };
}
const client = () => ({ authorization: basic(app.client_id, app.client_secret ?? '') });
const codeBy = async (path = consentPath(app)): Promise<string> =>
  sentTo(await decide(service, path, alice)).get('code') ?? '';
const exchange = (code: string, over: Record<string, string> = {}, who = client()) =>
  post(
    '/2/oauth2/token',
    {
      grant_type: 'authorization_code',
      code,
      redirect_uri: CALLBACK,
      code_verifier: VERIFIER,
      ...over,
    },
    who,
  );
const refresh = (refresh_token: string, over: Record<string, string> = {}, who = client()) =>
  post('/2/oauth2/token', { grant_type: 'refresh_token', refresh_token, ...over }, who);
const me = async (token = '', fields = ''): Promise<Answer> => {
  const headers = { authorization: `Bearer ${token}`, cookie: '' };
  const answer = await service.request(`/2/users/me${fields}`, { headers });
  return { status: answer.status, body: (await answer.json()) as Record<string, string> };
};

describe('an authorization code', () => {
  it('is sent to the callback with the state, and exchanged for tokens', async () => {
    const answer = await decide(service, consentPath(app), alice);
    expect(answer.status).toBe(303);
    expect(answer.headers.get('location')).toMatch(
      /^http:\/\/127\.0\.0\.1:9\/back\?from=groundswell&code=[\w-]{64}&state=the\+state$/,
    );
    const { status, body } = await exchange(sentTo(answer).get('code') ?? '');
    expect(status).toBe(200);
    expect(body).toEqual({
      token_type: 'bearer',
      expires_in: 7200,
      access_token: expect.stringMatching(/^[\w-]{64}$/),
      scope: 'tweet.read users.read offline.access',
      refresh_token: expect.stringMatching(/^[\w-]{64}$/),
    });
    expect(await me(body['access_token'])).toMatchObject({
      status: 200,
      body: { data: { id: alice, username: 'alice' } },
    });
    // A refresh token is not an access token.
    expect((await me(body['refresh_token'])).status).toBe(401);
  });

  it('takes follow.read for follows.read, and repeats it as it was named', async () => {
    const path = consentPath(app, { scope: 'follow.read tweet.read users.read' });
    const { body } = await exchange(await codeBy(path));
    expect(body.scope).toBe('follow.read tweet.read users.read');
    const headers = { authorization: `Bearer ${body.access_token}`, cookie: '' };
    const answer = await service.request(`/2/users/${alice}/following`, { headers });
    expect(answer.status).toBe(200);
  });

  it('works with the plain method, which is the default', async () => {
    for (const code_challenge_method of ['plain', null]) {
      const path = consentPath(app, { code_challenge: VERIFIER, code_challenge_method });
      expect((await exchange(await codeBy(path))).status).toBe(200);
    }
  });

  it('works with the method s256 in any case, as twitter-api-v2 writes it', async () => {
    const code = await codeBy(consentPath(app, { code_challenge_method: 's256' }));
    expect((await exchange(code)).status).toBe(200);
  });

  it('works for a client that percent-encodes its whole credentials, as oauth4webapi does', async () => {
    const encoded = [app.client_id, app.client_secret ?? ''].map((text) =>
      [...text].map((sign) => `%${sign.charCodeAt(0).toString(16)}`).join(''),
    );
    const authorization = `Basic ${Buffer.from(encoded.join(':')).toString('base64')}`;
    const first = await exchange(await codeBy(), {}, { authorization });
    expect(first.status).toBe(200);
    const next = await refresh(first.body['refresh_token'] ?? '', {}, { authorization });
    expect(next.status).toBe(200);
  });

  it('works for a public client, which has no secret', async () => {
    const path = consentPath(page, { redirect_uri: CALLBACK });
    const who = { authorization: '' };
    const client_id = page.client_id;
    const first = await exchange(await codeBy(path), { client_id }, who);
    expect(first.status).toBe(200);
    expect(await exchange(await codeBy(path), { client_id, client_secret: 'x' }, who)).toEqual(
      UNAUTHORIZED,
    );
    const again = await refresh(first.body['refresh_token'] ?? '', { client_id }, who);
    expect(again.status).toBe(200);
  });

  it('works once: another use revokes what the first one issued', async () => {
    const code = await codeBy();
    const { body } = await exchange(code);
    expect((await me(body['access_token'])).status).toBe(200);
    expect(await exchange(code)).toEqual(REFUSED_CODE);
    expect((await me(body['access_token'])).status).toBe(401);
    expect(await refresh(body['refresh_token'] ?? '')).toEqual(REFUSED_TOKEN);
  });

  it('works once also for two requests at the same time', async () => {
    const code = await codeBy();
    const answers = await Promise.all([exchange(code), exchange(code)]);
    for (const { body } of answers) expect((await me(body['access_token'])).status).toBe(401);
    expect(answers.filter(({ status }) => status === 200).length).toBeLessThan(2);
  });

  it('works for 30 seconds, also after a restart', async () => {
    const [early, late] = [await codeBy(), await codeBy()];
    now += 29_999;
    await service.restart();
    expect((await exchange(early)).status).toBe(200);
    now += 1;
    expect(await exchange(late)).toEqual(REFUSED_CODE);
  });

  it.each<[string, Record<string, string>, string]>([
    ['another code', { code: 'x' }, 'Value passed for the authorization code was invalid.'],
    [
      'another verifier',
      { code_verifier: `${VERIFIER}x` },
      'Value passed for the authorization code was invalid.',
    ],
    [
      'a short verifier',
      { code_verifier: 'x' },
      'code_verifier must have 43 to 512 of the characters A-Z a-z 0-9 - . _ ~',
    ],
    ['no verifier', { code_verifier: '' }, 'Missing required parameter [code_verifier].'],
    ['no code', { code: '' }, 'Missing required parameter [code].'],
    ['no callback', { redirect_uri: '' }, 'Missing required parameter [redirect_uri].'],
    [
      'another callback',
      { redirect_uri: 'http://127.0.0.1:9/back' },
      'Invalid request: `redirect_uri` is invalid',
    ],
    [
      'a callback that is no address',
      { redirect_uri: 'x' },
      'Invalid request: `redirect_uri` is not a valid URI',
    ],
  ])('is refused with %s', async (_, over, error_description) => {
    const body = { error: 'invalid_request', error_description };
    expect(await exchange(await codeBy(), over)).toEqual({ status: 400, body });
  });

  it('is used up by a wrong verifier', async () => {
    const code = await codeBy();
    await exchange(code, { code_verifier: `${VERIFIER}x` });
    expect(await exchange(code)).toEqual(REFUSED_CODE);
  });

  it('is refused for a client without its secret, and for another client', async () => {
    const code = await codeBy();
    const client_id = app.client_id;
    const none = { authorization: '' };
    expect(await exchange(code, {}, none)).toEqual(UNAUTHORIZED);
    expect(await exchange(code, { client_id }, none)).toEqual(UNAUTHORIZED);
    expect(await exchange(code, { client_id, client_secret: 'x' }, none)).toEqual(UNAUTHORIZED);
    const wrong = { authorization: basic(client_id, app.api_key_secret) };
    expect(await exchange(code, {}, wrong)).toEqual(UNAUTHORIZED);
    const other = addApp(service, 'Other', { callbacks: [CALLBACK] });
    const others = { authorization: basic(other.client_id, other.client_secret ?? '') };
    expect(await exchange(code, {}, others)).toEqual(REFUSED_CODE);
    expect((await exchange(code)).status).toBe(200);
    const client_secret = app.client_secret ?? '';
    const inForm = await exchange(await codeBy(), { client_id, client_secret }, none);
    expect(inForm.status).toBe(200);
  });
});

describe('a request for tokens', () => {
  it.each<[Record<string, string>, object]>([
    [
      {},
      {
        error: 'invalid_request',
        error_description: 'grant_type must be authorization_code or refresh_token',
      },
    ],
    [
      { grant_type: 'password' },
      {
        error: 'unsupported_grant_type',
        error_description:
          'grant_type [password] is not one of [authorization_code, refresh_token].',
      },
    ],
    [
      { grant_type: 'refresh_token' },
      {
        error: 'invalid_request',
        error_description: 'Missing required parameter [refresh_token].',
      },
    ],
  ])('is refused where it is incomplete: %o', async (fields, body) => {
    expect(await post('/2/oauth2/token', fields)).toEqual({ status: 400, body });
  });

  it('is refused if a parameter is repeated, or the body is neither a form nor JSON', async () => {
    const answer = await service.request('/2/oauth2/token', {
      method: 'POST',
      body: 'grant_type=refresh_token&refresh_token=a&refresh_token=b',
      headers: { ...client(), 'content-type': 'application/x-www-form-urlencoded' },
    });
    expect([answer.status, await answer.json()]).toEqual([
      400,
      {
        error: 'invalid_request',
        error_description: 'The parameter [refresh_token] may be given only once.',
      },
    ]);
    const text = await service.request('/2/oauth2/token', {
      method: 'POST',
      body: 'grant_type=refresh_token&refresh_token=a',
      headers: { ...client(), 'content-type': 'text/plain' },
    });
    expect(text.status).toBe(400);
  });

  it('may have its fields in the address, where twitter-api-sdk puts them', async () => {
    const fields = new URLSearchParams({ grant_type: 'refresh_token', refresh_token: 'a' });
    const answer = await service.request(`/2/oauth2/token?${fields}`, {
      method: 'POST',
      headers: { ...client(), 'content-type': 'application/x-www-form-urlencoded' },
    });
    expect([answer.status, (await answer.json()).error_description]).toEqual([
      400,
      'Value passed for the token was invalid.',
    ]);
  });

  it.each([
    ['[]', 400, 'Request body must be a JSON object.'],
    ['{"grant_type"', 400, 'The body is not JSON'],
    ['{"grant_type":1}', 400, 'The parameter [grant_type] must be a text.'],
    ['{"grant_type":"refresh_token","refresh_token":"a"}', 400, 'Value passed for the token'],
  ])('may be JSON, as twitter-api-v2 sends it: %s', async (body, status, message) => {
    const headers = { ...client(), 'content-type': 'application/json' };
    const json = await service.request('/2/oauth2/token', { method: 'POST', body, headers });
    expect(json.status).toBe(status);
    expect(await json.text()).toContain(message);
  });
});

describe('a refresh token', () => {
  const signIn = async () => (await exchange(await codeBy())).body;

  it('is issued only with offline.access', async () => {
    const { body } = await exchange(await codeBy(consentPath(app, { scope: 'tweet.read' })));
    expect(body).not.toHaveProperty('refresh_token');
    expect(body['scope']).toBe('tweet.read');
  });

  it('is replaced at each use, while access tokens last two hours', async () => {
    const first = await signIn();
    now += 7_199_999;
    expect((await me(first['access_token'])).status).toBe(200);
    now += 1;
    expect((await me(first['access_token'])).status).toBe(401);
    await service.restart();
    const { status, body: second } = await refresh(first['refresh_token'] ?? '');
    expect(status).toBe(200);
    expect(second['refresh_token']).not.toBe(first['refresh_token']);
    expect(second).toMatchObject({ token_type: 'bearer', expires_in: 7200, scope: first['scope'] });
    expect((await me(second['access_token'])).status).toBe(200);
    const third = await refresh(second['refresh_token'] ?? '');
    expect((await me(third.body['access_token'])).status).toBe(200);
  });

  it('that was used before ends its whole family, and no other', async () => {
    const [other, first] = [await signIn(), await signIn()];
    const { body: second } = await refresh(first['refresh_token'] ?? '');
    await service.restart();
    expect(await refresh(first['refresh_token'] ?? '')).toEqual(REFUSED_TOKEN);
    for (const token of [first['access_token'], second['access_token']]) {
      expect((await me(token)).status).toBe(401);
    }
    expect(await refresh(second['refresh_token'] ?? '')).toEqual(REFUSED_TOKEN);
    expect((await me(other['access_token'])).status).toBe(200);
    expect((await refresh(other['refresh_token'] ?? '')).status).toBe(200);
  });

  it('used twice at once leaves no token of the family', async () => {
    const first = await signIn();
    const answers = await Promise.all([1, 2].map(() => refresh(first['refresh_token'] ?? '')));
    for (const { body } of answers) expect((await me(body['access_token'])).status).toBe(401);
    expect((await me(first['access_token'])).status).toBe(401);
  });

  it.each(['users.read', 'users.read offline.access'])(
    'gives an access token of fewer scopes and keeps its own: %s',
    async (scope) => {
      const first = await signIn();
      const { body: fewer } = await refresh(first['refresh_token'] ?? '', { scope });
      expect(fewer['scope']).toBe(scope);
      // It lacks tweet.read.
      expect((await me(fewer['access_token'])).status).toBe(403);
      const { body: all } = await refresh(fewer['refresh_token'] ?? '');
      expect(all['scope']).toBe(first['scope']);
      expect((await me(all['access_token'])).status).toBe(200);
    },
  );

  it('refuses a scope that was not allowed, and can be used again', async () => {
    const { refresh_token = '' } = await signIn();
    const wide = await refresh(refresh_token, { scope: 'tweet.read tweet.write' });
    expect(wide).toMatchObject({ status: 400, body: { error: 'invalid_scope' } });
    expect((await refresh(refresh_token)).status).toBe(200);
  });

  it('expires after 180 days without use, and is refused for another client', async () => {
    const [first, second] = [await signIn(), await signIn()];
    const others = { authorization: '' };
    expect(
      await refresh(first['refresh_token'] ?? '', { client_id: page.client_id }, others),
    ).toEqual(REFUSED_TOKEN);
    now += 180 * 86_400_000 - 1;
    expect((await refresh(first['refresh_token'] ?? '')).status).toBe(200);
    now += 1;
    expect(await refresh(second['refresh_token'] ?? '')).toEqual(REFUSED_TOKEN);
  });
});

describe('revocation', () => {
  const revoke = (token: string, over: Record<string, string> = {}, who = client()) =>
    post('/2/oauth2/revoke', { token, ...over }, who);
  const DONE = { status: 200, body: { revoked: true } };

  it('of an access token ends it alone; of a refresh token, its family', async () => {
    const { body } = await exchange(await codeBy());
    const [access = '', renewal = ''] = [body['access_token'], body['refresh_token']];
    expect(await revoke(access, { token_type_hint: 'access_token' })).toEqual(DONE);
    expect((await me(access)).status).toBe(401);
    const next = await refresh(renewal);
    expect(await revoke(next.body['refresh_token'] ?? '')).toEqual(DONE);
    expect((await me(next.body['access_token'])).status).toBe(401);
    expect(await refresh(next.body['refresh_token'] ?? '')).toEqual(REFUSED_TOKEN);
  });

  it('succeeds for an unknown token, and does nothing to tokens of another app', async () => {
    expect(await revoke('unknown')).toEqual(DONE);
    const { body } = await exchange(await codeBy());
    const token = body['access_token'] ?? '';
    const others = { authorization: '' };
    expect(await revoke(token, { client_id: page.client_id }, others)).toEqual(DONE);
    expect((await me(token)).status).toBe(200);
    expect(await revoke(token, {}, others)).toEqual(UNAUTHORIZED);
    expect((await revoke('')).status).toBe(400);
  });
});

describe('the e-mail address of an account', () => {
  it.each([
    ['users.email tweet.read users.read', 'alice@example.org'],
    ['tweet.read users.read', undefined],
  ])('with the scopes %s is %s', async (scope, email) => {
    const { body } = await exchange(await codeBy(consentPath(app, { scope })));
    const asked = await me(body['access_token'], '?user.fields=confirmed_email');
    expect(asked.status).toBe(200);
    const { data } = asked.body as unknown as { data: Record<string, string> };
    expect(data['confirmed_email']).toBe(email);
  });
});

it('stores no code and no token, and logs none', async () => {
  const code = await codeBy();
  const { body } = await exchange(code);
  const shown = [code, body['access_token'], body['refresh_token']];
  const files = readdirSync(service.folder).filter((name) => name.startsWith('service'));
  for (const name of files) {
    const content = readFileSync(join(service.folder, name), 'latin1');
    for (const secret of shown) expect(content.includes(String(secret))).toBe(false);
  }
  expect(files.length).toBeGreaterThan(0);
  expect(service.log).toEqual([]);
});

it('the challenge of the tests is the one of RFC 7636, appendix B', () => {
  expect(challengeOf('dBjftJeZ4CVP-mB92K27uhbUJU1p1r_wW1gFWFOEjXk')).toBe(
    'E9Melhoa2OwvFrEMTJguCHaoeK1t8URWbuGJSstw-cM',
  );
});
