import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { summarize, valueWords } from '#app/insight/summary/summary.ts';
import { combine } from '#core/series/combine.ts';
import { Formatter } from '#app/format/formatter.ts';
import { missingSpans } from '#core/series/gaps.ts';
import { STATE } from '#core/series/series.ts';
import { curveOf } from '#tests/core/series/curves.ts';
import { PAIRS, pairOf, series } from '#tests/core/series/formulas.ts';

const { partial, provisional, settled } = STATE;
const NONE = Number.NaN;

describe('summarize', () => {
  it('sums the known counts and reports their share of the time', () => {
    const curve = curveOf([4, NONE, 6, 0]);
    expect(summarize(curve, 40)).toMatchObject({
      total: 10,
      unit: 'posts',
      known: 3,
      buckets: 4,
      share: 0.75,
      peak: { index: 2, value: 6 },
      of: { mean: { ok: false, why: 'missing' }, provisional: 0 },
    });
  });

  it('ignores buckets that have not started', () => {
    const curve = curveOf([4, 6, NONE, NONE]);
    expect(summarize(curve, 20)).toMatchObject({
      total: 10,
      buckets: 2,
      share: 1,
      of: { mean: { ok: true, value: 5 } },
    });
  });

  it('averages whole buckets only', () => {
    const curve = curveOf([4, 6, 1], { states: [settled, provisional, partial] });
    expect(summarize(curve, 25)).toMatchObject({
      total: 11,
      share: 1,
      of: { mean: { ok: true, value: 5 }, provisional: 1 },
    });
  });

  it.each([
    ['at its exact edges', { start: 10, end: 30 }, 10],
    ['including buckets partly in it', { start: 15, end: 21 }, 10],
    ['if that is everything', { start: 0, end: 40 }, 15],
    ['only up to now', { start: 20, end: 99 }, 11],
  ])('sums the part in view, %s', (_, window, total) => {
    const curve = curveOf([4, 0, 10, 1]);
    expect(summarize(curve, 40, { window }).total).toBe(total);
  });

  it('finds no peak without Posts', () => {
    expect(summarize(curveOf([0, 0]), 20)).toMatchObject({
      peak: null,
      of: { mean: { ok: true, value: 0 } },
    });
  });

  it('is complete only if nothing is missing', () => {
    fc.assert(
      fc.property(
        fc.array(fc.option(fc.nat(9), { nil: NONE, freq: 3 }), { minLength: 1 }),
        (counts) => {
          const curve = curveOf(counts);
          const { share, of, total } = summarize(curve, 1e9);
          const missing = counts.some((count) => Number.isNaN(count));
          expect(share === 1).toBe(!missing);
          expect(of.mean.ok).toBe(!missing);
          expect(total).toBe(
            counts.reduce((sum, count) => sum + (Number.isNaN(count) ? 0 : count), 0),
          );
        },
      ),
    );
  });
});

describe('a formula', () => {
  it('uses the quotient of sums within another formula too', () => {
    const [a, b, c] = [curveOf([1, 9]), curveOf([1, 3]), curveOf([5, 5])];
    const parts = PAIRS.sum(pairOf('quotient', a, b), series(c));
    expect(summarize(combine(parts), 20, { parts, unit: 'ratio' })).toMatchObject({
      total: 10 / 4 + 10,
      unit: 'ratio',
    });
  });

  it('has its peak in a whole bucket if it is a quotient', () => {
    const [a, b] = [curveOf([4, 6]), curveOf([4, 0])];
    const cut = { ...b, states: Uint8Array.of(settled, partial) };
    const parts = pairOf('part', a, cut);
    const { peak } = summarize(combine(parts), 20, { parts, unit: 'part' });
    expect(peak).toEqual({ index: 0, value: 0.5 });
    expect(summarize(combine(pairOf('sum', a, cut)), 20).peak).toEqual({ index: 0, value: 8 });
  });

  it.each([
    ['below zero', [1, 2, 0], [5, 4, 9], { index: 1, value: -2 }],
    ['of zero', [1, 2, 0], [1, 4, 9], { index: 0, value: 0 }],
    ['above zero, even in a partial bucket', [1, 2, 9], [5, 4, 0], { index: 2, value: 9 }],
  ])('has its highest value as peak, here one %s', (_, one, other, peak) => {
    const cut = curveOf(other, { last: partial });
    const parts = pairOf('difference', curveOf(one), cut);
    expect(summarize(combine(parts), 30, { parts }).peak).toEqual(peak);
  });

  it('counts buckets with a zero divisor as complete, not missing', () => {
    const [a, b] = [curveOf([4, 2, 0]), curveOf([2, 0, 0])];
    const parts = pairOf('quotient', a, b);
    expect(summarize(combine(parts), 30, { parts, unit: 'ratio' })).toMatchObject({
      total: 3,
      share: 1,
      known: 1,
    });
    expect(missingSpans(combine(parts), 30)).toEqual([]);
    const gap = combine(pairOf('part', curveOf([4, NONE, 0]), curveOf([2, 0, 0])));
    expect(missingSpans(gap, 30)).toEqual([{ start: 10, end: 20 }]);
  });

  it.each([
    [0.5612, 'part', '56.1%'],
    [0.5612, 'ratio', '0.561'],
    [-12_345, 'posts', '−12,345'],
    [NONE, 'ratio', '–'],
  ] as const)('formats %d as %s: %s', (value, unit, text) => {
    expect(valueWords(value, unit, new Formatter('en-GB'))).toBe(text);
  });
});
