import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { headOf } from '#core/counts/head.ts';
import { moneyOf } from '#core/counts/price.ts';
import {
  boughtGranularity,
  heldToTake,
  fetchedDays,
  planRequests,
  type HeldPage,
  type RequestNeed,
} from '#core/counts/requests.ts';
import { DAY_MS, HOUR_MS } from '#core/time/span.ts';
import { lastDays } from './household.ts';
import { NOON, PRICES, TODAY, need } from './request-need.ts';
import type { Known } from '#core/counts/known-counts.ts';
import { dayOf } from '#core/counts/day-windows.ts';

const day = (text: string): number => dayOf(Date.parse(text));

describe('planRequests', () => {
  test('the archive from 2006-03-21 to 2026-11-20 is 244 requests and $2.44', () => {
    const view = { start: Date.parse('2006-03-21'), end: Date.parse('2026-11-21') };
    const requests = planRequests(need({}, { view }));
    expect(requests).toHaveLength(244);
    expect(moneyOf(requests, PRICES)).toBe(2.44);
  });

  test.each([
    [1, 'recent'],
    [7, 'recent'],
    [8, 'all'],
    [30, 'all'],
    [31, 'all'],
    [32, 'recent, all'],
    [38, 'recent, all'],
    [39, 'all, all'],
    [63, 'recent, all, all'],
    [365, `${'all, '.repeat(11)}all`],
  ])('%i days up to now come from %s', (days, endpoints) => {
    const requests = planRequests(need({ endpoints: 'both' }, { view: lastDays(NOON, days) }));
    expect(requests.map(({ endpoint }) => endpoint).join(', ')).toBe(endpoints);
  });

  test.each([
    ['2026-11-20T00:00:05Z', '2026-11-14'],
    ['2026-11-20T00:01:00Z', '2026-11-14'],
    ['2026-11-20T12:00:00Z', '2026-11-14'],
    ['2026-11-20T23:58:59Z', '2026-11-14'],
    // A minute later it would be out of reach.
    ['2026-11-20T23:59:30Z', '2026-11-15'],
  ])('at %s recent begins on %s when all is available too', (text, first) => {
    const now = Date.parse(text);
    const view = { start: now - 2 * DAY_MS, end: now };
    const [request] = planRequests(need({ endpoints: 'both' }, { now, view }));
    expect(request).toEqual({
      from: day(first),
      to: headOf(now).day + 1,
      endpoint: 'recent',
    });
  });

  const settled: Known = {
    from: Date.parse('2026-06-01'),
    to: Date.parse('2026-11-18'),
    at: Date.parse('2026-11-19T12:00:00Z'),
    generation: 0,
  };

  test.each<[string, Partial<RequestNeed>, string, string]>([
    ['hours take the full page', {}, '2026-10-21', 'all'],
    ['hours of recent take its seven days', { endpoints: 'both' }, '2026-11-14', 'recent'],
    ['recent alone takes what it reaches', { endpoints: 'recent' }, '2026-11-13', 'recent'],
    ['minutes take the full page once a day', { granularity: 'minute' }, '2026-10-21', 'all'],
    [
      'minutes take one day as a seam after that',
      { granularity: 'minute', fullHeadToday: true },
      '2026-11-17',
      'all',
    ],
    [
      'minutes of recent take one day as a seam',
      { granularity: 'minute', fullHeadToday: true, endpoints: 'both' },
      '2026-11-17',
      'recent',
    ],
    ['not over what is under way', { busy: new Set([day('2026-11-10')]) }, '2026-11-11', 'all'],
    ['no longer than a page', { pageDays: 10 }, '2026-11-11', 'all'],
  ])('a refresh of the newest counts is one request: %s', (_, over, from, endpoint) => {
    expect(planRequests(need(over, { known: [[settled]] }))).toEqual([
      { from: day(from), to: TODAY + 1, endpoint },
    ]);
  });

  test('requests nothing that is in flight', () => {
    const busy = new Set(Array.from({ length: 31 }, (_, i) => TODAY - i));
    expect(planRequests(need({ busy }))).toEqual([]);
  });

  test('refuses a page without a day', () => {
    expect(() => planRequests(need({ pageDays: 0 }))).toThrow(RangeError);
  });
});

describe('fetchedDays', () => {
  test('counts the days within reach, and those that need no request', () => {
    const known = [
      {
        from: Date.parse('2026-11-01'),
        to: Date.parse('2026-11-11'),
        at: Date.parse('2026-11-15'),
        generation: 0,
      },
    ];
    expect(fetchedDays(need({}, { known: [known] }))).toEqual({ days: 30, fetched: 10 });
    expect(fetchedDays(need())).toEqual({ days: 30, fetched: 0 });
    expect(fetchedDays(need({ endpoints: 'recent' }))).toEqual({ days: 8, fetched: 0 });
    const before = { start: Date.parse('2000-01-01'), end: Date.parse('2001-01-01') };
    expect(fetchedDays(need({}, { view: before }))).toEqual({ days: 0, fetched: 0 });
  });
});

describe('heldToTake', () => {
  const page = (from: number, to: number, at = 0): HeldPage => ({
    endpoint: 'all',
    start: from * DAY_MS,
    end: to * DAY_MS,
    at,
  });
  const tells = ({ start, end }: HeldPage, day: number): boolean =>
    start <= day * DAY_MS && end >= (day + 1) * DAY_MS;

  test('takes the fewest pages with the same coverage, each for a day that only it covers', () => {
    const pages = fc.array(
      fc
        .tuple(fc.integer({ min: 0, max: 30 }), fc.integer({ min: 1, max: 12 }), fc.nat(9))
        .map(([from, length, at]) => page(from, from + length, at)),
      { maxLength: 7 },
    );
    const days = fc
      .uniqueArray(fc.integer({ min: 0, max: 40 }), { maxLength: 25 })
      .map((list) => list.sort((a, b) => a - b));
    fc.assert(
      fc.property(days, pages, (needed, held) => {
        const taken = heldToTake(needed, held);
        const reported = (by: readonly HeldPage[]): number[] =>
          needed.filter((day) => by.some((held) => tells(held, day)));
        expect(reported(taken)).toEqual(reported(held));
        for (const own of taken) {
          expect(reported(taken.filter((other) => other !== own)).length).toBeLessThan(
            reported(taken).length,
          );
        }
        let least = Infinity;
        for (let set = 0; set < 2 ** held.length; set += 1) {
          const some = held.filter((_, i) => set & (1 << i));
          if (reported(some).length === reported(held).length) least = Math.min(least, some.length);
        }
        expect(taken).toHaveLength(least);
      }),
    );
  });

  test('takes newest first, and of two that reach equally far the one bought first', () => {
    const held = [page(0, 31, 2), page(0, 31, 1), page(40, 60, 3)];
    expect(heldToTake([3, 50], held)).toEqual([held[2], held[1]]);
  });

  test('takes none that covers a day only in part', () => {
    const half = { ...page(0, 3), start: HOUR_MS };
    expect(heldToTake([0], [half])).toEqual([]);
    expect(heldToTake([0, 1], [half])).toEqual([half]);
  });
});

test.each([
  ['day', false, false, 'day'],
  ['day', true, false, 'hour'],
  ['hour', true, false, 'hour'],
  ['minute', true, false, 'minute'],
  ['day', true, true, 'minute'],
  ['hour', false, true, 'hour'],
] as const)(
  'for a view by %s, priced %s, offer accepted %s: %s are bought',
  (needed, priced, offer, got) => {
    expect(boughtGranularity(needed, priced, offer)).toBe(got);
  },
);
