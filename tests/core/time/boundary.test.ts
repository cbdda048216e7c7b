import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { boundaries, isBoundary, neededGranularity } from '#core/time/boundary.ts';
import { RESOLUTIONS, type Resolution } from '#core/time/resolution.ts';
import { ARCHIVE_START, DAY_MS, HOUR_MS } from '#core/time/span.ts';
import { isoLocal, localDate, zoneTable } from '#core/time/zone.ts';
import { runs } from '#tests/support/run/runs.ts';

const REACH = { start: ARCHIVE_START, end: Date.UTC(2030, 0, 1) };
/** Every zone with odd rules (ledger rule 22), and some plain ones. */
const ZONES = [
  'UTC',
  'Europe/Berlin',
  'America/New_York',
  'America/St_Johns',
  'Asia/Kolkata',
  'Asia/Kathmandu',
  'Australia/Adelaide',
  'Australia/Lord_Howe',
  'Pacific/Chatham',
  'Pacific/Apia',
  'America/Caracas',
  'Asia/Pyongyang',
  'Antarctica/Troll',
  'Antarctica/Casey',
  'America/Sao_Paulo',
  'Africa/Casablanca',
];

const local = (zone: string, from: string, to: string, resolution: Resolution): string[] => {
  const table = zoneTable(zone, REACH);
  const edges = boundaries({ start: Date.parse(from), end: Date.parse(to) }, resolution, table, 1);
  return Array.from(edges, (edge) => isoLocal(table, edge));
};

const hours = (edges: Float64Array): number[] =>
  Array.from(edges.subarray(1), (edge, i) => (edge - (edges[i] ?? 0)) / HOUR_MS);

describe('edges of a zone', () => {
  it('ascend from the start of the span to its end, and every inner one begins a bucket', () => {
    fc.assert(
      fc.property(
        fc.constantFrom(...ZONES),
        fc.constantFrom(...RESOLUTIONS),
        fc.integer({ min: REACH.start, max: REACH.end - 40 * DAY_MS }),
        fc.integer({ min: 1, max: 40 * DAY_MS }),
        (zone, resolution, start, length) => {
          const span = {
            start,
            end: start + (resolution === 'minute' ? 1 + (length % DAY_MS) : length),
          };
          const table = zoneTable(zone, REACH);
          const edges = boundaries(span, resolution, table, 1);
          expect(edges[0]).toBe(span.start);
          expect(edges.at(-1)).toBe(span.end);
          for (let i = 1; i < edges.length; i++) {
            expect(edges[i]).toBeGreaterThan(edges[i - 1] ?? 0);
          }
          for (const edge of edges.subarray(1, -1).filter((_, i) => i % 97 === 0)) {
            expect(isBoundary(edge, resolution, table, 1)).toBe(true);
          }
        },
      ),
      { numRuns: runs(400) },
    );
  });

  it('cut days so that each has exactly the instants of one local date', () => {
    fc.assert(
      fc.property(
        fc.constantFrom(...ZONES),
        fc.integer({ min: REACH.start, max: REACH.end - 20 * DAY_MS }),
        (zone, start) => {
          const table = zoneTable(zone, REACH);
          const edges = boundaries({ start, end: start + 20 * DAY_MS }, 'day', table, 1);
          const dates = Array.from(edges.subarray(0, -1), (edge) =>
            JSON.stringify(localDate(table, edge)),
          );
          expect(new Set(dates).size).toBe(dates.length);
        },
      ),
      { numRuns: runs(400) },
    );
  });

  it('give days of 23 or 25 hours where clocks change', () => {
    const days = (zone: string, from: string, to: string): number[] => {
      const table = zoneTable(zone, REACH);
      const whole = boundaries({ start: Date.parse(from), end: Date.parse(to) }, 'day', table, 1);
      return hours(whole.subarray(1, -1));
    };
    expect(days('America/New_York', '2026-03-06T12:00Z', '2026-03-11T12:00Z')).toEqual([
      24, 23, 24, 24,
    ]);
    expect(days('America/New_York', '2026-10-30T12:00Z', '2026-11-03T12:00Z')).toEqual([
      24, 25, 24,
    ]);
    expect(days('Australia/Lord_Howe', '2026-04-03T12:00Z', '2026-04-07T12:00Z')).toEqual([
      24, 24.5, 24,
    ]);
    expect(days('Antarctica/Troll', '2026-03-27T12:00Z', '2026-03-31T12:00Z')).toEqual([
      24, 22, 24,
    ]);
    // Samoa had no 30 December 2011.
    expect(local('Pacific/Apia', '2011-12-28T12:00Z', '2012-01-01T10:00Z', 'day')).toEqual([
      '2011-12-28T02:00:00-10:00',
      '2011-12-29T00:00:00-10:00',
      '2011-12-31T00:00:00+14:00',
      '2012-01-01T00:00:00+14:00',
      '2012-01-02T00:00:00+14:00',
    ]);
  });

  it('keep the repeated hour in autumn as a separate hour', () => {
    expect(local('America/New_York', '2026-11-01T04:00Z', '2026-11-01T08:00Z', 'hour')).toEqual([
      '2026-11-01T00:00:00-04:00',
      '2026-11-01T01:00:00-04:00',
      '2026-11-01T01:00:00-05:00',
      '2026-11-01T02:00:00-05:00',
      '2026-11-01T03:00:00-05:00',
    ]);
  });

  it('begin hours on the half hour where the zone does', () => {
    expect(local('Asia/Kolkata', '2026-01-01T00:00Z', '2026-01-01T02:00Z', 'hour')).toEqual([
      '2026-01-01T05:30:00+05:30',
      '2026-01-01T06:00:00+05:30',
      '2026-01-01T07:00:00+05:30',
      '2026-01-01T07:30:00+05:30',
    ]);
  });

  it('begin weeks on Monday or Sunday, months, quarters and years on their first', () => {
    const table = zoneTable('Europe/Berlin', REACH);
    const span = { start: Date.parse('2025-12-20T00:00Z'), end: Date.parse('2026-04-03T00:00Z') };
    const second = (resolution: Resolution, weekStart: 1 | 7 = 1): string =>
      isoLocal(table, boundaries(span, resolution, table, weekStart)[1] ?? 0);
    expect(second('week')).toBe('2025-12-22T00:00:00+01:00');
    expect(second('week', 7)).toBe('2025-12-21T00:00:00+01:00');
    expect(second('month')).toBe('2026-01-01T00:00:00+01:00');
    expect(second('quarter')).toBe('2026-01-01T00:00:00+01:00');
    expect(second('year')).toBe('2026-01-01T00:00:00+01:00');
  });

  it('refuse an empty span', () => {
    const table = zoneTable('UTC', REACH);
    expect(() => boundaries({ start: 5, end: 5 }, 'day', table, 1)).toThrow(RangeError);
  });
});

describe('the granularity that edges need', () => {
  it.each([
    ['UTC', 'day', 'day'],
    ['UTC', 'hour', 'hour'],
    ['UTC', 'minute', 'minute'],
    ['Europe/Berlin', 'day', 'hour'],
    ['Europe/Berlin', 'year', 'hour'],
    ['Asia/Kolkata', 'day', 'minute'],
    ['Asia/Kathmandu', 'month', 'minute'],
    ['Africa/Abidjan', 'day', 'day'],
  ] as const)('%s by %s: %s', (zone, resolution, expected) => {
    const span = { start: Date.UTC(2026, 0, 1), end: Date.UTC(2027, 5, 1) };
    const table = zoneTable(zone, REACH);
    expect(neededGranularity(boundaries(span, resolution, table, 1))).toBe(expected);
  });

  it('depends on the instants, not the name: Caracas needs minutes only while its offset had a half hour', () => {
    const table = zoneTable('America/Caracas', REACH);
    const year = (y: number): string =>
      neededGranularity(
        boundaries({ start: Date.UTC(y, 1, 1), end: Date.UTC(y, 2, 1) }, 'day', table, 1).subarray(
          1,
          -1,
        ),
      );
    expect([2007, 2010, 2020].map(year)).toEqual(['hour', 'minute', 'hour']);
  });
});
