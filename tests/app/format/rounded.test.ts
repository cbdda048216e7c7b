import fc from 'fast-check';
import { expect, test } from 'vitest';
import { Formatter } from '#app/format/formatter.ts';
import { roundedMean, roundedPercent, roundedShare, roundedValue } from '#app/format/rounded.ts';
import { valueWords } from '#app/insight/summary/summary.ts';

const format = new Formatter('en-US');
/** Counts and quotients of counts, without the negative zero, which none of them is. */
const amount = fc
  .tuple(fc.integer({ min: -1e9, max: 1e9 }), fc.integer({ min: 1, max: 1e4 }))
  .map(([count, by]) => count / by + 0);
const part = fc.tuple(fc.nat(1e6), fc.nat(1e6)).map(([some, rest]) => some / (some + rest || 1));

test('a rounded value is shown as the value itself', () => {
  fc.assert(
    fc.property(amount, part, (value, share) => {
      expect(format.mean(roundedMean(value))).toBe(format.mean(value));
      expect(format.share(roundedShare(share))).toBe(format.share(share));
      for (const unit of ['posts', 'ratio'] as const) {
        expect(valueWords(roundedValue(value, unit), unit, format)).toBe(
          valueWords(value, unit, format),
        );
      }
    }),
  );
});

test.each([
  [123.456, 123, 123.46],
  [12.3456, 12.3, 12.35],
  [9.87654, 9.88, 9.877],
  [0.123456, 0.123, 0.123],
])('%d is %d as a mean, and %d as a change', (value, mean, percent) => {
  expect(roundedMean(value)).toBe(mean);
  expect(roundedPercent(value)).toBe(percent);
});

test('a share is never nothing for something, nor all for less', () => {
  expect([0, 0.0004, 0.9996, 1].map(roundedShare)).toEqual([0, 0.0004, 0.999, 1]);
  expect(roundedShare(Number.NaN)).toBeNaN();
  expect(roundedValue(Infinity, 'posts')).toBe(Infinity);
});
