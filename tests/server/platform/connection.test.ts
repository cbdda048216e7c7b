import { readdirSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { storedToken } from '#server/platform/stored-token.ts';
import { temporaryFolder } from '#tests/server/db/folder.ts';
import { closeAfterEach, HEAD, relayed, type Relayed } from './relayed.ts';

closeAfterEach();

const unconnected = (): Promise<Relayed> => relayed({ relay: { token: null } });

async function send(at: Relayed, method: string, path: string, body?: object) {
  const answer = await at.service.request(`/platform/connection${path}`, {
    method,
    headers: { 'content-type': 'application/json' },
    ...(body && { body: JSON.stringify(body) }),
  });
  return { status: answer.status, body: await answer.json() };
}
const sourcesOf = async ({ json }: Relayed): Promise<string[]> =>
  ((await json('/sources')) as { data: { id: string }[] }).data.map(({ id }) => id);

describe('a token entered in the settings', () => {
  it('is checked for free, stored, and used also after a restart', async () => {
    const at = await unconnected();
    const { token, url } = at.platform;
    const host = new URL(url).host;
    expect(await send(at, 'GET', '')).toEqual({
      status: 200,
      body: { from: null, host, fault: null },
    });
    expect(await sourcesOf(at)).not.toContain('platform');

    const { status, body } = await send(at, 'PUT', '', { token: ` ${token}\n` });
    expect([status, body]).toEqual([
      200,
      { status: 200, detail: null, usage: expect.anything(), archive: null, price: 0 },
    ]);
    expect(Object.keys(body.usage)).toEqual(['used', 'cap', 'days']);
    expect(at.platform.sent.map(({ path }) => path)).toEqual(['/2/usage/tweets']);
    expect((await at.settings()).month).toEqual({ requests: 0, money: 0 });
    expect(await sourcesOf(at)).toContain('platform');

    await at.service.restart();
    expect(await send(at, 'GET', '')).toMatchObject({ body: { from: 'settings' } });
    expect((await at.ask(HEAD)).headers.get('x-vault')).toBe('bought');
  });

  it('is in no answer, no log and no file as it is', async () => {
    const at = await unconnected();
    const { token } = at.platform;
    const answers = [
      await send(at, 'PUT', '', { token }),
      await send(at, 'GET', ''),
      await send(at, 'POST', '/check', { what: 'token' }),
      await send(at, 'PUT', '', { token: { token } }),
      await send(at, 'PUT', '', { token: `"${token}"` }),
    ];
    expect(answers.map(({ status }) => status)).toEqual([200, 200, 200, 400, 400]);
    expect(JSON.stringify(answers)).not.toContain(token);
    expect(at.service.log.join()).not.toContain(token);
    for (const entry of readdirSync(at.service.folder, { recursive: true, withFileTypes: true })) {
      if (!entry.isFile()) continue;
      const file = join(entry.parentPath, entry.name);
      expect(readFileSync(file).includes(token), file).toBe(false);
    }
  });

  it('is not stored if the platform refuses it, and the one before stays', async () => {
    const at = await unconnected();
    await send(at, 'PUT', '', { token: at.platform.token });
    const refused = await send(at, 'PUT', '', { token: 'wrong' });
    expect(refused).toMatchObject({
      status: 400,
      body: { detail: expect.stringMatching(/^The platform refused the token \(status 401\)\. ./) },
    });
    expect((await at.ask(HEAD)).status).toBe(200);
    await at.platform.refuse();
    expect((await send(at, 'PUT', '', { token: 'other' })).status).toBe(502);
    await at.platform.accept();
    expect((await at.ask(HEAD)).status).toBe(200);
  });

  it('is forgotten with its key; what was bought stays', async () => {
    const at = await unconnected();
    await send(at, 'PUT', '', { token: at.platform.token });
    await at.ask(HEAD, { ask: 'ask-stored' });
    expect(await send(at, 'DELETE', '')).toMatchObject({ status: 200, body: { from: null } });
    expect((await at.ask(HEAD)).status).toBe(404);
    expect((await send(at, 'POST', '/check', { what: 'token' })).status).toBe(404);
    expect(readdirSync(at.service.folder).filter((name) => /token/.test(name))).toEqual([]);
    await send(at, 'PUT', '', { token: at.platform.token });
    expect((await at.ask(HEAD, { ask: 'ask-stored' })).headers.get('x-vault')).toBe('held');
  });

  it('does not replace the one of the environment', async () => {
    const at = await relayed();
    expect(await send(at, 'GET', '')).toMatchObject({ body: { from: 'environment' } });
    for (const [method, body] of [
      ['PUT', { token: 'other' }],
      ['DELETE', undefined],
    ] as const) {
      expect(await send(at, method, '', body)).toMatchObject({
        status: 409,
        body: { detail: expect.stringContaining('GROUNDSWELL_PLATFORM_TOKEN') },
      });
    }
  });

  it('that cannot be read is reported, and can be entered again', async () => {
    const at = await unconnected();
    await send(at, 'PUT', '', { token: at.platform.token });
    await at.service.restart(() => rmSync(join(at.service.folder, 'platform-token.key')));
    expect(await send(at, 'GET', '')).toMatchObject({
      body: { from: null, fault: expect.stringContaining('its key is missing') },
    });
    expect((await send(at, 'PUT', '', { token: at.platform.token })).status).toBe(200);
    expect(await send(at, 'GET', '')).toMatchObject({ body: { from: 'settings', fault: null } });
  });
});

describe('the check of the archive', () => {
  it('costs one request, is part of the spending, and sets the access', async () => {
    const at = await relayed();
    await at.change({ access: 'self-service' });
    const { body } = await send(at, 'POST', '/check', { what: 'archive' });
    expect(body).toEqual({ status: 200, detail: null, usage: null, archive: true, price: 0.01 });
    const { settings, month } = await at.settings();
    expect([settings.access, month]).toEqual(['pay-per-use', { requests: 1, money: 0.01 }]);
  });

  it('costs nothing where the platform refuses it', async () => {
    const at = await relayed();
    const refusal = async (): Promise<Response> =>
      Response.json({ title: 'Forbidden', detail: 'Not with this access.' }, { status: 403 });
    at.platform.inject(() => true, refusal, 1);
    const { body } = await send(at, 'POST', '/check', { what: 'archive' });
    expect(body).toMatchObject({ detail: 'Not with this access.', archive: false, price: 0 });
    const { settings, month } = await at.settings();
    expect([settings.access, month.money]).toEqual(['self-service', 0]);
  });

  it('is not made beyond a cap', async () => {
    const at = await relayed();
    await at.change({
      caps: { day: { requests: 0, money: null }, month: { requests: null, money: null } },
    });
    expect((await send(at, 'POST', '/check', { what: 'archive' })).status).toBe(429);
    expect(at.platform.sent).toEqual([]);
  });
});

describe('the file of a token', () => {
  const file = temporaryFolder();
  let made = 0;
  const open = () => {
    made += 1;
    const files = { token: file(`${made}.json`), key: file(`${made}.key`) };
    let byte = 0;
    const random = (n: number): Uint8Array => new Uint8Array(n).fill((byte += 1));
    return { files, stored: storedToken(files, random) };
  };

  it.skipIf(process.platform === 'win32')('and its key are readable only for this user', () => {
    const { files, stored } = open();
    stored.write('abc');
    expect(Object.values(files).map((path) => statSync(path).mode & 0o777)).toEqual([0o600, 0o600]);
  });

  it('gets a new key and nonce with each token', () => {
    const { files, stored } = open();
    stored.write('abc');
    const first = [readFileSync(files.token, 'utf8'), readFileSync(files.key, 'hex')];
    stored.write('abc');
    expect(readFileSync(files.token, 'utf8')).not.toBe(first[0]);
    expect(readFileSync(files.key, 'hex')).not.toBe(first[1]);
    expect(stored.read()).toBe('abc');
  });

  it.each([
    ['not JSON', '{'],
    ['another shape', '{"token":"YQ=="}'],
    [
      'another text',
      '{"nonce":"AAAAAAAAAAAAAAAA","tag":"AAAAAAAAAAAAAAAAAAAAAA==","token":"AAAA"}',
    ],
  ])('with %s is reported, not taken for none', (_what, content) => {
    const { files, stored } = open();
    expect(stored.read()).toBeNull();
    stored.write('abc');
    writeFileSync(files.token, content);
    expect(() => stored.read()).toThrow('damaged');
    stored.remove();
    expect(stored.read()).toBeNull();
  });
});
