import { once } from 'node:events';
import { brotliDecompressSync, gunzipSync } from 'node:zlib';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { long } from '#tests/support/run/long.ts';
import { memoryHeld } from '#tests/support/memory.ts';
import { rawAsk, rawOpen } from '#tests/support/service/raw-http.ts';
import { startService } from '#tests/support/service/service.ts';

const MINUTES = 31 * 1440;
const service = startService({
  now: () => Date.parse('2016-06-01T00:00Z'),
  posts: Array.from({ length: 3000 }, (_, i) => ({
    id: BigInt(i + 1),
    createdAt: Date.parse('2016-01-01T00:00Z') + ((i * 7919) % (MINUTES * 60)) * 1000,
    text: 'tea',
  })),
});
afterAll(() => service.close());

const PATH =
  '/2/tweets/counts/all?query=tea&granularity=minute&start_time=2016-01-01T00:00Z&end_time=2016-02-01T00:00Z';
let page = '';
let headers: Record<string, string> = {};
beforeAll(async () => {
  page = (await service.listen()) + PATH;
  const token = service.auth.issueToken({ access: 'enterprise', limited: false });
  headers = { authorization: `Bearer ${token}` };
});

const UNPACK = {
  gzip: gunzipSync,
  br: brotliDecompressSync,
  identity: (bytes: Buffer) => bytes,
} as const;
const ENCODINGS = ['gzip', 'br', 'identity'] as const;

describe('a page of 44,640 minutes over HTTP', () => {
  it.each(ENCODINGS)('is complete as %s, with its length in the headers', async (encoding) => {
    const answer = await rawAsk(page, { headers: { ...headers, 'accept-encoding': encoding } });
    expect(answer.status).toBe(200);
    expect(answer.headers['content-encoding'] ?? 'identity').toBe(encoding);
    expect(answer.headers['content-length']).toBe(String(answer.body.length));
    expect(answer.headers['transfer-encoding']).toBeUndefined();
    const { data, meta } = JSON.parse(UNPACK[encoding](answer.body).toString());
    expect(data).toHaveLength(MINUTES);
    expect(data.at(-1).end).toBe('2016-02-01T00:00:00.000Z');
    expect(meta).toEqual({ total_tweet_count: 3000 });
  });

  it.each(ENCODINGS)('has no body for HEAD as %s, and the headers of GET', async (encoding) => {
    const asked = { headers: { ...headers, 'accept-encoding': encoding } };
    const get = await rawAsk(page, asked);
    const head = await rawAsk(page, { ...asked, method: 'HEAD' });
    expect([head.status, head.body.length]).toEqual([200, 0]);
    // The length of a compressed body is known only once it is made (RFC 9110 section 9.3.2).
    const { 'content-length': length, ...rest } = get.headers;
    expect(head.headers).toEqual(encoding === 'identity' ? get.headers : rest);
    expect(Number(length)).toBeGreaterThan(100_000);
  });

  it('is 406 if the client refuses every encoding, but after all other errors', async () => {
    const refusing = { ...headers, 'accept-encoding': 'identity;q=0, zstd' };
    const answer = await rawAsk(page, { headers: refusing });
    expect([answer.status, answer.headers['vary']]).toEqual([406, 'accept-encoding']);
    expect(JSON.parse(answer.body.toString())).toEqual({
      title: 'Not Acceptable',
      type: 'about:blank',
      status: 406,
      detail: 'Accept-Encoding must leave one of gzip, br and identity.',
    });
    expect((await rawAsk(`${page}&granularity=week`, { headers: refusing })).status).toBe(400);
  });

  it('is compressed in spite of its short length if the client refuses identity', async () => {
    const refusing = { ...headers, 'accept-encoding': 'identity;q=0, br' };
    const day = page.replace('minute', 'day').replace('02-01', '01-02');
    const { headers: received, body } = await rawAsk(day, { headers: refusing });
    expect(received['content-encoding']).toBe('br');
    expect(JSON.parse(brotliDecompressSync(body).toString()).data).toHaveLength(1);
  });
});

describe('a client that disconnects', () => {
  it.each(ENCODINGS)('during a body as %s does no harm', async (encoding) => {
    const asked = { headers: { ...headers, 'accept-encoding': encoding } };
    for (let i = 0; i < 5; i++) {
      const answer = await rawOpen(page, asked);
      const closed = once(answer, 'close');
      answer.once('error', () => {}).destroy();
      await closed;
    }
    expect((await rawAsk(page, asked)).status).toBe(200);
    expect(service.log).toEqual([]);
  });

  it('before its turn causes no work and no log entry', async () => {
    const gone = new AbortController();
    const waiting = Array.from({ length: 8 }, () =>
      service.request(PATH, { signal: gone.signal, headers: { 'accept-encoding': 'gzip' } }),
    );
    gone.abort();
    for (const answer of await Promise.all(waiting)) {
      expect([answer.status, answer.body]).toEqual([499, null]);
    }
    expect(service.log).toEqual([]);
  });
});

describe('memory', () => {
  const MB = 2 ** 20;

  it('stays flat over many pages', async () => {
    const ask = async (times: number): Promise<void> => {
      for (let i = 0; i < times; i++) {
        for (const encoding of long() ? ENCODINGS : ['identity']) {
          const answer = await service.request(PATH, { headers: { 'accept-encoding': encoding } });
          expect((await answer.arrayBuffer()).byteLength).toBeGreaterThan(100_000);
        }
      }
    };
    await ask(long() ? 3 : 1);
    const before = await memoryHeld();
    await ask(long() ? 16 : 2);
    // Retaining one page per round would take 2.4 MB gzipped in the long form, or 7 MB uncompressed in the short one.
    expect((await memoryHeld()) - before).toBeLessThan(2 * MB);
  });

  // In process, because a socket's buffers can take a whole page, which would hide the service's memory.
  it.each(long() ? ENCODINGS : ['gzip' as const])(
    'stays low with sixteen unread bodies as %s',
    async (encoding) => {
      const ask = async (): Promise<Response> =>
        await service.request(PATH, { headers: { 'accept-encoding': encoding } });
      const before = await memoryHeld();
      const answers = await Promise.all(Array.from({ length: 16 }, ask));
      // Their texts have 60 MB.
      expect((await memoryHeld()) - before).toBeLessThan(24 * MB);
      // The service answers others meanwhile, and a late reader gets everything.
      const whole = (await (await ask()).arrayBuffer()).byteLength;
      for (const answer of answers.splice(0, 3)) {
        expect((await answer.arrayBuffer()).byteLength).toBe(whole);
      }
      for (const answer of answers) await answer.body?.cancel();
    },
  );
});
