import { existsSync, mkdirSync, readdirSync, writeFileSync } from 'node:fs';
import { connect } from 'node:net';
import { join } from 'node:path';
import { gzipSync } from 'node:zlib';
import { strToU8, zipSync } from 'fflate';
import * as v from 'valibot';
import { afterAll, afterEach, beforeAll, describe, expect, it } from 'vitest';
import { ControlEvent } from '#contract/control/control.ts';
import { RESERVED_BYTES, type UploadsDeps } from '#server/import/uploads.ts';
import { shownName } from '#server/http/sent-file.ts';
import { startService, type TestService } from '#tests/support/service/service.ts';

const HEADER = 'id,created_at,author,text\n';
const rows = (from: number, to: number): string =>
  Array.from(
    { length: to - from },
    (_, i) => `${from + i},2020-01-01T00:00:00Z,ann,tea number ${from + i}\n`,
  ).join('');

const opened: TestService[] = [];
afterEach(async () => {
  for (const service of opened.splice(0)) await service.close();
});

function start(over: Partial<UploadsDeps> = {}): TestService {
  const service = startService({
    copied: true,
    imports: over,
  });
  opened.push(service);
  return service;
}

function send(
  service: TestService,
  content: string | Uint8Array<ArrayBuffer>,
  name = 'posts.csv',
  headers: Record<string, string> = {},
): Promise<Response> {
  const body = typeof content === 'string' ? new TextEncoder().encode(content) : content;
  return service.request(`/import?name=${encodeURIComponent(name)}`, {
    method: 'POST',
    body,
    headers: { 'content-length': String(body.length), ...headers },
  });
}

async function eventsOf(answer: Response): Promise<ControlEvent[]> {
  expect([answer.status, answer.headers.get('content-type')]).toEqual([
    200,
    'application/x-ndjson',
  ]);
  const lines = (await answer.text()).trimEnd().split('\n');
  return lines.map((line) => v.parse(ControlEvent, JSON.parse(line)));
}

async function importedOf(answer: Response) {
  const last = (await eventsOf(answer)).at(-1);
  if (last?.type !== 'imported') throw new Error(`expected an import, got ${JSON.stringify(last)}`);
  return last.summary;
}

/** Names of the uploaded files that are still stored. */
function uploadsOf({ folder }: TestService): string[] {
  const uploads = join(folder, 'uploads');
  return existsSync(uploads) ? readdirSync(uploads) : [];
}

async function teaOf(service: TestService): Promise<number> {
  const path =
    '/2/tweets/counts/all?query=tea&granularity=day&start_time=2020-01-01T00:00:00Z&end_time=2020-01-02T00:00:00Z';
  return (await (await service.request(path)).json()).meta.total_tweet_count;
}

describe('a file that the dashboard sends', () => {
  const csv = HEADER + rows(1, 41);
  const jsonl = Array.from({ length: 40 }, (_, i) =>
    JSON.stringify({ id: String(i + 1), created_at: '2020-01-01T00:00:00.000Z', text: 'tea' }),
  ).join('\n');
  const bytes = (text: string): Uint8Array<ArrayBuffer> => new Uint8Array(strToU8(text));

  // Nothing is ever stored at the path in a name, and no content type decides how a file is read.
  it.each([
    ['CSV', '../../escape.csv', 'application/json', bytes(csv)],
    ['gzipped CSV', 'C:\\posts.csv.gz', 'text/csv', new Uint8Array(gzipSync(csv))],
    [
      'zipped CSV under the name of a folder',
      '..',
      'application/octet-stream',
      new Uint8Array(zipSync({ 'posts.csv': strToU8(csv) })),
    ],
    ['JSON lines under no name', '\u0000', 'application/x-www-form-urlencoded', bytes(jsonl)],
    [
      'a JSON list under another name',
      '/etc/picture.png',
      'text/csv',
      bytes(`[${jsonl.replaceAll('\n', ',')}]`),
    ],
  ])('%s is imported, counted and then deleted', async (_kind, name, type, content) => {
    const service = start();
    const before = readdirSync(service.folder).toSorted();
    const headers = { 'content-type': type };
    const summary = await importedOf(await send(service, content, name, headers));
    expect(summary).toMatchObject({ read: 40, added: 40, already: 0, refused: 0, stopped: false });
    expect(await teaOf(service)).toBe(40);
    expect(uploadsOf(service)).toEqual([]);
    expect(readdirSync(service.folder).toSorted()).toEqual([...before, 'uploads'].toSorted());
    expect(existsSync(join(service.folder, '../escape.csv'))).toBe(false);
  });

  it('adds no Post twice', async () => {
    const service = start();
    await importedOf(await send(service, csv));
    const again = await importedOf(await send(service, HEADER + rows(31, 61)));
    expect(again).toMatchObject({ read: 30, added: 20, already: 10 });
    expect(await teaOf(service)).toBe(60);
  });

  it('has its refused rows reported by line and by the original file name', async () => {
    const service = start();
    const { refused, reasons } = await importedOf(
      await send(service, `${HEADER}1,2020-01-01T00:00:00Z,ann,tea\n2,never,ann,tea\n`, 'März.csv'),
    );
    expect([refused, reasons]).toEqual([
      1,
      [{ file: 'März.csv', line: 3, reason: expect.stringContaining('never') }],
    ]);
  });

  it.each([
    ['without a table of posts', 'a,b\n1,2\n', /^x\.csv: has no column "text"; it has "a", "b"/],
    ['of an unknown kind', '\u0000\u0001binary\u0000\n', /^x\.csv: is none of the kinds/],
    ['empty', '', /^x\.csv: is empty\.$/],
    [
      'cut off',
      gzipSync(HEADER + rows(1, 5000)).subarray(0, 4000),
      /^x\.csv: .*(cut|ends|damaged)/,
    ],
  ])('%s is refused with a reason, and deleted', async (_what, content, message) => {
    const service = start();
    const body = typeof content === 'string' ? content : new Uint8Array(content);
    const last = (await eventsOf(await send(service, body, 'x.csv'))).at(-1);
    expect(last).toMatchObject({ type: 'fault', message: expect.stringMatching(message) });
    expect(JSON.stringify(last)).not.toContain(service.folder);
    expect(uploadsOf(service)).toEqual([]);
  });

  it('is read after the previous one', async () => {
    const service = start();
    const answers = await Promise.all([
      send(service, HEADER + rows(1, 3001)),
      send(service, HEADER + rows(2001, 5001)),
    ]);
    const [first, second] = await Promise.all(answers.map(importedOf));
    expect((first?.added ?? 0) + (second?.added ?? 0)).toBe(5000);
    expect(await teaOf(service)).toBe(5000);
  });

  it('can be stopped by its name, and then reports what was read', async () => {
    const service = start();
    const headers = { 'x-work': 'mine' };
    const answer = await send(service, HEADER + rows(1, 100_000), 'posts.csv', headers);
    const stop = { method: 'POST', headers };
    expect((await service.request('/import/stop', stop)).status).toBe(204);
    const summary = await importedOf(answer);
    expect([summary.stopped, summary.read < 99_999]).toEqual([true, true]);
    expect(summary.added).toBe(await teaOf(service));
    expect((await service.request('/import/stop', stop)).status).toBe(404);
    expect(uploadsOf(service)).toEqual([]);
  });
});

describe('the import refuses', () => {
  let service: TestService;
  beforeAll(() => {
    service = start();
    // Taken out, so that it outlasts the first test.
    opened.pop();
  });
  afterAll(() => service.close());

  it('a file without a content length', async () => {
    const answer = await service.request('/import?name=a.csv', { method: 'POST', body: 'id\n1' });
    expect(answer.status).toBe(411);
  });

  it('a file above the limit', async () => {
    const answer = await send(start({ limit: 1000 }), HEADER + rows(1, 100));
    expect([answer.status, (await answer.json()).detail]).toEqual([
      413,
      expect.stringContaining('groundswell import'),
    ]);
  });

  it('a file too large for the disk', async () => {
    const content = HEADER + rows(1, 100);
    const room = RESERVED_BYTES + content.length;
    const tight = start({ free: () => Promise.resolve(room - 1) });
    const answer = await send(tight, content);
    expect([answer.status, (await answer.json()).detail]).toEqual([
      507,
      expect.stringContaining('Free some space and send it again.'),
    ]);
    expect(uploadsOf(tight)).toEqual([]);
    const enough = start({ free: () => Promise.resolve(room) });
    expect((await send(enough, content)).status).toBe(200);
  });

  it.each([
    ['shorter', '999'],
    ['longer', '10'],
  ])('a file %s than announced, and deletes it', async (_what, length) => {
    const answer = await send(service, HEADER, 'a.csv', { 'content-length': length });
    expect(answer.status).toBe(400);
    expect(uploadsOf(service)).toEqual([]);
  });

  it('a file whose client disconnects half-way, and deletes it', async () => {
    const listening = start();
    const { port, host } = new URL(await listening.listen());
    const socket = connect(Number(port), '127.0.0.1');
    socket.on('error', () => {});
    socket.write(
      `POST /import?name=a.csv HTTP/1.1\r\nHost: ${host}\r\nCookie: ${listening.cookie}\r\nContent-Length: 100000\r\n\r\n${HEADER}`,
    );
    await expect.poll(() => uploadsOf(listening)).toHaveLength(1);
    socket.destroy();
    await expect.poll(() => uploadsOf(listening)).toEqual([]);
    expect(listening.log).toEqual([]);
  });

  it.each([
    ['without a session', { cookie: '' }, 401],
    ['from the page of another site', { 'sec-fetch-site': 'cross-site' }, 403],
    ['from another origin', { origin: 'http://evil.example' }, 403],
    ['under another host name', { host: 'evil.example' }, 403],
  ])('anything %s', async (_who, headers, status) => {
    expect((await send(service, HEADER + rows(1, 3), 'a.csv', headers)).status).toBe(status);
    const stop = await service.request('/import/stop', { method: 'POST', headers });
    expect(stop.status).toBe(status);
    expect(uploadsOf(service)).toEqual([]);
    expect(await teaOf(service)).toBe(0);
  });

  it('a GET, and names the right method', async () => {
    const answer = await service.request('/import');
    expect([answer.status, answer.headers.get('allow')]).toEqual([405, 'POST']);
  });
});

describe('uploaded files of a killed process', () => {
  it('are deleted when the next one starts', async () => {
    const service = start();
    const uploads = join(service.folder, 'uploads');
    await service.restart(() => {
      mkdirSync(uploads);
      writeFileSync(join(uploads, 'half'), 'x');
    });
    expect(uploadsOf(service)).toEqual([]);
  });
});

describe('the shown name of a file', () => {
  it.each([
    ['posts.csv', 'posts.csv'],
    ['/home/ann/posts.csv', 'posts.csv'],
    ['C:\\Users\\ann\\posts.csv', 'posts.csv'],
    ['a\u0000b\u202ecsv.exe\n', 'abcsv.exe'],
    ['', 'file'],
    ['../', 'file'],
    ['x'.repeat(500), 'x'.repeat(200)],
  ])('of %j is %j', (name, shown) => {
    expect(shownName(name)).toBe(shown);
  });
});
