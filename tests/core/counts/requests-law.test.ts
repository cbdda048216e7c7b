import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { headOf } from '#core/counts/head.ts';
import { daysToAsk } from '#core/counts/plan.ts';
import { requestCount, moneyOf } from '#core/counts/price.ts';
import {
  fetchedDays,
  planRequests,
  type Endpoints,
  type PlannedRequest,
  type RequestNeed,
} from '#core/counts/requests.ts';
import { DAY_MS, HOUR_MS, MINUTE_MS, SECOND_MS } from '#core/time/span.ts';
import { Household, lastDays } from './household.ts';
import { NOON, PRICES, TODAY, need } from './request-need.ts';
import { runs } from '#tests/support/run/runs.ts';
import type { Known } from '#core/counts/known-counts.ts';
import { dayOf } from '#core/counts/day-windows.ts';

/** Whole days fetched well after their end, and others fetched while provisional or cut. */
const stretches = fc.array(
  fc.record({
    ago: fc.integer({ min: 0, max: 110 }),
    length: fc.integer({ min: 1, max: 25 }),
    /** Time of the answer after the end, hours. */
    after: fc.constantFrom(0, 1, 20, 24, 60, 900),
    /** Cut off the last day, hours. */
    cut: fc.constantFrom(0, 0, 0, 5),
  }),
  { maxLength: 7 },
);

function knownFrom(
  list: readonly (typeof stretches extends fc.Arbitrary<infer T> ? T : never)[number][],
  now: number,
): Known[] {
  const out: Known[] = [];
  const midnight = Math.floor(now / DAY_MS) * DAY_MS;
  for (const { ago, length, after, cut } of [...list].sort((a, b) => b.ago - a.ago)) {
    const from = Math.max(midnight - ago * DAY_MS, out.at(-1)?.to ?? -Infinity);
    const start = Math.ceil(from / DAY_MS) * DAY_MS;
    const to = Math.min(start + length * DAY_MS - cut * HOUR_MS, now - MINUTE_MS);
    if (to <= start) continue;
    out.push({ from: start, to, at: Math.min(now, to + after * HOUR_MS), generation: 0 });
  }
  return out;
}

const looks = fc
  .record({
    known: stretches,
    view: fc.integer({ min: 1, max: 120 }),
    ends: fc.integer({ min: 0, max: 12 }),
    time: fc.integer({ min: 13, max: 86_399 }),
    pageDays: fc.constantFrom(31, 31, 31, 30, 5, 3),
    endpoints: fc.constantFrom<Endpoints>('all', 'both', 'both', 'recent'),
    prices: fc.constantFrom(
      PRICES,
      PRICES,
      { recent: 0.009, all: 0.01 },
      { recent: 0.001, all: 0.01 },
      { recent: 0.01, all: 0.01 },
      { recent: 0.02, all: 0.01 },
      { recent: 0, all: 0 },
    ),
    busy: fc.array(fc.integer({ min: 0, max: 60 }), { maxLength: 5 }),
    granularity: fc.constantFrom('hour' as const, 'minute' as const),
    fullHeadToday: fc.boolean(),
  })
  .map((r): RequestNeed => {
    const now = TODAY * DAY_MS + r.time * SECOND_MS;
    const end = (TODAY + 1 - r.ends) * DAY_MS;
    return need(
      {
        endpoints: r.endpoints,
        prices: r.prices,
        pageDays: r.pageDays,
        busy: new Set(r.busy.map((ago) => TODAY - ago)),
        granularity: r.granularity,
        fullHeadToday: r.fullHeadToday,
      },
      { now, view: { start: end - r.view * DAY_MS, end }, known: [knownFrom(r.known, now)] },
    );
  });

const openDays = (of: RequestNeed): number[] =>
  daysToAsk(of.look).filter((day) => !of.busy.has(day));

/** First day that recent covers completely, a minute from now. */
const firstRecent = (now: number): number => Math.ceil((now - 7 * DAY_MS + MINUTE_MS) / DAY_MS);

/** The minimum price, and for it the fewest requests, over every way to cut the days into requests. */
function cheapest(of: RequestNeed): { money: number; requests: number } {
  const days = openDays(of);
  const best: { recent: number; all: number }[][] = [[{ recent: 0, all: 0 }]];
  const price = (c: { recent: number; all: number }): number =>
    Math.round((c.recent * of.prices.recent + c.all * of.prices.all) * 1e6);
  const count = (c: { recent: number; all: number }): number => c.recent + c.all;
  for (let i = 1; i <= days.length; i += 1) {
    const found: { recent: number; all: number }[] = [];
    for (let j = 0; j < i; j += 1) {
      const first = days[j] ?? 0;
      if ((days[i - 1] ?? 0) - first >= of.pageDays) continue;
      for (const before of best[j] ?? []) {
        if (of.endpoints !== 'recent') found.push({ ...before, all: before.all + 1 });
        if (of.endpoints === 'recent') found.push({ ...before, recent: before.recent + 1 });
        if (of.endpoints === 'both' && first >= firstRecent(of.look.now)) {
          found.push({ ...before, recent: before.recent + 1 });
        }
      }
    }
    found.sort((a, b) => price(a) - price(b) || count(a) - count(b));
    best.push(found.slice(0, 1));
  }
  const [least] = best[days.length] ?? [];
  return {
    money: price(least ?? { recent: 0, all: 0 }) / 1e6,
    requests: count(least ?? { recent: 0, all: 0 }),
  };
}

const covers = ({ from, to }: PlannedRequest, day: number): boolean => from <= day && day < to;

describe('planRequests', () => {
  test('has the minimum price, and for it the fewest requests', () => {
    fc.assert(
      fc.property(looks, (of) => {
        const requests = planRequests(of);
        expect({
          money: moneyOf(requests, of.prices),
          requests: requests.length,
        }).toEqual(cheapest(of));
      }),
      { numRuns: runs(400) },
    );
  });

  test('covers every needed day once, newest first, each request at most a page with a day that only it covers', () => {
    fc.assert(
      fc.property(looks, (of) => {
        const requests = planRequests(of);
        const days = openDays(of);
        for (const day of days) expect(requests.filter((r) => covers(r, day))).toHaveLength(1);
        requests.forEach((request, i) => {
          expect(days.some((day) => covers(request, day))).toBe(true);
          expect(request.to - request.from).toBeLessThanOrEqual(of.pageDays);
          expect(request.to).toBeLessThanOrEqual(requests[i - 1]?.from ?? Infinity);
          expect(request.to).toBeLessThanOrEqual(headOf(of.look.now).day + 1);
          expect(request.from).toBeGreaterThanOrEqual(dayOf(of.look.reach.start));
          if (of.endpoints === 'both' && request.endpoint === 'recent') {
            expect(request.from).toBeGreaterThanOrEqual(firstRecent(of.look.now));
          }
        });
      }),
      { numRuns: runs(300) },
    );
  });

  test('never uses recent if that saves nothing', () => {
    fc.assert(
      fc.property(looks, (of) => {
        fc.pre(of.endpoints === 'both');
        const { recent } = requestCount(planRequests(of));
        const alone = moneyOf(planRequests({ ...of, endpoints: 'all' }), of.prices);
        const both = moneyOf(planRequests(of), of.prices);
        expect(recent > 0).toBe(both < alone);
      }),
    );
  });

  test('extends into no day that is in flight or out of reach', () => {
    fc.assert(
      fc.property(looks, (of) => {
        const requests = planRequests(of);
        const days = new Set(openDays(of));
        const head = headOf(of.look.now).day;
        for (const request of requests) {
          const needed = [...days].filter((day) => covers(request, day));
          const outside = Array.from(
            { length: request.to - request.from },
            (_, i) => request.from + i,
          ).filter((day) => day < Math.min(...needed) || day > Math.max(...needed));
          for (const day of outside) {
            expect(of.busy.has(day)).toBe(false);
            if (request.to > head) continue;
            const [known] = of.look.known;
            const reported = known?.some(
              ({ from, to }) => from < (day + 1) * DAY_MS && to > day * DAY_MS,
            );
            expect(reported).toBe(false);
          }
        }
      }),
    );
  });

  test('stopped anywhere, in any order, and planned again: never more requests and never a higher price in total', () => {
    const picks = fc.array(fc.nat(), { minLength: 1, maxLength: 30 });
    fc.assert(
      fc.property(
        fc.constantFrom<Endpoints>('all', 'both', 'recent'),
        fc.integer({ min: 1, max: 200 }),
        fc.array(fc.tuple(fc.integer({ min: 0, max: 190 }), fc.integer({ min: 1, max: 40 })), {
          maxLength: 4,
        }),
        fc.integer({ min: 200, max: 86_000 }),
        picks,
        (endpoints, length, before, time, order) => {
          const home = new Household(TODAY * DAY_MS + time * SECOND_MS, { endpoints });
          for (const [ago, days] of before) {
            const end = (TODAY - ago) * DAY_MS;
            home.look({ start: end - days * DAY_MS, end });
          }
          home.now += 7 * HOUR_MS * (time % 9);
          const start = home.bought.length;
          const view = lastDays(home.now, length);
          const planned = planRequests(home.need(view));
          for (let i = 0; ; i += 1) {
            const left = planRequests(home.need(view));
            const next = left[(order[i % order.length] ?? 0) % Math.max(1, left.length)];
            if (!next) break;
            home.buy(next);
          }
          const bought = home.bought.slice(start);
          expect(bought).toHaveLength(planned.length);
          expect(moneyOf(bought, PRICES)).toBe(moneyOf(planned, PRICES));
        },
      ),
      { numRuns: runs(60) },
    );
  });

  test('the plan is what is bought, and the next plan is empty', () => {
    fc.assert(
      fc.property(
        fc.constantFrom<Endpoints>('all', 'both', 'recent'),
        fc.constantFrom('hour' as const, 'minute' as const),
        fc.array(
          fc.record({
            length: fc.integer({ min: 1, max: 70 }),
            ago: fc.integer({ min: 0, max: 30 }),
            later: fc.integer({ min: 0, max: 100 }),
          }),
          { minLength: 1, maxLength: 4 },
        ),
        (endpoints, granularity, list) => {
          const home = new Household(NOON, { endpoints });
          for (const { length, ago, later } of list) {
            home.now += later * HOUR_MS + 1;
            const { end } = lastDays(home.now, 1);
            const view = { start: end - (ago + length) * DAY_MS, end: end - ago * DAY_MS };
            const planned = planRequests(home.need(view, granularity));
            const before = home.bought.length;
            home.look(view, granularity);
            expect(home.bought).toHaveLength(before + planned.length);
            expect(planRequests(home.need(view, granularity))).toEqual([]);
          }
        },
      ),
      { numRuns: runs(25) },
    );
  });

  test('a closed range needs no day more than twice and settles with one more request', () => {
    fc.assert(
      fc.property(
        fc.constantFrom<Endpoints>('all', 'both'),
        fc.constantFrom(24, 48, 72),
        fc.integer({ min: 1, max: 90 }),
        fc.integer({ min: 1, max: 200 }),
        fc.array(fc.integer({ min: 1, max: 40 }), { maxLength: 8 }),
        (endpoints, settleHours, length, first, gaps) => {
          const end = Date.parse('2026-06-01');
          const view = { start: end - length * DAY_MS, end };
          const home = new Household(end + first * HOUR_MS, { endpoints }, settleHours * HOUR_MS);
          const wanted = new Map<number, number>();
          const requests: number[] = [];
          for (const gap of [0, ...gaps, settleHours + 24]) {
            home.now += gap * HOUR_MS;
            for (const day of daysToAsk(home.need(view).look)) {
              wanted.set(day, (wanted.get(day) ?? 0) + 1);
            }
            const before = home.bought.length;
            home.look(view);
            requests.push(home.bought.length - before);
          }
          expect(Math.max(...wanted.values())).toBeLessThanOrEqual(2);
          expect(requests[0]).toBe(Math.ceil(length / 31));
          expect(requests.slice(1).reduce((sum, n) => sum + n, 0)).toBeLessThanOrEqual(1);
          const settled = home.need(view).look;
          expect(daysToAsk({ ...settled, now: settled.now + 999 * DAY_MS })).toEqual([]);
        },
      ),
      { numRuns: runs(60) },
    );
  });
  test('fetched days and requested days are all days within reach', () => {
    fc.assert(
      fc.property(looks, (of) => {
        const { days, fetched } = fetchedDays(of);
        expect(fetched).toBe(days - daysToAsk(of.look).length);
        expect(fetched).toBeGreaterThanOrEqual(0);
      }),
    );
  });
});
