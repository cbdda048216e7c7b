import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { lineParts, MOST_COLUMNS } from '#app/chart/draw/decimate.ts';
import { STATE, type Curve } from '#core/series/series.ts';
import { trackOf } from '#core/series/trend.ts';
import { curveOf as sharedCurve } from '#tests/core/series/curves.ts';

const WIDTH = 60_000;

const curveOf = (counts: readonly number[], last?: number): Curve =>
  sharedCurve(counts, { width: WIDTH, ...(last && { last }) });

const whole = (curve: Curve) => ({ start: 0, end: curve.bounds.at(-1) ?? 0 });

describe('a line of few buckets', () => {
  it('has a point in the middle of each bucket, and none if its count is missing', () => {
    const curve = curveOf([3, Number.NaN, 5, 6]);
    const { line, peak, end } = lineParts(trackOf(curve, null), whole(curve));
    expect([...line]).toEqual([30_000, 3, 90_000, Number.NaN, 150_000, 5, 210_000, 6]);
    expect(peak).toBe(6);
    expect(end).toEqual({ x: 210_000, y: 6 });
  });

  it('shows a bucket between two gaps as a dot', () => {
    const curve = curveOf([1, 2, Number.NaN, 4, Number.NaN, 6]);
    expect([...lineParts(trackOf(curve, null), whole(curve)).dots]).toEqual([
      210_000, 4, 330_000, 6,
    ]);
  });

  it('draws an unfinished last bucket as a point apart from the line', () => {
    const curve = curveOf([1, 2, 9], STATE.partial);
    const { line, rings, peak, end } = lineParts(trackOf(curve, null), whole(curve));
    expect([...line]).toEqual([30_000, 1, 90_000, 2, 150_000, Number.NaN]);
    expect([...rings]).toEqual([150_000, 9]);
    expect(peak).toBe(9);
    expect(end).toEqual({ x: 90_000, y: 2 });
  });

  it('draws an unfinished bucket without neighbours', () => {
    const curve = curveOf([4], STATE.partial);
    const { line, rings, peak } = lineParts(trackOf(curve, null), whole(curve));
    expect([...line]).toEqual([30_000, Number.NaN]);
    expect([...rings]).toEqual([30_000, 4]);
    expect(peak).toBe(4);
  });

  it('has a gap at every bucket that the source covers in part, which is a point apart from it', () => {
    const { settled, partial } = STATE;
    const states = [settled, partial, settled, partial, settled, partial];
    const curve = sharedCurve([5, 1, 6, 2, 7, 3], { width: WIDTH, states });
    const { line, rings, dots, end } = lineParts(trackOf(curve, null), whole(curve));
    const ys = (points: Float64Array) => [...points].filter((_, i) => i % 2 === 1);
    expect(ys(line)).toEqual([5, NaN, 6, NaN, 7, NaN]);
    expect(ys(rings)).toEqual([1, 2, 3]);
    expect(ys(dots)).toEqual([5, 6, 7]);
    expect(end?.y).toBe(7);
  });

  it('is empty without buckets', () => {
    const curve = curveOf([]);
    expect(lineParts(trackOf(curve, null), { start: 0, end: 1 })).toMatchObject({
      peak: 0,
      end: null,
    });
  });

  it('continues for one bucket beyond either side of the window', () => {
    const curve = curveOf([1, 2, 3, 4, 5, 6]);
    const { line } = lineParts(trackOf(curve, null), { start: 2 * WIDTH, end: 3 * WIDTH });
    expect([...line].filter((_, i) => i % 2 === 1)).toEqual([2, 3, 4]);
  });
});

describe('a line of many buckets', () => {
  it('loses no peak or trough, and has at most two points per column', () => {
    fc.assert(
      fc.property(
        fc.array(fc.option(fc.nat(1000), { nil: Number.NaN, freq: 10 }), {
          minLength: 3,
          maxLength: 900,
        }),
        fc.integer({ min: 1, max: 60 }),
        (counts, most) => {
          const curve = curveOf(counts);
          const { line, peak } = lineParts(trackOf(curve, null), whole(curve), most);
          const known = counts.filter((count) => !Number.isNaN(count));
          const drawn = [...line].filter((y, i) => i % 2 === 1 && !Number.isNaN(y));
          expect(Math.max(0, ...drawn)).toBe(Math.max(0, ...known));
          expect(Math.min(1e9, ...drawn)).toBe(Math.min(1e9, ...known));
          expect(peak).toBe(Math.max(0, ...known));
          expect(line.length / 2).toBeLessThanOrEqual(2 * (most + 1));
          const xs = [...line].filter((_, i) => i % 2 === 0);
          expect(xs).toEqual([...xs].sort((a, b) => a - b));
        },
      ),
    );
  });

  it('does not include a bucket that the source covers in part, which is a point apart from it', () => {
    const counts = Array.from({ length: 5000 }, () => 50);
    const states = counts.map(() => STATE.settled);
    for (const i of [1000, 1001, 1999]) [counts[i], states[i]] = [3, STATE.partial];
    const curve = sharedCurve(counts, { width: WIDTH, states });
    const { line, rings } = lineParts(trackOf(curve, null), whole(curve), 50);
    expect(new Set([...line].filter((_, i) => i % 2 === 1))).toEqual(new Set([50]));
    expect([...rings]).toEqual([1000, 1001, 1999].flatMap((i) => [(i + 0.5) * WIDTH, 3]));
  });

  it('has no more points apart from it than columns', () => {
    const counts = Array.from({ length: 900 }, (_, i) => i);
    const curve = sharedCurve(counts, { states: counts.map(() => STATE.partial) });
    const { rings } = lineParts(trackOf(curve, null), whole(curve), 50);
    expect([...rings]).toEqual([5, 0, 8995, 899]);
  });

  it('has at most 760 columns', () => {
    const curve = curveOf(Array.from({ length: 50_000 }, (_, i) => i % 97));
    const { line } = lineParts(trackOf(curve, null), whole(curve));
    expect(line.length).toBeLessThanOrEqual(4 * (MOST_COLUMNS + 1));
    expect(line.length).toBeGreaterThan(3.8 * MOST_COLUMNS);
  });
});
