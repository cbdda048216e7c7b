import * as fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { nextRun, type FeedSchedule } from '#core/catalog/feed-schedule.ts';
import { dayOfWeek } from '#core/time/calendar.ts';
import { DAY_MS, HOUR_MS } from '#core/time/span.ts';
import { localInstant, wallTime, zoneTable } from '#core/time/zone.ts';

const BERLIN = 'Europe/Berlin';
const daily = (start_time: string, time_zone = BERLIN): FeedSchedule => ({
  frequency: 'DAILY',
  repeat: null,
  start_time,
  time_zone,
});
const hourly = (repeat: number, start_time: string, time_zone = BERLIN): FeedSchedule => ({
  frequency: 'HOURLY',
  repeat: String(repeat),
  start_time,
  time_zone,
});
const weekly = (repeat: string, start_time: string, time_zone = BERLIN): FeedSchedule => ({
  frequency: 'WEEKLY',
  repeat,
  start_time,
  time_zone,
});

/** The next runs, as ISO texts without seconds. */
function runs(schedule: FeedSchedule, after: string, count: number): string[] {
  const found: string[] = [];
  let at = Date.parse(after);
  for (let i = 0; i < count; i++) {
    at = nextRun(schedule, at);
    found.push(`${new Date(at).toISOString().slice(0, 16)}Z`);
  }
  return found;
}

describe('the next runs', () => {
  it.each([
    ['of a day', daily('01:30'), '2026-06-01T00:00:00Z', ['06-01T23:30', '06-02T23:30']],
    ['after a run', daily('01:30'), '2026-06-01T23:30:00Z', ['06-02T23:30']],
    ['just before one', daily('01:30'), '2026-06-01T23:29:59.999Z', ['06-01T23:30']],
    [
      'every 8 hours from 22:15',
      hourly(8, '22:15'),
      '2026-06-01T00:00:00Z',
      ['06-01T04:15', '06-01T12:15', '06-01T20:15', '06-02T04:15'],
    ],
    [
      'every hour',
      hourly(1, '10:05', 'Asia/Kolkata'),
      '2026-06-01T00:00:00Z',
      ['06-01T00:35', '06-01T01:35'],
    ],
    [
      'of a week',
      weekly('SUNDAY', '00:10'),
      '2026-06-01T00:00:00Z',
      ['06-06T22:10', '06-13T22:10'],
    ],
    // Clocks in Berlin skip 02:00 to 03:00 on 29 March, at 01:00 UTC.
    [
      'daily at a time that is skipped',
      daily('02:30'),
      '2026-03-28T12:00:00Z',
      ['03-29T01:00', '03-30T00:30'],
    ],
    [
      'weekly at a time that is skipped',
      weekly('SUNDAY', '02:30'),
      '2026-03-28T12:00:00Z',
      ['03-29T01:00', '04-05T00:30'],
    ],
    [
      'every hour, one of which is skipped',
      hourly(1, '00:30'),
      '2026-03-29T00:00:00Z',
      ['03-29T00:30', '03-29T01:00', '03-29T01:30', '03-29T02:30'],
    ],
    [
      'every hour, where the skipped one falls on the next',
      hourly(1, '00:00'),
      '2026-03-29T00:00:00Z',
      ['03-29T01:00', '03-29T02:00'],
    ],
    // They show 02:00 to 03:00 twice on 25 October, at 00:00 and 01:00 UTC.
    [
      'daily at a time that occurs twice',
      daily('02:30'),
      '2026-10-24T12:00:00Z',
      ['10-25T00:30', '10-26T01:30'],
    ],
    ['after the first of two', daily('02:30'), '2026-10-25T00:30:00Z', ['10-26T01:30']],
    [
      'every 2 hours, one of which occurs twice',
      hourly(2, '00:30'),
      '2026-10-24T22:00:00Z',
      ['10-24T22:30', '10-25T00:30', '10-25T03:30'],
    ],
    // Half an hour is skipped on Lord Howe Island on 4 October, at 15:30 UTC the day before.
    [
      'in a skip of half an hour',
      daily('02:10', 'Australia/Lord_Howe'),
      '2026-10-02T20:00:00Z',
      ['10-03T15:30', '10-04T15:10'],
    ],
  ] as const)('%s', (_name, schedule, after, expected) => {
    const year = after.slice(0, 5);
    expect(runs(schedule, after, expected.length)).toEqual(expected.map((at) => `${year}${at}Z`));
  });

  it('begin after now, however long ago the last one was', () => {
    const schedule = hourly(1, '00:00', 'UTC');
    expect(runs(schedule, '2026-06-01T22:00:00Z', 1)).toEqual(['2026-06-01T23:00Z']);
    expect(runs(schedule, '2026-06-02T08:10:00Z', 1)).toEqual(['2026-06-02T09:00Z']);
  });

  it('refuse hours that do not divide a day', () => {
    expect(() => nextRun(hourly(5, '00:00'), 0)).toThrow(/expected hours that divide a day, got 5/);
  });
});

const WEEKDAYS = ['MONDAY', 'TUESDAY', 'WEDNESDAY', 'THURSDAY', 'FRIDAY', 'SATURDAY', 'SUNDAY'];
const ZONES = [
  'UTC',
  BERLIN,
  'America/New_York',
  'America/Santiago',
  'Africa/Cairo',
  'Australia/Lord_Howe',
  'Asia/Kathmandu',
  'Pacific/Chatham',
];
const YEARS = { start: Date.UTC(2024, 0, 1), end: Date.UTC(2030, 0, 1) };

it('runs are the first moments at which the clock shows or has passed the times of the schedule, and no others', () => {
  const two = (n: number): string => String(n).padStart(2, '0');
  const time = fc
    .tuple(fc.integer({ min: 0, max: 23 }), fc.integer({ min: 0, max: 59 }))
    .map(([hour, minute]) => `${two(hour)}:${two(minute)}`);
  const zone = fc.constantFrom(...ZONES);
  const schedule = fc.oneof(
    fc.tuple(time, zone).map(([start, of]) => daily(start, of)),
    fc.tuple(fc.constantFrom(1, 2, 3, 4, 6, 8, 12), time, zone).map((of) => hourly(...of)),
    fc.tuple(fc.constantFrom(...WEEKDAYS), time, zone).map((of) => weekly(...of)),
  );
  /** Instants around a change of the zone's clock, or anywhere. */
  const near = (of: FeedSchedule) => {
    const table = zoneTable(of.time_zone, YEARS);
    const changes = [...table.starts].filter(
      (at) => at > YEARS.start && at < YEARS.end - 9 * DAY_MS,
    );
    const anywhere = fc.integer({ min: YEARS.start, max: YEARS.end - 9 * DAY_MS });
    const around = fc.tuple(
      fc.constantFrom(...(changes.length > 0 ? changes : [YEARS.start])),
      fc.integer({ min: -30 * HOUR_MS, max: 6 * HOUR_MS }),
    );
    return fc.oneof(
      anywhere,
      around.map(([at, by]) => at + by),
    );
  };
  const asked = schedule.chain((of) => fc.tuple(fc.constant(of), near(of)));
  fc.assert(
    fc.property(asked, ([of, after]) => {
      const table = zoneTable(of.time_zone, YEARS);
      const [hour = 0, minute = 0] = of.start_time.split(':').map(Number);
      const every = of.frequency === 'HOURLY' ? Number(of.repeat) : 24;
      const midnight = Math.floor(wallTime(table, after) / DAY_MS) * DAY_MS;
      const moments: number[] = [];
      for (let day = midnight - DAY_MS; day <= midnight + 8 * DAY_MS; day += DAY_MS) {
        if (of.frequency === 'WEEKLY' && WEEKDAYS[dayOfWeek(day, 1)] !== of.repeat) continue;
        for (let h = hour % every; h < 24; h += every) {
          moments.push(localInstant(table, day + h * HOUR_MS + minute * 60_000));
        }
      }
      const later = moments.filter((at) => at > after);
      expect(nextRun(of, after)).toBe(Math.min(...later));
    }),
  );
});
