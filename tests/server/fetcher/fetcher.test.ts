import { once } from 'node:events';
import { createServer, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { afterAll, afterEach, describe, expect, it } from 'vitest';
import { FetchError } from '#server/fetcher/fetch-error.ts';
import type { Fetcher, FetcherDeps } from '#server/fetcher/fetcher.ts';
import { PUBLIC_ONLY } from '#server/fetcher/target.ts';
import { testFetcher } from '#tests/support/service/fetcher.ts';
import { RECEIVER, startReceiver, testNames } from '#tests/support/service/receiver.ts';
import { FakeClock } from '#tests/support/timers.ts';

const receiver = await startReceiver();
const stranger = await startReceiver(['elsewhere.test']);
afterAll(async () => {
  await Promise.all([receiver.close(), stranger.close()]);
});

const clock = new FakeClock(0);
const opened: Fetcher[] = [];
function open(over: Partial<FetcherDeps> = {}): Fetcher {
  const { timeout } = clock;
  const fetcher = testFetcher({ resolve: testNames, timeout, ca: receiver.ca, ...over });
  opened.push(fetcher);
  return fetcher;
}
afterEach(async () => {
  receiver.deliver = (_, response) => void response.end();
  await Promise.all(opened.splice(0).map((fetcher) => fetcher.close()));
});

/** The class and message of a failure; null if there was none. */
async function failure(work: Promise<unknown>): Promise<[string, string] | null> {
  try {
    await work;
    return null;
  } catch (error) {
    if (!(error instanceof FetchError)) throw error;
    return [error.fault, error.message];
  }
}
const get = (fetcher: Fetcher, url = receiver.url()) => fetcher.send({ method: 'GET', url });

it('sends the exact bytes and reads the answer', async () => {
  receiver.deliver = (_, response) => void response.writeHead(201).end('thanks');
  const body = Buffer.from('{"é": 1}\n');
  const answer = await open().send({ method: 'POST', url: receiver.url('/a?b=c'), body });
  expect([answer.status, answer.body.toString()]).toEqual([201, 'thanks']);
  expect(receiver.deliveries.at(-1)).toMatchObject({ method: 'POST', path: '/a?b=c', body });
});

describe('names', () => {
  it('are refused if they resolve to a private address', async () => {
    const fetcher = open({ rules: PUBLIC_ONLY });
    expect(await failure(get(fetcher, `https://${RECEIVER}/`))).toEqual([
      'address',
      expect.stringContaining('not public (loopback)'),
    ]);
  });

  it('are refused if one of their addresses is private', async () => {
    const fetcher = open({ rules: PUBLIC_ONLY, resolve: async () => ['8.8.8.8', '10.0.0.1'] });
    expect(await failure(get(fetcher, 'https://example.com/'))).toEqual([
      'address',
      expect.stringContaining('private'),
    ]);
  });

  it('are refused under every option if they resolve to a link-local address', async () => {
    for (const found of [
      ['169.254.169.254'],
      ['10.0.0.1', 'fe80::1'],
      ['::ffff:169.254.169.254'],
    ]) {
      const fetcher = open({ resolve: async () => found });
      expect(await failure(get(fetcher, 'http://metadata.google.internal/'))).toEqual([
        'address',
        'The URL leads to an address that is not public (linkLocal).',
      ]);
    }
  });

  it('are refused if they resolve to a private address on the second lookup', async () => {
    // The machine's first address is a public one here, and its second one private.
    const rangeOf = (address: string): string | null =>
      address === '127.0.0.1' ? null : 'private';
    const lookups = ['127.0.0.1', '127.0.0.2'];
    const fetcher = open({
      rules: { plain: true, rangeOf },
      resolve: async () => [lookups.shift() ?? ''],
    });
    receiver.deliver = (_, response) => void response.writeHead(200, { connection: 'close' }).end();
    const before = receiver.deliveries.length;
    expect((await get(fetcher)).status).toBe(200);
    expect(await failure(get(fetcher))).toEqual([
      'address',
      expect.stringContaining('not public (private)'),
    ]);
    expect([lookups, receiver.deliveries.length]).toEqual([[], before + 1]);
  });

  it('that do not resolve are a failed connection', async () => {
    const gone = receiver.url().replace(RECEIVER, 'gone.example');
    expect(await failure(get(open(), gone))).toEqual([
      'connection',
      'The connection failed: the name does not resolve.',
    ]);
    expect((await failure(get(open({ resolve: async () => [] }), gone)))?.[0]).toBe('connection');
  });

  it('are resolved again for each connection', async () => {
    let lookups = 0;
    const fetcher = open({
      resolve: (name) => {
        lookups += 1;
        return testNames(name);
      },
    });
    receiver.deliver = (_, response) => void response.writeHead(200, { connection: 'close' }).end();
    await get(fetcher);
    await get(fetcher);
    expect(lookups).toBe(2);
  });
});

describe('answers', () => {
  it.each([301, 302, 307, 308])('with status %i are not followed', async (status) => {
    receiver.deliver = (_, response) =>
      void response.writeHead(status, { location: 'http://127.0.0.1/' }).end();
    const before = receiver.deliveries.length;
    expect(await failure(get(open()))).toEqual([
      'redirect',
      `The server redirected the request (status ${status}).`,
    ]);
    expect(receiver.deliveries.length).toBe(before + 1);
  });

  it.each([400, 404, 410, 500, 503])('with status %i are failures', async (status) => {
    receiver.deliver = (_, response) => void response.writeHead(status).end();
    expect(await failure(get(open()))).toEqual([
      'status',
      `The server answered with status ${status}.`,
    ]);
  });

  it('are read up to 64 KiB', async () => {
    receiver.deliver = (_, response) => void response.end(Buffer.alloc(64 * 1024));
    expect((await get(open())).body.length).toBe(64 * 1024);
    receiver.deliver = (_, response) => void response.end(Buffer.alloc(64 * 1024 + 1));
    expect(await failure(get(open()))).toEqual(['answer', 'The answer is too large.']);
    // Without a length.
    receiver.deliver = (_, response) => {
      response.on('error', () => {});
      for (let i = 0; i < 100; i++) response.write(Buffer.alloc(1024));
    };
    expect((await failure(get(open())))?.[0]).toBe('answer');
  });

  it.each([
    ['never come', () => {}],
    [
      'begin and do not end',
      (response: ServerResponse) => {
        response.writeHead(200);
        response.write('x');
      },
    ],
  ] as const)('that %s are late after 10 seconds', async (_, answer) => {
    const came = new Promise<void>((resolve) => {
      receiver.deliver = (_request, response) => {
        answer(response);
        resolve();
      };
    });
    const failed = failure(get(open()));
    await came;
    await clock.move(9999);
    expect(await Promise.race([failed, Promise.resolve('running')])).toBe('running');
    await clock.move(1);
    expect(await failed).toEqual(['timeout', 'There was no answer within 10 seconds.']);
  });

  it('that break off are a failed connection', async () => {
    receiver.deliver = (_, response) => void response.destroy();
    expect((await failure(get(open())))?.[0]).toBe('connection');
  });
});

describe('certificates', () => {
  it('for another name are refused', async () => {
    expect(await failure(get(open({ ca: stranger.ca }), stranger.url()))).toEqual([
      'certificate',
      "The server's certificate was not accepted: ERR_TLS_CERT_ALTNAME_INVALID.",
    ]);
  });

  it('of unknown authorities are refused', async () => {
    expect((await failure(get(open({ ca: stranger.ca }))))?.[0]).toBe('certificate');
  });

  it('are required: a server without TLS is refused', async () => {
    const server = createServer((_, response) => void response.end());
    server.listen(0, '127.0.0.1');
    await once(server, 'listening');
    const { port } = server.address() as AddressInfo;
    expect((await failure(get(open(), `https://${RECEIVER}:${port}/`)))?.[0]).toBe('certificate');
    server.closeAllConnections();
    server.close();
  });
});

it('ends when its caller does', async () => {
  const came = new Promise<void>((resolve) => {
    receiver.deliver = () => resolve();
  });
  const stop = new AbortController();
  const sent = open().send({ method: 'GET', url: receiver.url(), signal: stop.signal });
  await came;
  stop.abort(new Error('stopped'));
  await expect(sent).rejects.toThrow('stopped');
});

it('a server that does not listen is a failed connection', async () => {
  const gone = await startReceiver();
  const url = gone.url();
  await gone.close();
  expect(await failure(get(open({ ca: gone.ca }), url))).toEqual([
    'connection',
    'The connection failed: nothing listens at that address.',
  ]);
});
