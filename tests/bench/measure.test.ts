import { describe, expect, it } from 'vitest';
import { digits, geometricMean, timing, verdict } from './measure.ts';

describe('timing', () => {
  it('gives median, extremes and percentiles by nearest rank', () => {
    const values = Array.from({ length: 100 }, (_, i) => 100 - i);
    expect(timing(values)).toEqual({ median: 51, min: 1, max: 100, p95: 95, p99: 99 });
    expect(timing([3])).toEqual({ median: 3, min: 3, max: 3, p95: 3, p99: 3 });
  });
});

describe('geometricMean', () => {
  it('is the same for a factor and its inverse', () => {
    expect(geometricMean([2, 8])).toBeCloseTo(4, 12);
    expect(geometricMean([5, 1 / 5])).toBeCloseTo(1, 12);
  });
});

describe('verdict', () => {
  it.each([
    [5, '≤', 5, 'reached'],
    [7.5, '≤', 5, 'missed by a factor of 1.50'],
    [12, '≥', 10, 'reached'],
    [4, '≥', 10, 'missed by a factor of 2.50'],
    [NaN, '≤', 5, 'not measured'],
    [3, '≤', 0, 'missed by 3.00'],
  ] as const)('says of %d %s %d: %s', (got, rule, wanted, text) => {
    expect(verdict(got, rule, wanted)).toBe(text);
  });
});

describe('digits', () => {
  it.each([
    [0, '0'],
    [0.01234, '0.012'],
    [0.1234, '0.12'],
    [12.34, '12.3'],
    [1234.5, '1235'],
  ])('shows %d as %s', (value, text) => {
    expect(digits(value)).toBe(text);
  });
});
