import { Formatter } from '#app/format/formatter.ts';
import { describe, expect, it } from 'vitest';
import {
  calendarYears,
  neighbouringDay,
  mostOf,
  type CalendarYear,
} from '#app/insight/heat/calendar-years.ts';
import { STATE, type Curve } from '#core/series/series.ts';
import { boundaries } from '#core/time/boundary.ts';
import { DAY_MS, type Span } from '#core/time/span.ts';
import { zoneTable } from '#core/time/zone.ts';

const format = new Formatter('en-GB');
const value = (count: number) => `${count} Posts`;
function yearsOf(
  span: Span,
  { zone = 'UTC', now = span.end, zoom = null as Span | null, count = (i: number) => i } = {},
): { years: CalendarYear[]; curve: Curve } {
  const table = zoneTable(zone, span);
  const bounds = boundaries(span, 'day', table, 1);
  const counts = Float64Array.from({ length: bounds.length - 1 }, (_, i) => count(i));
  const curve = {
    bounds,
    counts,
    states: Uint8Array.from(counts, (n) => (Number.isNaN(n) ? STATE.never : STATE.settled)),
    fetchedAt: new Float64Array(counts.length),
  };
  return {
    curve,
    years: calendarYears(curve, { table, weekStart: 1, now, zoom }, value, format.in(zone)),
  };
}
const daysOf = ({ rows }: CalendarYear) => rows.flatMap((row) => row.filter((day) => day !== null));

describe('the calendar by years', () => {
  const span = { start: Date.UTC(2024, 11, 30), end: Date.UTC(2026, 1, 1) };

  it('contains every day once, in its year, newest year first', () => {
    const { years } = yearsOf(span);
    expect(years.map(({ year }) => year)).toEqual([2026, 2025, 2024]);
    expect(years.map((year) => daysOf(year).length)).toEqual([31, 365, 2]);
    const starts = years.flatMap(daysOf).map((day) => day.span.start);
    expect(new Set(starts).size).toBe(398);
  });

  it('arranges days by weekday and labels months at their first week', () => {
    const [, year] = yearsOf(span).years;
    // 2025 began on a Wednesday.
    expect(year?.rows.map((row) => row[0] !== null)).toEqual([
      false,
      false,
      true,
      true,
      true,
      true,
      true,
    ]);
    expect(year?.months.map(({ name }) => name).join(' ')).toBe(
      'Jan Feb Mar Apr May Jun Jul Aug Sept Oct Nov Dec',
    );
    const weeks = year?.months.reduce((sum, month) => sum + month.weeks, 0);
    expect(weeks).toBe(year?.weeks);
  });

  it('distinguishes missing, unfinished and future days', () => {
    const now = Date.UTC(2026, 0, 30, 12);
    const { years } = yearsOf(span, { now, count: (i) => (i === 0 ? Number.NaN : 4) });
    const [jan, , dec] = years.map(daysOf);
    expect(dec?.find(({ kind }) => kind === 'missing')?.title).toBe('Mon, 30 Dec 2024: not known');
    expect(jan?.filter(({ kind }) => kind === 'future').map(({ title }) => title)).toEqual([
      'Sat, 31 Jan 2026: not yet',
    ]);
    const cut = yearsOf({ start: span.start + DAY_MS / 2, end: span.end });
    const first = daysOf(cut.years[2] ?? ({ rows: [] } as never)).find(
      (day) => day.kind === 'partial',
    );
    expect(first?.title).toBe('Mon, 30 Dec 2024: 0 Posts, not all of it');
  });

  it.each([
    ['ArrowDown', { row: 2, column: 0 }, { row: 3, column: 0 }],
    ['ArrowDown', { row: 6, column: 3 }, { row: 0, column: 4 }],
    ['ArrowUp', { row: 0, column: 1 }, { row: 6, column: 0 }],
    ['ArrowRight', { row: 2, column: 0 }, { row: 2, column: 1 }],
    ['ArrowUp', { row: 2, column: 0 }, null],
    ['ArrowLeft', { row: 2, column: 0 }, null],
    ['Enter', { row: 2, column: 0 }, null],
  ])('moves on %s from %o to %o', (key, from, to) => {
    const [, year] = yearsOf(span).years;
    expect(year && neighbouringDay(year, from, key)).toEqual(to);
  });

  it('marks the days of the zone that the chart shows', () => {
    const zone = 'Europe/Berlin';
    const start = Date.parse('2026-03-28T00:00+01:00');
    const zoom = {
      start: Date.parse('2026-03-29T00:00+01:00'),
      end: Date.parse('2026-03-30T00:00+02:00'),
    };
    const { years, curve } = yearsOf({ start, end: zoom.end + DAY_MS }, { zone, zoom });
    const seen = years.flatMap(daysOf).filter(({ inView }) => inView);
    expect(seen.map((day) => day.span)).toEqual([zoom]);
    expect(mostOf(curve)).toBe(2);
  });
});
