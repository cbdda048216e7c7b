import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import {
  checkPage,
  pageSpan,
  refuses,
  type Asked,
  type Page,
  type PageFaultKind,
} from '#core/counts/check.ts';
import type { Granularity } from '#core/time/bucket.ts';
import { DAY_MS, HOUR_MS } from '#core/time/span.ts';
import { buckets, pageOf, type Bucket } from './page-buckets.ts';

const START = Date.parse('2026-10-01');
const END = Date.parse('2026-10-03');
const DATE = Date.parse('2026-11-20T12:00:00Z');

const asked = (over: Partial<Asked> = {}): Asked => ({
  granularity: 'hour',
  start: START,
  end: END,
  date: DATE,
  earlier: [],
  ...over,
});

const kinds = (page: Page, of: Asked = asked()): PageFaultKind[] =>
  checkPage(page, of).map(({ kind }) => kind);

/** A correct page with its buckets changed in one way; the total is that of the result. */
const spoilt = (spoil: (list: Bucket[]) => unknown): Page => {
  const list = buckets(START, END);
  spoil(list);
  return pageOf(list);
};

const at = (list: Bucket[], i: number): Bucket => list[i] as Bucket;

describe('checkPage', () => {
  test.each<Granularity>(['minute', 'hour', 'day'])(
    'finds nothing in a correct page of %ss',
    (granularity) => {
      const page = pageOf(buckets(START, START + 31 * DAY_MS, granularity));
      expect(kinds(page, asked({ granularity, end: START + 31 * DAY_MS }))).toEqual([]);
    },
  );

  test('finds nothing in a newest page whose last bucket the source cut', () => {
    const start = Date.parse('2026-11-20');
    for (const end of [DATE - 10_000, DATE - 60_000]) {
      const page = pageOf(buckets(start, end));
      expect(kinds(page, asked({ start, end: null }))).toEqual([]);
    }
  });

  test.each<[string, PageFaultKind, (list: Bucket[]) => unknown]>([
    ['a missing bucket', 'gap', (list) => list.splice(10, 1)],
    ['a missing first bucket', 'gap', (list) => list.shift()],
    ['a missing last bucket', 'gap', (list) => list.pop()],
    ['a bucket twice', 'overlap', (list) => list.splice(10, 0, at(list, 10))],
    ['a bucket too long', 'overlap', (list) => (at(list, 10).end += HOUR_MS)],
    ['two buckets exchanged', 'order', (list) => list.splice(10, 2, at(list, 11), at(list, 10))],
    ['a list backwards', 'order', (list) => list.reverse()],
    [
      'buckets off the grid',
      'off-grid',
      (list) => list.forEach((b) => ((b.start += 1000), (b.end += 1000))),
    ],
    [
      'a bucket cut in the middle',
      'off-grid',
      (list) => ((at(list, 10).end -= 1000), (at(list, 11).start -= 1000)),
    ],
    [
      'a bucket before the start',
      'outside',
      (list) => list.unshift({ start: START - HOUR_MS, end: START, count: 1 }),
    ],
    [
      'a bucket after the end',
      'outside',
      (list) => list.push({ start: END, end: END + HOUR_MS, count: 1 }),
    ],
    ['a negative count', 'bad-count', (list) => (at(list, 3).count = -1)],
    ['a fractional count', 'bad-count', (list) => (at(list, 3).count = 1.5)],
    ['a count that is no number', 'bad-count', (list) => (at(list, 3).count = NaN)],
  ])('finds %s', (_, kind, spoil) => {
    const faults = checkPage(spoilt(spoil), asked());
    expect(faults.map((fault) => fault.kind)).toContain(kind);
    expect(faults.every(refuses)).toBe(true);
  });

  test('finds any missing, doubled or moved bucket', () => {
    fc.assert(
      fc.property(
        fc.integer({ min: 0, max: 47 }),
        fc.integer({ min: 1, max: 3 }),
        fc.boolean(),
        (i, by, double) => {
          const page = spoilt((list) =>
            double
              ? list.splice(i, 0, at(list, i))
              : list.splice(i, 1).map((b) => list.splice(i + by, 0, b)),
          );
          const moved = double || i + by <= 47;
          expect(kinds(page).length > 0).toBe(moved || i < 47);
        },
      ),
    );
  });

  test.each([
    ['one too many', 1],
    ['one too few', -1],
  ])('finds a total that is %s', (_, by) => {
    const page = pageOf(buckets(START, END));
    const faults = checkPage({ ...page, total: (page.total ?? 0) + by }, asked());
    expect(faults).toEqual([
      { kind: 'wrong-total', expected: page.total, got: (page.total ?? 0) + by, times: 1 },
    ]);
  });

  test('finds a missing total', () => {
    expect(kinds(pageOf(buckets(START, END), { total: null }))).toEqual(['wrong-total']);
  });

  test('finds an unexpected next_token, which does not forbid the page', () => {
    const list = buckets(START + DAY_MS, END);
    const faults = checkPage(pageOf(list, { token: 'abc' }), asked());
    expect(faults).toEqual([{ kind: 'unexpected-token', got: 'abc', times: 1 }]);
    expect(faults.some(refuses)).toBe(false);
  });

  test('a page requested by a token need not reach either bound', () => {
    const list = buckets(START + HOUR_MS, END - HOUR_MS);
    expect(kinds(pageOf(list), asked({ followed: true }))).toEqual([]);
    expect(kinds(pageOf(list))).toEqual(['gap']);
  });

  test.each([9_999, 60_001, -1])('finds an end of the source %i ms before Date', (lag) => {
    const start = Date.parse('2026-11-20');
    expect(kinds(pageOf(buckets(start, DATE - lag)), asked({ start, end: null }))).toContain(
      'wrong-end',
    );
  });

  test('finds a page that answered another request', () => {
    const span = { start: START - 3 * DAY_MS, end: START };
    const page = pageOf(buckets(span.start, span.end));
    expect(kinds(page, asked({ earlier: [span] }))).toContain('repeated-page');
    expect(kinds(page, asked({ earlier: [span] }))).toContain('outside');
  });

  test('counts how often a fault occurs, and keeps its first evidence', () => {
    const page = spoilt((list) => ((at(list, 3).count = -1), (at(list, 5).count = -2)));
    const [fault] = checkPage(page, asked());
    expect(fault).toEqual({ kind: 'bad-count', at: START + 3 * HOUR_MS, got: -1, times: 2 });
  });

  test('checks only the total of an empty page', () => {
    expect(kinds(pageOf([]))).toEqual([]);
    expect(kinds(pageOf([], { total: 3 }))).toEqual(['wrong-total']);
    expect(pageSpan(pageOf([]))).toBeNull();
  });
});
