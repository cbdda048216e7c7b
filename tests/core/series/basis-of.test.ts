import fc from 'fast-check';
import { expect, it } from 'vitest';
import { basisOf } from '#core/series/basis-of.ts';
import { STATE, type Series } from '#core/series/series.ts';
import { Edges } from '#core/time/edges.ts';
import { HOUR_MS, union } from '#core/time/span.ts';

const QUARTER_MS = HOUR_MS / 4;
const HOURS = 12;
const quarters = fc.integer({ min: 0, max: 4 * HOURS });

it('knows and covers of each bucket the quarters of an hour that have passed and are in a covered time', () => {
  const spans = fc.array(fc.tuple(quarters, fc.integer({ min: 1, max: 9 })), { maxLength: 5 });
  fc.assert(
    fc.property(spans, quarters, fc.subarray([1, 2, 3, 5, 8, 11]), (given, now, inner) => {
      const covered = union(
        given.map(([from, length]) => ({
          start: from * QUARTER_MS,
          end: (from + length) * QUARTER_MS,
        })),
      );
      const passed = (quarter: number): number =>
        quarter < now &&
        covered.some(
          ({ start, end }) => start <= quarter * QUARTER_MS && quarter * QUARTER_MS < end,
        )
          ? QUARTER_MS
          : 0;
      const msOf = (from: number, to: number): number =>
        Array.from({ length: 4 * (to - from) }, (_, i) => passed(4 * from + i)).reduce(
          (a, b) => a + b,
          0,
        );
      const hours = Array.from({ length: Math.ceil(now / 4) }, (_, hour) => hour);
      const isCovered = (hour: number): boolean =>
        covered.some(({ start, end }) => start < (hour + 1) * HOUR_MS && end > hour * HOUR_MS);
      const series: Series = {
        granularity: 'hour',
        start: 0,
        counts: Uint32Array.from(hours, (hour) => hour + 1),
        states: Uint8Array.from(hours, (hour) =>
          isCovered(hour) ? STATE.settled : STATE.uncovered,
        ),
        fetched: [],
      };
      const bounds = [0, ...inner, HOURS];
      const edges = Edges.of(Float64Array.from(bounds, (hour) => hour * HOUR_MS));
      const basis = basisOf(series, 'hour', edges, now * QUARTER_MS, covered);
      const expected = bounds.slice(1).map((to, i) => msOf(bounds[i] ?? 0, to));
      expect([...basis.coveredMs]).toEqual(expected);
      expect([...basis.knownMs]).toEqual(expected);
      const known = bounds
        .slice(1)
        .map((to, i) =>
          hours
            .filter((hour) => hour >= (bounds[i] ?? 0) && hour < to && isCovered(hour))
            .reduce((sum, hour) => sum + hour + 1, 0),
        );
      expect([...basis.known]).toEqual(known);
    }),
  );
});
