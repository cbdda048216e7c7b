import * as fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { formatInstant, formatMinute, parseInstant } from '#contract/instant.ts';

describe('an instant of the interface', () => {
  // Formats of platform-facts 1.1 and 1.7.
  it.each([
    ['2021-09-20T19:18:34Z', '2021-09-20T19:18:34.000Z'],
    ['2021-09-20T19:18:34.000Z', '2021-09-20T19:18:34.000Z'],
    ['2021-09-20T19:18:34.999Z', '2021-09-20T19:18:34.000Z'],
    ['2021-09-20T19:18:34.5Z', '2021-09-20T19:18:34.000Z'],
    ['2021-09-20T19:18:34.123456789Z', '2021-09-20T19:18:34.000Z'],
    ['2021-09-20T19:18Z', '2021-09-20T19:18:00.000Z'],
    ['2021-09-20T19:18:34+00:00', '2021-09-20T19:18:34.000Z'],
    // From an address with an unescaped `+`.
    ['2021-09-20T00:18:34 05:30', '2021-09-19T18:48:34.000Z'],
    ['2021-09-20T19:18:34.000-07:00', '2021-09-21T02:18:34.000Z'],
    ['2021-09-20T00:18:34+05:30', '2021-09-19T18:48:34.000Z'],
    ['2021-09-20T00:18:34+0530', '2021-09-19T18:48:34.000Z'],
    ['2021-09-20t19:18:34z', '2021-09-20T19:18:34.000Z'],
    ['2020-02-29T00:00:00Z', '2020-02-29T00:00:00.000Z'],
    ['1969-12-31T23:59:59Z', '1969-12-31T23:59:59.000Z'],
    ['0099-03-01T00:00:00Z', '0099-03-01T00:00:00.000Z'],
  ])('reads %s as %s', (text, expected) => {
    expect(formatInstant(parseInstant(text) ?? NaN)).toBe(expected);
  });

  it.each([
    '',
    'yesterday',
    '2021-09-20',
    '2021-09-20T19:18:34',
    '2021-09-20T19Z',
    '2021-09-20 19:18:34Z',
    ' 2021-09-20T19:18:34Z',
    '2021-9-20T19:18:34Z',
    '2021-02-29T00:00:00Z',
    '2021-13-01T00:00:00Z',
    '2021-00-10T00:00:00Z',
    '2021-04-31T00:00:00Z',
    '2021-04-30T24:00:00Z',
    '2021-04-30T23:60:00Z',
    '2021-04-30T23:59:60Z',
    '2021-04-30T23:59:59.Z',
    '2021-04-30T23:59:59+24:00',
    '2021-04-30T23:59:59+01:60',
    '2021-04-30T23:59:59+1',
    '+002021-04-30T23:59:59Z',
    '1619827199',
  ])('is not %j', (text) => {
    expect(parseInstant(text)).toBeNull();
  });

  it('is read back as written, for every whole second', () => {
    const second = fc.integer({ min: -62_000_000_000, max: 253_000_000_000 });
    fc.assert(
      fc.property(second, (seconds) => {
        expect(parseInstant(formatInstant(seconds * 1000))).toBe(seconds * 1000);
      }),
    );
  });

  it('is truncated to the minute in messages', () => {
    expect(formatMinute(Date.parse('2025-01-17T09:13:24Z'))).toBe('2025-01-17T09:13Z');
  });
});
