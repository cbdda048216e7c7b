import * as fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { COUNT_FIELDS } from '#contract/counts.ts';
import { BUCKET_MS, bucketCount, floorTo, GRANULARITIES } from '#core/time/bucket.ts';
import { DAY_MS, PAGE_DAYS } from '#core/time/span.ts';
import { writeNothing, writePage, type CountPage } from '#server/domain/count-json.ts';

/** The same page through objects and `JSON.stringify`. */
function plainly({ span, granularity, counts, fields }: CountPage, token: string | null): string {
  const first = floorTo(span.start, granularity);
  const width = BUCKET_MS[granularity];
  const iso = (at: number): string => new Date(at).toISOString();
  const data = Array.from(counts, (tweet_count, i) => {
    const bucket = {
      end: iso(Math.min(span.end, first + (i + 1) * width)),
      start: iso(Math.max(span.start, first + i * width)),
      tweet_count,
    };
    return Object.fromEntries(fields.map((field) => [field, bucket[field]]));
  });
  const total_tweet_count = counts.reduce((sum, count) => sum + count, 0);
  return JSON.stringify({
    data,
    meta: { total_tweet_count, ...(token === null ? {} : { next_token: token }) },
  });
}

const page: fc.Arbitrary<CountPage> = fc
  .record({
    start: fc.integer({ min: 1_142_899_200, max: 1_900_000_000 }),
    seconds: fc.integer({ min: 1, max: (PAGE_DAYS * DAY_MS) / 1000 }),
    granularity: fc.constantFrom(...GRANULARITIES),
    fields: fc.subarray([...COUNT_FIELDS], { minLength: 1 }),
    seed: fc.integer({ min: 1, max: 4_294_967_295 }),
  })
  .map(({ start, seconds, granularity, fields, seed }) => {
    const span = { start: start * 1000, end: (start + seconds) * 1000 };
    const counts = new Uint32Array(bucketCount(span.start, span.end, granularity));
    for (let i = 0, x = seed; i < counts.length; i++) {
      x = (Math.imul(x, 1_664_525) + 1_013_904_223) >>> 0;
      counts[i] = x >>> (x & 31);
    }
    return { span, granularity, counts, fields };
  });

describe('the JSON text of a page', () => {
  it('is what JSON.stringify gives, at every granularity, cut anywhere, with any members', () => {
    const token = fc.option(fc.stringMatching(/^[0-9a-v]{1,80}$/), { nil: null });
    fc.assert(
      fc.property(page, token, (page, token) => {
        const { body, total } = writePage(page, token);
        expect(Buffer.from(body).toString('utf8') === plainly(page, token)).toBe(true);
        expect(total).toBe(page.counts.reduce((sum, count) => sum + count, 0));
      }),
      { numRuns: 60 },
    );
  });

  it('has its members in the order of the recordings', () => {
    const span = {
      start: Date.parse('2021-09-13T19:18:24Z'),
      end: Date.parse('2021-09-13T20:00Z'),
    };
    const { body } = writePage(
      { span, granularity: 'hour', counts: Uint32Array.of(7), fields: COUNT_FIELDS },
      null,
    );
    expect(Buffer.from(body).toString()).toBe(
      '{"data":[{"end":"2021-09-13T20:00:00.000Z","start":"2021-09-13T19:18:24.000Z","tweet_count":7}],"meta":{"total_tweet_count":7}}',
    );
  });

  it('of nothing is meta alone', () => {
    expect(JSON.parse(Buffer.from(writeNothing()).toString())).toEqual({
      meta: { total_tweet_count: 0 },
    });
  });
});
