import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { ARCHIVE_START, DAY_MS, MINUTE_MS } from '#core/time/span.ts';
import { isoLocal, localDate, localDayStart, offsetAt, zoneTable } from '#core/time/zone.ts';
import { intlWall } from '#tests/support/run/intl-wall.ts';
import { runs } from '#tests/support/run/runs.ts';

const SPAN = { start: ARCHIVE_START, end: Date.UTC(2030, 0, 1) };
const ZONES = Intl.supportedValuesOf('timeZone');
const zone = fc.constantFrom(...ZONES);
const instant = fc.integer({ min: SPAN.start, max: SPAN.end - 1 });

describe('the offset table', () => {
  it('agrees with Intl at any instant of any zone', () => {
    fc.assert(
      fc.property(zone, instant, (name, at) => {
        const second = Math.floor(at / 1000) * 1000;
        const table = zoneTable(name, SPAN);
        expect(second + offsetAt(table, second)).toBe(intlWall(name, second));
      }),
      { numRuns: runs(800) },
    );
  });

  it('changes exactly where Intl changes, to the minute', () => {
    for (const name of [
      'America/New_York',
      'Australia/Lord_Howe',
      'America/St_Johns',
      'Asia/Gaza',
    ]) {
      const table = zoneTable(name, SPAN);
      for (const [i, start] of table.starts.entries()) {
        if (i === 0 || start < SPAN.start || start >= SPAN.end) continue;
        expect(start - MINUTE_MS + (table.offsets[i - 1] ?? NaN)).toBe(
          intlWall(name, start - MINUTE_MS),
        );
        expect(start + (table.offsets[i] ?? NaN)).toBe(intlWall(name, start));
      }
    }
  });

  it('has offsets that are multiples of 15 minutes in every zone', () => {
    for (const name of ZONES) {
      const table = zoneTable(name, { start: ARCHIVE_START, end: Date.UTC(2008, 0, 1) });
      for (const offset of table.offsets) expect(Math.abs(offset % (15 * MINUTE_MS))).toBe(0);
    }
  });

  it('refuses a zone that does not exist, by name', () => {
    expect(() => zoneTable('Mars/Olympus', SPAN)).toThrow('Mars/Olympus');
  });

  it('reads no offset from a name that is not a zone', () => {
    expect(() => zoneTable('Mars/Olympus+05:00', SPAN)).toThrow('Mars/Olympus+05:00');
  });
});

describe('the start of a local day', () => {
  it.each([
    ['America/New_York', 2026, 3, 8, '2026-03-08T00:00:00-05:00'],
    ['America/New_York', 2026, 11, 2, '2026-11-02T00:00:00-05:00'],
    // No 00:00: the clock goes from 23:59 to 01:00 (Brazil until 2018, Cuba, Lebanon).
    ['America/Sao_Paulo', 2017, 10, 15, '2017-10-15T01:00:00-02:00'],
    ['America/Havana', 2026, 3, 8, '2026-03-08T01:00:00-04:00'],
    // Midnight twice: the first counts (St John's until 2011 went back at 00:01).
    ['America/St_Johns', 2010, 11, 7, '2010-11-07T00:00:00-02:30'],
    // Samoa skipped a day: its start is the start of the day after.
    ['Pacific/Apia', 2011, 12, 30, '2011-12-31T00:00:00+14:00'],
    ['Pacific/Apia', 2011, 12, 31, '2011-12-31T00:00:00+14:00'],
  ])('%s %i-%i-%i is %s', (name, year, month, day, expected) => {
    const table = zoneTable(name, SPAN);
    expect(isoLocal(table, localDayStart(table, { year, month, day }))).toBe(expected);
  });

  it('is an instant of that day, and a minute earlier is not', () => {
    fc.assert(
      fc.property(zone, instant, (name, at) => {
        const table = zoneTable(name, SPAN);
        const date = localDate(table, at);
        const start = localDayStart(table, date);
        expect(localDate(table, start)).toEqual(date);
        expect(localDate(table, start - MINUTE_MS)).not.toEqual(date);
        expect(at - start).toBeLessThan(2 * DAY_MS);
      }),
      { numRuns: runs(800) },
    );
  });
});
