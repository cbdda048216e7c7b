import { afterAll, describe, expect, it } from 'vitest';
import { startService } from '#tests/support/service.ts';

const service = startService();
afterAll(() => service.close());

async function signIn(headers: Record<string, string> = {}): Promise<Response> {
  return await service.request('/session', { method: 'POST', headers: { cookie: '', ...headers } });
}

describe('POST /session', () => {
  it('sets a cookie that scripts and other sites do not get, and that signs in', async () => {
    const answer = await signIn({ origin: 'http://localhost', 'sec-fetch-site': 'same-origin' });
    expect(answer.status).toBe(204);
    const set = answer.headers.get('set-cookie') ?? '';
    expect(set).toMatch(
      /^groundswell-80=[\w.-]+; Max-Age=\d+; Path=\/; HttpOnly; SameSite=Strict$/,
    );
    const cookie = set.split(';')[0] ?? '';
    const use = async (headers: Record<string, string> = {}): Promise<number> =>
      (await service.request('/sources', { headers: { cookie, ...headers } })).status;
    expect(await use()).toBe(200);
    service.restart();
    expect(await use()).toBe(200);
    expect(await use({ 'sec-fetch-site': 'none' })).toBe(200);
  });

  it.each([
    { origin: 'http://evil.example' },
    { origin: 'http://localhost:3000' },
    { origin: 'https://localhost' },
    { origin: 'null' },
    { 'sec-fetch-site': 'cross-site' },
    { 'sec-fetch-site': 'same-site' },
  ])('refuses %o, and so does a session', async (headers) => {
    const answer = await signIn(headers);
    expect(answer.status).toBe(403);
    expect(answer.headers.has('set-cookie')).toBe(false);
    expect((await service.request('/sources', { headers })).status).toBe(403);
  });

  it('leaves bearer tokens to themselves: they come from no page', async () => {
    const token = service.gate.issueToken({ access: 'enterprise', limited: true });
    const headers = { authorization: `Bearer ${token}`, origin: 'http://evil.example' };
    const answer = await service.request('/sources', { headers });
    expect(answer.status).toBe(200);
    expect(answer.headers.has('access-control-allow-origin')).toBe(false);
  });
});
