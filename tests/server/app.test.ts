import { afterAll, describe, expect, it } from 'vitest';
import { serviceApp } from '#server/app.ts';
import { MAX_ADDRESS } from '#server/http/origin.ts';
import { startService } from '#tests/support/service/service.ts';

const NOW = Date.parse('2021-09-20T19:18:34Z');
const service = startService({ now: () => NOW });
afterAll(() => service.close());

describe('every response', () => {
  it.each([
    '/',
    '/sources',
    '/2/tweets/counts/recent',
    '/nothing',
    '/2/tweets/counts/recent?query=a1',
  ])('to %s has the security headers', async (path) => {
    const { headers } = await service.request(path);
    expect(headers.get('x-content-type-options')).toBe('nosniff');
    expect(headers.get('content-security-policy')).toContain("frame-ancestors 'none'");
    expect(headers.get('x-frame-options')).toBe('DENY');
    expect(headers.get('referrer-policy')).toBe('no-referrer');
    expect(headers.get('cross-origin-resource-policy')).toBe('same-origin');
    expect(headers.get('date')).toBe('Mon, 20 Sep 2021 19:18:34 GMT');
    expect(headers.has('access-control-allow-origin')).toBe(false);
  });
});

describe('the Host header', () => {
  it.each(['127.0.0.1', 'localhost', '[::1]', '127.0.0.1:4319', 'LOCALHOST:4319'])(
    'may be %s',
    async (host) => {
      expect((await service.request('/nothing', { headers: { host } })).status).toBe(404);
    },
  );

  it.each([
    'evil.example',
    'localhost.evil.example',
    '127.0.0.1.evil.example',
    '127.0.0.2',
    '',
    '::1',
  ])('must not be %j', async (host) => {
    const answer = await service.request('/sources', { headers: { host } });
    expect(answer.status).toBe(403);
    expect(answer.headers.get('x-content-type-options')).toBe('nosniff');
    expect(await answer.json()).toMatchObject({ title: 'Forbidden', status: 403 });
  });

  it('must have the port of the service', async () => {
    const other = startService();
    const port = Number(new URL(await other.listen()).port);
    const ask = async (host: string): Promise<number> =>
      (await other.request('/nothing', { headers: { host } })).status;
    expect(await ask(`127.0.0.1:${port}`)).toBe(404);
    expect(await ask(`localhost:${port}`)).toBe(404);
    expect(await ask(`127.0.0.1:${port + 1}`)).toBe(403);
    expect(await ask('127.0.0.1')).toBe(403);
    await other.close();
  });
});

it('programs wait for a sample that is being made, and for nothing else', async () => {
  let made: number | null = 40;
  const growing = startService({ making: () => made });
  const token = growing.auth.issueToken({ access: 'enterprise', limited: false });
  const ask = async (path: string, headers: HeadersInit = { authorization: `Bearer ${token}` }) =>
    await growing.request(path, { headers });
  const counts = '/2/tweets/counts/recent?query=tea';
  const waiting = await ask(`/sample${counts}`);
  expect([waiting.status, waiting.headers.get('retry-after')]).toEqual([503, '5']);
  expect((await ask(counts)).status).toBe(200);
  // The board shows what there is.
  expect((await ask(`/sample${counts}`, {})).status).toBe(200);
  made = null;
  expect((await ask(`/sample${counts}`)).status).toBe(200);
  await growing.close();
});

describe('routing', () => {
  it.each(['/2/nothing', '/2/tweets/counts/none', '/sample/2/x', '/favicon.ico', '/control/x'])(
    'answers 404 with a problem for %s',
    async (path) => {
      const answer = await service.request(path, { headers: { accept: '*/*' } });
      expect(answer.status).toBe(404);
      expect(answer.headers.get('content-type')).toMatch(/^application\/problem\+json/);
      expect(await answer.json()).toEqual({
        title: 'Not Found',
        type: 'about:blank',
        status: 404,
        detail: `There is nothing at ${path}.`,
      });
    },
  );

  it.each([
    ['POST', '/2/tweets/counts/all', 'GET, HEAD'],
    ['DELETE', '/sample/2/tweets/counts/recent', 'GET, HEAD'],
    ['PUT', '/changes', 'GET, HEAD'],
    ['POST', '/sources', 'GET, HEAD'],
    ['GET', '/session', 'POST'],
    ['GET', '/control/import', 'POST'],
    ['POST', '/', 'GET, HEAD'],
  ])('answers 405 with the allowed methods for %s %s', async (method, path, allow) => {
    const answer = await service.request(path, { method });
    expect(answer.status).toBe(405);
    expect(answer.headers.get('allow')).toBe(allow);
    expect(await answer.json()).toMatchObject({ title: 'Method Not Allowed', status: 405 });
  });

  it.each([
    ['GET', '/1.1/search/tweets.json?q=tea'],
    ['POST', '/1.1/direct_messages/events/new.json?fail_dm_commands=true'],
  ])('refuses %s %s with code 453, as every other path of version 1.1', async (method, path) => {
    const answer = await service.request(path, { method });
    expect(answer.status).toBe(403);
    expect(await answer.json()).toEqual({
      errors: [
        { code: 453, message: expect.stringMatching(/^You currently have access to a subset/) },
      ],
    });
  });

  it('answers HEAD as GET, without a body', async () => {
    const answer = await service.request('/sources', { method: 'HEAD' });
    expect(answer.status).toBe(200);
    expect(await answer.text()).toBe('');
  });
});

describe('an address', () => {
  it('must not be longer than any query needs', async () => {
    const path = `/2/tweets/counts/all?query=${'a'.repeat(MAX_ADDRESS)}`;
    expect((await service.request(path)).status).toBe(414);
  });

  it('may contain the longest query, escaped', async () => {
    const query = `${'🎉'.repeat(4095)}a`;
    const answer = await service.request(`/2/tweets/counts/all?query=${encodeURIComponent(query)}`);
    expect([200, 400]).toContain(answer.status);
    expect(await answer.text()).not.toContain('at most');
  });
});

describe('an internal error', () => {
  it('shows no details in the response and no token in the log', async () => {
    const log: string[] = [];
    const token = service.auth.issueToken({ access: 'enterprise', limited: true });
    const app = serviceApp({
      ...service.deps,
      source: () => {
        throw new Error('a detail');
      },
      log: (line) => log.push(line),
    });
    const headers = { authorization: `Bearer ${token}` };
    const answer = await app.request('/sources', { headers });
    expect(answer.status).toBe(500);
    expect(await answer.json()).toEqual({
      title: 'Internal Server Error',
      type: 'about:blank',
      status: 500,
      detail: 'The service failed; see its log for the cause.',
    });
    expect(log).toEqual([expect.stringContaining('a detail')]);
    expect(log[0]).not.toContain(token);
  });
});
