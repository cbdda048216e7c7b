import { brotliDecompressSync, gunzipSync } from 'node:zlib';
import * as fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import type { PieceText } from '#server/api/counts/count-json.ts';
import { streamBody } from '#server/api/counts/stream-body.ts';
import { runs } from '#tests/support/run/runs.ts';

const STAYS = new AbortController().signal;

/** A text of repetitive rows like those of a page, which counts the calls of `write`. */
function rows(length: number): PieceText & { whole: Buffer; writes: number } {
  const row = '{"end":"2016-01-01T00:01:00.000Z","tweet_count":0},';
  const whole = Buffer.alloc(length, row);
  let at = 0;
  return {
    length,
    whole,
    writes: 0,
    write(into) {
      this.writes += 1;
      const n = whole.copy(into, 0, at);
      at += n;
      return n;
    },
  };
}

const bytesOf = async (body: Awaited<ReturnType<typeof streamBody>>): Promise<Buffer> =>
  Buffer.from(await new Response(body).arrayBuffer());

describe('a body', () => {
  it.each([
    ['gzip', gunzipSync],
    ['br', brotliDecompressSync],
    ['identity', (bytes: Buffer) => bytes],
  ] as const)('as %s has the bytes of its text at any length', async (encoding, unpack) => {
    const length = fc.oneof(
      fc.integer({ min: 1, max: 1000 }),
      fc
        .constantFrom(64, 128, 256)
        .chain((k) => fc.integer({ min: k * 1024 - 600, max: k * 1024 + 600 })),
      fc.integer({ min: 1, max: 1_500_000 }),
    );
    await fc.assert(
      fc.asyncProperty(length, async (length) => {
        const text = rows(length);
        const body = await bytesOf(await streamBody(text, encoding, STAYS));
        expect(unpack(body).equals(text.whole)).toBe(true);
      }),
      { numRuns: runs(25) },
    );
  });

  it('is written only as it is read if it is long and uncompressed', async () => {
    const text = rows(4_000_000);
    const body = await streamBody(text, 'identity', STAYS);
    if (!(body instanceof ReadableStream)) throw new Error('not a stream');
    expect(text.writes).toBe(0);
    const reader = body.getReader();
    let read = 0;
    for (let i = 1; i <= 3; i++) {
      read += (await reader.read()).value?.length ?? 0;
      expect(text.writes).toBe(i);
    }
    expect(read).toBeLessThan(300_000);
    const last = reader.read();
    await reader.cancel();
    expect((await last).done).toBe(true);
    expect(text.writes).toBe(3);
  });

  it.each(['gzip', 'br'] as const)(
    'as %s is not written for a client that disconnected',
    async (encoding) => {
      const gone = new AbortController();
      const text = rows(4_000_000);
      const body = streamBody(text, encoding, gone.signal);
      gone.abort();
      expect(await body).toBeNull();
      expect(text.writes).toBeLessThan(4);
    },
  );
});
