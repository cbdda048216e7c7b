import { describe, expect, it } from 'vitest';
import { nextTime, schedulePattern } from '#core/time/cron.ts';

describe('a schedule as typed', () => {
  it.each([
    ['hour', '0 * * * *'],
    ['day', '0 6 * * *'],
    ['Monday', '0 6 * * 1'],
    ['sunday 7:05', '5 7 * * 0'],
    ['weekdays 07:30', '30 7 * * 1-5'],
    ['month 23:59', '59 23 1 * *'],
    [' 0  9 * * MON-FRI ', '0 9 * * mon-fri'],
  ])('%s is %s', (text, pattern) => {
    expect(schedulePattern(text)).toBe(pattern);
  });

  it.each(['', 'mondays', 'hour 07:30', 'day 24:00', 'day 7', 'monday 07:30 UTC', '* * * *'])(
    '%j is none',
    (text) => {
      expect(schedulePattern(text)).toBeNull();
    },
  );
});

describe('the next time', () => {
  it.each([
    ['0 6 * * 1', 'Europe/Berlin', '2026-11-23T05:00:00Z', '2026-11-30T05:00:00Z'],
    ['0 6 * * 1', 'Europe/Berlin', '2026-11-23T04:59:59.999Z', '2026-11-23T05:00:00Z'],
    // The clocks go forward: 02:30 is the first moment after the skip, on that day too.
    ['30 2 * * *', 'Europe/Berlin', '2026-03-28T12:00:00Z', '2026-03-29T01:00:00Z'],
    // They go back: 02:30 comes once.
    ['30 2 * * *', 'Europe/Berlin', '2026-10-25T00:30:00Z', '2026-10-26T01:30:00Z'],
    ['0 * * * *', 'Asia/Kolkata', '2026-11-23T05:00:00Z', '2026-11-23T05:30:00Z'],
  ])('of %s in %s after %s is %s', (pattern, zone, after, next) => {
    expect(nextTime(pattern, zone, Date.parse(after))).toBe(Date.parse(next));
  });

  it('is none for a date that never comes', () => {
    expect(nextTime('0 6 30 2 *', 'UTC', 0)).toBeNull();
  });

  it.each([
    ['61 * * * *', 'UTC'],
    ['0 6 * * someday', 'UTC'],
    ['0 6 * * *', 'Mars/Base'],
  ])('of %s in %s is an error', (pattern, zone) => {
    expect(() => nextTime(pattern, zone, 0)).toThrow(RangeError);
  });
});
