import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { calendar, type Calendar } from '#core/series/calendar.ts';
import { STATE, type Curve } from '#core/series/series.ts';
import { boundaries } from '#core/time/boundary.ts';
import type { Resolution, WeekStart } from '#core/time/resolution.ts';
import { ARCHIVE_START, DAY_MS, type Span } from '#core/time/span.ts';
import { zoneTable } from '#core/time/zone.ts';

const { failed, never, partial, provisional, settled, uncovered } = STATE;

function curve(zone: string, span: Span, resolution: Resolution = 'day'): Curve {
  const bounds = boundaries(span, resolution, zoneTable(zone, span), 1);
  const size = bounds.length - 1;
  return {
    bounds,
    counts: Float64Array.from({ length: size }, (_, i) => i),
    states: new Uint8Array(size).fill(settled),
    fetchedAt: new Float64Array(size),
  };
}

function laid(zone: string, from: string, to: string, weekStart: WeekStart = 1): Calendar {
  const span = { start: Date.parse(from), end: Date.parse(to) };
  return calendar(curve(zone, span), zoneTable(zone, span), weekStart, Infinity);
}

describe('the calendar', () => {
  it('has a week to a column, a weekday to a row, and an edge where a month begins', () => {
    // 2026-03-29, a Sunday, to 2026-04-06, a Monday, in a zone that turns its clock on the 29th.
    const { days, months, weeks } = laid('Europe/Berlin', '2026-03-28T23:00Z', '2026-04-06T22:00Z');
    expect(weeks).toBe(3);
    expect(days.map(({ column, row }) => [column, row])).toEqual([
      [0, 6],
      ...[0, 1, 2, 3, 4, 5, 6].map((row) => [1, row]),
      [2, 0],
    ]);
    expect(months).toEqual([
      { year: 2026, month: 3, column: 0, row: 6 },
      { year: 2026, month: 4, column: 1, row: 2 },
    ]);
  });

  it('begins its weeks on the given day', () => {
    expect(laid('UTC', '2026-03-01T00:00Z', '2026-03-03T00:00Z', 7)).toMatchObject({
      weeks: 1,
      days: [{ row: 0 }, { row: 1 }],
    });
  });

  it('leaves out a day that the zone skipped, and says which', () => {
    const { days, skipped } = laid('Pacific/Apia', '2011-12-28T10:00Z', '2012-01-01T10:00Z');
    expect(days.map(({ date, row }) => [date.month, date.day, row])).toEqual([
      [12, 28, 2],
      [12, 29, 3],
      [12, 31, 5],
      [1, 1, 6],
    ]);
    expect(skipped).toEqual([{ year: 2011, month: 12, day: 30 }]);
  });

  it('distinguishes missing, out of reach, partial and future days', () => {
    const span = { start: Date.UTC(2026, 2, 1, 12), end: Date.UTC(2026, 2, 7, 12) };
    const days = curve('UTC', span);
    days.states.set([settled, provisional, failed, uncovered, partial, never, never]);
    const { days: laid } = calendar(days, zoneTable('UTC', span), 1, Date.UTC(2026, 2, 5, 8));
    expect(laid.map(({ state }) => state)).toEqual([
      'partial',
      'provisional',
      'failed',
      'uncovered',
      'partial',
      'ahead',
      'ahead',
    ]);
  });

  it('has every day of the curve once, in order, in the row of its weekday', () => {
    fc.assert(
      fc.property(
        fc.constantFrom('America/Havana', 'Pacific/Apia', 'Asia/Kolkata', 'America/Sao_Paulo'),
        fc.constantFrom<WeekStart>(1, 7),
        fc.integer({ min: ARCHIVE_START, max: Date.UTC(2026, 0, 1) }),
        fc.integer({ min: 1, max: 400 * DAY_MS }),
        (zone, weekStart, start, length) => {
          const span = { start, end: start + length };
          const days = curve(zone, span);
          const {
            days: laid,
            weeks,
            months,
            skipped,
          } = calendar(days, zoneTable(zone, span), weekStart, Infinity);
          expect(laid.map(({ bucket }) => bucket)).toEqual([...days.counts]);
          let place = -1;
          for (const { date, column, row } of laid) {
            const weekday = new Date(Date.UTC(date.year, date.month - 1, date.day)).getUTCDay();
            expect((row + weekStart) % 7).toBe(weekday);
            expect(column * 7 + row).toBeGreaterThan(place);
            expect(column).toBeLessThan(weeks);
            place = column * 7 + row;
          }
          const [first] = laid;
          expect(place - (first?.column ?? 0) * 7 - (first?.row ?? 0) + 1).toBe(
            laid.length + skipped.length,
          );
          expect(months.length).toBe(
            new Set(laid.map(({ date }) => date.year * 12 + date.month)).size,
          );
        },
      ),
    );
  });

  it('refuses buckets that are not days of the zone', () => {
    const span = { start: Date.UTC(2026, 2, 1), end: Date.UTC(2026, 2, 9) };
    const berlin = zoneTable('Europe/Berlin', span);
    expect(() => calendar(curve('UTC', span), berlin, 1, Infinity)).toThrow(RangeError);
    expect(() => calendar(curve('UTC', span, 'week'), zoneTable('UTC', span), 1, Infinity)).toThrow(
      RangeError,
    );
    expect(() => calendar(curve('UTC', span, 'hour'), zoneTable('UTC', span), 1, Infinity)).toThrow(
      RangeError,
    );
  });
});
