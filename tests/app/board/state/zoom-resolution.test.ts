import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { detailOf, detailShown, finer } from '#app/board/state/zoom-resolution.ts';
import { aboutBuckets } from '#core/time/range.ts';
import { STATE } from '#core/series/series.ts';
import { RESOLUTIONS, type Resolution } from '#core/time/resolution.ts';
import { DAY_MS, HOUR_MS, MINUTE_MS, type Span } from '#core/time/span.ts';
import { zonedCurve } from '#tests/core/series/a-curve.ts';

const START = Date.UTC(2024, 0, 1);
const RANGE = { start: START, end: START + 900 * DAY_MS };
const base = { range: RANGE, zone: 'UTC', weekStart: 1 } as const;

describe('the buckets of a zoom', () => {
  it.each([
    ['are hours within days', 5 * DAY_MS, 'day', 'auto', 'hour'],
    ['are minutes within hours', 6 * HOUR_MS, 'hour', 'auto', 'minute'],
    ['are days within months', 90 * DAY_MS, 'month', 'auto', 'day'],
    ['are those of the range if the zoom is wide', 90 * DAY_MS, 'day', 'auto', undefined],
    ['are as chosen', 5 * DAY_MS, 'day', 'minute', 'minute'],
    ['are never coarser than those of the range', 5 * DAY_MS, 'day', 'week', undefined],
    ['are never more than the chart can show', 300 * DAY_MS, 'day', 'minute', undefined],
  ] as const)('%s', (_, width, coarse, fine, resolution) => {
    const zoom = { start: START + 100 * DAY_MS, end: START + 100 * DAY_MS + width };
    expect(detailOf({ ...base, zoom, coarse, fine })?.resolution).toBe(resolution);
  });

  const zooms = fc
    .tuple(fc.integer({ min: 0, max: 899 * 1440 }), fc.integer({ min: 5, max: 60 * 1440 }))
    .map(([from, minutes]): Span => {
      const start = START + from * MINUTE_MS;
      return { start, end: Math.min(RANGE.end, start + minutes * MINUTE_MS) };
    });

  it('extend around the zoom within the range, and rarely change as the zoom moves', () =>
    fc.assert(
      fc.property(zooms, fc.constantFrom('auto', 'hour', 'minute'), (zoom, fine) => {
        const coarse: Resolution = 'day';
        const detail = detailOf({ ...base, zoom, coarse, fine });
        if (!detail) {
          const least = fine === 'auto' ? null : fine;
          expect(least && aboutBuckets(zoom, least) <= 200_000).toBeFalsy();
          return;
        }
        const { span, resolution } = detail;
        expect(finer(resolution, coarse)).toBe(true);
        expect(span.start).toBeLessThanOrEqual(zoom.start);
        expect(span.end).toBeGreaterThanOrEqual(zoom.end);
        expect(span.start).toBeGreaterThanOrEqual(RANGE.start);
        expect(span.end).toBeLessThanOrEqual(RANGE.end);
        // The width of the zoom on either side, if the range extends that far.
        const width = zoom.end - zoom.start;
        expect(zoom.start - span.start).toBeGreaterThanOrEqual(
          Math.min(width, zoom.start - RANGE.start),
        );
        expect(span.end - zoom.end).toBeGreaterThanOrEqual(Math.min(width, RANGE.end - zoom.end));
        // Moving the zoom by its width, as a wheel does, needs few different spans.
        const moved = new Set<string>();
        for (let i = 0; i <= 20; i += 1) {
          const by = (i / 20) * width;
          const there = { start: zoom.start + by, end: zoom.end + by };
          moved.add(
            JSON.stringify(detailOf({ ...base, zoom: there, coarse, fine: resolution })?.span),
          );
        }
        expect(moved.size).toBeLessThanOrEqual(4);
      }),
    ));
});

describe('the curves of a zoom', () => {
  const curve = (resolution: Resolution, zone: string, days = 400) =>
    zonedCurve(resolution, zone, START, START + days * DAY_MS, () => 1);
  const window = { start: START + 40 * DAY_MS, end: START + 42 * DAY_MS };
  const now = START + 900 * DAY_MS;

  it('have a resolution derived from the length of their buckets, whatever the zone', () => {
    for (const zone of ['UTC', 'America/New_York', 'Australia/Lord_Howe', 'Asia/Kathmandu']) {
      for (const resolution of RESOLUTIONS.slice(0, -1)) {
        const days = resolution === 'minute' ? 50 : 800;
        const { bounds } = curve(resolution, zone, days);
        const inside = { start: bounds[1] ?? 0, end: bounds[2] ?? 0 };
        const shown = detailShown([curve(resolution, zone, days)], inside, now, 'year');
        expect([zone, shown?.resolution]).toEqual([zone, resolution]);
      }
    }
  });

  it.each([
    ['one series has no finer counts', [curve('hour', 'UTC'), null], 'day', false],
    ['the buckets differ', [curve('hour', 'UTC'), curve('minute', 'UTC', 50)], 'day', false],
    ['they are not finer', [curve('day', 'UTC')], 'day', false],
    ['a curve ends before the window', [curve('hour', 'UTC', 41)], 'day', false],
    ['all counts are known', [curve('hour', 'UTC'), curve('hour', 'UTC')], 'day', true],
    ['there are no series', [], 'day', false],
  ] as const)('depend on the counts of all series: %s', (_, curves, coarse, shown) => {
    expect(detailShown(curves, window, now, coarse) !== null).toBe(shown);
  });

  it.each([
    ['never', false],
    ['failed', false],
    ['uncovered', true],
  ] as const)('with a bucket of state %s that has started are shown: %s', (state, shown) =>
    fc.assert(
      fc.property(fc.integer({ min: 950, max: 1020 }), fc.boolean(), (bucket, begun) => {
        const one = curve('hour', 'UTC');
        one.states[bucket] = STATE[state];
        const inside = bucket >= 960 && bucket < 1008;
        const until = begun ? now : START + bucket * HOUR_MS;
        expect(detailShown([one], window, until, 'day') !== null).toBe(shown || !inside || !begun);
      }),
    ),
  );
});
