import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { changeBand, excessOf, shareBand } from '#core/series/confidence.ts';

describe('the band of a share', () => {
  // Newcombe, Stat. Med. 17 (1998), table I, method 3; more digits from scipy 1.17.1, binomtest(k, n).proportion_ci(method='wilson').
  it.each([
    [81, 263, 0.2552885198782742, 0.36620957698280004],
    [15, 148, 0.06238639953073629, 0.16048724172330803],
    [0, 20, 0, 0.16112515805281935],
    [1, 29, 0.006113214292762667, 0.17175521879320282],
    [29, 29, 0.8830302015002592, 1],
    [7, 50, 0.06950833427016292, 0.26186193710585537],
    [500_000, 1_000_000, 0.4990200198900048, 0.5009799801099952],
  ])('of %i in %i is Wilson’s', (k, n, low, high) => {
    const band = shareBand(k, n);
    expect(band.low).toBeCloseTo(low, 13);
    expect(band.high).toBeCloseTo(high, 13);
  });

  it('contains the share, stays within 0 to 1, mirrors, and narrows with more Posts', () => {
    fc.assert(
      fc.property(fc.nat(10_000), fc.nat(10_000), (k, rest) => {
        fc.pre(k + rest > 0);
        const n = k + rest;
        const band = shareBand(k, n);
        const mirror = shareBand(rest, n);
        expect(band.low).toBeGreaterThanOrEqual(0);
        expect(band.low).toBeLessThanOrEqual(k / n);
        expect(band.high).toBeGreaterThanOrEqual(k / n);
        expect(band.high).toBeLessThanOrEqual(1);
        expect(mirror.low).toBeCloseTo(1 - band.high, 12);
        const more = shareBand(k * 4, n * 4);
        expect(more.high - more.low).toBeLessThan(band.high - band.low);
      }),
    );
  });

  it('of sums that vary more is that of as many fewer Posts', () => {
    const [wide, plain] = [shareBand(300, 1000, 10), shareBand(30, 100)];
    expect(wide.low).toBeCloseTo(plain.low, 12);
    expect(wide.high).toBeCloseTo(plain.high, 12);
    for (const excess of [0.5, NaN, Infinity]) {
      expect(() => shareBand(1, 2, excess)).toThrow(RangeError);
    }
  });

  it('is 0 to 1 without Posts', () => {
    expect(shareBand(0, 0)).toEqual({ low: 0, high: 1 });
  });

  it.each([
    [2, 1],
    [-1, 1],
    [0.5, 1],
    [NaN, 1],
    [1, NaN],
  ])('refuses %d of %d', (k, n) => {
    expect(() => shareBand(k, n)).toThrow(RangeError);
  });
});

describe('the band of a change', () => {
  // scipy 1.17.1: beta.ppf([0.025, 0.975], after + 0.5, before + 0.5) p, as p / (1 - p) / ratio - 1.
  it.each([
    [10, 20, 1, -0.043620031625805744, 3.376958381899094, false],
    [21, 11, 800 / 3011, -0.06921777544797514, 3.014123324662995, false],
    [0, 3, 1, -0.1328766107049275, Infinity, false],
    [0, 4, 1, 0.24839040040401872, Infinity, true],
    [5, 0, 1, -1, -0.38871548543280143, true],
    [1, 1, 1, -0.9352297307287112, 14.439182378747283, false],
    [100, 130, 1, 0.00267831947956, 0.6891567672966796, true],
    [100, 100, 31 / 28, -0.31549467540554044, 0.19183420220069625, false],
    [3, 12, 0.5, 1.5082058869960298, 30.461060683966558, true],
    [1_000_000, 1_003_000, 1, 0.00022580155326612505, 0.005781895735677445, true],
    [20_000_000, 30_000_000, 1, 0.49915156257688276, 0.5008489412843111, true],
  ])('from %i to %i at %d is that of Jeffreys', (before, after, ratio, low, high, clear) => {
    const band = changeBand(before, after, ratio);
    if (low === -1) expect(band.low).toBe(-1);
    else expect((band.low + 1) / (low + 1)).toBeCloseTo(1, 9);
    if (high === Infinity) expect(band.high).toBe(Infinity);
    else expect((band.high + 1) / (high + 1)).toBeCloseTo(1, 9);
    expect(band.clear).toBe(clear);
  });

  it('of sums that vary more is that of as many fewer Posts', () => {
    fc.assert(
      fc.property(
        fc.integer({ min: 1, max: 500 }),
        fc.integer({ min: 1, max: 500 }),
        fc.integer({ min: 2, max: 40 }),
        (before, after, ratio) => {
          const noise = { ratio, degrees: Infinity, stretches: 9 };
          const wide = changeBand(before * ratio, after * ratio, 1, noise);
          const plain = changeBand(before, after);
          expect(wide.low).toBeCloseTo(plain.low, 9);
          expect((wide.high + 1) / (plain.high + 1)).toBeCloseTo(1, 9);
          const unsure = changeBand(before * ratio, after * ratio, 1, { ...noise, degrees: 8 });
          expect(unsure.low).toBeLessThan(wide.low);
          expect(unsure.high).toBeGreaterThan(wide.high);
          expect(changeBand(before, after, 1, { ...noise, stretches: 8 }).clear).toBe(false);
        },
      ),
    );
  });

  // scipy 1.17.1: (t.ppf(0.975, degrees) / norm.ppf(0.975)) ** 2.
  it.each([
    [1, 42.02768956622988],
    [5, 1.7201514534286648],
    [16, 1.169867669401262],
    [100, 1.0246479710021763],
    [Infinity, 1],
  ])('widens by Student’s t with %d degrees of freedom', (degrees, excess) => {
    expect(excessOf({ ratio: 3, degrees, stretches: 9 }) / 3).toBeCloseTo(excess, 9);
    expect(excessOf({ ratio: 0.01, degrees, stretches: 9 })).toBe(1);
  });

  it('contains the change, and is inverted when time is reversed', () => {
    fc.assert(
      fc.property(
        fc.integer({ min: 1, max: 5000 }),
        fc.integer({ min: 1, max: 5000 }),
        fc.double({ min: 0.1, max: 10, noNaN: true }),
        (before, after, ratio) => {
          const band = changeBand(before, after, ratio);
          expect(band.change).toBeCloseTo(after / before / ratio - 1, 9);
          expect(band.low).toBeLessThan(band.change);
          expect(band.high).toBeGreaterThan(band.change);
          const back = changeBand(after, before, 1 / ratio);
          expect((back.low + 1) * (band.high + 1)).toBeCloseTo(1, 8);
          expect(back.clear).toBe(band.clear);
        },
      ),
    );
  });

  it('is undefined from nothing to nothing, infinite from nothing to something', () => {
    expect(changeBand(0, 0)).toEqual({ change: NaN, low: -1, high: Infinity, clear: false });
    expect(changeBand(0, 9)).toMatchObject({ change: Infinity, high: Infinity, clear: true });
    expect(changeBand(9, 0)).toMatchObject({ change: -1, low: -1, clear: true });
  });

  it.each([
    [1.5, 1, 1],
    [1, -1, 1],
    [1, 1, 0],
    [1, 1, NaN],
  ])('refuses %d, %d at %d', (before, after, ratio) => {
    expect(() => changeBand(before, after, ratio)).toThrow(RangeError);
  });
});
