import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { SETTLE_MS } from '#core/counts/ledger.ts';
import { freshness, reachOf } from '#core/counts/head.ts';
import { daysToAsk, neverAsked, type Look } from '#core/counts/plan.ts';
import { DAY_MS, HOUR_MS, MINUTE_MS } from '#core/time/span.ts';
import { runs } from '#tests/support/run/runs.ts';
import type { Known } from '#core/counts/known-counts.ts';
import { cover, dayOf, growWindows, type DayWindow } from '#core/counts/day-windows.ts';

const day = (text: string): number => dayOf(Date.parse(text));
const range = (from: number, to: number): number[] =>
  Array.from({ length: to - from }, (_, i) => from + i);

/** Covers days, separate or joined, and extends the windows. */
function planWindows(
  need: readonly number[],
  growable: (day: number) => boolean = () => false,
  pageDays = 31,
): DayWindow[] {
  const stretches: DayWindow[] = [];
  for (const day of need) {
    const last = stretches.at(-1);
    const joins = last && last.to === day && day % 3 > 0;
    if (joins) stretches[stretches.length - 1] = { from: last.from, to: day + 1 };
    else stretches.push({ from: day, to: day + 1 });
  }
  return growWindows(cover(stretches, pageDays), (day) => growable(day), pageDays);
}

/** The minimum number of stretches of at most `length` days that cover the need, by dynamic programming. */
function least(need: readonly number[], length: number): number {
  const best = [0];
  for (let i = 1; i <= need.length; i += 1) {
    best[i] = Infinity;
    for (let j = 0; j < i; j += 1) {
      if ((need[i - 1] ?? 0) - (need[j] ?? 0) < length) {
        best[i] = Math.min(best[i] ?? Infinity, (best[j] ?? Infinity) + 1);
      }
    }
  }
  return best[need.length] ?? 0;
}

const needs = fc
  .uniqueArray(fc.integer({ min: 13_000, max: 13_250 }), { maxLength: 80 })
  .map((days) => days.sort((a, b) => a - b));

describe('windows', () => {
  test.each([
    ['the whole archive to 2026-11-20', '2006-03-21', '2026-11-21', 244],
    ['30 days', '2026-10-22', '2026-11-21', 1],
    ['31 days', '2026-10-21', '2026-11-21', 1],
    ['32 days', '2026-10-20', '2026-11-21', 2],
    ['365 days', '2025-11-21', '2026-11-21', 12],
  ])('covers %s with the known number of windows', (_, from, to, windows) => {
    expect(planWindows(range(day(from), day(to)))).toHaveLength(windows);
  });

  test('covers every needed day with the fewest windows, each of one page', () => {
    fc.assert(
      fc.property(needs, fc.integer({ min: 1, max: 31 }), (need, pageDays) => {
        const windows = planWindows(need, () => false, pageDays);
        expect(windows).toHaveLength(least(need, pageDays));
        for (const { from, to } of windows) expect(to - from).toBeLessThanOrEqual(pageDays);
        for (const wanted of need) {
          expect(windows.filter(({ from, to }) => from <= wanted && wanted < to)).toHaveLength(1);
        }
      }),
    );
  });

  test('returns windows newest first and disjoint, each with a day that only it covers', () => {
    fc.assert(
      fc.property(needs, fc.func(fc.boolean()), (need, growable) => {
        const windows = planWindows(need, growable);
        windows.forEach(({ from, to }, i) => {
          expect(to).toBeLessThanOrEqual(windows[i - 1]?.from ?? Infinity);
          expect(need.some((wanted) => from <= wanted && wanted < to)).toBe(true);
        });
      }),
    );
  });

  test('extend only into permitted days, never beyond a page, never by another window', () => {
    fc.assert(
      fc.property(needs, fc.func(fc.boolean()), (need, growable) => {
        const tight = planWindows(need);
        const grown = planWindows(need, growable);
        expect(grown).toHaveLength(tight.length);
        grown.forEach(({ from, to }, i) => {
          const { from: first, to: last } = tight[i] as DayWindow;
          expect(to - from).toBeLessThanOrEqual(31);
          for (const added of [...range(from, first), ...range(last, to)]) {
            expect(growable(added)).toBe(true);
          }
        });
      }),
    );
  });

  test.each<[string, number[], (day: number) => boolean, DayWindow[]]>([
    ['half to each side', range(100, 121), () => true, [{ from: 95, to: 126 }]],
    ['the odd day to the newer side', range(100, 120), () => true, [{ from: 95, to: 126 }]],
    [
      'all to the older side where the newer is closed',
      range(100, 121),
      (d) => d < 121,
      [{ from: 90, to: 121 }],
    ],
    [
      'all to the newer side where the older is closed',
      range(100, 121),
      (d) => d > 99,
      [{ from: 100, to: 131 }],
    ],
    ['not over a day that is known', range(100, 121), (d) => d !== 98, [{ from: 99, to: 130 }]],
    [
      'not over a neighbour',
      [100, 131],
      () => true,
      [
        { from: 116, to: 147 },
        { from: 85, to: 116 },
      ],
    ],
  ])('extend %s', (_, need, growable, windows) => {
    expect(planWindows(need, growable)).toEqual(windows);
  });

  test('stopped anywhere and planned again, never cost more in total, and end with nothing to request', () => {
    fc.assert(
      fc.property(needs, fc.func(fc.boolean()), fc.array(fc.nat()), (need, growable, picks) => {
        const planned = planWindows(need, growable).length;
        let left = need;
        let asked = 0;
        for (let i = 0; left.length > 0; i += 1) {
          const windows = planWindows(left, growable);
          const { from, to } = windows[(picks[i] ?? 0) % windows.length] as DayWindow;
          left = left.filter((wanted) => wanted < from || wanted >= to);
          asked += 1;
        }
        expect(asked).toBe(planned);
        expect(planWindows(left)).toEqual([]);
      }),
    );
  });

  test('refuses a page of no day', () => {
    expect(() => planWindows([1], () => false, 0)).toThrow(RangeError);
  });
});

const NOON = Date.parse('2026-11-20T12:00:00Z');

function look(over: Partial<Look> & { now?: number } = {}): Look {
  const now = over.now ?? NOON;
  return {
    view: { start: Date.parse('2026-11-10'), end: now + DAY_MS },
    reach: reachOf('all', now, 'hour'),
    now,
    settleNow: now,
    known: [[]],
    freshMs: freshness('hour'),
    settleMs: SETTLE_MS,
    ...over,
  };
}

const known = (from: string, to: string | number, at: string | number): Known => ({
  from: Date.parse(from),
  to: typeof to === 'number' ? to : Date.parse(to),
  at: typeof at === 'number' ? at : Date.parse(at),
  generation: 0,
});

const days = (...texts: string[]): number[] => texts.map(day);

describe('daysToAsk', () => {
  test('requests every day up to now that was never requested', () => {
    expect(daysToAsk(look())).toEqual(range(day('2026-11-10'), day('2026-11-21')));
  });

  test('requests nothing if all is settled and the newest counts are fresh', () => {
    const head = known('2026-11-10', NOON - 10_000 - 60_000, NOON - 60_000);
    const settled = known('2026-11-10', '2026-11-19T00:00Z', '2026-11-20T01:00Z');
    expect(daysToAsk(look({ known: [[settled, { ...head, from: settled.to }]] }))).toEqual([]);
  });

  test.each([
    ['minute', 59_000, true],
    ['minute', 60_000, false],
    ['hour', 6 * MINUTE_MS - 1, true],
    ['hour', 6 * MINUTE_MS, false],
    ['day', 144 * MINUTE_MS - 1, true],
    ['day', 144 * MINUTE_MS, false],
    ['year', 144 * MINUTE_MS - 1, true],
  ])('by %s the newest counts of age %i ms are fresh: %s', (shown, age, fresh) => {
    const head = known('2026-11-20', NOON - age - 10_000, NOON - age);
    const view = { start: Date.parse('2026-11-20'), end: NOON };
    const asked = daysToAsk(look({ view, known: [[head]], freshMs: freshness(shown) }));
    expect(asked).toEqual(fresh ? [] : days('2026-11-20'));
  });

  test('fresh counts stay fresh over midnight', () => {
    const at = Date.parse('2026-11-19T23:58:10Z');
    const now = Date.parse('2026-11-20T00:03:00Z');
    const view = { start: Date.parse('2026-11-19'), end: now };
    const head = known('2026-11-19', at - 10_000, at);
    expect(daysToAsk(look({ now, view, known: [[head]] }))).toEqual([]);
    const later = Date.parse('2026-11-20T00:05:00Z');
    const asked = daysToAsk(look({ now: later, view, known: [[head]] }));
    expect(asked).toEqual(days('2026-11-19', '2026-11-20'));
  });

  test('a day that was fetched while running is requested once it has ended', () => {
    const at = Date.parse('2026-11-18T09:00:10Z');
    const cut = known('2026-11-18', at - 10_000, at);
    const view = { start: Date.parse('2026-11-18'), end: Date.parse('2026-11-19') };
    expect(daysToAsk(look({ view, known: [[cut]] }))).toEqual(days('2026-11-18'));
  });

  const closed = { start: Date.parse('2026-11-15'), end: Date.parse('2026-11-18') };

  test('a provisional day is requested again when it is due, and not before', () => {
    const list = [known('2026-11-15', '2026-11-18', '2026-11-18T02:00Z')];
    const early = Date.parse('2026-11-18T23:59:59Z');
    expect(daysToAsk(look({ now: early, view: closed, known: [list] }))).toEqual([]);
    const due = Date.parse('2026-11-19T00:00:00Z');
    expect(daysToAsk(look({ now: due, view: closed, known: [list] }))).toEqual(days('2026-11-17'));
  });

  test('due days wait until their whole unsettled stretch is due', () => {
    const list = [known('2026-11-15', '2026-11-18', '2026-11-18T02:00Z')];
    const settleMs = 3 * DAY_MS;
    const some = Date.parse('2026-11-20T12:00:00Z');
    expect(daysToAsk(look({ now: some, view: closed, known: [list], settleMs }))).toEqual([]);
    const all = Date.parse('2026-11-21T00:00:00Z');
    expect(daysToAsk(look({ now: all, view: closed, known: [list], settleMs }))).toEqual(
      days('2026-11-15', '2026-11-16', '2026-11-17'),
    );
  });

  test('due days are requested with the days of their stretch that are requested anyway', () => {
    const list = [known('2026-11-15', '2026-11-17', '2026-11-17T02:00Z')];
    const now = Date.parse('2026-11-18T12:00:00Z');
    expect(daysToAsk(look({ now, view: closed, known: [list] }))).toEqual(
      days('2026-11-16', '2026-11-17'),
    );
  });

  test('the stronger of two granularities counts', () => {
    const hours = [known('2026-11-15', '2026-11-18', '2026-11-18T02:00Z')];
    const minutes = [known('2026-11-17', '2026-11-18', '2026-11-19T02:00Z')];
    expect(daysToAsk(look({ view: closed, known: [hours, minutes] }))).toEqual([]);
  });

  test('a day out of reach is never requested, due or not', () => {
    const reach = reachOf('recent', NOON, 'hour');
    const old = { start: Date.parse('2026-11-01'), end: NOON };
    expect(daysToAsk(look({ view: old, reach }))[0]).toBe(dayOf(reach.start));
    const list = [known('2026-11-01', '2026-11-03', '2026-11-03T02:00Z')];
    const before = { start: Date.parse('2026-11-01'), end: Date.parse('2026-11-03') };
    expect(daysToAsk(look({ view: before, reach, known: [list] }))).toEqual([]);
  });

  /** The same, one day at a time. */
  function dayByDay(of: Look): number[] {
    const lists = of.known.flat();
    const head = lists.reduce<Known | null>((a, b) => (a && a.to >= b.to ? a : b), null);
    const fresh =
      head && head.at - head.to <= 120_000 && of.settleNow - head.at < of.freshMs
        ? head.to
        : Infinity;
    const start = Math.max(of.view.start, of.reach.start);
    const end = Math.min(of.view.end, of.reach.end, fresh);
    const stateOf = (list: readonly Known[], d: number): number => {
      const until = Math.min(end, (d + 1) * DAY_MS);
      let reported = Math.max(start, d * DAY_MS);
      let oldest = Infinity;
      while (reported < until) {
        const next = list.find(({ from, to }) => from <= reported && reported < to);
        if (!next) return 0;
        reported = next.to;
        oldest = Math.min(oldest, next.at);
      }
      const due = (d + 1) * DAY_MS + of.settleMs;
      return oldest >= due ? 3 : of.settleNow >= due ? 1 : 2;
    };
    const states = range(dayOf(start), Math.max(dayOf(start), Math.ceil(end / DAY_MS))).map(
      (d) => ({ d, state: Math.max(0, ...of.known.map((list) => stateOf(list, d))) }),
    );
    const asked: number[] = [];
    for (const [i, { d, state }] of states.entries()) {
      const before = states.slice(0, i).findLastIndex((each) => each.state === 3);
      const after = states.findIndex((each, k) => k > i && each.state === 3);
      const stretch = states.slice(before + 1, after === -1 ? undefined : after);
      if (state === 0 || (state === 1 && stretch.every((each) => each.state !== 2))) asked.push(d);
    }
    return asked;
  }

  test('requests what the days one by one request', () => {
    const list = fc
      .array(
        fc.record({
          from: fc.integer({ min: 0, max: 300 }),
          hours: fc.integer({ min: 1, max: 90 }),
          after: fc.constantFrom(0, 1, 10, 24, 48, 200),
        }),
        { maxLength: 8 },
      )
      .map((parts) => {
        const out: Known[] = [];
        for (const { from, hours, after } of parts.sort((a, b) => a.from - b.from)) {
          const begin = Date.parse('2026-11-08') + from * HOUR_MS;
          const start = Math.max(begin, out.at(-1)?.to ?? -Infinity);
          const to = Math.min(begin + hours * HOUR_MS, NOON - MINUTE_MS);
          const at = Math.min(NOON, to + after * HOUR_MS);
          if (start < to) out.push({ from: start, to, at, generation: 0 });
        }
        return out;
      });
    fc.assert(
      fc.property(
        fc.array(list, { minLength: 1, maxLength: 2 }),
        fc.tuple(fc.integer({ min: 0, max: 280 }), fc.integer({ min: 1, max: 330 })),
        fc.constantFrom(0, HOUR_MS, Infinity),
        fc.constantFrom('all' as const, 'recent' as const),
        fc.constantFrom(DAY_MS, 3 * DAY_MS),
        (known, [from, hours], freshMs, endpoint, settleMs) => {
          const start = Date.parse('2026-11-08') + from * HOUR_MS;
          const view = { start, end: start + hours * HOUR_MS };
          const reach = reachOf(endpoint, NOON, 'hour');
          const of = look({ view, reach, known, freshMs, settleMs });
          expect(daysToAsk(of)).toEqual(dayByDay(of));
        },
      ),
      { numRuns: runs(1000) },
    );
  });

  test('a closed range needs no day more than twice and settles with one more request', () => {
    const arbitrary = fc.record({
      length: fc.integer({ min: 1, max: 90 }),
      first: fc.integer({ min: 12, max: 200 }),
      gaps: fc.array(fc.integer({ min: 1, max: 40 }), { minLength: 1, maxLength: 12 }),
    });
    fc.assert(
      fc.property(arbitrary, ({ length, first, gaps }) => {
        const end = Date.parse('2026-06-01');
        const view = { start: end - length * DAY_MS, end };
        let now = end + first * HOUR_MS;
        const fetched = new Map<number, number[]>();
        const requests: number[] = [];
        for (const gap of [0, ...gaps, 24 * 3]) {
          now += gap * HOUR_MS;
          const list = [...fetched]
            .sort(([a], [b]) => a - b)
            .map(([d, ats]) => ({
              from: d * DAY_MS,
              to: (d + 1) * DAY_MS,
              at: Math.max(...ats),
              generation: 0,
            }));
          const need = daysToAsk(
            look({ now, view, reach: reachOf('all', now, 'hour'), known: [list] }),
          );
          requests.push(planWindows(need).length);
          for (const d of need) fetched.set(d, [...(fetched.get(d) ?? []), now]);
        }
        for (const ats of fetched.values()) expect(ats.length).toBeLessThanOrEqual(2);
        const [whole, ...more] = requests;
        expect(whole).toBe(Math.ceil(length / 31));
        expect(more.reduce((sum, n) => sum + n, 0)).toBeLessThanOrEqual(1);
        for (const [d, ats] of fetched) {
          expect(Math.max(...ats)).toBeGreaterThanOrEqual((d + 2) * DAY_MS);
        }
      }),
    );
  });
});

describe('neverAsked', () => {
  const list = [known('2026-11-05', '2026-11-07', '2026-11-18')];
  const never = neverAsked(look({ known: [list] }));

  test.each([
    ['2006-03-20', false],
    ['2006-03-21', true],
    ['2026-11-04', true],
    ['2026-11-05', false],
    ['2026-11-06', false],
    ['2026-11-07', true],
    ['2026-11-20', true],
    ['2026-11-21', false],
  ])('%s: %s', (text, expected) => {
    expect(never(day(text))).toBe(expected);
  });
});
