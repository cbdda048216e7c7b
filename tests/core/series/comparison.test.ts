import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { alignEarlier, placed } from '#core/series/align-comparison.ts';
import { chosenSpan } from '#core/series/chosen-span.ts';
import {
  EARLIER,
  earlierSpan,
  parsePeriod,
  periodText,
  type Earlier,
} from '#core/series/comparison.ts';
import { boundaries } from '#core/time/boundary.ts';
import { RESOLUTIONS, type Resolution } from '#core/time/resolution.ts';
import { ARCHIVE_START, DAY_MS, HOUR_MS, MINUTE_MS, type Span } from '#core/time/span.ts';
import { isoLocal, localDate, localDayStart, offsetAt, zoneTable } from '#core/time/zone.ts';
import { runs } from '#tests/support/run/runs.ts';

const REACH = { start: ARCHIVE_START, end: Date.UTC(2030, 0, 1) };
const ZONES = [
  'UTC',
  'America/New_York',
  'Asia/Kolkata',
  'Australia/Lord_Howe',
  'America/Havana',
  'Pacific/Apia',
  'Antarctica/Troll',
  'America/St_Johns',
];
const zone = fc.constantFrom(...ZONES);
const earlierOne = fc.constantFrom(...EARLIER);

/** Two local times as written in these tests: `2026-03-01` or `2026-03-01T10:00-05:00`. */
function spanOf(name: string, from: string, to: string): Span {
  const table = zoneTable(name, REACH);
  const at = (text: string): number => {
    const [year = 0, month = 0, day = 0] = text.split('-').map(Number);
    return text.length === 10 ? localDayStart(table, { year, month, day }) : Date.parse(text);
  };
  return { start: at(from), end: at(to) };
}

function shown(name: string, from: string, to: string, earlier: Earlier): string[] | null {
  const table = zoneTable(name, REACH);
  const found = earlierSpan(spanOf(name, from, to), earlier, table);
  return found && [found.start, found.end].map((at) => isoLocal(table, at).slice(0, 16));
}

/** Buckets of a span of whole days and of its earlier one, and their alignment. */
function under(name: string, span: Span, earlier: Earlier, resolution: Resolution, times = 1) {
  const table = zoneTable(name, REACH);
  const found = earlierSpan(span, earlier, table, times);
  if (!found) throw new RangeError('expected an earlier span');
  const bounds = boundaries(span, resolution, table, 1);
  const earlierBounds = boundaries(found, resolution, table, 1);
  const aligned = alignEarlier(bounds, earlierBounds, earlier, resolution, table, times);
  return { table, bounds, earlierBounds, aligned };
}

/** Whole local days from a date on. */
const days = fc
  .tuple(zone, fc.integer({ min: 450, max: 8000 }), fc.integer({ min: 1, max: 70 }))
  .map(([name, first, length]) => {
    const table = zoneTable(name, REACH);
    const start = localDayStart(table, { year: 2006, month: 3, day: 22 + first });
    const end = localDayStart(table, { year: 2006, month: 3, day: 22 + first + length });
    return { name, span: { start, end } };
  })
  .filter(({ span }) => span.start < span.end);

describe('the earlier span', () => {
  it.each([
    // Days, over a change of the clock: local days, not hours.
    ['previous', 'America/New_York', '2026-03-05', '2026-03-12', '2026-02-26', '2026-03-05'],
    ['previous', 'America/New_York', '2026-03-09', '2026-03-10', '2026-03-08', '2026-03-09'],
    // Whole months, quarters and years by their calendar.
    ['previous', 'Europe/Berlin', '2026-03-01', '2026-04-01', '2026-02-01', '2026-03-01'],
    ['previous', 'Europe/Berlin', '2026-04-01', '2026-07-01', '2026-01-01', '2026-04-01'],
    ['previous', 'Europe/Berlin', '2025-01-01', '2026-01-01', '2024-01-01', '2025-01-01'],
    ['previous', 'UTC', '2026-01-01', '2026-02-01', '2025-12-01', '2026-01-01'],
    ['weekdays', 'Europe/Berlin', '2026-03-28', '2026-04-04', '2026-03-21', '2026-03-28'],
    ['weekdays', 'UTC', '2026-03-01', '2026-03-31', '2026-01-25', '2026-02-24'],
    ['year', 'UTC', '2025-03-01', '2025-04-01', '2024-03-01', '2024-04-01'],
    ['year', 'UTC', '2024-02-29', '2024-03-01', '2023-02-28', '2023-03-01'],
    ['year', 'UTC', '2024-02-01', '2024-03-01', '2023-02-01', '2023-03-01'],
    ['year', 'UTC', '2024-02-01', '2024-02-29', '2023-02-01', '2023-03-01'],
    ['year', 'America/Havana', '2026-03-08', '2026-03-09', '2025-03-08', '2025-03-09'],
  ] as const)('%s in %s of %s to %s is %s to %s', (earlier, name, from, to, start, end) => {
    const { start: at, end: until } = spanOf(name, start, end);
    const found = earlierSpan(spanOf(name, from, to), earlier, zoneTable(name, REACH));
    expect(found).toEqual({ start: at, end: until });
  });

  it('of partial days has the same length, and adjoins it', () => {
    const day = ['2026-03-08T10:00-04:00', '2026-03-09T10:00-04:00'] as const;
    const before = ['2026-03-07T09:00', '2026-03-08T10:00'];
    expect(shown('America/New_York', ...day, 'previous')).toEqual(before);
  });

  it('of partial days keeps the time of day a week and a year before', () => {
    const of = (earlier: Earlier): string[] | null =>
      shown('America/New_York', '2026-03-08T10:00-04:00', '2026-03-09T10:00-04:00', earlier);
    expect(of('weekdays')).toEqual(['2026-03-01T10:00', '2026-03-02T10:00']);
    expect(of('year')).toEqual(['2025-03-08T10:00', '2025-03-09T10:00']);
  });

  it('is null if the clock skipped all of it', () => {
    const span = ['2026-03-15T02:00-04:00', '2026-03-15T03:00-04:00'] as const;
    expect(shown('America/New_York', ...span, 'weekdays')).toBeNull();
    expect(shown('America/New_York', ...span, 'previous')).not.toBeNull();
  });

  it('is not empty and, except for a year before, ends at the start of the span or earlier', () => {
    fc.assert(
      fc.property(
        zone,
        earlierOne,
        fc.integer({ min: REACH.start + 500 * DAY_MS, max: REACH.end - 100 * DAY_MS }),
        fc.integer({ min: 1, max: 80 * DAY_MS }),
        (name, earlier, start, length) => {
          const found = earlierSpan(
            { start, end: start + length },
            earlier,
            zoneTable(name, REACH),
          );
          if (!found) return;
          expect(found.start).toBeLessThan(found.end);
          expect(found.end).toBeLessThanOrEqual(start);
          if (earlier === 'previous') expect(found.end).toBe(start);
        },
      ),
    );
  });

  it('of whole days has whole days', () => {
    fc.assert(
      fc.property(days, earlierOne, ({ name, span }, earlier) => {
        const table = zoneTable(name, REACH);
        const found = earlierSpan(span, earlier, table);
        if (!found) return;
        for (const at of [found.start, found.end]) {
          expect(localDayStart(table, localDate(table, at))).toBe(at);
        }
      }),
    );
  });

  it.each([
    ['year', 2, '2024-02-29', '2024-03-01', '2022-02-28', '2022-03-01'],
    // From the span itself, not from the year between, which has no 29 February.
    ['year', 4, '2024-02-29', '2024-03-01', '2020-02-29', '2020-03-01'],
    ['year', 3, '2026-01-01', '2027-01-01', '2023-01-01', '2024-01-01'],
    ['weekdays', 3, '2026-03-28', '2026-04-04', '2026-03-07', '2026-03-14'],
    ['previous', 3, '2026-03-05', '2026-03-12', '2026-02-12', '2026-02-19'],
    ['previous', 3, '2026-03-01', '2026-04-01', '2025-12-01', '2026-01-01'],
  ] as const)('%s, %i times, of %s to %s is %s to %s', (earlier, times, from, to, start, end) => {
    const table = zoneTable('Europe/Berlin', REACH);
    const found = earlierSpan(spanOf('Europe/Berlin', from, to), earlier, table, times);
    expect(found).toEqual(spanOf('Europe/Berlin', start, end));
  });

  it('of several steps back adjoins or precedes the one before it', () => {
    fc.assert(
      fc.property(days, earlierOne, fc.integer({ min: 2, max: 5 }), ({ name, span }, by, times) => {
        const table = zoneTable(name, REACH);
        const [far, near] = [times, times - 1].map((each) => earlierSpan(span, by, table, each));
        if (!far || !near) return;
        expect(far.end).toBeLessThanOrEqual(near.start);
        if (by === 'previous') expect(far.end).toBe(near.start);
      }),
    );
  });

  it('refuses an empty span', () => {
    expect(() => earlierSpan({ start: 5, end: 5 }, 'year', zoneTable('UTC', REACH))).toThrow(
      RangeError,
    );
  });
});

describe('earlier buckets under those in view', () => {
  it('ascend, without repeats, within bounds', () => {
    fc.assert(
      fc.property(
        zone,
        earlierOne,
        fc.constantFrom(...RESOLUTIONS),
        fc.integer({ min: REACH.start + 500 * DAY_MS, max: REACH.end - 100 * DAY_MS }),
        fc.integer({ min: 1, max: 80 * DAY_MS }),
        (name, earlier, resolution, start, length) => {
          const short = resolution === 'minute' ? 1 + (length % (3 * DAY_MS)) : length;
          const span = { start, end: start + short };
          if (!earlierSpan(span, earlier, zoneTable(name, REACH))) return;
          const { bounds, earlierBounds, aligned } = under(name, span, earlier, resolution);
          expect(aligned).toHaveLength(bounds.length - 1);
          let before = -1;
          for (const index of aligned) {
            if (index < 0) continue;
            expect(index).toBeGreaterThan(before);
            before = index;
          }
          expect(before).toBeLessThan(earlierBounds.length - 1);
        },
      ),
      { numRuns: runs(300) },
    );
  });

  it('keep the weekday where the zone skipped the first earlier day', () => {
    // Apia has no Friday, 30 December 2011.
    const name = 'Pacific/Apia';
    const { table, earlierBounds, aligned } = under(
      name,
      spanOf(name, '2012-01-06', '2012-01-09'),
      'weekdays',
      'day',
    );
    expect(isoLocal(table, earlierBounds[0] ?? 0).slice(0, 10)).toBe('2011-12-31');
    expect([...aligned]).toEqual([-1, 0, 1]);
  });

  it('have the same time of day and, for weekdays, the same weekday', () => {
    fc.assert(
      fc.property(
        days,
        earlierOne,
        fc.constantFrom('hour', 'day'),
        fc.integer({ min: 1, max: 5 }),
        ({ name, span }, earlier, resolution, times) => {
          const found = earlierSpan(span, earlier, zoneTable(name, REACH), times);
          if (!found || found.start < REACH.start) return;
          const all = under(name, span, earlier, resolution, times);
          const { table, bounds, earlierBounds, aligned } = all;
          aligned.forEach((index, i) => {
            if (index < 0) return;
            const at = bounds[i] ?? NaN;
            const before = earlierBounds[index] ?? NaN;
            const wall = new Date(at + offsetAt(table, at));
            const wallBefore = new Date(before + offsetAt(table, before));
            if (earlier === 'weekdays') expect(wallBefore.getUTCDay()).toBe(wall.getUTCDay());
            if (resolution === 'hour') {
              expect(wallBefore.getTime() % DAY_MS).toBe(wall.getTime() % DAY_MS);
            }
            if (earlier === 'year' && wall.toISOString().slice(5, 10) !== '02-29') {
              expect(wallBefore.toISOString().slice(5, 10)).toBe(wall.toISOString().slice(5, 10));
              expect(wall.getUTCFullYear() - wallBefore.getUTCFullYear()).toBe(times);
            }
          });
        },
      ),
      { numRuns: runs(200) },
    );
  });

  it('are all those that show the same time', () => {
    fc.assert(
      fc.property(
        days,
        fc.constantFrom('previous', 'weekdays'),
        fc.constantFrom('hour', 'day'),
        ({ name, span }, earlier, resolution) => {
          if (!earlierSpan(span, earlier, zoneTable(name, REACH))) return;
          const { table, bounds, earlierBounds, aligned } = under(name, span, earlier, resolution);
          /** Each bucket as days and hours since the first date, with how often its time was shown before. */
          const dateOf = (edges: Float64Array): number => {
            const { year, month, day } = localDate(table, edges[0] ?? 0);
            return Date.UTC(year, month - 1, day);
          };
          const week = 7 * DAY_MS;
          const apart = dateOf(bounds) - dateOf(earlierBounds);
          // The first earlier day may be one that the zone skipped.
          const missing = earlier === 'weekdays' ? (week - (apart % week)) % week : 0;
          const keys = (edges: Float64Array, before = 0): string[] => {
            const seen = new Map<number, number>();
            const first = dateOf(edges) - before;
            return Array.from(edges.subarray(0, -1), (at) => {
              const wall = at + offsetAt(table, at) - first;
              const place = resolution === 'day' ? Math.floor(wall / DAY_MS) : wall;
              seen.set(place, (seen.get(place) ?? -1) + 1);
              return `${place}#${seen.get(place)}`;
            });
          };
          const places = new Map(keys(earlierBounds, missing).map((key, index) => [key, index]));
          expect([...aligned]).toEqual(keys(bounds).map((key) => places.get(key) ?? -1));
        },
      ),
      { numRuns: runs(150) },
    );
  });

  it('are aligned by order if the spans begin at different times of day', () => {
    const name = 'America/New_York';
    const span = spanOf(name, '2026-03-08T10:00-04:00', '2026-03-09T10:00-04:00');
    const { aligned } = under(name, span, 'previous', 'hour');
    expect([...aligned]).toEqual(Array.from({ length: 24 }, (_, i) => i));
  });

  it('match every bucket in spans of equal length without a clock change', () => {
    const span = spanOf('Asia/Kolkata', '2026-03-04', '2026-03-11');
    for (const resolution of ['minute', 'hour', 'day'] as const) {
      const { aligned } = under('Asia/Kolkata', span, 'previous', resolution);
      expect([...aligned]).toEqual(Array.from(aligned, (_, i) => i));
    }
  });

  it('leave out the hour that only one of the days has', () => {
    const name = 'America/New_York';
    // 25 hours over 24, 24 over 25, 23 over 24, 24 over 23.
    const autumn = under(
      name,
      spanOf(name, '2026-11-01', '2026-11-02'),
      'previous',
      'hour',
    ).aligned;
    const after = under(name, spanOf(name, '2026-11-02', '2026-11-03'), 'previous', 'hour').aligned;
    const spring = under(
      name,
      spanOf(name, '2026-03-08', '2026-03-09'),
      'previous',
      'hour',
    ).aligned;
    const past = under(name, spanOf(name, '2026-03-09', '2026-03-10'), 'previous', 'hour').aligned;
    expect([...autumn.subarray(0, 5)]).toEqual([0, 1, -1, 2, 3]);
    expect([...after.subarray(0, 5)]).toEqual([0, 1, 3, 4, 5]);
    expect([...spring.subarray(0, 5)]).toEqual([0, 1, 3, 4, 5]);
    expect([...past.subarray(0, 5)]).toEqual([0, 1, -1, 2, 3]);
    expect([autumn, after, spring, past].map((aligned) => aligned.at(-1))).toEqual([
      23, 24, 23, 22,
    ]);
  });

  it('align an hour shown twice with one shown twice', () => {
    const name = 'America/New_York';
    // Both years turn the clock back on the first Sunday of November; 2026's and 2020's are the 1st.
    const table = zoneTable(name, REACH);
    const edges = (year: number): Float64Array =>
      boundaries(spanOf(name, `${year}-11-01`, `${year}-11-02`), 'hour', table, 1);
    const aligned = alignEarlier(edges(2026), edges(2020), 'weekdays', 'hour', table);
    expect([...aligned]).toEqual(Array.from({ length: 25 }, (_, i) => i));
  });

  it('leave unmatched the days that the shorter month lacks, and 29 February if the 28th is taken', () => {
    const march = under(
      'UTC',
      spanOf('UTC', '2026-03-01', '2026-04-01'),
      'previous',
      'day',
    ).aligned;
    expect([...march.subarray(27)]).toEqual([27, -1, -1, -1]);
    const leap = under('UTC', spanOf('UTC', '2024-02-27', '2024-03-03'), 'year', 'day').aligned;
    expect([...leap]).toEqual([0, 1, -1, 2, 3]);
    const four = under('UTC', spanOf('UTC', '2024-02-27', '2024-03-03'), 'year', 'day', 4).aligned;
    expect([...four]).toEqual([0, 1, 2, 3, 4]);
    const alone = under('UTC', spanOf('UTC', '2024-02-29', '2024-03-01'), 'year', 'hour').aligned;
    expect([...alone]).toEqual(Array.from({ length: 24 }, (_, i) => i));
  });

  it('are aligned by order for weeks and longer', () => {
    const { aligned, earlierBounds } = under(
      'UTC',
      spanOf('UTC', '2024-01-01', '2025-01-01'),
      'year',
      'week',
    );
    expect(earlierBounds.length - 1).toBe(53);
    expect([...aligned]).toEqual(Array.from({ length: 53 }, (_, i) => i));
  });

  it('carry their values', () => {
    expect([...placed(Float64Array.of(5, NaN, 7), Int32Array.of(0, -1, 1, 2))]).toEqual([
      5,
      NaN,
      NaN,
      7,
    ]);
  });

  it('are found in one pass', () => {
    const span = { start: Date.UTC(2026, 0, 1), end: Date.UTC(2026, 0, 1) + 200_000 * MINUTE_MS };
    const { aligned } = under('UTC', span, 'weekdays', 'minute');
    expect(aligned.at(-1)).toBe(199_999);
    expect(aligned.at(0)).toBe(0);
    expect(span.end % HOUR_MS).not.toBe(0);
  });
});

describe('a chosen period', () => {
  const of = (
    name: string,
    [from, to]: readonly [string, string],
    text: string,
    by: Resolution = 'day',
  ) => {
    const table = zoneTable(name, REACH);
    const range = spanOf(name, from, to);
    const period = parsePeriod(text);
    if (!period) throw new RangeError(`expected a period, got ${text}`);
    const found = chosenSpan(range, range, period, by, table);
    const local = (at: number): string => isoLocal(table, at).slice(0, 16);
    return found && [local(found.span.start), local(found.span.end), found.earlier];
  };
  const WEEK = ['2026-03-05', '2026-03-12'] as const;

  it.each([
    // Over changes of the clock: local days, not hours.
    ['America/New_York', '2025-10-30', '2025-10-30T00:00', '2025-11-06T00:00', 'days'],
    ['America/New_York', '2025-11-01/2025-11-03', '2025-11-01T00:00', '2025-11-04T00:00', 'days'],
    // Thursday to Thursday.
    ['America/New_York', '2025-11-01//weekday', '2025-11-06T00:00', '2025-11-13T00:00', 'weeks'],
    ['UTC', '2025-11-01/2025-11-08/weekday', '2025-11-06T00:00', '2025-11-09T00:00', 'weeks'],
    ['UTC', '2026-04-01//weekday', '2026-04-02T00:00', '2026-04-09T00:00', 'weeks'],
    // Shown by days, a time of day has no meaning.
    ['UTC', '2025-11-01 14:30', '2025-11-01T00:00', '2025-11-08T00:00', 'days'],
  ])('in %s from %s is %s to %s', (name, text, start, end, earlier) => {
    expect(of(name, WEEK, text)).toEqual([start, end, earlier]);
  });

  it('by a stopwatch has the same length in time, over a change of the clock', () => {
    const day = ['2026-03-07', '2026-03-08'] as const;
    const [start, end] = ['2026-03-08T00:30', '2026-03-09T01:30'];
    expect(of('America/New_York', day, '2026-03-08 00:30', 'minute')).toEqual([
      start,
      end,
      'elapsed',
    ]);
    const hours = ['2026-03-08T00:00', '2026-03-09T01:00', 'elapsed'];
    expect(of('America/New_York', day, '2026-03-08 00:30', 'hour')).toEqual(hours);
  });

  it('is none if it ends before it begins, or has a time that does not exist', () => {
    expect(of('UTC', WEEK, '2025-11-08/2025-11-01')).toBeNull();
    expect(of('UTC', WEEK, '2025-02-30')).toBeNull();
    expect(['', '2025', '2025-1-1', '2025-01-01/weekday'].map(parsePeriod)).toEqual(
      Array(4).fill(undefined),
    );
  });

  it('has whole days of the same weekdays, and buckets under those with the same clock time', () => {
    const periods = fc.record({
      from: fc.constantFrom('2011-12-29', '2015-03-07', '2019-10-26', '2024-02-28'),
      to: fc.constant(''),
      by: fc.constantFrom('start' as const, 'weekday' as const),
    });
    fc.assert(
      fc.property(days, periods, fc.constantFrom('hour', 'day'), ({ name, span }, period, by) => {
        expect(parsePeriod(periodText(period))).toEqual(period);
        const table = zoneTable(name, REACH);
        const found = chosenSpan(span, span, period, by, table);
        if (!found) return;
        const bounds = boundaries(span, by, table, 1);
        const past = boundaries(found.span, by, table, 1);
        const aligned = alignEarlier(bounds, past, found.earlier, by, table);
        const dayOf = (at: number): number => {
          const { year, month, day } = localDate(table, at);
          return Date.UTC(year, month - 1, day) / DAY_MS;
        };
        const weekday = period.by === 'weekday';
        const aparts = new Set<number>();
        for (const [i, k] of aligned.entries()) {
          if (k < 0) continue;
          const [now = 0, then = 0] = [bounds[i], past[k]];
          aparts.add(dayOf(now) - dayOf(then));
          if (by === 'hour') {
            expect(isoLocal(table, now).slice(11, 16)).toBe(isoLocal(table, then).slice(11, 16));
          }
        }
        expect(aparts.size).toBe(aligned.some((k) => k >= 0) ? 1 : 0);
        for (const apart of aparts) {
          if (weekday) expect(Math.abs(apart % 7)).toBe(0);
          else expect(apart).toBe(dayOf(span.start) - dayOf(found.span.start));
        }
      }),
      { numRuns: runs(100) },
    );
  });
});
