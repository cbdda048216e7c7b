import { once } from 'node:events';
import { mkdirSync, rmSync, writeFileSync } from 'node:fs';
import {
  createServer,
  request as plainRequest,
  type IncomingMessage,
  type RequestOptions,
  type Server,
} from 'node:http';
import { request as tlsRequest } from 'node:https';
import type { AddressInfo } from 'node:net';
import { text } from 'node:stream/consumers';
import { createInterface } from 'node:readline';
import { connect } from 'node:tls';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { temporaryFolder } from '#tests/server/db/folder.ts';
import { makeCertificate } from '#tests/support/service/certificate.ts';
import { command, groundswell } from '#tests/support/service/command.ts';
import { startNetwork, type Network } from '#tests/support/browser/network.ts';
import { giveTinySample } from '#tests/support/service/service.ts';

const inFolder = temporaryFolder();
const [CERT, KEY] = [inFolder('cert.pem'), inFolder('key.pem')];
const NAME = 'dash.test';

/** Writes a new certificate. @returns It. */
function writeCertificate(name = NAME): string {
  const { cert, key } = makeCertificate([name]);
  writeFileSync(CERT, cert);
  writeFileSync(KEY, key);
  return cert;
}

/** A data folder with a tiny sample. */
function folderOf(name: string): string {
  const data = inFolder(name);
  mkdirSync(data);
  giveTinySample(data);
  return data;
}

interface Reply {
  readonly status: number;
  readonly headers: IncomingMessage['headers'];
  readonly body: IncomingMessage;
}

/** Sends a request to a port of 127.0.0.1. */
async function send(
  port: number,
  options: RequestOptions & { readonly content?: string; readonly ca?: string },
): Promise<Reply> {
  const { content, ca, ...rest } = options;
  const request = ca === undefined ? plainRequest : tlsRequest;
  const sent = request({
    host: '127.0.0.1',
    port,
    servername: NAME,
    ca,
    agent: false,
    ...rest,
  } as RequestOptions);
  sent.end(content);
  const [answer] = (await once(sent, 'response')) as [IncomingMessage];
  return { status: answer.statusCode ?? 0, headers: answer.headers, body: answer };
}

const FORM = 'application/x-www-form-urlencoded';

/** Adds a login. @returns Its generated password. */
async function addLogin(data: string, name: string): Promise<string> {
  const { out } = await groundswell(
    'login',
    'add',
    name,
    '--role',
    'administrator',
    '--data',
    data,
  );
  return out.trim().split('\n').at(-1) ?? '';
}

let tls: Network;
let behind: Network;
let proxy: Server;
let proxyPort: number;
/** The headers that the proxy adds to requests. */
const forwarded = { 'x-forwarded-proto': 'https', 'x-forwarded-host': NAME };
beforeAll(async () => {
  writeCertificate();
  [tls, behind] = await Promise.all([
    startNetwork(folderOf('tls'), NAME, [
      '--host',
      '0.0.0.0',
      '--tls-cert',
      CERT,
      '--tls-key',
      KEY,
    ]),
    startNetwork(folderOf('proxied'), NAME, ['--trusted-proxy', '127.0.0.1']),
  ]);
  proxy = createServer((got, answer) => {
    const before = got.headers['x-forwarded-for'];
    const client = got.socket.remoteAddress ?? '';
    const headers = {
      ...got.headers,
      ...forwarded,
      'x-forwarded-for': before === undefined ? client : `${String(before)}, ${client}`,
    };
    const { method, url: path } = got;
    const passed = plainRequest({ host: '127.0.0.1', port: behind.port, method, path, headers });
    passed.on('response', (reply) => {
      answer.writeHead(reply.statusCode ?? 502, reply.headers);
      answer.flushHeaders();
      reply.pipe(answer);
    });
    passed.on('error', () => answer.destroy());
    answer.on('close', () => passed.destroy());
    got.pipe(passed);
  });
  proxy.listen(0, '127.0.0.1');
  await once(proxy, 'listening');
  proxyPort = (proxy.address() as AddressInfo).port;
});
afterAll(async () => {
  proxy.closeAllConnections();
  proxy.close();
  expect(await Promise.all([tls.stop(), behind.stop()])).toEqual([0, 0]);
});

describe('groundswell login', () => {
  it('prints a generated password once, and lists who may sign in', { tags: 'long' }, async () => {
    const { data } = tls;
    const empty = await groundswell('login', 'list', '--data', data);
    expect(empty.out).toContain('There are no logins.');
    expect(await addLogin(data, 'list-anna')).toMatch(
      /^(?:[a-km-np-z2-9]{4}-){4}[a-km-np-z2-9]{4}$/,
    );
    const taken = await groundswell('login', 'add', 'List-Anna', '--data', data);
    expect(taken).toMatchObject({ code: 1, out: '', err: 'There is a login list-anna already.\n' });
    const set = await groundswell(
      'login',
      'set',
      'list-anna',
      '--budget',
      '5',
      '--json',
      '--data',
      data,
    );
    expect(JSON.parse(set.out)).toMatchObject({
      name: 'list-anna',
      role: 'administrator',
      budget: 5,
    });
    expect((await groundswell('login', 'list', '--data', data)).out).toBe(
      'list-anna  administrator  $5 a month  0 browsers signed in\n',
    );
    const removed = await groundswell('login', 'remove', 'list-anna', '--data', data);
    expect(removed.out).toBe('list-anna was removed.\n');
  });

  it.each([
    [[null], 'There is no password on stdin.\n'],
    [['short'], 'A password has at least 12 characters; this one has 5.\n'],
    [['correct horse battery', 'correct horse'], 'The two passwords differ.\n'],
  ])('asks for a password: %j', async (lines, err) => {
    const args = ['login', 'add', 'asked', '--password', 'ask', '--data', tls.data];
    const result = await command(args, { readSecret: () => Promise.resolve(lines) });
    expect(result).toMatchObject({ code: 1, out: '', err });
  });

  it('works without a running service', async () => {
    const data = inFolder('alone');
    expect((await groundswell('login', 'add', 'anna', '--data', data)).code).toBe(0);
    expect((await groundswell('login', 'list', '--data', data)).out).toContain('anna  member');
  });
});

describe('a service with a certificate', () => {
  it('signs in by HTTPS, with only its own names', async () => {
    const ca = writeCertificate();
    tls.hangup();
    const password = await addLogin(tls.data, 'anna');
    const host = `${NAME}:${tls.port}`;
    const content = new URLSearchParams({ do: 'in', name: 'anna', password }).toString();
    const headers = { host, origin: `https://${host}`, 'content-type': FORM };
    const answer = await send(tls.port, { ca, method: 'POST', path: '/', headers, content });
    expect([answer.status, answer.headers.location]).toEqual([303, `https://${host}/`]);
    const cookie = answer.headers['set-cookie']?.[0]?.split(';')[0] ?? '';
    expect(cookie).toMatch(new RegExp(`^__Host-groundswell-${tls.port}=`));
    const path = '/sources';
    expect((await send(tls.port, { ca, path, headers: { host, cookie } })).status).toBe(200);
    expect((await send(tls.port, { ca, path, headers: { host } })).status).toBe(401);
    for (const other of ['evil.example', `127.0.0.1:${tls.port}`, 'localhost']) {
      expect((await send(tls.port, { ca, path, headers: { host: other, cookie } })).status).toBe(
        403,
      );
    }
    // Headers of a proxy mean nothing where there is none.
    const spoofed = { host: 'evil.example', ...forwarded, 'x-forwarded-for': '10.0.0.1', cookie };
    expect((await send(tls.port, { ca, path, headers: spoofed })).status).toBe(403);
    await expect(send(tls.port, { path, headers: { host } })).rejects.toThrow();
  });

  it('takes a new certificate at SIGHUP, and keeps the one before if the new one is unfit', async () => {
    const served = async (): Promise<string> => {
      const socket = connect({
        host: '127.0.0.1',
        port: tls.port,
        servername: NAME,
        rejectUnauthorized: false,
      });
      await once(socket, 'secureConnect');
      const { fingerprint256 } = socket.getPeerCertificate();
      socket.destroy();
      return fingerprint256;
    };
    const before = await served();
    writeCertificate();
    tls.hangup();
    const after = await served();
    expect(after).not.toBe(before);
    for (const [breakIt, why] of [
      [() => writeFileSync(KEY, makeCertificate([NAME]).key), 'is not the key of the certificate'],
      [() => writeCertificate('other.test'), `is not for ${NAME}: it has DNS:other.test`],
      [() => writeFileSync(CERT, 'nothing'), 'is not a certificate as PEM'],
      [() => rmSync(CERT), 'Cannot read the certificate'],
    ] as const) {
      breakIt();
      const length = tls.printed.text.length;
      tls.hangup();
      const said = tls.printed.text.slice(length);
      expect(said).toContain('The previous certificate stays in use.');
      expect(said).toContain(why);
      expect(said).not.toContain('PRIVATE KEY');
      expect(await served()).toBe(after);
    }
  });

  it('does not start with an unfit one', async () => {
    writeFileSync(CERT, 'nothing');
    const args = ['serve', '--data', inFolder('unfit'), '--port', '0', '--name', NAME];
    const { code, err } = await groundswell(...args, '--tls-cert', CERT, '--tls-key', KEY);
    expect([code, err]).toEqual([1, expect.stringContaining('is not a certificate as PEM.')]);
  });

  it('takes orders only from the command line of its machine', async () => {
    const link = await groundswell('link', '--data', tls.data);
    expect(link).toMatchObject({ code: 1, out: '' });
    expect(link.err).toContain(`people sign in at https://${NAME}`);
    const token = await groundswell('token', 'app', '--data', tls.data);
    expect(token.code).toBe(0);
  });
});

describe('a service behind a proxy', () => {
  const host = NAME;

  it('signs in through it, for the address that the proxy saw', { tags: 'long' }, async () => {
    const password = await addLogin(behind.data, 'bob');
    const content = new URLSearchParams({ do: 'in', name: 'bob', password }).toString();
    const headers = {
      host,
      origin: `https://${NAME}`,
      'content-type': FORM,
      'x-forwarded-for': '203.0.113.9',
      'user-agent': 'Mozilla/5.0 (Windows NT 10.0) Firefox/140.0',
    };
    const answer = await send(proxyPort, { method: 'POST', path: '/sign-in', headers, content });
    expect([answer.status, answer.headers.location]).toEqual([303, `https://${NAME}/sign-in`]);
    const cookie = answer.headers['set-cookie']?.[0]?.split(';')[0] ?? '';
    const page = await send(proxyPort, { path: '/sign-in', headers: { host, cookie } });
    // The whole chain is trusted here except for the address that the client claimed.
    expect(await text(page.body)).toMatch(/Firefox on Windows \(this browser\)[^]*203\.0\.113\.9/);
  });

  it('streams through it, by a token', async () => {
    const { out: token } = await groundswell(
      'token',
      'user',
      '--name',
      'ann',
      '--data',
      behind.data,
    );
    const authorization = `Bearer ${token.trim()}`;
    const { out } = await groundswell('token', 'app', '--limits', 'off', '--data', behind.data);
    const reader = {
      host,
      authorization: `Bearer ${out.trim()}`,
      'content-type': 'application/json',
    };
    const rules = await send(proxyPort, {
      method: 'POST',
      path: '/2/tweets/search/stream/rules',
      headers: reader,
      content: JSON.stringify({ add: [{ value: 'storm' }] }),
    });
    expect(rules.status).toBe(201);
    const stream = await send(proxyPort, { path: '/2/tweets/search/stream', headers: reader });
    expect(stream.status).toBe(200);
    const lines: string[] = [];
    createInterface({ input: stream.body }).on('line', (line) => {
      // Empty ones keep the connection alive.
      if (line !== '') lines.push(line);
    });
    stream.body.on('error', () => {});
    const posted = await send(proxyPort, {
      method: 'POST',
      path: '/2/tweets',
      headers: { host, authorization, 'content-type': 'application/json' },
      content: JSON.stringify({ text: 'A storm behind the proxy' }),
    });
    expect(posted.status).toBe(201);
    await expect
      .poll(() => lines.join(''), { timeout: 60_000 })
      .toContain('A storm behind the proxy');
    stream.body.destroy();
  });

  it('serves no orders, not even with the secret of the data folder', async () => {
    const answer = await send(proxyPort, {
      method: 'POST',
      path: '/control/link',
      headers: { host },
    });
    expect(answer.status).toBe(404);
  });
});
