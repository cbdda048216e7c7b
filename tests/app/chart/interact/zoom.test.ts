import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import {
  centred,
  NARROWEST_MS,
  panBy,
  pinched,
  resized,
  settled,
  windowOf,
  zoomAbout,
} from '#app/chart/interact/zoom.ts';
import { DAY_MS, HOUR_MS, MINUTE_MS } from '#core/time/span.ts';

const range = { start: 0, end: 100 * DAY_MS };
const windows = fc
  .tuple(fc.integer({ min: 0, max: 99 * 24 }), fc.integer({ min: 1, max: 100 * 24 }))
  .map(([from, hours]) => ({
    start: from * HOUR_MS,
    end: Math.min(range.end, (from + hours) * HOUR_MS),
  }));

describe('zooming', () => {
  it('keeps the instant under the pointer in place while the range has room', () => {
    const window = { start: 40 * DAY_MS, end: 60 * DAY_MS };
    const at = 45 * DAY_MS;
    const next = zoomAbout(window, range, at, 0.5);
    expect((at - next.start) / (next.end - next.start)).toBeCloseTo(0.25);
    expect(next.end - next.start).toBe(10 * DAY_MS);
  });

  it('never leaves the range and never gets narrower than five minutes', () => {
    fc.assert(
      fc.property(
        windows,
        fc.double({ min: 0, max: 1, noNaN: true }),
        fc.double({ min: 0.001, max: 50, noNaN: true }),
        (window, share, factor) => {
          const at = window.start + share * (window.end - window.start);
          const next = zoomAbout(window, range, at, factor);
          expect(next.start).toBeGreaterThanOrEqual(range.start);
          expect(next.end).toBeLessThanOrEqual(range.end);
          expect(next.end - next.start).toBeGreaterThanOrEqual(NARROWEST_MS - 1);
        },
      ),
    );
  });
});

describe('panning', () => {
  it('moves without resizing and stops at the ends', () => {
    fc.assert(
      fc.property(windows, fc.double({ min: -3, max: 3, noNaN: true }), (window, share) => {
        const next = panBy(window, range, share);
        expect(next.end - next.start).toBeCloseTo(window.end - window.start, -1);
        expect(next.start).toBeGreaterThanOrEqual(range.start);
        expect(next.end).toBeLessThanOrEqual(range.end);
      }),
    );
  });
});

describe('a dragged span', () => {
  it('becomes a window in either direction, cut to the range', () => {
    expect(windowOf(5 * DAY_MS, -DAY_MS, range)).toEqual({ start: 0, end: 5 * DAY_MS });
  });
  it('is ignored if it is too short', () => {
    expect(windowOf(DAY_MS, DAY_MS + MINUTE_MS, range)).toBeNull();
  });
});

describe('the settled window', () => {
  it('is rounded outward to whole minutes', () => {
    expect(settled({ start: 90_500, end: 3_600_001 }, range)).toEqual({
      start: 60_000,
      end: 3_660_000,
    });
  });
  it('is null if it is the whole range', () => {
    expect(settled({ start: 10_000, end: range.end - 1 }, range)).toBeNull();
  });
});

describe('two fingers', () => {
  it('keep the window inside the range and no shorter than the minimum', () => {
    const place = fc.double({ min: 0, max: 1, noNaN: true });
    const fingers = fc.record({ a: place, b: place });
    fc.assert(
      fc.property(windows, fingers, fingers, (window, from, to) => {
        const next = pinched(window, range, from, to);
        expect(next.start).toBeGreaterThanOrEqual(range.start - 1e-3);
        expect(next.end).toBeLessThanOrEqual(range.end + 1e-3);
        expect(next.end - next.start).toBeGreaterThanOrEqual(NARROWEST_MS - 1e-3);
      }),
    );
  });
});

describe('the ends of the window', () => {
  const window = { start: 10 * DAY_MS, end: 20 * DAY_MS };
  it('stop at the range and at the minimum window', () => {
    expect(resized(window, range, 'start', -5).start).toBe(0);
    expect(resized(window, range, 'end', 200 * DAY_MS).end).toBe(range.end);
    expect(resized(window, range, 'start', 50 * DAY_MS)).toEqual({
      start: window.end - NARROWEST_MS,
      end: window.end,
    });
    expect(resized(window, range, 'end', 0)).toEqual({
      start: window.start,
      end: window.start + NARROWEST_MS,
    });
  });

  it('move together to centre an instant', () => {
    expect(centred(window, range, 50 * DAY_MS)).toEqual({ start: 45 * DAY_MS, end: 55 * DAY_MS });
    expect(centred(window, range, 2 * DAY_MS)).toEqual({ start: 0, end: 10 * DAY_MS });
  });
});
