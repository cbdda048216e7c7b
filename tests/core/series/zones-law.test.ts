import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { rollup } from '#core/series/rollup.ts';
import { STATE, type Curve, type Series } from '#core/series/series.ts';
import { boundaries, neededGranularity } from '#core/time/boundary.ts';
import { BUCKET_MS, type Granularity } from '#core/time/bucket.ts';
import type { Resolution, WeekStart } from '#core/time/resolution.ts';
import { ARCHIVE_START, DAY_MS, HOUR_MS, MINUTE_MS, type Span } from '#core/time/span.ts';
import { zoneTable } from '#core/time/zone.ts';
import { long } from '#tests/support/run/long.ts';

/** Twenty years, with all relevant clock changes of every zone. */
const REACH: Span = { start: ARCHIVE_START, end: Date.UTC(2026, 2, 21) };
const ZONES = Intl.supportedValuesOf('timeZone');
/** Zones with odd changes: by half an hour, two hours, three hours, a whole day. */
const ODD = ['Australia/Lord_Howe', 'Antarctica/Troll', 'Antarctica/Casey', 'Pacific/Apia'];
/** The time on either side of a change, so that a whole month and some weeks lie within. */
const AROUND_MS = 35 * DAY_MS;

/** One query's counts at every granularity, and the number of Posts before each minute. */
interface Counted {
  readonly span: Span;
  readonly series: Readonly<Record<Granularity, Series>>;
  readonly before: Float64Array;
}

/** Counts that look random and depend on the minute alone. */
function counted(span: Span): Counted {
  const size = (span.end - span.start) / MINUTE_MS;
  const first = span.start / MINUTE_MS;
  const counts = new Uint32Array(size);
  const before = new Float64Array(size + 1);
  for (let i = 0; i < size; i++) {
    counts[i] = Math.imul(first + i, 0x9e3779b1) >>> 28;
    before[i + 1] = (before[i] ?? 0) + (counts[i] ?? 0);
  }
  const at = (granularity: Granularity): Series => {
    const minutes = BUCKET_MS[granularity] / MINUTE_MS;
    const length = size / minutes;
    const sums = new Uint32Array(length);
    for (let i = 0; i < length; i++) {
      sums[i] = (before[(i + 1) * minutes] ?? NaN) - (before[i * minutes] ?? NaN);
    }
    const states = new Uint8Array(length).fill(STATE.settled);
    return { granularity, start: span.start, counts: sums, states, fetched: [] };
  };
  return {
    span,
    series: { minute: { ...at('minute'), counts }, hour: at('hour'), day: at('day') },
    before,
  };
}

/** The first bucket whose number differs from the minutes in it, or null. */
function wrongBucket(curve: Curve, { span, before }: Counted): object | null {
  for (let i = 0; i < curve.counts.length; i++) {
    const from = ((curve.bounds[i] ?? 0) - span.start) / MINUTE_MS;
    const to = ((curve.bounds[i + 1] ?? 0) - span.start) / MINUTE_MS;
    const sum = (before[to] ?? NaN) - (before[from] ?? NaN);
    if (curve.counts[i] !== sum) return { bucket: i, from, to, sum, got: curve.counts[i] };
  }
  return null;
}

/** The first coarse bucket that is not the sum of whole finer ones, or null. */
function notSummed(coarse: Curve, fine: Curve): object | null {
  let i = 0;
  for (let k = 0; k < coarse.counts.length; k++) {
    const end = coarse.bounds[k + 1] ?? 0;
    let sum = 0;
    for (; (fine.bounds[i + 1] ?? Infinity) <= end; i++) sum += fine.counts[i] ?? NaN;
    if (fine.bounds[i] !== end || sum !== coarse.counts[k]) {
      return { bucket: k, sum, got: coarse.counts[k], end, fine: fine.bounds[i] };
    }
  }
  return i === fine.counts.length ? null : { left: fine.counts.length - i };
}

/** Changes of a zone's clock with a day to either side in a span. */
function changes(zone: string, span: Span): number[] {
  const { starts } = zoneTable(zone, REACH);
  return [...starts].filter((at) => at > span.start + DAY_MS && at < span.end - DAY_MS);
}

/** The first day next to a change whose start or end differs from Intl, or null. */
function wrongDay(zone: string, days: Curve, span: Span): object | null {
  const format = new Intl.DateTimeFormat('sv-SE', {
    timeZone: zone,
    year: 'numeric',
    month: '2-digit',
    day: '2-digit',
  });
  let i = 1;
  for (const change of changes(zone, span)) {
    while ((days.bounds[i + 1] ?? Infinity) < change - DAY_MS) i++;
    for (; (days.bounds[i] ?? Infinity) < change + 2 * DAY_MS && i < days.counts.length; i++) {
      const start = days.bounds[i] ?? 0;
      const date = format.format(start);
      const before = format.format(start - MINUTE_MS);
      const last = format.format((days.bounds[i + 1] ?? 0) - MINUTE_MS);
      if (before >= date || (i + 1 < days.counts.length && last !== date)) {
        return { zone, change: new Date(change).toISOString(), before, date, last };
      }
    }
  }
  return null;
}

function expectAlike(
  zone: string,
  weekStart: WeekStart,
  of: Counted,
  resolutions: Resolution[],
): void {
  const table = zoneTable(zone, REACH);
  const total = of.before.at(-1);
  const curves = new Map<Resolution, Curve>();
  for (const resolution of resolutions) {
    const edges = boundaries(of.span, resolution, table, weekStart);
    const curve = rollup(of.series.minute, edges, of.span.end);
    const where = `${zone} by ${resolution}`;
    expect(wrongBucket(curve, of), where).toBeNull();
    expect(
      [...curve.counts].reduce((sum, count) => sum + count, 0),
      where,
    ).toBe(total);
    expect([curve.bounds[0], curve.bounds.at(-1)], where).toEqual([of.span.start, of.span.end]);
    for (const granularity of ['hour', 'day'] as const) {
      if (BUCKET_MS[granularity] > BUCKET_MS[neededGranularity(edges)]) continue;
      const same = rollup(of.series[granularity], edges, of.span.end);
      expect(wrongBucket(same, of), `${where} from ${granularity}s`).toBeNull();
    }
    curves.set(resolution, curve);
  }
  const nested = [
    ['hour', 'minute'],
    ['day', 'hour'],
    ['week', 'day'],
    ['month', 'day'],
  ] as const;
  for (const [coarse, fine] of nested) {
    const [sums, parts] = [curves.get(coarse), curves.get(fine)];
    if (sums && parts) expect(notSummed(sums, parts), `${zone}: ${coarse} of ${fine}s`).toBeNull();
  }
  const days = curves.get('day');
  if (days) expect(wrongDay(zone, days, of.span), zone).toBeNull();
}

const ALL: Resolution[] = ['minute', 'hour', 'day', 'week', 'month'];

/** The law for the weeks around one change of a zone. */
function expectAlikeAround(zone: string, change: number, weekStart: WeekStart): void {
  const start = Math.floor((change - AROUND_MS) / DAY_MS) * DAY_MS;
  expectAlike(zone, weekStart, counted({ start, end: start + 2 * AROUND_MS }), ALL);
}

describe('minutes, hours, days, weeks and months have consistent sums', () => {
  it.each(ODD)('around the last changes of %s', (zone) => {
    const last = changes(zone, REACH).slice(-4);
    expect(last.length).toBeGreaterThan(0);
    for (const change of last) expectAlikeAround(zone, change, 1);
  });

  it('around any change of any zone', () => {
    // The table of a zone takes milliseconds: the short form makes those of some.
    const zones = ZONES.filter((_, i) => long() || i % 6 === 0);
    const changing = zones.filter((zone) => changes(zone, REACH).length > 0);
    expect(changing.length).toBeGreaterThan(zones.length / 3);
    fc.assert(
      fc.property(
        fc.constantFrom(...changing),
        fc.nat(),
        fc.constantFrom<WeekStart>(1, 7),
        (zone, pick, weekStart) => {
          const all = changes(zone, REACH);
          expectAlikeAround(zone, all[pick % all.length] ?? NaN, weekStart);
        },
      ),
      { numRuns: long() ? 40 : 8 },
    );
  });

  it('in every zone over every change of twenty years', () => {
    // The short form takes two of the zones, one of which changes its clock, and a fifth of the years.
    const end = long() ? REACH.end : Date.UTC(2010, 2, 21);
    const of = counted({ ...REACH, end });
    for (const [i, zone] of ZONES.entries()) {
      if (!long() && i % 360 !== 0) continue;
      expectAlike(zone, i % 2 === 0 ? 1 : 7, of, ['hour', 'day', 'week', 'month']);
    }
  });
});

describe('the counts of this law', () => {
  it('would reveal a bucket that is off by a minute, and hours of another zone', () => {
    const of = counted({ start: REACH.start, end: REACH.start + 40 * DAY_MS });
    const edges = (resolution: Resolution, zone: string): Float64Array =>
      boundaries(of.span, resolution, zoneTable(zone, REACH), 1);
    const days = rollup(of.series.minute, edges('day', 'Asia/Kolkata'), of.span.end);
    const hours = rollup(of.series.minute, edges('hour', 'UTC'), of.span.end);
    expect(notSummed(days, hours)).not.toBeNull();
    const late = days.bounds.map((at, i) => (i === 9 ? at + MINUTE_MS : at));
    expect(wrongBucket({ ...days, bounds: late }, of)).toMatchObject({ bucket: 8 });
    const change = { start: REACH.start, end: REACH.start + 60 * DAY_MS };
    const berlin = rollup(
      counted(change).series.minute,
      boundaries(change, 'day', zoneTable('Europe/Berlin', REACH), 1),
      change.end,
    );
    expect(wrongDay('Europe/Berlin', berlin, change)).toBeNull();
    const wrong = { ...berlin, bounds: berlin.bounds.map((at) => at + HOUR_MS) };
    expect(wrongDay('Europe/Berlin', wrong, change)).not.toBeNull();
  });
});
