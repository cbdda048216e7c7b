import { describe, expect, it } from 'vitest';
import {
  add,
  dayOfWeek,
  daysBetween,
  intlOffset,
  monthsBetween,
  startOf,
  type CalendarUnit,
} from '#core/time/calendar.ts';
import { DAY_MS, MINUTE_MS } from '#core/time/span.ts';

const at = (text: string): number => Date.parse(`${text}Z`);
const shown = (wall: number): string => new Date(wall).toISOString().slice(0, 16);

describe('a wall time moved along the calendar', () => {
  it.each<[string, CalendarUnit, number, string]>([
    // A date that the month lacks becomes the month's last.
    ['2026-08-29T00:00', 'month', -6, '2026-02-28T00:00'],
    ['2026-08-30T00:00', 'month', -6, '2026-02-28T00:00'],
    ['2026-08-31T00:00', 'month', -6, '2026-02-28T00:00'],
    ['2024-08-29T00:00', 'month', -6, '2024-02-29T00:00'],
    ['2024-08-31T00:00', 'month', -6, '2024-02-29T00:00'],
    ['2026-08-28T00:00', 'month', -6, '2026-02-28T00:00'],
    ['2024-02-29T12:30', 'year', -1, '2023-02-28T12:30'],
    ['2024-02-29T12:30', 'year', 4, '2028-02-29T12:30'],
    ['2026-11-30T09:00', 'quarter', 1, '2027-02-28T09:00'],
    ['2026-12-31T23:59', 'day', 1, '2027-01-01T23:59'],
    ['2026-03-02T06:00', 'week', -1, '2026-02-23T06:00'],
  ])('%s and %s by %i is %s', (wall, unit, amount, expected) => {
    expect(shown(add(unit, at(wall), amount))).toBe(expected);
  });

  it.each<[CalendarUnit, 1 | 7, string]>([
    ['day', 1, '2026-11-22T00:00'],
    // A Sunday: the last day of a week that begins on Monday.
    ['week', 1, '2026-11-16T00:00'],
    ['week', 7, '2026-11-22T00:00'],
    ['month', 1, '2026-11-01T00:00'],
    ['quarter', 1, '2026-10-01T00:00'],
    ['year', 1, '2026-01-01T00:00'],
  ])('is in a %s, of a week from %i, that begins %s', (unit, weekStart, expected) => {
    expect(shown(startOf(unit, at('2026-11-22T13:45'), weekStart))).toBe(expected);
  });

  it('counts days and months by their dates, whatever the time of day', () => {
    expect(daysBetween(at('2024-02-28T23:59'), at('2024-03-01T00:00'))).toBe(2);
    expect(daysBetween(at('2024-03-01T00:00'), at('2024-02-28T23:59'))).toBe(-2);
    expect(monthsBetween(at('2025-12-31T23:59'), at('2026-02-01T00:00'))).toBe(2);
  });

  it('has the number of days into its week', () => {
    const week = Array.from({ length: 7 }, (_, i) => at('2026-11-16T08:00') + i * DAY_MS);
    expect(week.map((wall) => dayOfWeek(wall, 1))).toEqual([0, 1, 2, 3, 4, 5, 6]);
    expect(week.map((wall) => dayOfWeek(wall, 7))).toEqual([1, 2, 3, 4, 5, 6, 0]);
  });
});

describe('the offset of a zone', () => {
  it.each([
    ['UTC', 0],
    ['Asia/Kathmandu', 345],
    ['America/St_Johns', -210],
    ['Australia/Lord_Howe', 660],
    ['Mars/Olympus', NaN],
  ])('%s in November is %i minutes', (zone, minutes) => {
    expect(intlOffset(zone, at('2026-11-22T00:00'))).toBe(minutes * MINUTE_MS);
  });
});
