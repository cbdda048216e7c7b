import { describe, expect, it } from 'vitest';
import { PRESETS, presetSpan, type Preset } from '#core/time/presets.ts';
import type { WeekStart } from '#core/time/resolution.ts';
import { ARCHIVE_START, DAY_MS, HOUR_MS, MINUTE_MS } from '#core/time/span.ts';
import { zoneTable } from '#core/time/zone.ts';
import { long } from '#tests/support/run/long.ts';

const REACH = { start: ARCHIVE_START, end: Date.UTC(2030, 0, 1) };
const FIRST_DAY = Date.UTC(2024, 0, 1);
/** The short form has a leap year and the year after it. */
const LAST_DAY = Date.UTC(long() ? 2028 : 2025, 11, 31);

/** Santiago changes its clock at midnight, Lord Howe by half an hour; Kathmandu is at +05:45. */
const ZONES = [
  'UTC',
  'America/New_York',
  'Europe/Berlin',
  'Australia/Lord_Howe',
  'America/Santiago',
  'Asia/Kathmandu',
];

/** The first instant of a date in a zone, by Intl alone; the date as midnight UTC. */
function dayStarts(zone: string): (date: number) => number {
  const format = new Intl.DateTimeFormat('en-US', {
    timeZone: zone,
    hourCycle: 'h23',
    year: 'numeric',
    month: 'numeric',
    day: 'numeric',
    hour: 'numeric',
    minute: 'numeric',
  });
  const clock = (instant: number): number => {
    const [month = 0, day = 0, year = 0, hour = 0, minute = 0] = (
      format.format(instant).match(/\d+/g) ?? []
    ).map(Number);
    return Date.UTC(year, month - 1, day, hour, minute);
  };
  const known = new Map<number, number>();
  return (date) => {
    const found = known.get(date);
    if (found !== undefined) return found;
    // No offset of these zones exceeds 12 hours.
    let before = date - 12 * HOUR_MS;
    let after = date + 12 * HOUR_MS;
    const offset = clock(before) - before;
    if (clock(after) - after === offset) after = date - offset;
    else {
      while (after - before > MINUTE_MS) {
        const middle = before + Math.floor((after - before) / 2 / MINUTE_MS) * MINUTE_MS;
        if (clock(middle) < date) before = middle;
        else after = middle;
      }
    }
    known.set(date, after);
    return after;
  };
}

/** The dates at which presets begin and end, by `Date.UTC` alone. */
function expectedDates(today: number, weekStart: WeekStart): [Preset, number, number][] {
  const date = new Date(today);
  const [y, m, d] = [date.getUTCFullYear(), date.getUTCMonth(), date.getUTCDate()];
  const tomorrow = today + DAY_MS;
  const yearsBack = (years: number): number => {
    const isLeapDay = m === 1 && d === 29;
    const leap = new Date(Date.UTC(y - years, 1, 29)).getUTCMonth() === 1;
    return Date.UTC(y - years, m, isLeapDay && !leap ? 28 : d) + DAY_MS;
  };
  let week = today;
  while (new Date(week).getUTCDay() !== weekStart % 7) week -= DAY_MS;
  const quarter = Math.floor(m / 3) * 3;
  return [
    ['7d', tomorrow - 7 * DAY_MS, tomorrow],
    ['30d', tomorrow - 30 * DAY_MS, tomorrow],
    ['90d', tomorrow - 90 * DAY_MS, tomorrow],
    ['1y', yearsBack(1), tomorrow],
    ['3y', yearsBack(3), tomorrow],
    ['this-week', week, week + 7 * DAY_MS],
    ['last-week', week - 7 * DAY_MS, week],
    ['this-month', Date.UTC(y, m, 1), Date.UTC(y, m + 1, 1)],
    ['last-month', Date.UTC(y, m - 1, 1), Date.UTC(y, m, 1)],
    ['this-quarter', Date.UTC(y, quarter, 1), Date.UTC(y, quarter + 3, 1)],
    ['last-quarter', Date.UTC(y, quarter - 3, 1), Date.UTC(y, quarter, 1)],
    ['this-year', Date.UTC(y, 0, 1), Date.UTC(y + 1, 0, 1)],
    ['last-year', Date.UTC(y - 1, 0, 1), Date.UTC(y, 0, 1)],
  ];
}

describe('a preset, on every day of some years', () => {
  it.each(ZONES)('begins and ends with the dates of the calendar in %s', (zone) => {
    const table = zoneTable(zone, REACH);
    const dayStart = dayStarts(zone);
    const wrong: string[] = [];
    expect(expectedDates(FIRST_DAY, 1)).toHaveLength(PRESETS.length - 3);
    for (let today = FIRST_DAY; today <= LAST_DAY; today += DAY_MS) {
      const moments: [number, WeekStart][] = [
        [dayStart(today), 1],
        [dayStart(today + DAY_MS) - 1, 7],
      ];
      for (const [now, weekStart] of moments) {
        const expected = expectedDates(today, weekStart);
        for (const [preset, from, to] of expected) {
          const { start, end } = presetSpan(preset, now, table, weekStart, REACH);
          if (start === dayStart(from) && end === dayStart(to)) continue;
          wrong.push(`${preset} at ${new Date(now).toISOString()}: ${start} to ${end}`);
        }
        const minute = Math.ceil(now / MINUTE_MS) * MINUTE_MS;
        for (const [preset, length] of [
          ['1h', HOUR_MS],
          ['24h', DAY_MS],
        ] as const) {
          const span = presetSpan(preset, now, table, weekStart, REACH);
          if (span.start !== minute - length || span.end !== minute)
            wrong.push(`${preset}: ${now}`);
        }
        if (presetSpan('all', now, table, weekStart, REACH) !== REACH) wrong.push(`all: ${now}`);
      }
    }
    expect(wrong.slice(0, 10)).toEqual([]);
  });
});
