import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { forecastOf, type Forecast } from '#core/series/forecast.ts';
import { STATE, type Curve } from '#core/series/series.ts';
import type { Resolution } from '#core/time/resolution.ts';
import { DAY_MS, HOUR_MS } from '#core/time/span.ts';
import { zoneTable } from '#core/time/zone.ts';
import { curveOf, noise, zonedCurve } from './a-curve.ts';
import { runs } from '#tests/support/run/runs.ts';

const MONDAY = Date.UTC(2026, 0, 5);
const table = zoneTable('UTC', { start: MONDAY, end: MONDAY + 800 * DAY_MS });
const UTC = { table, weekStart: 1 } as const;

function forecast(curve: Curve, resolution: Resolution = 'day', level?: number): Forecast {
  const made = forecastOf(curve, { ...UTC, resolution }, level);
  if ('why' in made) throw new Error(`expected a forecast, got ${JSON.stringify(made)}`);
  return made;
}
const days = (counts: ArrayLike<number>, start = MONDAY): Curve => curveOf(counts, start, DAY_MS);
const rounded = (values: Float64Array): number[] =>
  Array.from(values, (v) => Math.round(v * 1e6) / 1e6);

/** Counts with a weekly rhythm, noise and bursts. */
const bursty = fc
  .record({
    seed: fc.nat(1e6),
    weeks: fc.integer({ min: 9, max: 30 }),
    mean: fc.integer({ min: 2, max: 500 }),
  })
  .map(({ seed, weeks, mean }) => {
    const draw = noise(seed);
    return Float64Array.from({ length: weeks * 7 }, (_, i) =>
      draw(mean * (i % 7 > 4 ? 0.4 : 1) * (i % 23 === 0 ? 5 : 1)),
    );
  });

describe('a forecast', () => {
  it('repeats a week that always repeats, without an interval', () => {
    fc.assert(
      fc.property(
        fc
          .array(fc.nat(1000), { minLength: 7, maxLength: 7 })
          .filter((week) => week.some((n) => n > 9)),
        fc.integer({ min: 8, max: 20 }),
        (week, weeks) => {
          const counts = Array.from({ length: weeks * 7 }, (_, i) => week[i % 7] ?? 0);
          const { expected, low, high } = forecast(days(counts));
          const next = Array.from(expected, (_, h) => week[h % 7] ?? 0);
          for (const values of [expected, low, high]) expect(rounded(values)).toEqual(next);
        },
      ),
      { numRuns: runs(40) },
    );
  });

  it('repeats the hours of a week', () => {
    const rate = (i: number): number => 20 + (i % 24) + (i % 168 > 120 ? 30 : 0);
    const { expected } = forecast(
      curveOf(
        Array.from({ length: 6 * 168 }, (_, i) => rate(i)),
        MONDAY,
        HOUR_MS,
      ),
      'hour',
    );
    expect(rounded(expected)).toEqual(Array.from({ length: 168 }, (_, i) => rate(i)));
  });

  it('follows the clock of the zone across a change of offset', () => {
    const zone = 'Europe/Berlin';
    const start = Date.UTC(2026, 0, 4, 23);
    const end = Date.UTC(2026, 2, 28, 23);
    const zoned = zoneTable(zone, { start, end: end + 30 * DAY_MS });
    const clock = (at: number): number =>
      Number(
        new Intl.DateTimeFormat('en', { timeZone: zone, hour: 'numeric', hourCycle: 'h23' }).format(
          at,
        ),
      );
    const curve = zonedCurve('hour', zone, start, end, (at) => (clock(at) === 9 ? 100 : 10));
    const made = forecastOf(curve, { table: zoned, weekStart: 1, resolution: 'hour' });
    if ('why' in made) throw new Error(made.why);
    const nines = Array.from(made.expected).flatMap((n, h) =>
      n > 50 ? [clock(made.bounds[h] ?? 0)] : [],
    );
    expect(nines).toHaveLength(7);
    expect(new Set(nines)).toEqual(new Set([9]));
  });

  it('scales with the counts, where its lower end is not at zero', () => {
    fc.assert(
      fc.property(bursty, fc.constantFrom(2, 10, 1000), (counts, factor) => {
        const one = forecast(days(counts));
        const more = forecast(days(counts.map((n) => n * factor)));
        for (const key of ['expected', 'low', 'high'] as const)
          for (const [h, value] of more[key].entries())
            if (key !== 'high' || (one.low[h] ?? 0) >= 0.5)
              expect(value).toBeCloseTo((one[key][h] ?? 0) * factor, 4);
      }),
      { numRuns: runs(25) },
    );
  });

  it('moves with the calendar: the same counts some weeks later have the same forecast', () => {
    fc.assert(
      fc.property(bursty, fc.integer({ min: 1, max: 50 }), (counts, weeks) => {
        const [now, later] = [0, weeks].map((by) =>
          forecast(days(counts, MONDAY + by * 7 * DAY_MS)),
        );
        expect(later?.expected).toEqual(now?.expected);
        expect(later?.high).toEqual(now?.high);
        expect(later?.bounds).toEqual(now?.bounds.map((at) => at + weeks * 7 * DAY_MS));
      }),
      { numRuns: runs(25) },
    );
  });

  it('has nested intervals around the expected count, none below zero', () => {
    fc.assert(
      fc.property(bursty, (counts) => {
        const levels = [0.5, 0.8, 0.95].map((level) => forecast(days(counts), 'day', level));
        for (const [h, value] of (levels[0]?.expected ?? []).entries()) {
          const lows = levels.map(({ low }) => low[h] ?? NaN);
          const highs = levels.map(({ high }) => high[h] ?? NaN);
          const all = [...lows.toReversed(), value, ...highs];
          expect(all).toEqual(all.toSorted((a, b) => a - b));
          expect(lows.at(-1)).toBeGreaterThanOrEqual(0);
        }
      }),
      { numRuns: runs(25) },
    );
  });

  it.each([4, 5, 6])(
    'expects the count that is exceeded as often as not, not the mean (series %d)',
    (seed) => {
      const draw = noise(seed);
      const counts = Array.from({ length: 700 }, () => (draw(10) > 13 ? draw(100) : 0));
      // Six days of seven are without a Post; the mean of about 14 is hardly ever seen.
      expect(Math.max(...forecast(days(counts)).expected)).toBeLessThan(3);
    },
  );

  it('of a series that fell silent is at zero', () => {
    const draw = noise(4);
    const counts = Array.from({ length: 700 }, (_, i) => (i < 300 ? draw(60) : 0));
    const { expected, high } = forecast(days(counts));
    expect(Math.max(...expected)).toBeLessThan(1);
    expect(Math.max(...high)).toBeLessThan(5);
  });

  it('reads only settled buckets', () => {
    fc.assert(
      fc.property(bursty, fc.constantFrom('provisional', 'partial', 'never'), (counts, state) => {
        const curve = days([...counts, 1e6]);
        curve.states[counts.length] = STATE[state];
        expect(forecast(curve)).toEqual(forecast(days(counts)));
      }),
      { numRuns: runs(25) },
    );
  });

  it('takes a missing stretch for unknown, not for zero', () => {
    const draw = noise(7);
    const counts = Array.from({ length: 140 }, () => draw(200));
    const curve = days(counts);
    const zeros = days(counts.map((n, i) => (i >= 115 && i < 138 ? 0 : n)));
    for (let i = 115; i < 138; i += 1) {
      curve.counts[i] = NaN;
      curve.states[i] = STATE.never;
    }
    expect(Math.min(...forecast(curve).low)).toBeGreaterThan(150);
    expect(Math.min(...forecast(zeros).low)).toBeLessThan(100);
  });

  it('follows a steady rise, but less and less', () => {
    const rise = Float64Array.from({ length: 200 }, (_, i) => Math.round(100 * 1.01 ** i));
    const { expected } = forecast(days(rise));
    const last = rise.at(-1) ?? 0;
    expect(expected[6]).toBeGreaterThan(last * 1.03);
    expect(expected[27]).toBeLessThan(last * 1.01 ** 28);
  });

  it.each<[Resolution, number, number]>([
    ['hour', 7 * 24, 42],
    ['day', 56, 14],
    ['week', 26, 6],
    ['month', 24, 6],
    ['quarter', 12, 3],
  ])('by %s needs %i buckets and then has %i', (resolution, least, steps) => {
    const start = Date.UTC(2018, 0, 1);
    const zoned = zoneTable('UTC', { start, end: MONDAY });
    const all = zonedCurve(resolution, 'UTC', start, Date.UTC(2025, 0, 1), () => 30);
    const head = (size: number): Curve => ({
      ...curveOf(all.counts.slice(0, size)),
      bounds: all.bounds.slice(0, size + 1),
    });
    const made = forecastOf(head(least), { table: zoned, weekStart: 1, resolution });
    expect(made).toHaveProperty('expected.length', steps);
    expect(made).toHaveProperty('bounds.length', steps + 1);
    const short = forecastOf(head(least - 1), { table: zoned, weekStart: 1, resolution });
    expect(short).toEqual({ why: 'history', known: least - 1, needed: least });
  });

  it('of months allows for their lengths', () => {
    const zoned = zoneTable('UTC', { start: Date.UTC(2018, 0, 1), end: MONDAY });
    const perDay = zonedCurve(
      'month',
      'UTC',
      Date.UTC(2018, 0, 1),
      Date.UTC(2021, 0, 1),
      (a, b) => (b - a) / DAY_MS,
    );
    const made = forecastOf(perDay, { table: zoned, weekStart: 1, resolution: 'month' });
    expect('expected' in made && rounded(made.expected)).toEqual([31, 28, 31, 30, 31, 30]);
  });

  it.each([
    ['minutes', curveOf(new Float64Array(5000).fill(9)), 'minute', { why: 'resolution' }],
    ['years', days(new Float64Array(5000).fill(9)), 'year', { why: 'resolution' }],
    [
      'too few Posts',
      days(Array.from({ length: 100 }, (_, i) => Number(i % 3 === 0))),
      'day',
      { why: 'posts', needed: 50 },
    ],
    [
      'a difference below zero',
      days(Array.from({ length: 100 }, (_, i) => 50 - i)),
      'day',
      { why: 'negative' },
    ],
    [
      'nothing settled',
      { ...days(new Float64Array(0)) },
      'day',
      { why: 'history', known: 0, needed: 56 },
    ],
  ] as const)('is refused for %s', (_, curve, resolution, why) => {
    expect(forecastOf(curve, { ...UTC, resolution })).toEqual(why);
  });

  it.each([0, 1, -0.1, NaN])('has no level %d', (level) => {
    expect(() =>
      forecastOf(days(new Float64Array(100).fill(9)), { ...UTC, resolution: 'day' }, level),
    ).toThrow(RangeError);
  });
});
