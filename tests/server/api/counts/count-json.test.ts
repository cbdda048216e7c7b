import * as fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { COUNT_FIELDS } from '#contract/counts/count-operations.ts';
import { BUCKET_MS, bucketCount, floorTo, GRANULARITIES } from '#core/time/bucket.ts';
import { DAY_MS, PAGE_DAYS } from '#core/time/span.ts';
import {
  MIN_PIECE,
  nothingText,
  pageText,
  type CountPage,
  type PieceText,
} from '#server/api/counts/count-json.ts';
import { runs } from '#tests/support/run/runs.ts';

/** Writes a text in pieces, each into a buffer of `length` bytes. */
function piecesOf(text: PieceText, length: number): Buffer[] {
  const pieces: Buffer[] = [];
  for (;;) {
    const into = Buffer.alloc(length);
    const n = text.write(into);
    if (n === 0) return pieces;
    pieces.push(into.subarray(0, n));
  }
}

const textOf = (text: PieceText, length = 64 * 1024): string =>
  Buffer.concat(piecesOf(text, length)).toString('utf8');

/** The same page by `JSON.stringify`. */
function plainly(page: CountPage, token: string | null): string {
  const { span, granularity, counts, fields, vocabulary } = page;
  const name = vocabulary === 'tweet' ? 'tweet_count' : 'post_count';
  const first = floorTo(span.start, granularity);
  const width = BUCKET_MS[granularity];
  const iso = (at: number): string => new Date(at).toISOString();
  const data = Array.from(counts, (tweet_count, i) => {
    const bucket = {
      end: iso(Math.min(span.end, first + (i + 1) * width)),
      start: iso(Math.max(span.start, first + i * width)),
      tweet_count,
    };
    return Object.fromEntries(
      fields.map((field) => [field === 'tweet_count' ? name : field, bucket[field]]),
    );
  });
  const total = counts.reduce((sum, count) => sum + count, 0);
  return JSON.stringify({
    data,
    meta: { [`total_${name}`]: total, ...(token === null ? {} : { next_token: token }) },
  });
}

/** Every field, in tweet names. */
const ALL = { fields: COUNT_FIELDS, vocabulary: 'tweet' } as const;

const page: fc.Arbitrary<CountPage> = fc
  .record({
    start: fc.integer({ min: 1_142_899_200, max: 1_900_000_000 }),
    seconds: fc.integer({ min: 1, max: (PAGE_DAYS * DAY_MS) / 1000 }),
    granularity: fc.constantFrom(...GRANULARITIES),
    fields: fc.subarray([...COUNT_FIELDS], { minLength: 1 }),
    vocabulary: fc.constantFrom('tweet' as const, 'post' as const),
    seed: fc.integer({ min: 1, max: 4_294_967_295 }),
  })
  .map(({ start, seconds, granularity, fields, vocabulary, seed }) => {
    const span = { start: start * 1000, end: (start + seconds) * 1000 };
    const counts = new Uint32Array(bucketCount(span.start, span.end, granularity));
    for (let i = 0, x = seed; i < counts.length; i++) {
      x = (Math.imul(x, 1_664_525) + 1_013_904_223) >>> 0;
      counts[i] = x >>> (x & 31);
    }
    return { span, granularity, counts, fields, vocabulary };
  });

const token = fc.option(fc.stringMatching(/^[0-9a-v]{1,400}$/), { nil: null });

describe('the JSON text of a page', () => {
  it('equals that of JSON.stringify for any granularity, bounds, members and length of the pieces', () => {
    const piece = fc.oneof(
      fc.integer({ min: MIN_PIECE, max: 2000 }),
      fc.integer({ min: MIN_PIECE, max: 300_000 }),
    );
    fc.assert(
      fc.property(page, token, piece, (page, token, piece) => {
        const text = pageText(page, token);
        const written = textOf(text, piece);
        expect(written === plainly(page, token)).toBe(true);
        expect(text.length).toBe(Buffer.byteLength(written));
        expect(text.write(Buffer.alloc(MIN_PIECE))).toBe(0);
      }),
      { numRuns: runs(30) },
    );
  });

  it.each([0, 1, 9, 10, 99, 100, 65_535, 999_999_999, 1_000_000_000, 2 ** 32 - 1])(
    'can have a count of %i',
    (count) => {
      const span = { start: Date.parse('2016-02-28T23:00Z'), end: Date.parse('2016-02-29T01:00Z') };
      const page: CountPage = {
        span,
        granularity: 'minute',
        counts: new Uint32Array(120).fill(count),
        ...ALL,
      };
      const { data, meta } = JSON.parse(textOf(pageText(page, null)));
      expect(new Set(data.map((row: { tweet_count: number }) => row.tweet_count))).toEqual(
        new Set([count]),
      );
      expect(meta.total_tweet_count).toBe(120 * count);
    },
  );

  it('has its members in the recorded order', () => {
    const span = {
      start: Date.parse('2021-09-13T19:18:24Z'),
      end: Date.parse('2021-09-13T20:00Z'),
    };
    const text = pageText({ span, granularity: 'hour', counts: Uint32Array.of(7), ...ALL }, null);
    expect(textOf(text)).toBe(
      '{"data":[{"end":"2021-09-13T20:00:00.000Z","start":"2021-09-13T19:18:24.000Z","tweet_count":7}],"meta":{"total_tweet_count":7}}',
    );
  });

  it('without buckets has an empty list', () => {
    const span = { start: 0, end: 0 };
    const counts = new Uint32Array(0);
    const text = pageText({ span, granularity: 'day', counts, ...ALL }, null);
    expect(textOf(text)).toBe('{"data":[],"meta":{"total_tweet_count":0}}');
    expect(text.length).toBe('{"data":[],"meta":{"total_tweet_count":0}}'.length);
  });

  it('of an empty answer is meta alone', () => {
    const text = nothingText('tweet');
    const written = textOf(text);
    expect(JSON.parse(written)).toEqual({ meta: { total_tweet_count: 0 } });
    expect(text.length).toBe(written.length);
  });

  it.each([
    () => nothingText('tweet'),
    () =>
      pageText(
        {
          span: { start: 0, end: 60_000 },
          granularity: 'minute',
          counts: Uint32Array.of(1),
          ...ALL,
        },
        null,
      ),
  ])('refuses a buffer that could be too short for a row', (make) => {
    expect(() => make().write(new Uint8Array(MIN_PIECE - 1))).toThrow(
      new RangeError(`A piece must have at least ${MIN_PIECE} bytes, got ${MIN_PIECE - 1}`),
    );
  });
});
