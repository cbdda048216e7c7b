import { afterAll, describe, expect, it } from 'vitest';
import { startService } from '#tests/support/service/service.ts';
import { addApp, basic, form, signed } from '#tests/support/service/signing-in.ts';

const service = startService();
afterAll(() => service.close());
const app = addApp(service, 'Reader', { access: 'enterprise' });

const credentials = () => basic(app.api_key, app.api_key_secret);

async function ask(path: string, authorization: string, fields: Record<string, string>) {
  const answer = await service.request(path, { ...form(fields), headers: { authorization } });
  return { status: answer.status, body: (await answer.json()) as Record<string, unknown> };
}
const token = (authorization = credentials()) =>
  ask('/oauth2/token', authorization, { grant_type: 'client_credentials' });
const invalidate = (access_token: string) =>
  ask('/oauth2/invalidate_token', credentials(), { access_token });
const counts = async (bearer: unknown): Promise<number> => {
  const headers = { authorization: `Bearer ${String(bearer)}`, cookie: '' };
  return (await service.request('/2/tweets/counts/recent?query=tea', { headers })).status;
};

describe('an app-only token', () => {
  it('is the same until it is invalidated, also after a restart', async () => {
    const first = await token();
    expect(first).toEqual({
      status: 200,
      body: { token_type: 'bearer', access_token: app.bearer_token },
    });
    await service.restart();
    expect(await token()).toEqual(first);
    expect(await counts(app.bearer_token)).toBe(200);

    const { access_token } = first.body;
    expect(await invalidate(String(access_token))).toEqual({ status: 200, body: { access_token } });
    expect(await counts(access_token)).toBe(401);
    const invalid = { errors: [{ message: 'Invalid or expired token', code: 89 }] };
    expect(await invalidate(String(access_token))).toEqual({ status: 401, body: invalid });

    const next = await token();
    expect(next.body['access_token']).not.toBe(access_token);
    expect(await counts(next.body['access_token'])).toBe(200);
    expect(await counts(access_token)).toBe(401);
  });

  it('is invalidated by a signed request with the token in its query, too', async () => {
    const signer = addApp(service, 'Signer');
    const path = `/oauth2/invalidate_token?access_token=${signer.bearer_token}`;
    const invalidate = async (secret: string) => {
      const keys = { ...signer, api_key_secret: secret };
      const authorization = signed(`https://api.x.com${path}`, keys, { method: 'POST' });
      const headers = { authorization, cookie: '' };
      return (await service.request(path, { method: 'POST', headers })).status;
    };
    expect(await invalidate('wrong')).toBe(403);
    expect(await counts(signer.bearer_token)).toBe(200);
    expect(await invalidate(signer.api_key_secret)).toBe(200);
    expect(await counts(signer.bearer_token)).toBe(401);
  });

  it('is refused with the recorded body for wrong credentials and another grant', async () => {
    const refused = {
      status: 403,
      body: {
        errors: [
          {
            code: 99,
            label: 'authenticity_token_error',
            message: 'Unable to verify your credentials',
          },
        ],
      },
    };
    const { api_key, api_key_secret } = app;
    for (const authorization of [
      '',
      'Basic',
      'Basic !',
      `Basic ${Buffer.from('no colon').toString('base64')}`,
      `Basic ${Buffer.from('%zz:%zz').toString('base64')}`,
      basic('unknown', api_key_secret),
      basic(api_key, 'wrong'),
      basic(api_key, app.client_secret ?? ''),
      `Bearer ${app.bearer_token}`,
    ]) {
      expect(await token(authorization), authorization).toEqual(refused);
    }
    for (const fields of [{}, { grant_type: 'password' }]) {
      expect(await ask('/oauth2/token', credentials(), fields)).toEqual(refused);
    }
    const { status } = await service.request('/oauth2/token', { headers: { cookie: '' } });
    expect(status).toBe(405);
  });
});

it('many wrong secrets of an API key answer 429 for a while, and the right one still passes', async () => {
  const other = addApp(service, 'Other');
  const wrong = basic(other.api_key, 'wrong');
  for (let i = 0; i < 20; i++) expect((await token(wrong)).status).toBe(403);
  const locked = await service.request('/oauth2/token', {
    ...form({ grant_type: 'client_credentials' }),
    headers: { authorization: wrong },
  });
  expect(locked.status).toBe(429);
  const reset = Number(locked.headers.get('x-rate-limit-reset'));
  expect(reset).toBeGreaterThan(Date.now() / 1000);
  expect(reset).toBeLessThanOrEqual(Date.now() / 1000 + 901);
  expect((await token(basic(other.api_key, other.api_key_secret))).status).toBe(200);
  expect((await token()).status).toBe(200);
  expect(service.log).toEqual([]);
});
