import { spawn, spawnSync } from 'node:child_process';
import { once } from 'node:events';
import { mkdirSync, readFileSync, renameSync, rmdirSync, rmSync, writeFileSync } from 'node:fs';
import { request as httpRequest } from 'node:http';
import { join } from 'node:path';
import { text } from 'node:stream/consumers';
import fc from 'fast-check';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { appToken, groundswell, serve } from '#tests/support/service/command.ts';
import { readOpenMetrics } from '#tests/support/service/open-metrics.ts';
import { Printed, temporaryFolder } from '#tests/support/service/process.ts';
import { runs } from '#tests/support/run/runs.ts';
import { giveTinySample } from '#tests/support/service/service.ts';

const root = temporaryFolder();
const data = join(root, 'data');
afterAll(() => rmSync(root, { recursive: true, force: true }));

let url: string;
let token: string;
const [out, err] = [new Printed(), new Printed()];
const lines = (): Record<string, unknown>[] =>
  out.text
    .split('\n')
    .slice(0, -1)
    .map((line) => JSON.parse(line) as Record<string, unknown>);

beforeAll(async () => {
  mkdirSync(data);
  giveTinySample(data);
  token = await appToken(data);
  const args = ['bin/groundswell.js', 'serve', '--data', data, '--port', '0', '--log', 'json'];
  const child = spawn(process.execPath, args, { stdio: ['ignore', 'pipe', 'pipe'] });
  child.stdout.on('data', (part: Buffer) => out.add(part.toString()));
  child.stderr.on('data', (part: Buffer) => err.add(part.toString()));
  const ended = once(child, 'exit');
  await out.until(/groundswell link/, ended);
  url = `http://127.0.0.1:${JSON.parse(readFileSync(join(data, 'serve.json'), 'utf8')).port}`;
  return async () => {
    child.kill('SIGTERM');
    expect(await ended).toEqual([0, null]);
  };
});

/** Sends a request with any headers, also those that `fetch` sets itself. @returns Status and body. */
async function send(
  path: string,
  headers: Readonly<Record<string, string>> = {},
  body?: string,
): Promise<{ status: number; text: string; id: string | undefined }> {
  const sent = httpRequest(url + path, { method: body === undefined ? 'GET' : 'POST', headers });
  sent.end(body);
  const [answer] = (await once(sent, 'response')) as [import('node:http').IncomingMessage];
  const read = await text(answer);
  return { status: answer.statusCode!, text: read, id: answer.headers['x-request-id'] as string };
}

describe('health', () => {
  test('names the version and the state of each store', async () => {
    const { status, text } = await send('/health');
    const { version } = JSON.parse(readFileSync('package.json', 'utf8')) as { version: string };
    const ok = {
      folder: 'ok',
      clock: 'ok',
      posts: 'ok',
      sample: 'ok',
      service: 'ok',
      ads: 'ok',
      catalog: 'ok',
      deliveries: 'ok',
    };
    expect([status, JSON.parse(text)]).toEqual([
      200,
      { status: 'ok', version, stores: ok, failing: [] },
    ]);
  });

  test('is 503 with the name of a store whose file is gone, until it is back', async () => {
    const file = join(data, 'ads.sqlite');
    renameSync(file, `${file}.away`);
    const gone = await send('/health');
    expect([gone.status, JSON.parse(gone.text)]).toMatchObject([
      503,
      { status: 'failing', stores: { ads: 'missing', posts: 'ok' }, failing: ['ads'] },
    ]);
    renameSync(`${file}.away`, file);
    expect((await send('/health')).status).toBe(200);
  });

  test('is 503 while every write is refused: no file can be added, or no id contains the time', async () => {
    let now = Date.now();
    const folder = join(root, 'refusing');
    mkdirSync(folder);
    giveTinySample(folder);
    const service = await serve(folder, { now: () => now });
    const health = async () => {
      const answer = await fetch(`${service.url}/health`);
      return [answer.status, (await answer.json()).failing];
    };
    expect(await health()).toEqual([200, []]);
    now = Date.parse('2099-01-01T00:00:00Z');
    expect(await health()).toEqual([503, ['clock']]);
    now = Date.now();
    expect(await health()).toEqual([200, []]);
    // In the way of the file that a check writes, also for root.
    mkdirSync(join(folder, 'health.tmp'));
    // Many probes together write once.
    expect(await health()).toEqual([200, []]);
    now += 5000;
    expect(await health()).toEqual([503, ['folder']]);
    rmdirSync(join(folder, 'health.tmp'));
    now += 5000;
    expect(await health()).toEqual([200, []]);
    await service.stop();
  });
});

test('the check of containers ends with 0 only if the service is ready', () => {
  const check = (folder: string) =>
    spawnSync(process.execPath, ['packaging/health.js'], {
      env: { ...process.env, GROUNDSWELL_DATA: folder },
      encoding: 'utf8',
    });
  const ready = check(data);
  expect([ready.status, JSON.parse(ready.stdout)]).toMatchObject([0, { status: 'ok' }]);
  const absent = check(root);
  expect([absent.status, absent.stderr]).toEqual([
    1,
    expect.stringContaining('The service does not answer: '),
  ]);
});

describe('metrics', () => {
  test('count requests by route, and what imports read', async () => {
    const file = join(root, 'posts.csv');
    writeFileSync(file, 'id,created_at,text\n1,2026-05-01T10:00:00Z,tea\n2,never,tea\n');
    expect((await groundswell('import', file, '--data', data)).code).toBe(0);
    await send('/2/tweets/123');
    await send('/2/tweets/456?x=1');
    const families = readOpenMetrics((await send('/metrics')).text);
    const value = (name: string, labels: Record<string, string>): number | undefined =>
      families
        .get(`groundswell_${name}`)
        ?.samples.find((sample) =>
          Object.entries(labels).every(([key, of]) => sample.labels[key] === of),
        )?.value;
    expect(value('http_requests', { route: '/2/tweets/:id', status: '401' })).toBe(2);
    expect(value('posts', { source: 'posts' })).toBe(1);
    expect(value('index_chunks', { source: 'posts' })).toBe(1);
    expect(value('store_size_bytes', { store: 'posts' })).toBeGreaterThan(8192);
    expect(value('import_rows_read', {})).toBe(2);
    expect(value('import_rows', { outcome: 'refused' })).toBe(1);
    expect(value('imports_running', {})).toBe(0);
  });

  test('are for programs on this machine, or with an app-only token of enterprise access', async () => {
    const bearer = (token: string) => ({ authorization: `Bearer ${token}` });
    const made = async (...args: string[]) =>
      (await groundswell('token', ...args, '--data', data)).out.trim();
    const proxied = { 'x-forwarded-for': '192.0.2.1' };
    const statuses = async (...all: Record<string, string>[]) =>
      await Promise.all(all.map(async (headers) => (await send('/metrics', headers)).status));
    expect(
      await statuses(
        {},
        { ...proxied, ...bearer(token) },
        proxied,
        { forwarded: 'for=192.0.2.1' },
        { origin: 'http://example.com' },
        { 'sec-fetch-site': 'cross-site' },
        { host: 'example.com' },
        { ...proxied, ...bearer(await made('app', '--access', 'pay-per-use')) },
        { ...proxied, ...bearer(await made('user', '--name', 'alice')) },
      ),
    ).toEqual([200, 200, 401, 401, 401, 401, 403, 403, 403]);
  });
});

describe('a log of JSON', () => {
  test('has one line for each request, with its route, status, time, size and id', async () => {
    const { id, text } = await send('/2/tweets/987654321?query=tea');
    await out.until(new RegExp(String(id)), new Promise(() => {}));
    const line = lines().find((each) => each['id'] === id);
    expect(line).toEqual({
      time: expect.stringMatching(/^20\d\d-.+Z$/),
      level: 'info',
      method: 'GET',
      route: '/2/tweets/:id',
      status: 401,
      ms: expect.any(Number),
      bytes: expect.any(Number),
      id: expect.stringMatching(/^[\da-f]{16}$/),
    });
    expect(line!['bytes']).toBeGreaterThan(text.length);
  });

  test('shortens the address of a link, also of one that does not exist', async () => {
    for (const path of ['/data/Zm9vYmFy/wide.csv', '/data/Zm9vYmFy', '/view/Zm9vYmFy/']) {
      const { id } = await send(path);
      await out.until(new RegExp(String(id)), new Promise(() => {}));
      const line = lines().find((each) => each['id'] === id);
      expect(line?.['route']).toBe(path.startsWith('/data') ? '/data/…' : '/view/…');
      expect(JSON.stringify(line)).not.toContain('Zm9vYmFy');
    }
  });

  test('begins with messages that sign no one in', () => {
    const messages = lines().flatMap(({ message }) => (message === undefined ? [] : [message]));
    expect(messages).toEqual([
      expect.stringMatching(/^Groundswell is at http:\/\/127\.0\.0\.1:\d+ \(data in .+\)$/),
      'To sign in a browser, run: groundswell link',
    ]);
  });

  test('has no part of a query, path, body, header, cookie or token', async () => {
    const secret = fc.stringMatching(/^[a-zA-Z0-9]{12,30}$/);
    const path = fc.constantFrom(
      '/',
      '/2/tweets',
      '/2/tweets/counts/all',
      '/2/tweets/search/recent',
      '/oauth2/token',
      '/session',
      '/platform/connection',
      '/control/import',
      '/nothing',
      '/1.1/x',
      '/12/accounts',
      '/media',
      '/metrics',
    );
    const secrets = new Set([token]);
    const requests = runs(300);
    await fc.assert(
      fc.asyncProperty(
        path,
        secret,
        secret,
        secret,
        fc.boolean(),
        fc.boolean(),
        async (at, a, b, c, isIn, posts) => {
          for (const each of [a, b, c]) secrets.add(each);
          const headers = {
            authorization: `Bearer ${isIn ? token : c}`,
            cookie: `groundswell-${new URL(url).port}=${b}`,
            'user-agent': a,
            'x-request-id': b,
            'content-type': 'application/json',
          };
          const { status } = await send(
            `${at}${posts ? '' : `/${b}`}?query=${a}&${b}=${c}&start_time=${a}`,
            headers,
            posts ? JSON.stringify({ secret: a, text: b, [c]: a }) : undefined,
          );
          expect(status).toBeGreaterThanOrEqual(200);
        },
      ),
      { numRuns: requests },
    );
    const { id } = await send('/health');
    await out.until(new RegExp(String(id)), new Promise(() => {}));
    const written = out.text + err.text;
    const found = [...secrets].filter((each) => written.includes(each));
    expect(found).toEqual([]);
    expect(lines().filter(({ route }) => route !== undefined).length).toBeGreaterThan(requests);
  });
});
