import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { PROJECTED_POSTS, projectedCount } from '#core/series/projection.ts';
import { STATE, type Curve } from '#core/series/series.ts';
import { DAY_MS, HOUR_MS, type Span } from '#core/time/span.ts';
import { zoneTable, type ZoneTable } from '#core/time/zone.ts';
import { curveOf, zonedCurve } from './a-curve.ts';
import { runs } from '#tests/support/run/runs.ts';

const TODAY = Date.UTC(2026, 1, 10);
const table = zoneTable('UTC', { start: TODAY - 60 * DAY_MS, end: TODAY + 60 * DAY_MS });
const bucket = { start: TODAY, end: TODAY + DAY_MS };

/** Hours of some weeks before today and of today; those from `hours` on are not over. */
function byHours(
  weeks: number,
  hours: number,
  count: (day: number, hour: number) => number,
): Curve {
  const days = weeks * 7 + 1;
  const curve = curveOf(
    Array.from({ length: days * 24 }, (_, i) => count(Math.floor(i / 24) - days + 1, i % 24)),
    TODAY - (days - 1) * DAY_MS,
    HOUR_MS,
  );
  const now = (days - 1) * 24 + hours;
  curve.states.fill(STATE.never, now);
  curve.counts.fill(NaN, now);
  return curve;
}

/** Projects a bucket that is counted up to the end of its last whole finer bucket. */
function projected(curve: Curve, within: Span, zoned: ZoneTable): number | null {
  let [count, until] = [0, within.start];
  for (const [i, state] of curve.states.entries()) {
    if ((curve.bounds[i] ?? 0) < within.start || state !== STATE.settled) continue;
    count += curve.counts[i] ?? 0;
    until = curve.bounds[i + 1] ?? 0;
  }
  return projectedCount(curve, within, { count, until }, zoned);
}

describe('the projection of an unfinished bucket', () => {
  it('is the count so far, by the pace of the same day a week ago', () => {
    // A week ago 240 of the day, 60 of them before six; today 90 before six.
    const curve = byHours(1, 6, (day, hour) => (day === 0 ? 15 : hour < 6 ? 10 : 10));
    expect(projected(curve, bucket, table)).toBe(360);
  });

  it('knows that nights are quiet', () => {
    const curve = byHours(2, 6, (_, hour) => (hour < 6 ? 5 : 50));
    expect(projected(curve, bucket, table)).toBe(30 + 18 * 50);
  });

  it('is the day itself if every week is the same, at any hour', () => {
    fc.assert(
      fc.property(
        fc.array(fc.integer({ min: 20, max: 500 }), { minLength: 24, maxLength: 24 }),
        fc.integer({ min: 1, max: 23 }),
        fc.integer({ min: 1, max: 6 }),
        (day, hours, weeks) => {
          const curve = byHours(weeks, hours, (_, hour) => day[hour] ?? 0);
          const whole = day.reduce((sum, n) => sum + n, 0);
          expect(projected(curve, bucket, table)).toBeCloseTo(whole, 6);
        },
      ),
      { numRuns: runs(60) },
    );
  });

  it('scales with today', () => {
    fc.assert(
      fc.property(
        fc.integer({ min: 1, max: 9 }),
        fc.integer({ min: 1, max: 23 }),
        (factor, hours) => {
          const pace = (by: number) =>
            byHours(3, hours, (day, hour) => (20 + hour) * (day === 0 ? by : 1));
          const [one, more] = [
            projected(pace(1), bucket, table),
            projected(pace(factor), bucket, table),
          ];
          expect(more).toBeCloseTo((one ?? NaN) * factor, 6);
        },
      ),
    );
  });

  it('uses the minutes since the last whole hour', () => {
    // Ten an hour in earlier weeks; today 20 an hour, and 10 more in the half-hour since six.
    const curve = byHours(3, 6, (day) => (day === 0 ? 20 : 10));
    const open = { count: 130, until: TODAY + 6.5 * HOUR_MS };
    expect(projectedCount(curve, bucket, open, table)).toBeCloseTo(480, 6);
  });

  it('is never below what is there', () => {
    fc.assert(
      fc.property(
        fc.array(fc.nat(80), { minLength: 24, maxLength: 24 }),
        fc.integer({ min: 1, max: 23 }),
        fc.integer({ min: 1, max: 4 }),
        fc.nat(400),
        fc.nat({ max: 59 }),
        (day, hours, weeks, more, minutes) => {
          const curve = byHours(weeks, hours, (at, hour) => (day[hour] ?? 0) + (at === 0 ? 5 : 0));
          const so = day.slice(0, hours).reduce((sum, n) => sum + n + 5, 0);
          const open = { count: so + more, until: TODAY + hours * HOUR_MS + minutes * 60_000 };
          const made = projectedCount(curve, bucket, open, table);
          if (made !== null) expect(made).toBeGreaterThanOrEqual(open.count);
        },
      ),
    );
  });

  it('is silent when the minutes exceed the upper end of its interval', () => {
    // 34 Posts in six hours make about 136 a day; then 386 come in twenty minutes.
    const curve = byHours(4, 6, (_, hour) => (hour < 4 ? 6 : 5));
    const until = TODAY + 6.3 * HOUR_MS;
    expect(projectedCount(curve, bucket, { count: 420, until }, table)).toBeNull();
    expect(projectedCount(curve, bucket, { count: 36, until }, table)).toBeGreaterThan(100);
  });

  it('of a week uses its whole days', () => {
    const start = TODAY - 10 * 7 * DAY_MS;
    const curve = curveOf(
      Array.from({ length: 72 }, (_, i) => (i % 7 < 5 ? 100 : 30)),
      start,
      DAY_MS,
    );
    const week = { start: TODAY, end: TODAY + 7 * DAY_MS };
    expect(projected(curve, week, table)).toBeCloseTo(560, 6);
  });

  it('compares the same time by the clock, across a change of offset', () => {
    const zone = 'Europe/Berlin';
    const [start, end] = [Date.UTC(2026, 2, 15, 23), Date.UTC(2026, 2, 30, 8)];
    const zoned = zoneTable(zone, { start, end: end + DAY_MS });
    const hour = new Intl.DateTimeFormat('en', {
      timeZone: zone,
      hour: 'numeric',
      hourCycle: 'h23',
    });
    const curve = zonedCurve('hour', zone, start, end, (at) =>
      Number(hour.format(at)) === 9 ? 500 : 10,
    );
    // Monday 30 March until ten by the clock of summer, when the nine o'clock Posts are in.
    const monday = { start: Date.UTC(2026, 2, 29, 22), end: Date.UTC(2026, 2, 30, 22) };
    expect(projected(curve, monday, zoned)).toBeCloseTo(500 + 23 * 10, 6);
  });

  it.each([
    ['it has not begun', byHours(1, 0, () => 50)],
    ['it is over', byHours(1, 24, () => 50)],
    ['no earlier week is known', byHours(0, 6, () => 50)],
    ['too few Posts so far', byHours(1, 6, (day) => (day === 0 ? 1 : 50))],
    ['too few Posts in the same part of last week', byHours(1, 6, (day) => (day === 0 ? 50 : 1))],
    ['an hour of last week is missing', holed(byHours(1, 6, () => 50))],
  ])('is left out if %s', (_, curve) => {
    expect(projected(curve, bucket, table)).toBeNull();
  });

  it('needs so many Posts and no more', () => {
    const exactly = (count: number) => byHours(1, 1, (_, hour) => (hour === 0 ? count : 0));
    expect(projected(exactly(PROJECTED_POSTS), bucket, table)).toBe(PROJECTED_POSTS);
    expect(projected(exactly(PROJECTED_POSTS - 1), bucket, table)).toBeNull();
  });
});

function holed(curve: Curve): Curve {
  curve.counts[12] = NaN;
  curve.states[12] = STATE.failed;
  return curve;
}
