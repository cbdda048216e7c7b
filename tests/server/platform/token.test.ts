import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { gunzipSync } from 'node:zlib';
import { randomBytes } from 'node:crypto';
import { describe, expect, it } from 'vitest';
import { platformAddress, platformToken } from '#server/platform/access.ts';
import { scrubOf } from '#server/platform/scrub.ts';
import { sendingTo } from '#server/platform/sending.ts';
import { openDb } from '#server/db/driver.ts';
import { brokenBody } from '#tests/support/service/faults.ts';
import { PLATFORM_FAULTS, type PlatformFault } from '#tests/support/service/platform.ts';
import { closeAfterEach, CLOSED, HEAD, relayed } from './relayed.ts';

closeAfterEach();
const always = (): boolean => true;

const echoed =
  (status: number, write: (token: string) => string): PlatformFault =>
  async ({ authorization }) => {
    const detail = write(String(authorization).replace('Bearer ', ''));
    return new Response(`{"detail":"${detail}","data":[]}`, {
      status,
      headers: { 'api-version': detail, 'content-type': 'application/json' },
    });
  };

describe('the token of the platform', () => {
  it('is in no answer, no log and no file, whatever the platform does', async () => {
    const { ask, platform, service, json } = await relayed();
    const { token } = platform;
    expect(token.length).toBeGreaterThan(30);
    const seen: string[] = [];
    const record = async (answer: Response): Promise<void> => {
      seen.push(JSON.stringify([...answer.headers]), await answer.text());
    };
    for (const fault of [
      PLATFORM_FAULTS.echo,
      echoed(500, (text) => text),
      echoed(200, (text) => text),
      echoed(403, (text) => Buffer.from(text).toString('base64')),
      PLATFORM_FAULTS.moved(`http://127.0.0.1/?token=${token}`),
      PLATFORM_FAULTS.reset,
      brokenBody,
    ]) {
      platform.inject(always, fault, 1);
      await record(await ask(HEAD));
    }
    await record(await ask(CLOSED));
    await platform.refuse();
    await record(await ask(HEAD));
    for (const path of ['settings', 'spending', 'held?query=tea&granularity=hour']) {
      seen.push(JSON.stringify(await json(`/platform/${path}`)));
    }
    await record(await service.request('/sources'));
    expect(platform.sent.every(({ authorization }) => authorization === `Bearer ${token}`)).toBe(
      true,
    );

    const base64 = Buffer.from(token).toString('base64').replace(/=+$/, '');
    for (const text of [...seen, ...service.log]) {
      expect(text).not.toContain(token);
      expect(text).not.toContain(base64);
    }
    expect(seen.join('')).toContain('You sent Bearer [token]');

    const files = readdirSync(service.folder, { recursive: true, withFileTypes: true })
      .filter((entry) => entry.isFile())
      .map((entry) => join(entry.parentPath, entry.name));
    expect(files.some((file) => file.endsWith('platform.sqlite'))).toBe(true);
    for (const file of files) {
      const bytes = readFileSync(file);
      expect(bytes.includes(token), file).toBe(false);
      expect(bytes.includes(base64), file).toBe(false);
    }
    // The compressed bodies do not contain it either.
    const db = openDb(join(service.folder, 'platform.sqlite'));
    const bodies = db.prepare('SELECT body FROM page').all();
    db.close();
    expect(bodies.length).toBeGreaterThan(1);
    for (const [body] of bodies) {
      expect(gunzipSync(body as Buffer).includes(token)).toBe(false);
    }
  });
});

describe('scrubbing', () => {
  const token = 'AAAA%2Fb/c%3D=';
  const scrub = scrubOf(token);
  it.each([
    ['as it is', token],
    ['unescaped', 'AAAA/b/c=='],
    ['escaped', encodeURIComponent(token)],
    ['in JSON with its slashes escaped', String.raw`AAAA%2Fb\/c%3D=`],
    ['in base64', Buffer.from(token).toString('base64')],
  ])('removes it %s', (_, form) => {
    expect(scrub.text(`a ${form} b`)).toMatch(/^a \[token\]=* b$/);
    const bytes = scrub.bytes(Buffer.from(`ü ${form} b`));
    expect(Buffer.from(bytes).toString()).toMatch(/^ü \[token\]=* b$/);
  });

  const long = randomBytes(48).toString('base64url');
  const hex = (text: string): string => Buffer.from(text).toString('hex');
  const b64 = (text: string): string => Buffer.from(text).toString('base64');
  const each = (text: string, form: (code: number) => string): string =>
    [...text].map((one) => form(one.charCodeAt(0))).join('');
  const bearer = `Bearer ${long}`;
  const ENCODED: [string, string][] = [
    ...[0, 1, 2, 3].map((n): [string, string] => [
      `base64 behind ${n} bytes`,
      b64('x'.repeat(n) + bearer),
    ]),
    ['base64url', Buffer.from(bearer).toString('base64url')],
    ['base64 in lines', b64(bearer).replaceAll(/(.{20})/g, '$1\n')],
    ['base64 twice', b64(b64(bearer))],
    ['hex', hex(bearer)],
    ['hex, upper case', hex(bearer).toUpperCase()],
    ['hex in pairs', hex(bearer).replaceAll(/(..)/g, '$1 ')],
    ['hex of base64', hex(b64(bearer))],
    ['JSON escapes', each(bearer, (code) => String.raw`\u` + code.toString(16).padStart(4, '0'))],
    ['some JSON escapes', long.replaceAll(/[a-m]/g, (letter) => String.raw`\u00` + hex(letter))],
    ['byte escapes', each(bearer, (code) => String.raw`\x` + code.toString(16))],
    ['percent escapes', each(bearer, (code) => `%${code.toString(16)}`)],
    ['percent escapes twice', each(bearer, (code) => `%25${code.toString(16)}`)],
    ['some percent escapes', long.replaceAll(/[0-9]/g, (digit) => `%${hex(digit)}`)],
    ['entities', each(bearer, (code) => `&#${code};`)],
    ['hex entities', each(bearer, (code) => `&#x${code.toString(16)};`)],
    ['bytes as numbers', JSON.stringify([...Buffer.from(bearer)])],
    ['strings of an array', JSON.stringify(bearer.match(/.{1,5}/g))],
    ['values of an object', JSON.stringify({ ...bearer.match(/.{1,7}/g) })],
    ['base64 in pieces', JSON.stringify({ ...b64(bearer).match(/.{1,9}/g) })],
    ['a part of it', long.slice(20, 40)],
    ['base64 of a part of it', b64(long.slice(20, 40))],
  ];
  it.each(ENCODED)('finds it as %s', (_, text) => {
    const found = scrubOf(long);
    const json = /^[[{]/.test(text) ? text : JSON.stringify(`You sent ${text} to us`);
    expect(found.holdsPart(`{"detail":${json}}`)).toBe(true);
    expect(found.holdsPart(text)).toBe(true);
  });

  it.each([
    JSON.stringify({
      title: 'Too Many Requests',
      detail: 'Too Many Requests',
      type: 'about:blank',
    }),
    'AAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAA',
    'You sent Bearer [token]',
    '',
  ])('finds nothing in %j', (text) => {
    expect(scrubOf(long).holdsPart(text)).toBe(false);
    expect(scrubOf(`AAAAAAAAAAAAAAAAAAAAAA${long}`).holdsPart(text)).toBe(false);
  });

  it.each(ENCODED)('drops a refusal and a header that contain it as %s', async (_, text) => {
    const body = `{"detail":${text.startsWith('[') || text.startsWith('{') ? text : JSON.stringify(text)}}`;
    const send = sendingTo({
      access: { base: 'http://127.0.0.1', host: 'here', token: long },
      agent: 'test',
      timeout: () => new AbortController().signal,
      fetch: async () =>
        new Response(body, { status: 403, headers: { 'api-version': text.replaceAll('\n', ' ') } }),
    });
    const reply = await send('/', new AbortController().signal);
    const passed = JSON.stringify(reply.headers) + Buffer.from(reply.body).toString();
    expect(scrubOf(long).holdsPart(passed)).toBe(false);
    expect(reply.status).toBe(403);
  });

  it('leaves other bytes unchanged', () => {
    const bytes = Buffer.of(0, 255, 128, 65);
    expect(scrub.bytes(bytes)).toBe(bytes);
  });
});

describe('the platform’s address', () => {
  it.each([
    [undefined, 'https://api.x.com', 'api.x.com'],
    ['', 'https://api.x.com', 'api.x.com'],
    ['https://api.twitter.com/', 'https://api.twitter.com', 'api.twitter.com'],
    [' https://gate.example:8443/x// ', 'https://gate.example:8443/x', 'gate.example:8443'],
    ['http://127.0.0.1:80', 'http://127.0.0.1', '127.0.0.1'],
    ['http://localhost:4000', 'http://localhost:4000', 'localhost:4000'],
    ['http://[::1]:4000', 'http://[::1]:4000', '[::1]:4000'],
  ])('%j is %s', (url, base, host) => {
    expect(platformAddress(url)).toEqual({ base, host });
  });

  it.each([
    ['api.x.com', 'not an address'],
    ['ftp://api.x.com', 'ftp:'],
    ['file:///etc/passwd', 'file:'],
    ['http://api.x.com', 'unencrypted'],
    ['http://127.0.0.1.evil.example', 'unencrypted'],
    ['http://localhost.evil.example', 'unencrypted'],
    ['https://me:secret@api.x.com', 'a name or a password'],
    ['https://secret@api.x.com', 'a name or a password'],
    ['https://api.x.com?secret', 'more than a path'],
    ['https://api.x.com#secret', 'more than a path'],
  ])('cannot be %j: it has %s', (url, why) => {
    expect(() => platformAddress(url)).toThrow(RangeError);
    expect(() => platformAddress(url)).toThrow(why);
    expect(() => platformAddress(url)).not.toThrow('secret');
  });

  it.each([undefined, '', '  '])('is absent without a token: %j', (token) => {
    expect(platformToken(token, 'X')).toBeNull();
  });

  it.each(['two words', 'line\nbreak', 'ümlaut', 'Bearer abc', '"abc"'])(
    'does not accept %j, which is not repeated',
    (token) => {
      expect(() => platformToken(token, 'The name')).toThrow('The name is');
      expect(() => platformToken(token, 'The name')).not.toThrow(token);
    },
  );
});
