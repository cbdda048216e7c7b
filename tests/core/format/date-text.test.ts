import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { localTime, offsetText, rangeText } from '#core/format/date-text.ts';
import { DAY_MS } from '#core/time/span.ts';
import { wallTime, zoneTable } from '#core/time/zone.ts';

describe('a range', () => {
  const at = (text: string): number => Date.parse(`${text}Z`);
  it.each([
    ['2026-07-24T00:00', '2026-07-24T23:59', '24 Jul 2026', 'Jul 24, 2026', '2026-07-24'],
    ['2026-07-24T00:00', '2026-07-25T00:00', '24–25 Jul 2026', 'Jul 24–25, 2026', null],
    ['2026-07-24T00:00', '2026-09-02T00:00', '24 Jul – 2 Sept 2026', 'Jul 24 – Sep 2, 2026', null],
    [
      '2026-12-31T00:00',
      '2027-12-31T00:00',
      '31 Dec 2026 – 31 Dec 2027',
      'Dec 31, 2026 – Dec 31, 2027',
      '2026-12-31 – 2027-12-31',
    ],
  ])('of days from %s to %s names what both ends share once', (from, to, day, month, year) => {
    const text = (order: 'day' | 'month' | 'year'): string =>
      rangeText(at(from), at(to), order, false);
    expect(text('day')).toBe(day);
    expect(text('month')).toBe(month);
    if (year !== null) expect(text('year')).toBe(year);
  });

  it.each([
    ['2026-07-24T09:05', '2026-07-24T09:05', '24 Jul 2026, 09:05'],
    ['2026-07-24T09:05', '2026-07-24T10:05', '24 Jul 2026, 09:05–10:05'],
    ['2026-07-24T09:05', '2026-07-25T09:05', '24 Jul 2026, 09:05 – 25 Jul 2026, 09:05'],
  ])('of minutes from %s to %s names one day once', (from, to, text) => {
    expect(rangeText(at(from), at(to), 'day', true)).toBe(text);
  });
});

it.each([
  ['UTC', 'UTC'],
  ['Europe/London', 'GMT'],
  ['Asia/Kolkata', 'GMT+5:30'],
  ['America/St_Johns', 'GMT-3:30'],
])('the offset of %s in winter is %s', (zone, text) => {
  expect(offsetText(Date.UTC(2026, 0, 1), zone)).toBe(text);
});

it('law: a local time is that of the table of its zone', () => {
  const span = { start: Date.UTC(2006, 2, 21), end: Date.UTC(2027, 0, 1) };
  const zones = [
    'UTC',
    'Europe/Berlin',
    'America/New_York',
    'Australia/Lord_Howe',
    'Asia/Kathmandu',
  ];
  fc.assert(
    fc.property(
      fc.constantFrom(...zones),
      fc.integer({ min: span.start / 1000, max: (span.end - DAY_MS) / 1000 }),
      (zone, second) => {
        expect(localTime(second * 1000, zone)).toBe(wallTime(zoneTable(zone, span), second * 1000));
      },
    ),
  );
});
