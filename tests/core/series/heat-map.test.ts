import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { heatMap, type HeatMap } from '#core/series/heat-map.ts';
import { rollup } from '#core/series/rollup.ts';
import { STATE, type Curve, type Series } from '#core/series/series.ts';
import { boundaries } from '#core/time/boundary.ts';
import type { Resolution, WeekStart } from '#core/time/resolution.ts';
import { HOUR_MS, MINUTE_MS, type Span } from '#core/time/span.ts';
import { localDate, offsetAt, zoneTable } from '#core/time/zone.ts';
import { runs } from '#tests/support/run/runs.ts';
import { minutes } from './curves.ts';

const LATER = Date.UTC(2027, 0, 1);
const sum = (values: Float64Array): number => values.reduce((sum, value) => sum + value, 0);

/** One Post per minute over a span, at a resolution of a zone. */
function even(zone: string, span: Span, resolution: Resolution = 'hour', now = LATER): Curve {
  const size = (span.end - span.start) / MINUTE_MS;
  const series = minutes(
    span.start,
    Array.from({ length: size }, () => 1),
  );
  return rollup(series, boundaries(span, resolution, zoneTable(zone, span), 1), now);
}

function map(zone: string, from: string, to: string, weekStart: WeekStart = 1): HeatMap {
  const span = { start: Date.parse(from), end: Date.parse(to) };
  return heatMap(even(zone, span), zoneTable(zone, span), weekStart, LATER);
}

const [SUNDAY, MONDAY] = [6, 0];

describe('the map of hours and weekdays', () => {
  it('leaves out hours that the source does not cover', () => {
    const span = { start: Date.UTC(2026, 2, 2), end: Date.UTC(2026, 2, 2, 2) };
    const curve = even('UTC', span);
    curve.states[0] = STATE.uncovered;
    const { occurrences, means } = heatMap(curve, zoneTable('UTC', span), 1, LATER);
    const cells = [MONDAY * 24, MONDAY * 24 + 1];
    expect(cells.map((cell) => means[cell])).toEqual([NaN, 60]);
    expect(cells.map((cell) => occurrences[cell])).toEqual([0, 1]);
  });

  it.each([
    // Weeks with a clock change: an hour shown twice, skipped, and by halves.
    ['America/New_York', '2026-10-26T04:00Z', '2026-11-02T05:00Z', 1, 2],
    ['America/New_York', '2026-03-02T05:00Z', '2026-03-09T04:00Z', 2, 0],
    ['Australia/Lord_Howe', '2026-03-29T13:00Z', '2026-04-05T13:30Z', 1, 1.5],
    ['Australia/Lord_Howe', '2026-09-27T13:30Z', '2026-10-04T13:00Z', 2, 0.5],
    ['Asia/Kolkata', '2026-03-01T18:30Z', '2026-03-08T18:30Z', 2, 1],
  ])('counts in %s from %s how often Sunday’s hour occurred', (zone, from, to, hour, times) => {
    const { occurrences, means, sums, leftOut } = map(zone, from, to);
    const cell = SUNDAY * 24 + hour;
    for (let other = 0; other < 168; other++) {
      expect(occurrences[other]).toBe(other === cell ? times : 1);
      expect(means[other]).toBe(other === cell && times === 0 ? NaN : 60);
    }
    expect(sums[cell]).toBe(60 * times);
    expect(sum(leftOut)).toBe(0);
  });

  it('cuts an hour with a clock change inside if it has minutes, and leaves it out with hours', () => {
    const span = { start: Date.UTC(2006, 3, 1, 4), end: Date.UTC(2006, 3, 3, 3) };
    const table = zoneTable('America/Goose_Bay', span);
    const of = (resolution: Resolution): HeatMap =>
      heatMap(even('America/Goose_Bay', span, resolution), table, 1, LATER);
    // At a minute past midnight the clock moves to a minute past one.
    const [midnight, one] = [SUNDAY * 24, SUNDAY * 24 + 1];
    const fine = of('minute');
    expect(fine.sums[midnight]).toBe(1);
    expect(fine.occurrences[midnight]).toBeCloseTo(1 / 60, 9);
    expect(fine.sums[one]).toBe(59);
    expect(sum(fine.leftOut)).toBe(0);
    const coarse = of('hour');
    expect([coarse.sums[midnight], coarse.sums[one], coarse.leftOut[midnight]]).toEqual([0, 0, 1]);
  });

  it('begins with the first day of the week', () => {
    const from = '2026-03-01T00:00Z';
    const noon = '2026-03-01T01:00Z';
    expect(map('UTC', from, noon).occurrences[SUNDAY * 24]).toBe(1);
    expect(map('UTC', from, noon, 7).occurrences[MONDAY * 24]).toBe(1);
  });

  it('counts hours that are cut, missing or running as left out, and ignores future ones', () => {
    const span = { start: Date.UTC(2026, 2, 2, 0, 30), end: Date.UTC(2026, 2, 2, 6) };
    const now = Date.UTC(2026, 2, 2, 4, 20);
    const curve = even('UTC', span, 'minute', now);
    const missing = 45;
    curve.counts[missing] = NaN;
    curve.states[missing] = STATE.failed;
    const { occurrences, leftOut } = heatMap(curve, zoneTable('UTC', span), 1, now);
    expect([...occurrences.subarray(0, 6)]).toEqual([0, 0, 1, 1, 0, 0]);
    expect([...leftOut.subarray(0, 6)]).toEqual([0.5, 1, 0, 0, 1, 0]);
  });

  it('is the same from hours as from minutes, with every Post and hour in the cell of its wall time', () => {
    fc.assert(
      fc.property(
        fc.constantFrom('America/New_York', 'Asia/Kathmandu', 'Australia/Lord_Howe', 'UTC'),
        fc.integer({ min: Date.UTC(2026, 0, 1) / HOUR_MS, max: Date.UTC(2026, 11, 1) / HOUR_MS }),
        fc.integer({ min: 1, max: 300 }),
        fc.array(fc.nat(9), { minLength: 7, maxLength: 7 }),
        (zone, startHour, hours, seed) => {
          const span = { start: startHour * HOUR_MS, end: (startHour + hours) * HOUR_MS };
          const table = zoneTable(zone, span);
          const series: Series = minutes(
            span.start,
            Array.from({ length: hours * 60 }, (_, i) => seed[i % 7] ?? 0),
          );
          const at = (resolution: Resolution): Curve =>
            rollup(series, boundaries(span, resolution, table, 1), LATER);
          const fine = heatMap(at('minute'), table, 1, LATER);
          const expected = new Float64Array(168);
          const time = new Float64Array(168);
          series.counts.forEach((count, i) => {
            const instant = span.start + i * MINUTE_MS;
            const { year, month, day } = localDate(table, instant);
            const weekday = (new Date(Date.UTC(year, month - 1, day)).getUTCDay() + 6) % 7;
            const hour = new Date(instant + offsetAt(table, instant)).getUTCHours();
            const cell = weekday * 24 + hour;
            expected[cell] = (expected[cell] ?? 0) + count;
            time[cell] = (time[cell] ?? 0) + 1 / 60;
          });
          expect(heatMap(at('hour'), table, 1, LATER)).toEqual(fine);
          const ends = sum(fine.leftOut);
          expect(ends).toBeLessThan(2);
          fine.occurrences.forEach((times, cell) => {
            expect(times + (fine.leftOut[cell] ?? 0)).toBeCloseTo(time[cell] ?? NaN, 9);
            if (fine.leftOut[cell] === 0) expect(fine.sums[cell]).toBe(expected[cell]);
          });
        },
      ),
      { numRuns: runs(60) },
    );
  });

  it('refuses days, and hours of another zone', () => {
    const span = { start: Date.UTC(2026, 2, 1), end: Date.UTC(2026, 2, 3) };
    const kolkata = zoneTable('Asia/Kolkata', span);
    expect(() => heatMap(even('UTC', span, 'day'), zoneTable('UTC', span), 1, LATER)).toThrow(
      RangeError,
    );
    expect(() => heatMap(even('UTC', span), kolkata, 1, LATER)).toThrow(/Asia\/Kolkata.*minutes/);
  });
});
