import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { changeBand, shareBand } from '#core/series/confidence.ts';

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
  // scipy 1.17.1: binomtest(after, before + after).proportion_ci() (Clopper-Pearson) p, as p / (1 - p)
  // / ratio - 1.
  // The second is R's example of poisson.test(c(11, 21), c(800, 3011)), its interval 0.8584264–4.2772659.
  it.each([
    [10, 20, 1, -0.10649110961530894, 3.7845524403381017, false],
    [21, 11, 800 / 3011, -0.14157359660838098, 3.277265943654079, false],
    [0, 5, 1, -0.08364414268454001, Infinity, false],
    [0, 6, 1, 0.17742472572417767, Infinity, true],
    [5, 0, 1, -1, 0.0912791051825459, false],
    [1, 1, 1, -0.9872606329160729, 77.49683531465821, false],
    [100, 130, 1, -0.006037731643590893, 0.7044993024473392, false],
    [100, 100, 31 / 28, -0.32233994882851125, 0.20387332266354252, false],
    [3, 12, 0.5, 1.1589454647822377, 43.17657379548364, true],
    [1_000_000, 1_003_000, 1, 0.00022480282620862546, 0.005782900016472414, true],
    [20_000_000, 30_000_000, 1, 0.49915150011571363, 0.5008490038232289, true],
  ])('from %i to %i at %d is exact', (before, after, ratio, low, high, clear) => {
    const band = changeBand(before, after, ratio);
    if (low === -1) expect(band.low).toBe(-1);
    else expect((band.low + 1) / (low + 1)).toBeCloseTo(1, 9);
    if (high === Infinity) expect(band.high).toBe(Infinity);
    else expect((band.high + 1) / (high + 1)).toBeCloseTo(1, 9);
    expect(band.clear).toBe(clear);
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
