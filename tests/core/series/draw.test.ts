import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { viewOf } from '#core/series/bucket-layout.ts';
import { BASIS_UNITS } from '#core/series/basis.ts';
import { draw } from '#core/series/draw.ts';
import { rollup } from '#core/series/rollup.ts';
import { STATE, type Series } from '#core/series/series.ts';
import { BUCKET_MS } from '#core/time/bucket.ts';
import { DAY_MS, MINUTE_MS } from '#core/time/span.ts';
import { runs } from '#tests/support/run/runs.ts';

const START = Date.UTC(2026, 2, 6);

const stateOfPart = fc.oneof(
  { weight: 49, arbitrary: fc.constant(STATE.settled) },
  fc.constantFrom(...Object.values(STATE)),
);

describe('a drawn curve', () => {
  it('is the roll-up of its own buckets, whatever buckets its figures are computed from', () => {
    fc.assert(
      fc.property(
        fc.constantFrom('hour', 'day', 'week' as const),
        fc.constantFrom(null, ...BASIS_UNITS),
        fc.constantFrom('UTC', 'America/New_York', 'Asia/Kolkata'),
        fc.tuple(fc.nat(3000), fc.integer({ min: 1, max: 20 * 1440 }), fc.integer({ min: -600 })),
        fc.array(fc.tuple(stateOfPart, fc.nat(9)), { minLength: 1, maxLength: 50 }),
        (resolution, unit, zone, [from, length, toNow], parts) => {
          const span = {
            start: START + from * MINUTE_MS,
            end: START + (from + length) * MINUTE_MS,
          };
          const now = span.end + Math.min(toNow, 3000) * MINUTE_MS;
          const view = viewOf({ span, resolution, zone, weekStart: 1, unit });
          const width = BUCKET_MS[view.granularity];
          const size = (view.span.end - view.span.start) / width;
          const part = (i: number) => parts[(i * 7) % parts.length] ?? [STATE.settled, 1];
          const series = (): Series => ({
            granularity: view.granularity,
            start: view.span.start,
            counts: Float32Array.from({ length: size }, (_, i) => part(i)[1]),
            states: Uint8Array.from({ length: size }, (_, i) => part(i)[0]),
            fetched: [{ from: span.start, to: span.end, at: now - DAY_MS }],
          });
          const { curve, basis } = draw(series(), view, now, [view.span]);
          const expected = rollup(series(), view.edges.all, now, view.cut);
          const values = ({ bounds, counts, states, fetchedAt }: typeof curve) =>
            [bounds, counts, states, fetchedAt].map((list) => Array.from(list));
          expect(values(curve)).toEqual(values(expected));
          // Both are transferred, each with memory of its own.
          expect(basis?.curve.counts.buffer).not.toBe(curve.counts.buffer);
        },
      ),
      { numRuns: runs(200) },
    );
  });
});
