import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { requestCount, moneyOf } from '#core/counts/price.ts';
import { newestPage, planRequests, type PlannedRequest } from '#core/counts/requests.ts';
import { BUCKET_MS, bucketCount } from '#core/time/bucket.ts';
import { DAY_MS, HOUR_MS } from '#core/time/span.ts';
import { runs } from '#tests/support/run/runs.ts';
import { NOON, PRICES, need } from './request-need.ts';
import type { Known } from '#core/counts/known-counts.ts';

const settings = fc.record({
  granularity: fc.constantFrom('hour' as const, 'minute' as const),
  size: fc.integer({ min: 1, max: 23 }),
  endpoints: fc.constantFrom('all' as const, 'recent' as const, 'both' as const),
  /** Hours before now at which the view ends, and its length. */
  ends: fc.integer({ min: 0, max: 100 }),
  length: fc.integer({ min: 1, max: 60 }),
  knownHours: fc.array(fc.integer({ min: 0, max: 100 }), { maxLength: 6 }),
});

describe('a plan of pages shorter than a day', () => {
  test('states the number of requests it takes, each a page, none for known counts', () => {
    fc.assert(
      fc.property(settings, ({ granularity, size, endpoints, ends, length, knownHours }) => {
        const buckets = granularity === 'minute' ? 37 * size : size;
        const end = NOON - ends * HOUR_MS;
        const view = { start: end - length * HOUR_MS, end };
        const hours = [...new Set(knownHours)].sort((a, b) => b - a);
        let known: Known[] = hours.map((ago) => {
          const from = NOON - (ago + 1) * HOUR_MS;
          return { from, to: from + HOUR_MS, at: NOON + 10 * DAY_MS, generation: 0 };
        });
        const now = NOON;
        const plan = () =>
          planRequests(
            need(
              { granularity, endpoints, pageBuckets: buckets },
              { view, known: [known], now, freshMs: Infinity },
            ),
          );
        const planned = plan();
        const sent: PlannedRequest[] = [];
        for (let requests = plan(); requests.length > 0; requests = plan()) {
          const [next] = requests;
          const part = next?.part;
          if (!next || !part) throw new Error('expected a part');
          const page = newestPage(part, granularity, buckets);
          expect(page.start % BUCKET_MS[granularity]).toBe(0);
          expect(bucketCount(page.start, page.end, granularity)).toBeLessThanOrEqual(buckets);
          for (const each of known)
            expect(each.to <= page.start || each.from >= page.end).toBe(true);
          known = [...known, { from: page.start, to: page.end, at: NOON, generation: 0 }];
          known.sort((a, b) => a.from - b.from);
          sent.push({ ...next, requests: 1 });
        }
        // Of two endpoints the cheaper is chosen again before every request.
        if (endpoints !== 'both') expect(requestCount(sent)).toEqual(requestCount(planned));
        expect(moneyOf(sent, PRICES)).toBeLessThanOrEqual(moneyOf(planned, PRICES));
      }),
      { numRuns: runs(60) },
    );
  });

  test('with ten million of them takes no longer than with one', () => {
    const view = { start: Date.parse('2007-01-01'), end: Date.parse('2026-01-01') };
    const plan = planRequests(need({ granularity: 'minute', pageBuckets: 1 }, { view }));
    expect(plan).toHaveLength(1);
    expect(requestCount(plan).all).toBe((view.end - view.start) / 60_000);
  });
});

test('a page has at least one bucket', () => {
  expect(() => newestPage({ start: 0, end: HOUR_MS }, 'hour', 0)).toThrow(RangeError);
});
