import { describe, expect, it } from 'vitest';
import { countdown, Formatter, zoneCity } from '#app/format/formatter.ts';
import { HOUR_MS } from '#core/time/span.ts';

const format = new Formatter('en-GB');

describe('numbers', () => {
  it.each([
    [0, '0%'],
    [0.0004, '< 0.1%'],
    [0.58, '58%'],
    [0.99999, '99.9%'],
    [1, '100%'],
  ])('says a share of %d as %s: never all for less, never nothing for more', (share, said) => {
    expect(format.share(share)).toBe(said);
  });

  it('groups counts and shortens them for axes', () => {
    expect(format.count(3_274_638)).toBe('3,274,638');
    expect(format.short(12_500)).toBe('12.5\u202fk');
    expect(format.short(999_600)).toBe('1\u202fM');
    expect(format.mean(12.345)).toBe('12.3');
    expect(format.mean(1234.5)).toBe('1,235');
  });

  it.each([
    [0, '$0.00'],
    [0.005, '$0.005'],
    [0.01, '$0.01'],
    [2.44, '$2.44'],
    [1234.5, '$1,234.50'],
  ])('says %d dollars as %s', (money, said) => {
    expect(format.money(money)).toBe(said);
  });

  it.each([
    [1234.56, 'EUR', '€1,200'],
    [6.04, 'EUR', '€6'],
    [1.504, 'USD', '$1.50'],
    [0.0437218, 'USD', '$0.044'],
    [0, 'EUR', '€0'],
    [12.3, null, '12'],
  ])('estimates %s of %s in two significant digits', (value, currency, text) => {
    expect(format.estimate(value, currency)).toBe(text);
  });

  it('says an amount of any currency, in its decimals', () => {
    expect([format.price(1234.5, 'EUR'), format.price(1234.5, 'JPY')]).toEqual([
      '€1,234.50',
      '¥1,235',
    ]);
  });

  it.each([
    [0, '0 bytes'],
    [1, '1 byte'],
    [512, '512 bytes'],
    [1_000, '1 kB'],
    [1_640_000, '1.64 MB'],
    [87_000_000, '87 MB'],
    [12_300_000_000, '12.3 GB'],
  ])('says %d bytes as %s', (bytes, said) => {
    expect(format.bytes(bytes)).toBe(said);
  });
});

describe('the name of a bucket', () => {
  const start = Date.UTC(2026, 10, 1, 5);
  it('tells the two hours of an autumn night apart', () => {
    const zone = 'America/New_York';
    expect(format.bucket(start, start + HOUR_MS, 'hour', 'UTC')).toMatch(/:00 UTC$/);
    expect(format.bucket(start, start + HOUR_MS, 'hour', zone)).toBe(
      'Sun, 1 Nov 2026, 01:00 GMT-4',
    );
    expect(format.bucket(start + HOUR_MS, start + 2 * HOUR_MS, 'hour', zone)).toBe(
      'Sun, 1 Nov 2026, 01:00 GMT-5',
    );
  });

  it.each([
    ['day', 'Sun, 1 Nov 2026'],
    ['month', 'November 2026'],
    ['quarter', 'Q4 2026'],
    ['year', '2026'],
  ] as const)('of a %s is %s', (resolution, said) => {
    expect(format.bucket(Date.UTC(2026, 10, 1), Date.UTC(2026, 10, 2), resolution, 'UTC')).toBe(
      said,
    );
  });

  it('of a week is its days', () => {
    const week = format.bucket(Date.UTC(2026, 2, 2), Date.UTC(2026, 2, 9), 'week', 'UTC');
    expect(week).toBe('2–8 Mar 2026');
  });
});

describe('a date in an English sentence', () => {
  const start = Date.UTC(2016, 9, 6);
  const end = start + 24 * HOUR_MS;
  it.each([
    ['en-GB', 'Thu, 6 Oct 2016', 'October 2016', 'Oct', '6 Oct 2016, 14:02', '3–9 Oct 2016'],
    ['en-US', 'Thu, Oct 6, 2016', 'October 2016', 'Oct', 'Oct 6, 2016, 14:02', 'Oct 3–9, 2016'],
    ['de', 'Thu, 6 Oct 2016', 'October 2016', 'Oct', '6 Oct 2016, 14:02', '3–9 Oct 2016'],
    ['ja', 'Thu, 2016-10-06', 'October 2016', 'Oct', '2016-10-06 14:02', '2016-10-03 – 2016-10-09'],
    ['ar-EG', 'Thu, 6 Oct 2016', 'October 2016', 'Oct', '6 Oct 2016, 14:02', '3–9 Oct 2016'],
  ])('has English names in the order of %s: %s', (locale, day, month, short, moment, week) => {
    const of = new Formatter(locale);
    expect(of.bucket(start, end, 'day')).toBe(day);
    expect(of.bucket(start, end, 'hour')).toBe(`Thu, ${of.moment(start)} UTC`);
    expect(of.bucket(start, end, 'month')).toBe(month);
    expect(of.month(10)).toBe(short);
    expect(of.weekday(start)).toBe('Thu');
    expect(of.moment(start + 14 * HOUR_MS + 2 * 60_000)).toBe(moment);
    const monday = Date.UTC(2016, 9, 3);
    const seven = of.bucket(monday, monday + 7 * 24 * HOUR_MS, 'week');
    expect(seven).toBe(week);
  });

  it('has numbers of the locale, with English units', () => {
    const german = new Formatter('de');
    expect(german.count(1_234_567)).toBe('1.234.567');
    expect(german.bytes(1_640_000)).toBe('1,64 MB');
    expect(new Formatter('ja').bytes(512)).toBe('512 bytes');
  });
});

describe('a range', () => {
  it('is its days where it begins and ends at midnights of the zone', () => {
    const span = { start: Date.UTC(2026, 1, 28, 23), end: Date.UTC(2026, 2, 31, 22) };
    expect(format.span(span, 'Europe/Berlin')).toBe('1–31 Mar 2026');
    expect(format.span(span, 'UTC')).toBe('28 Feb 2026, 23:00 – 31 Mar 2026, 22:00');
  });
});

describe('time that is left', () => {
  it.each([
    [-5, '0:00'],
    [400, '0:01'],
    [41_000, '0:41'],
    [725_000, '12:05'],
    [3_729_000, '1:02:09'],
  ])('%i ms is %s', (ms, said) => {
    expect(countdown(ms)).toBe(said);
  });
});

describe('small words', () => {
  it.each([
    [59_999, 'just now'],
    [60_000, '1 minute ago'],
    [59.9 * 60_000, '59 minutes ago'],
    [23.9 * HOUR_MS, '23 hours ago'],
    [24 * HOUR_MS, '1 day ago'],
    [400.5 * 24 * HOUR_MS, '400 days ago'],
  ])('says of %i ms ago "%s", in English in every locale', (ms, text) => {
    expect(format.ago(ms)).toBe(text);
    expect(new Formatter('de').ago(ms)).toBe(text);
  });
  it('names a zone by its city', () => {
    expect(zoneCity('America/Argentina/Buenos_Aires')).toBe('Buenos Aires');
    expect(zoneCity('UTC')).toBe('UTC');
  });
});
