import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import type { Scale } from '#app/chart/draw/form.ts';
import {
  fromHeight,
  heightsOf,
  LABEL_ROOM_PX,
  toHeight,
  valueScale,
} from '#app/chart/draw/scale.ts';

const axis = (low: number, peak: number, kind: Scale = 'linear', lines = 5, whole = true) =>
  valueScale({ low, peak, kind, lines, whole });

describe('a linear axis', () => {
  it.each([
    [0, 1, 1],
    [1, 1, 1],
    [3, 3, 1],
    [9, 10, 2],
    [12_022, 12_500, 2500],
    [99, 100, 20],
  ])('with a peak of %i ends at %i in steps of %i', (peak, high, step) => {
    const { low, high: end, ticks } = axis(0, peak);
    expect([low, end, (ticks[1] ?? 0) - (ticks[0] ?? 0)]).toEqual([0, high, step]);
  });

  it('extends below zero to the values, with a grid line at zero', () => {
    expect(axis(-30, 55)).toEqual({
      kind: 'linear',
      low: -40,
      high: 60,
      one: 1,
      ticks: [-40, -20, 0, 20, 40, 60],
    });
    expect(axis(-30, 0).high).toBe(0);
  });

  it('has fractional grid lines only for shares', () => {
    expect(axis(0, 1, 'linear', 4, false).ticks).toEqual([0, 0.25, 0.5, 0.75, 1]);
    expect(axis(0, 0.3, 'linear', 3, false).ticks).toEqual([0, 0.1, 0.2, 0.3]);
  });

  it('contains all values in a few even steps', () => {
    fc.assert(
      fc.property(
        fc.integer({ min: 0, max: 1e12 }),
        fc.integer({ min: 0, max: 1e12 }),
        fc.integer({ min: 2, max: 8 }),
        (under, peak, lines) => {
          const { low, high, ticks } = axis(-under, peak, 'linear', lines);
          expect(low).toBeLessThanOrEqual(-under);
          expect(high).toBeGreaterThanOrEqual(peak);
          expect(ticks).toContain(0);
          expect(ticks.every((tick) => Number.isInteger(tick))).toBe(true);
          expect(ticks.length).toBeLessThanOrEqual(lines + 3);
        },
      ),
    );
  });
});

describe('a log axis', () => {
  const values = fc.oneof(
    fc.double({ min: -1e12, max: 1e12, noNaN: true }),
    fc.integer({ min: 0, max: 1e12 }),
  );

  it('has a height for every value, including zero, and a value for every height', () => {
    expect(toHeight('log', 0)).toBe(0);
    fc.assert(
      fc.property(values, (value) => {
        const back = fromHeight('log', toHeight('log', value));
        expect(Math.abs(back - value)).toBeLessThanOrEqual(1e-9 * Math.max(1, Math.abs(value)));
      }),
    );
  });

  it('has greater heights for greater values', () => {
    fc.assert(
      fc.property(values, values, (a, b) => {
        const [less, more] = [a, b].sort((x, y) => x - y).map((value) => toHeight('log', value));
        expect(less).toBeLessThanOrEqual(more ?? Number.NaN);
        if (Math.round(a) !== Math.round(b)) expect(less).not.toBe(more);
      }),
    );
  });

  it.each([
    [0, 0, [0, 1]],
    [0, 7, [0, 1, 2, 5, 10]],
    [0, 8000, [0, 1, 10, 100, 1000, 10_000]],
    [-60, 3000, [-10, -1, 0, 1, 10, 100, 1000]],
  ])('from %i to %i has grid lines at %j', (low, peak, ticks) => {
    expect(axis(low, peak, 'log').ticks.filter((tick) => tick >= low)).toEqual(ticks);
  });

  it('contains all values, and its grid lines ascend within it', () => {
    fc.assert(
      fc.property(
        fc.integer({ min: 0, max: 1e12 }),
        fc.integer({ min: 0, max: 1e12 }),
        fc.integer({ min: 2, max: 8 }),
        (under, peak, lines) => {
          const { low, high, ticks } = axis(-under, peak, 'log', lines);
          expect(low).toBeLessThanOrEqual(toHeight('log', -under));
          expect(high).toBeGreaterThanOrEqual(toHeight('log', peak));
          const heights = ticks.map((tick) => toHeight('log', tick));
          expect(heights).toEqual([...new Set(heights)].sort((a, b) => a - b));
          expect(heights.at(-1)).toBeLessThanOrEqual(high + 1e-9);
          expect(heights[0]).toBeGreaterThanOrEqual(low - 1e-9);
          expect(ticks).toContain(0);
        },
      ),
    );
  });

  it('omits grid lines whose labels would lie on others, on an axis of any height', () => {
    const low = (height: number) =>
      valueScale({ low: 0, peak: 251, kind: 'log', lines: 1, height, whole: true }).ticks;
    expect([low(26), low(400)]).toEqual([
      [0, 100],
      [0, 1, 100],
    ]);
    fc.assert(
      fc.property(
        fc.oneof(fc.constant(0), fc.nat(1e9)),
        fc.oneof(fc.integer({ min: 1, max: 100 }), fc.integer({ min: 1, max: 1e9 })),
        fc.integer({ min: 26, max: 900 }),
        (under, peak, height) => {
          const lines = Math.max(1, Math.round(height / 48));
          const scale = valueScale({ low: -under, peak, kind: 'log', lines, height, whole: true });
          const px = scale.ticks.map(
            (tick) => (toHeight('log', tick) / (scale.high - scale.low)) * height,
          );
          for (const [i, at] of px.slice(1).entries())
            expect(at - (px[i] ?? 0)).toBeGreaterThanOrEqual(LABEL_ROOM_PX - 1e-9);
          expect(scale.ticks).toContain(0);
          if (under === 0) expect(scale.ticks.length).toBeGreaterThan(1);
        },
      ),
    );
  });

  it('converts the values of a line, not its instants', () => {
    const [x, height, gap, missing] = heightsOf('log', Float64Array.of(99, 99, 5, Number.NaN));
    expect([x, gap, missing]).toEqual([99, 5, Number.NaN]);
    expect(height).toBeCloseTo(2, 12);
    const line = Float64Array.of(1, 2);
    expect(heightsOf('linear', line)).toBe(line);
  });
});
