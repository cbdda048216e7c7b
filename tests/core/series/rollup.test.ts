import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { fetchedBetween, lastFetch } from '#core/series/fetch-times.ts';
import { oneByOne, rollup } from '#core/series/rollup.ts';
import { STATE, type Series } from '#core/series/series.ts';
import { boundaries } from '#core/time/boundary.ts';
import { Edges } from '#core/time/edges.ts';
import { DAY_MS, HOUR_MS, MINUTE_MS } from '#core/time/span.ts';
import { zoneTable } from '#core/time/zone.ts';
import { runs } from '#tests/support/run/runs.ts';

const START = Date.UTC(2026, 2, 1);
const LATER = START + 400 * DAY_MS;

function hours(counts: number[], states?: number[]): Series {
  return {
    granularity: 'hour',
    start: START,
    counts: Uint32Array.from(counts),
    states: Uint8Array.from(states ?? counts.map(() => STATE.settled)),
    fetched: [{ from: START, to: START + counts.length * HOUR_MS, at: LATER }],
  };
}

describe('a roll-up', () => {
  it('sums minutes, hours and days alike in any zone over any range', () => {
    fc.assert(
      fc.property(
        fc.constantFrom('America/New_York', 'Asia/Kolkata', 'Australia/Lord_Howe', 'UTC'),
        fc.array(fc.nat(9), { minLength: 3000, maxLength: 6000 }),
        (zone, counts) => {
          const series: Series = {
            granularity: 'minute',
            start: START,
            counts: Uint32Array.from(counts),
            states: new Uint8Array(counts.length).fill(STATE.settled),
            fetched: [],
          };
          const span = { start: START, end: START + counts.length * MINUTE_MS };
          const table = zoneTable(zone, span);
          const total = counts.reduce((sum, n) => sum + n, 0);
          for (const resolution of ['minute', 'hour', 'day', 'week', 'month'] as const) {
            const curve = rollup(series, boundaries(span, resolution, table, 1), LATER);
            expect([...curve.counts].reduce((sum, n) => sum + n, 0)).toBe(total);
            const [first = 0, second = 0] = curve.bounds;
            const parts = counts.slice(0, (second - first) / MINUTE_MS);
            expect(curve.counts[0]).toBe(parts.reduce((sum, n) => sum + n, 0));
          }
        },
      ),
      { numRuns: runs(20) },
    );
  });

  it('takes over the series’ own buckets, whatever is known of them', () => {
    const stretches = fc.array(
      fc.record({
        length: fc.integer({ min: 1, max: 40 }),
        state: fc.constantFrom(...Object.values(STATE)),
        gap: fc.nat(2),
      }),
      { minLength: 1, maxLength: 8 },
    );
    fc.assert(
      fc.property(
        stretches,
        fc.integer({ min: -5, max: 5 }),
        fc.integer({ min: -5, max: 300 }),
        fc.tuple(fc.boolean(), fc.boolean()),
        (stretches, from, until, [first, last]) => {
          const states = stretches.flatMap(({ length, state }) =>
            Array<number>(length).fill(state),
          );
          const series = hours(
            states.map((_, i) => i % 5),
            states,
          );
          let to = START;
          const fetched = stretches.map(({ length, gap }, i) => {
            const start = to;
            to += length * HOUR_MS;
            // Fetches may also meet within a bucket.
            return {
              from: start + (i % 2) * 60_000,
              to: to + (i % 2 ? 0 : 60_000) - gap * HOUR_MS,
              at: LATER - ((i * 7) % 5),
            };
          });
          const reported = { ...series, fetched: fetched.filter((each) => each.from < each.to) };
          const size = states.length;
          const bounds = Float64Array.from(
            { length: size + 1 },
            (_, i) => START + (i + from) * HOUR_MS,
          );
          const now = START + until * HOUR_MS - 60_000;
          const curve = rollup(reported, bounds, now, { first, last });
          const own = {
            counts: Float64Array.from(reported.counts),
            states: reported.states.slice(),
          };
          const taken = oneByOne({ ...reported, ...own }, Edges.of(bounds), now, { first, last });
          if (from === 0) expect(taken.counts).toBe(own.counts);
          expect(taken).toEqual(curve);
          expect(lastFetch(taken)).toBe(
            curve.fetchedAt.findLast((at) => !Number.isNaN(at)) ?? Number.NaN,
          );
          const low = Math.min(size, Math.abs(from));
          expect(fetchedBetween(taken, low, size)).toEqual(curve.fetchedAt.slice(low));
          for (let i = 0; i < size; i += 1) {
            const [start = 0, end = 0] = [bounds[i], bounds[i + 1]];
            const n = i + from;
            const asked = start < now ? (states[n] ?? STATE.never) : STATE.never;
            const cut = (first && i === 0) || (last && i === size - 1);
            const state = cut ? Math.min(asked, STATE.partial) : asked;
            const at = reported.fetched.filter((each) => each.from < end && each.to > start);
            expect(curve.states[i]).toBe(state);
            expect(curve.counts[i]).toBe(state < STATE.partial ? Number.NaN : n % 5);
            const known = state >= STATE.partial && at.length > 0;
            expect(curve.fetchedAt[i]).toBe(
              known ? Math.min(...at.map((each) => each.at)) : Number.NaN,
            );
          }
        },
      ),
      { numRuns: runs(300) },
    );
  });

  it('has the state of its weakest part, and is missing if a part is', () => {
    const states = Array.from({ length: 72 }, () => STATE.settled);
    states[5] = STATE.provisional;
    states[30] = STATE.failed;
    const days = Float64Array.of(START, START + DAY_MS, START + 2 * DAY_MS, START + 3 * DAY_MS);
    const curve = rollup(
      hours(
        Array.from({ length: 72 }, () => 1),
        states,
      ),
      days,
      LATER,
    );
    expect([...curve.counts]).toEqual([24, NaN, 24]);
    expect([...curve.states]).toEqual([STATE.provisional, STATE.failed, STATE.settled]);
    expect(curve.fetchedAt[1]).toBeNaN();
  });

  it('shows a bucket that extends beyond now as partial, and none after it', () => {
    const known = hours(Array.from({ length: 30 }, () => 2));
    const days = Float64Array.of(START, START + DAY_MS, START + 2 * DAY_MS, START + 3 * DAY_MS);
    const curve = rollup(known, days, START + 29.5 * HOUR_MS);
    expect([...curve.counts]).toEqual([48, 12, NaN]);
    expect([...curve.states]).toEqual([STATE.settled, STATE.partial, STATE.never]);
  });

  it('never calls a bucket that the range cuts whole', () => {
    const noon = Float64Array.of(START + 12 * HOUR_MS, START + DAY_MS, START + 2 * DAY_MS);
    const curve = rollup(hours(Array.from({ length: 48 }, () => 1)), noon, LATER, {
      first: true,
      last: false,
    });
    expect([...curve.counts]).toEqual([12, 24]);
    expect([...curve.states]).toEqual([STATE.partial, STATE.settled]);
  });

  it('moves the outer edges outward to the grid and says so in its bounds', () => {
    const edges = Float64Array.of(START + 90 * MINUTE_MS, START + 3 * HOUR_MS + 1);
    const curve = rollup(hours([1, 2, 4, 8, 16]), edges, LATER);
    expect([...curve.bounds]).toEqual([START + HOUR_MS, START + 4 * HOUR_MS]);
    expect([...curve.counts]).toEqual([14]);
  });

  it('has the oldest fetch of a bucket', () => {
    const series = hours(Array.from({ length: 48 }, () => 1));
    const fetched = [
      { from: START, to: START + 6 * HOUR_MS, at: LATER - 5 },
      { from: START + 6 * HOUR_MS, to: START + 30 * HOUR_MS, at: LATER - 9 },
      { from: START + 30 * HOUR_MS, to: START + 48 * HOUR_MS, at: LATER },
    ];
    const days = Float64Array.of(START, START + DAY_MS, START + 2 * DAY_MS);
    const curve = rollup({ ...series, fetched }, days, LATER);
    expect([...curve.fetchedAt]).toEqual([LATER - 9, LATER - 9]);
  });

  it('refuses inner edges off the grid and edges that do not ascend', () => {
    const series = hours([1, 2, 3]);
    const off = Float64Array.of(START, START + 90 * MINUTE_MS, START + 3 * HOUR_MS);
    expect(() => rollup(series, off, LATER)).toThrow(RangeError);
    expect(() => rollup(series, Float64Array.of(START, START, START), LATER)).toThrow(RangeError);
  });
});
