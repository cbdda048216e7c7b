import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { freshness, headOf, reachOf } from '#core/counts/head.ts';
import type { Known } from '#core/counts/ledger.ts';
import { SETTLE_MS } from '#core/counts/ledger.ts';
import { dayOf, daysToAsk } from '#core/counts/plan.ts';
import { countOf, moneyOf } from '#core/counts/price.ts';
import type { Endpoints, HeldPage, PlannedRequest, RequestNeed } from '#core/counts/requests.ts';
import { boughtGranularity, heldToTake, ownedDays, planRequests } from '#core/counts/requests.ts';
import { DAY_MS, HOUR_MS, MINUTE_MS, SECOND_MS } from '#core/time/span.ts';
import { Household, lastDays } from './household.ts';

const day = (text: string): number => dayOf(Date.parse(text));
const NOON = Date.parse('2026-11-20T12:00:00Z');
const TODAY = day('2026-11-20');
const PRICES = { recent: 0.005, all: 0.01 };

function need(over: Partial<RequestNeed> = {}, look: Partial<RequestNeed['look']> = {}) {
  const now = look.now ?? NOON;
  const endpoints = over.endpoints ?? 'all';
  return {
    look: {
      view: lastDays(now, 30),
      reach: reachOf(endpoints === 'recent' ? 'recent' : 'all', now, over.granularity ?? 'hour'),
      now,
      known: [[]],
      freshMs: freshness('hour'),
      settleMs: SETTLE_MS,
      ...look,
    },
    granularity: 'hour',
    endpoints,
    prices: PRICES,
    pageDays: 31,
    busy: new Set<number>(),
    fullHeadToday: false,
    ...over,
  } satisfies RequestNeed;
}

/** Whole days told well after their end, and those told while provisional or cut. */
const stretches = fc.array(
  fc.record({
    ago: fc.integer({ min: 0, max: 110 }),
    length: fc.integer({ min: 1, max: 25 }),
    /** Of the answer, after the end, hours. */
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
  daysToAsk(of.look).filter((one) => !of.busy.has(one));

/** First day that recent tells whole, a minute from now. */
const firstRecent = (now: number): number => Math.ceil((now - 7 * DAY_MS + MINUTE_MS) / DAY_MS);

/** The least price, and of that the least requests, over every way to cut the days into requests. */
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

const covers = ({ from, to }: PlannedRequest, one: number): boolean => from <= one && one < to;

describe('planRequests', () => {
  test('costs the least that any requests cost, and of those is the fewest', () => {
    fc.assert(
      fc.property(looks, (of) => {
        const requests = planRequests(of);
        expect({
          money: moneyOf(requests, of.prices),
          requests: requests.length,
        }).toEqual(cheapest(of));
      }),
      { numRuns: 400 },
    );
  });

  test('tells every needed day once, newest first, each request with a day of its own and of one page', () => {
    fc.assert(
      fc.property(looks, (of) => {
        const requests = planRequests(of);
        const days = openDays(of);
        for (const one of days) expect(requests.filter((r) => covers(r, one))).toHaveLength(1);
        requests.forEach((request, i) => {
          expect(days.some((one) => covers(request, one))).toBe(true);
          expect(request.to - request.from).toBeLessThanOrEqual(of.pageDays);
          expect(request.to).toBeLessThanOrEqual(requests[i - 1]?.from ?? Infinity);
          expect(request.to).toBeLessThanOrEqual(headOf(of.look.now).day + 1);
          expect(request.from).toBeGreaterThanOrEqual(dayOf(of.look.reach.start));
          if (of.endpoints === 'both' && request.endpoint === 'recent') {
            expect(request.from).toBeGreaterThanOrEqual(firstRecent(of.look.now));
          }
        });
      }),
      { numRuns: 300 },
    );
  });

  test('never asks recent where it saves nothing', () => {
    fc.assert(
      fc.property(looks, (of) => {
        fc.pre(of.endpoints === 'both');
        const { recent } = countOf(planRequests(of));
        const alone = moneyOf(planRequests({ ...of, endpoints: 'all' }), of.prices);
        const both = moneyOf(planRequests(of), of.prices);
        expect(recent > 0).toBe(both < alone);
      }),
    );
  });

  test('grows into no day that is under way or that the head need not reach', () => {
    fc.assert(
      fc.property(looks, (of) => {
        const requests = planRequests(of);
        const days = new Set(openDays(of));
        const head = headOf(of.look.now).day;
        for (const request of requests) {
          const needed = [...days].filter((one) => covers(request, one));
          const outside = Array.from(
            { length: request.to - request.from },
            (_, i) => request.from + i,
          ).filter((one) => one < Math.min(...needed) || one > Math.max(...needed));
          for (const one of outside) {
            expect(of.busy.has(one)).toBe(false);
            if (request.to > head) continue;
            const [known] = of.look.known;
            const told = known?.some(
              ({ from, to }) => from < (one + 1) * DAY_MS && to > one * DAY_MS,
            );
            expect(told).toBe(false);
          }
        }
      }),
    );
  });

  test('stopped anywhere, in any order and planned anew: never more and never dearer in all', () => {
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
      { numRuns: 60 },
    );
  });

  test('what was planned is what is bought, and the next plan is empty', () => {
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
      { numRuns: 25 },
    );
  });

  test('a closed range wants no day more than twice and settles with one request more', () => {
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
            for (const one of daysToAsk(home.need(view).look)) {
              wanted.set(one, (wanted.get(one) ?? 0) + 1);
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
      { numRuns: 60 },
    );
  });

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
  ])('%i days up to the head are told by %s', (days, endpoints) => {
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
  ])('at %s recent beside all begins on %s', (text, first) => {
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
  ])('a refresh of the head is one request: %s', (_, over, from, endpoint) => {
    expect(planRequests(need(over, { known: [[settled]] }))).toEqual([
      { from: day(from), to: TODAY + 1, endpoint },
    ]);
  });

  test('asks nothing that is under way', () => {
    const busy = new Set(Array.from({ length: 31 }, (_, i) => TODAY - i));
    expect(planRequests(need({ busy }))).toEqual([]);
  });

  test('refuses a page of no day', () => {
    expect(() => planRequests(need({ pageDays: 0 }))).toThrow(RangeError);
  });
});

describe('ownedDays', () => {
  test('counts the days that the source can tell, and those that need not be asked', () => {
    const known = [
      {
        from: Date.parse('2026-11-01'),
        to: Date.parse('2026-11-11'),
        at: Date.parse('2026-11-15'),
        generation: 0,
      },
    ];
    expect(ownedDays(need({}, { known: [known] }))).toEqual({ days: 30, owned: 10 });
    expect(ownedDays(need())).toEqual({ days: 30, owned: 0 });
    expect(ownedDays(need({ endpoints: 'recent' }))).toEqual({ days: 8, owned: 0 });
    const before = { start: Date.parse('2000-01-01'), end: Date.parse('2001-01-01') };
    expect(ownedDays(need({}, { view: before }))).toEqual({ days: 0, owned: 0 });
  });

  test('and the days that are asked are all days', () => {
    fc.assert(
      fc.property(looks, (of) => {
        const { days, owned } = ownedDays(of);
        expect(owned).toBe(days - daysToAsk(of.look).length);
        expect(owned).toBeGreaterThanOrEqual(0);
      }),
    );
  });
});

describe('heldToTake', () => {
  const page = (from: number, to: number, at = 0): HeldPage => ({
    endpoint: 'all',
    start: from * DAY_MS,
    end: to * DAY_MS,
    at,
  });
  const tells = ({ start, end }: HeldPage, one: number): boolean =>
    start <= one * DAY_MS && end >= (one + 1) * DAY_MS;

  test('takes the fewest pages that tell all that any of them tells, each for a day of its own', () => {
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
        const told = (by: readonly HeldPage[]): number[] =>
          needed.filter((one) => by.some((held) => tells(held, one)));
        expect(told(taken)).toEqual(told(held));
        for (const own of taken) {
          expect(told(taken.filter((other) => other !== own)).length).toBeLessThan(
            told(taken).length,
          );
        }
        let least = Infinity;
        for (let set = 0; set < 2 ** held.length; set += 1) {
          const some = held.filter((_, i) => set & (1 << i));
          if (told(some).length === told(held).length) least = Math.min(least, some.length);
        }
        expect(taken).toHaveLength(least);
      }),
    );
  });

  test('takes newest first, and of two that tell as much the one bought first', () => {
    const held = [page(0, 31, 2), page(0, 31, 1), page(40, 60, 3)];
    expect(heldToTake([3, 50], held)).toEqual([held[2], held[1]]);
  });

  test('takes none for a day that it tells in part', () => {
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
  'of a view by %s, priced %s, offer taken %s: %s are bought',
  (needed, priced, offer, got) => {
    expect(boughtGranularity(needed, priced, offer)).toBe(got);
  },
);
