import { describe, expect, test } from 'vitest';
import { readCountsPage } from '#contract/counts/counts-page.ts';
import { bytesOf, writtenPage } from '#tests/support/data/pages.ts';
import { HOUR_MS } from '#core/time/span.ts';

const START = Date.parse('2026-10-01');
const WRITTEN = writtenPage(START, START + 3 * HOUR_MS, 'hour', (t) => (t - START) / HOUR_MS);

const READ = {
  starts: Float64Array.of(START, START + HOUR_MS, START + 2 * HOUR_MS),
  ends: Float64Array.of(START + HOUR_MS, START + 2 * HOUR_MS, START + 3 * HOUR_MS),
  counts: Float64Array.of(0, 1, 2),
  total: 3,
  token: null,
};

const EMPTY = { starts: new Float64Array(), ends: new Float64Array(), counts: new Float64Array() };

describe('readPage', () => {
  test('reads a page into arrays', () => {
    expect(readCountsPage(bytesOf(WRITTEN))).toEqual(READ);
  });

  test('reads the other vocabulary, and fields in any order', () => {
    const data = WRITTEN.data?.map(({ start, end, tweet_count }) => ({
      post_count: tweet_count,
      start,
      end,
    }));
    expect(readCountsPage(bytesOf({ meta: { total_post_count: 3 }, data }))).toEqual(READ);
  });

  test.each([
    ['no data', { meta: { total_tweet_count: 0 } }],
    ['data without a bucket', { data: [], meta: { total_tweet_count: 0 } }],
  ])('reads %s as a page without buckets', (_, json) => {
    expect(readCountsPage(bytesOf(json))).toEqual({ ...EMPTY, total: 0, token: null });
  });

  test('takes counts as written; the self-check judges them', () => {
    const data = WRITTEN.data?.map((bucket) => ({ ...bucket, tweet_count: -1.5 }));
    const page = readCountsPage(bytesOf({ ...WRITTEN, data }));
    expect('counts' in page && [...page.counts]).toEqual([-1.5, -1.5, -1.5]);
  });

  test('detects a body that is cut off anywhere', () => {
    const whole = bytesOf(WRITTEN);
    for (let length = 0; length < whole.byteLength; length += 1) {
      expect(readCountsPage(whole.slice(0, length))).toMatchObject({ kind: 'cut-body' });
    }
  });

  test.each([
    ['no meta', { data: [] }],
    ['a total that is not a number', { meta: { total_tweet_count: 'three' } }],
    ['data that is not a list', { data: 3, meta: {} }],
    ['a list', []],
    ['null', null],
    ['a bucket that is null', { data: [null], meta: {} }],
    [
      'a bucket without an end',
      { data: [{ start: '2026-10-01T00:00:00Z', tweet_count: 1 }], meta: {} },
    ],
    [
      'a start that is not an instant',
      { data: [{ start: 'now', end: '2026-10-01T00:00:00Z', tweet_count: 1 }], meta: {} },
    ],
    ['a count that is text', { data: [{ ...WRITTEN.data?.[0], tweet_count: '1' }], meta: {} }],
  ])('detects JSON that is not an answer with counts: %s', (_, json) => {
    expect(readCountsPage(bytesOf(json))).toMatchObject({ kind: 'malformed', times: 1 });
  });
});
