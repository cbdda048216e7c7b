import { readFileSync, statSync, writeFileSync } from 'node:fs';
import type { IncomingMessage, RequestListener } from 'node:http';
import { setImmediate } from 'node:timers/promises';
import { gunzipSync, gzipSync } from 'node:zlib';
import { afterAll, afterEach, describe, expect, it } from 'vitest';
import { downloadFeed } from '#server/catalog/feed/download.ts';
import { rangeOf } from '#server/fetcher/address.ts';
import type { FetcherDeps } from '#server/fetcher/fetcher.ts';
import { PUBLIC_PLAIN } from '#server/fetcher/target.ts';
import { temporaryFolder } from '#tests/server/db/folder.ts';
import { testFetcher } from '#tests/support/service/fetcher.ts';
import { openHost } from '#tests/support/service/host.ts';
import { FakeClock } from '#tests/support/timers.ts';
import {
  DownloadError,
  type DownloadDeps,
  type DownloadState,
  type Validators,
} from '#server/catalog/feed/download-state.ts';

const file = temporaryFolder();

let answers: RequestListener[] = [];
/** Headers of the requests that came. */
let asked: IncomingMessage['headers'][] = [];
const { origin: base, close } = await openHost((request, response) => {
  asked.push(request.headers);
  // The last one answers all further requests too.
  const answer = answers.length > 1 ? answers.shift() : answers[0];
  answer?.(request, response);
});
afterAll(close);

const opened: { close(): Promise<void> }[] = [];
afterEach(async () => {
  [answers, asked, cut] = [[], [], null];
  await Promise.all(opened.splice(0).map((each) => each.close()));
});

interface Setting extends Partial<DownloadDeps> {
  readonly url?: string;
  readonly file?: string;
  readonly state?: DownloadState | null;
  readonly seen?: Validators | null;
  readonly rules?: FetcherDeps['rules'];
  readonly resolve?: FetcherDeps['resolve'];
}

let files = 0;
/** Breaks the connection of an answer after so many bytes. */
let cut: { readonly at: number; readonly end: () => void } | null = null;

/** Downloads from the host by a clock whose waits are over at once, as soon as nothing else happens. */
function download({ url = `${base}/feed.csv?key=secret`, ...setting }: Setting = {}) {
  const clock = new FakeClock(Date.parse('2026-11-23T00:00:00Z'));
  const { rules, resolve } = setting;
  const fetcher = testFetcher({ ...(rules && { rules }), ...(resolve && { resolve }) });
  opened.push(fetcher);
  const path = setting.file ?? file(`feed-${(files += 1)}`);
  const saved: DownloadState[] = [];
  const waits: number[] = [];
  const done = downloadFeed(
    { url, file: path, state: setting.state ?? null, seen: setting.seen ?? null },
    {
      stream: fetcher.stream,
      now: clock.now,
      timer: (ms, task) => {
        // Waits between attempts are shorter than the limits of time, which a test passes itself.
        if (ms === 60_000 || ms === 6 * 3_600_000) return clock.timer(ms, task);
        waits.push(ms);
        const waiting = setTimeout(task, 0);
        return () => clearTimeout(waiting);
      },
      signal: new AbortController().signal,
      save: (state) => void saved.push(state),
      onProgress: (bytes) => {
        if (bytes === cut?.at) cut.end();
      },
      limit: 1_000_000,
      ...setting,
    },
  );
  // A test awaits it later.
  done.catch(() => {});
  return { done, path, saved, waits, clock };
}

async function until(isMet: () => boolean): Promise<void> {
  while (!isMet()) await setImmediate();
}

/** The reason a download failed. */
async function fault(of: Promise<unknown>): Promise<string> {
  const error = await of.then(
    () => null,
    (reason: unknown) => reason,
  );
  if (error instanceof DownloadError) return error.message;
  throw error instanceof Error ? error : new Error('expected a fault, got none');
}

const BODY = Buffer.from(Array.from({ length: 20_000 }, (_, i) => `row ${i}\n`).join(''));
const ETAG = '"one"';

const whole =
  (headers: Record<string, string> = { etag: ETAG }, body = BODY): RequestListener =>
  (_, response) =>
    void response.writeHead(200, { 'content-length': body.length, ...headers }).end(body);
/** Announces the whole body, and breaks the connection once a part of it has arrived. */
const broken =
  (bytes: number, headers: Record<string, string> = { etag: ETAG }): RequestListener =>
  (_, response) => {
    response.writeHead(200, { 'content-length': BODY.length, ...headers });
    response.write(BODY.subarray(0, bytes));
    cut = { at: bytes, end: () => void response.socket?.destroy() };
  };
/** The same without announcing a length. */
const unmeasured =
  (bytes: number): RequestListener =>
  (_, response) => {
    response.writeHead(200, { etag: ETAG });
    response.write(BODY.subarray(0, bytes));
    cut = { at: bytes, end: () => void response.socket?.destroy() };
  };
/** Answers a request for the rest as it should be, apart from `over`. */
const rest =
  (over: Record<string, string> = {}): RequestListener =>
  ({ headers }, response) => {
    const from = Number(/^bytes=(\d+)-$/.exec(headers.range ?? '')?.[1] ?? 0);
    const range = `bytes ${from}-${BODY.length - 1}/${BODY.length}`;
    response.writeHead(206, { 'content-range': range, etag: ETAG, ...over });
    response.end(BODY.subarray(from));
  };
const status =
  (code: number, headers: Record<string, string> = {}): RequestListener =>
  (_, response) =>
    void response.writeHead(code, headers).end();

describe('a feed', () => {
  it('is downloaded as it is sent, with what tells whether it changes', async () => {
    answers = [
      whole({
        etag: ETAG,
        'last-modified': 'Mon, 23 Nov 2026 00:00:00 GMT',
        'content-type': 'text/csv; charset=latin1',
      }),
    ];
    const { done, path, saved } = download();
    expect(await done).toEqual({
      bytes: BODY.length,
      total: BODY.length,
      etag: ETAG,
      modified: 'Mon, 23 Nov 2026 00:00:00 GMT',
      charset: 'latin1',
      complete: true,
    });
    expect(readFileSync(path).equals(BODY)).toBe(true);
    expect(saved.at(-1)?.complete).toBe(true);
    expect(statSync(path).mode & 0o777).toBe(0o600);
  });

  it('is asked for in gzip, and stays packed on the disk', async () => {
    answers = [whole({ 'content-encoding': 'gzip' }, gzipSync(BODY))];
    const { done, path } = download();
    await done;
    expect(asked[0]?.['accept-encoding']).toBe('gzip');
    expect(gunzipSync(readFileSync(path)).equals(BODY)).toBe(true);
  });

  it('is not downloaded if the host still has the one that was read last', async () => {
    answers = [status(304)];
    const seen = { etag: ETAG, modified: 'Mon, 23 Nov 2026 00:00:00 GMT' };
    expect(await download({ seen }).done).toBe('unchanged');
    expect(asked[0]).toMatchObject({
      'if-none-match': ETAG,
      'if-modified-since': 'Mon, 23 Nov 2026 00:00:00 GMT',
    });
  });

  it('may have as many bytes as are allowed', async () => {
    answers = [whole()];
    expect(await download({ limit: BODY.length }).done).toMatchObject({ complete: true });
    answers = [whole()];
    expect(await fault(download({ limit: BODY.length - 1 }).done)).toMatch(/larger/);
  });

  it('may come without a length', async () => {
    answers = [(_, response) => void response.write(BODY, () => response.end())];
    expect(await download().done).toMatchObject({ bytes: BODY.length, total: BODY.length });
  });
});

describe('the rest of a feed', () => {
  it('is asked for after a broken connection', async () => {
    answers = [broken(100_000), rest()];
    const { done, path } = download();
    await done;
    expect(readFileSync(path).equals(BODY)).toBe(true);
    expect(asked[1]).toMatchObject({ range: 'bytes=100000-', 'if-range': ETAG });
  });

  it('is asked for after the process ended, behind what the disk has for certain', async () => {
    answers = [broken(100_000)];
    const controller = new AbortController();
    const first = download({
      flushed: 1,
      signal: controller.signal,
      onProgress: (bytes) => {
        if (bytes === 100_000) controller.abort(new Error('ended'));
      },
    });
    await expect(first.done).rejects.toThrow('ended');
    const state = first.saved.at(-1) ?? null;
    expect(state).toMatchObject({ bytes: 100_000, total: BODY.length, complete: false });
    // More reached the file than was flushed.
    writeFileSync(first.path, `${'x'.repeat(1000)}`, { flag: 'a' });
    answers = [rest()];
    await download({ file: first.path, state }).done;
    expect(readFileSync(first.path).equals(BODY)).toBe(true);
    expect(asked.at(-1)?.range).toBe('bytes=100000-');
  });

  it('is the whole feed if the file on the disk is gone', async () => {
    answers = [whole()];
    const state = { bytes: 5, total: 9, etag: ETAG, modified: null, charset: null, complete: true };
    const { done, path } = download({ state });
    await done;
    expect([asked[0]?.range, readFileSync(path).equals(BODY)]).toEqual([undefined, true]);
  });

  it.each([
    ['a host that ignores ranges', whole()],
    ['a file that changed', whole({ etag: '"two"' })],
  ])('is the whole feed with %s', async (_name, second) => {
    answers = [broken(100_000), second];
    const { done, path } = download();
    expect(await done).toMatchObject({ bytes: BODY.length });
    expect(readFileSync(path).equals(BODY)).toBe(true);
  });

  it.each([
    ['begins elsewhere', rest({ 'content-range': `bytes 5-${BODY.length - 1}/${BODY.length}` })],
    ['ends before the end', rest({ 'content-range': `bytes 100000-100005/${BODY.length}` })],
    [
      'is of a file of another size',
      rest({ 'content-range': `bytes 100000-${BODY.length}/${BODY.length + 1}` }),
    ],
    ['is of another file', rest({ etag: '"two"' })],
    ['does not say what it is', rest({ 'content-range': 'bytes */*' })],
    ['does not exist', status(416)],
  ])('that %s makes it begin again', async (_name, lie) => {
    answers = [broken(100_000), lie, whole()];
    const { done, path } = download();
    await done;
    expect(asked.map(({ range }) => range)).toEqual([undefined, 'bytes=100000-', undefined]);
    expect(readFileSync(path).equals(BODY)).toBe(true);
  });

  it('is not asked for without an exact validator', async () => {
    answers = [broken(100_000, { etag: 'W/"weak"' }), whole({ etag: 'W/"weak"' })];
    const { done, path } = download();
    await done;
    expect(asked.map(({ range }) => range)).toEqual([undefined, undefined]);
    expect(readFileSync(path).equals(BODY)).toBe(true);
  });

  it('of a file that changes again and again ends the download', async () => {
    answers = [
      broken(100_000),
      status(416),
      broken(100_000),
      status(416),
      broken(100_000),
      status(416),
    ];
    expect(await fault(download().done)).toBe(
      'The feed changes again and again while it is downloaded.',
    );
  });
});

describe('a host that', () => {
  it.each([500, 502, 503, 429])('answers with %i is asked again, later each time', async (code) => {
    answers = [status(code), status(code), status(code), whole()];
    const { done, waits } = download();
    await done;
    expect(waits).toEqual([1000, 2000, 4000]);
  });

  it.each([
    ['in seconds', { 'retry-after': '7' }, 7000],
    ['until a date', { 'retry-after': 'Mon, 23 Nov 2026 00:01:30 GMT' }, 90_000],
    ['for an unknown time', { 'retry-after': 'soon' }, 1000],
  ])('asks to wait %s is', async (_name, headers, wait) => {
    answers = [status(503, headers), whole()];
    const { done, waits } = download();
    await done;
    expect(waits).toEqual([wait]);
  });

  it.each([
    [
      'asks to wait for long',
      [status(503, { 'retry-after': '7200' })],
      'The host answered with status 503. It asks to wait for 120 minutes.',
    ],
    [
      'always fails',
      [status(500)],
      'The host answered with status 500. The download failed 6 times.',
    ],
    ['does not have it', [status(404)], 'The host answered with status 404.'],
    ['refuses', [status(403)], 'The host answered with status 403.'],
    ['says that nothing changed since never', [status(304)], 'The host answered with status 304.'],
    [
      'announces more than the limit',
      [whole({ 'content-length': '1000001' }, Buffer.alloc(0))],
      'The feed is larger than 1 MB, the most that is allowed.',
    ],
    [
      'announces more than the limit behind a part',
      [unmeasured(100_000), rest({ 'content-range': 'bytes 100000-1999999/2000000' })],
      'The feed is larger than 1 MB, the most that is allowed.',
    ],
    [
      'packs in an unknown way',
      [whole({ 'content-encoding': 'br' })],
      'The host sends the feed in the encoding br; expected gzip or none.',
    ],
    [
      'sends less than it announces',
      [broken(10)],
      /^The connection failed: .* The download failed 6 times\.$/,
    ],
  ])('%s ends the download with the reason', async (_name, list, message) => {
    answers = list;
    const { done } = download();
    expect(await fault(done)).toEqual(
      typeof message === 'string' ? message : expect.stringMatching(message),
    );
  });

  it('sends without an end is cut off at the limit', async () => {
    const part = Buffer.alloc(16_384, 'x');
    answers = [
      (_, response) => {
        const more = (): void => {
          while (!response.destroyed && response.write(part));
          response.once('drain', more);
        };
        more();
      },
    ];
    const { done, path } = download();
    expect(await fault(done)).toBe('The feed is larger than 1 MB, the most that is allowed.');
    expect(statSync(path).size).toBeLessThanOrEqual(1_000_000);
    expect(asked.length).toBe(1);
  });

  it('sends next to nothing is given up, attempt after attempt', async () => {
    let open = 0;
    answers = [
      (_, response) => {
        open += 1;
        response.writeHead(200, { 'content-length': BODY.length, etag: ETAG });
        response.write('r');
      },
    ];
    const { done, clock } = download();
    const ended = fault(done);
    for (let attempt = 1; attempt <= 6; attempt++) {
      await until(() => open >= attempt);
      await clock.move(60_000);
    }
    expect(await ended).toBe(
      'The host sent less than 64 KB within 60 seconds. The download failed 6 times.',
    );
  });

  it('takes hours is given up', async () => {
    let send = (): void => {};
    answers = [
      (_, response) => {
        response.writeHead(200);
        send = () => void response.write(Buffer.alloc(64 * 1024));
        send();
      },
    ];
    let got = 0;
    const { done, clock } = download({ limit: 2 ** 30, onProgress: (bytes) => (got = bytes) });
    const ended = fault(done);
    for (let minutes = 1; minutes <= 360; minutes++) {
      await until(() => got >= minutes * 64 * 1024);
      send();
      await clock.move(60_000);
    }
    expect(await ended).toBe('The download took longer than 6 hours.');
  });
});

describe('a redirect', () => {
  const to =
    (location: string): RequestListener =>
    (_, response) =>
      void response.writeHead(302, { location }).end();

  it('is followed up to five times, also to a relative address', async () => {
    answers = [to('/2'), to(`${base}/3#part`), to('4'), to('/5?x=1'), to('/6'), whole()];
    expect(await download().done).toMatchObject({ bytes: BODY.length });
    answers = [to('/again')];
    expect(await fault(download().done)).toBe('The host redirected more than 5 times.');
  });

  it.each([
    ['http://127.0.0.1/', 'loopback'],
    ['http://[::1]/', 'loopback'],
    ['http://169.254.169.254/latest/meta-data/', 'linkLocal'],
    ['http://10.0.0.1:8080/', 'private'],
    ['http://inside.example/', 'private'],
  ])('to %s is not followed', async (location, range) => {
    answers = [to(location)];
    // The host of the test is a public one here, and everything else as it is.
    let isFirst = true;
    const rules = {
      plain: true,
      rangeOf: (address: string) => {
        const isHost = isFirst && address === '127.0.0.1';
        isFirst = false;
        return isHost ? null : rangeOf(address);
      },
    };
    const resolve = async (name: string): Promise<string[]> =>
      name === 'inside.example' ? ['10.1.2.3'] : [];
    const message = await fault(download({ rules, resolve }).done);
    expect(message).toContain(
      'A redirect was not followed: The URL leads to an address that is not public',
    );
    expect(message).toContain(`(${range})`);
    expect(asked.length).toBe(1);
  });

  it.each([
    'ftp://example.com/',
    'file:///etc/passwd',
    'http://user:password@example.com/',
    'http://',
  ])('to %s is not followed', async (location) => {
    answers = [to(location)];
    expect(await fault(download().done)).toMatch(/redirect/);
  });
});

it('addresses of this machine and its network are refused', async () => {
  answers = [whole()];
  expect(await fault(download({ rules: PUBLIC_PLAIN }).done)).toContain('not public (loopback)');
  expect(asked).toEqual([]);
});

it('faults do not have the address, whose query may have a secret', async () => {
  answers = [status(404)];
  expect(await fault(download().done)).not.toContain('secret');
});

it('a disk without space ends the download with that', async () => {
  answers = [whole()];
  // Every write to this file of Linux fails for lack of space.
  const { done } = download({ file: '/dev/full' });
  expect(await fault(done)).toBe('The disk of this service has no space for the feed.');
});
