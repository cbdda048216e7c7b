import { describe, expect, it } from 'vitest';
import { localText, parseLocal } from '#core/time/local-text.ts';
import { presetSpan, type Preset } from '#core/time/presets.ts';
import { ARCHIVE_START, DAY_MS, HOUR_MS, MINUTE_MS } from '#core/time/span.ts';
import { isoLocal, zoneTable } from '#core/time/zone.ts';
import { long } from '#tests/support/run/long.ts';

const REACH = { start: ARCHIVE_START, end: Date.UTC(2030, 0, 1) };
const NOW = Date.parse('2026-11-20T13:45:30Z');

describe('a preset', () => {
  const berlin = zoneTable('Europe/Berlin', REACH);
  const shown = (preset: Preset, weekStart: 1 | 7 = 1): string[] => {
    const { start, end } = presetSpan(preset, NOW, berlin, weekStart, REACH);
    return [start, end].map((at) => isoLocal(berlin, at).slice(0, 16));
  };

  it.each<[Preset, string, string]>([
    ['1h', '2026-11-20T13:46', '2026-11-20T14:46'],
    ['24h', '2026-11-19T14:46', '2026-11-20T14:46'],
    ['7d', '2026-11-14T00:00', '2026-11-21T00:00'],
    ['30d', '2026-10-22T00:00', '2026-11-21T00:00'],
    ['90d', '2026-08-23T00:00', '2026-11-21T00:00'],
    ['1y', '2025-11-21T00:00', '2026-11-21T00:00'],
    ['3y', '2023-11-21T00:00', '2026-11-21T00:00'],
    ['this-week', '2026-11-16T00:00', '2026-11-23T00:00'],
    ['last-week', '2026-11-09T00:00', '2026-11-16T00:00'],
    ['this-month', '2026-11-01T00:00', '2026-12-01T00:00'],
    ['last-month', '2026-10-01T00:00', '2026-11-01T00:00'],
    ['this-quarter', '2026-10-01T00:00', '2027-01-01T00:00'],
    ['last-quarter', '2026-07-01T00:00', '2026-10-01T00:00'],
    ['this-year', '2026-01-01T00:00', '2027-01-01T00:00'],
    ['last-year', '2025-01-01T00:00', '2026-01-01T00:00'],
  ])('%s is whole local days, from %s to %s', (preset, start, end) => {
    expect(shown(preset)).toEqual([start, end]);
  });

  it.each<[Preset, string, string, string]>([
    // 29 February counts as the 28th of a year without one.
    ['1y', '2024-02-29T12:00Z', '2023-03-01T00:00', '2024-03-01T00:00'],
    ['3y', '2024-02-29T12:00Z', '2021-03-01T00:00', '2024-03-01T00:00'],
    ['1y', '2024-02-28T12:00Z', '2023-03-01T00:00', '2024-02-29T00:00'],
    ['1y', '2024-03-01T12:00Z', '2023-03-02T00:00', '2024-03-02T00:00'],
    ['1y', '2025-02-28T12:00Z', '2024-02-29T00:00', '2025-03-01T00:00'],
  ])('%s at %s begins the day after the same date, at %s', (preset, now, start, end) => {
    const span = presetSpan(preset, Date.parse(now), berlin, 1, REACH);
    const local = [span.start, span.end].map((at) => isoLocal(berlin, at).slice(0, 16));
    expect(local).toEqual([start, end]);
  });

  it('begins weeks on Sunday on request', () => {
    expect(shown('this-week', 7)).toEqual(['2026-11-15T00:00', '2026-11-22T00:00']);
  });

  it('of 30 days touches at most 31 UTC days in every zone (one page)', () => {
    // The table of a zone takes milliseconds: the short form makes those of some.
    const zones = Intl.supportedValuesOf('timeZone').filter((_, i) => long() || i % 4 === 0);
    for (const zone of zones) {
      for (const now of [NOW, Date.parse('2026-03-29T00:30Z'), Date.parse('2026-11-01T05:30Z')]) {
        const span = presetSpan('30d', now, zoneTable(zone, REACH), 1, REACH);
        const days = Math.ceil(Math.min(span.end, now) / DAY_MS) - Math.floor(span.start / DAY_MS);
        expect(days, zone).toBeLessThanOrEqual(31);
      }
    }
  });
});

describe('a typed time', () => {
  const table = zoneTable('America/New_York', REACH);
  const read = (text: string): string => {
    const found = parseLocal(text, table);
    return found.ok
      ? isoLocal(table, found.instant)
      : `${found.at}+${found.length} ${found.message}`;
  };

  it.each([
    ['2026-03-08', '2026-03-08T00:00:00-05:00'],
    [' 2026-03-08 14:30 ', '2026-03-08T14:30:00-04:00'],
    ['2026-03-08T14:30', '2026-03-08T14:30:00-04:00'],
    // Skipped by the clock: the instant of the skip. Shown twice: the first.
    ['2026-03-08 02:30', '2026-03-08T03:00:00-04:00'],
    ['2026-11-01 01:30', '2026-11-01T01:30:00-04:00'],
    ['2026-11-01 01:30-05:00', '2026-11-01T01:30:00-05:00'],
    ['2026-11-01 01:30 -04:00', '2026-11-01T01:30:00-04:00'],
    ['2024-02-29', '2024-02-29T00:00:00-05:00'],
  ])('%s is %s', (text, expected) => {
    expect(read(text)).toBe(expected);
  });

  it.each(['America/New_York', 'Antarctica/Troll', 'Australia/Lord_Howe', 'America/Havana'])(
    'is restored from its text in %s, also if the clock shows it twice',
    (zone) => {
      const own = zoneTable(zone, REACH);
      const changes = own.starts.filter((at) => at > REACH.start && at < REACH.end);
      expect(changes.length).toBeGreaterThan(20);
      for (const change of changes) {
        for (let at = change - 3 * HOUR_MS; at <= change + 3 * HOUR_MS; at += 10 * MINUTE_MS) {
          expect(parseLocal(localText(at, own), own)).toMatchObject({ ok: true, instant: at });
        }
      }
    },
  );

  it.each([
    ['yesterday', '0+9 "yesterday" is not a date like 2026-03-08 or 2026-03-08 14:30'],
    ['2026-11-01 01:30-06:00', '16+6 America/New_York is not at -06:00 then'],
    ['2026-13-01', '5+2 there is no month 13'],
    [' 2026-02-29', '9+2 2026-02 has no day 29'],
    ['2026-02-01 24:00', '11+2 there is no hour 24'],
    ['2026-02-01 23:60', '14+2 there is no minute 60'],
  ])('%s is refused with the position: %s', (text, expected) => {
    expect(read(text)).toBe(expected);
  });
});
