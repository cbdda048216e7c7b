import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { typedTarget } from '#app/board/chart-panel/typed-target.ts';

describe('a typed target', () => {
  it.each([
    ['5000', '.', 5000],
    ['5,000', '.', 5000],
    ['5.000', ',', 5000],
    ['5 000', ',', 5000],
    ['1,234,567.5', '.', 1_234_567.5],
    ['1.234.567,5', ',', 1_234_567.5],
    ['2,5', ',', 2.5],
    ['0.25', '.', 0.25],
    [' 12 ', '.', 12],
  ])('reads %s with the decimal separator %s', (text, decimal, value) => {
    expect(typedTarget(text, '', decimal)).toEqual({ target: { value, label: '' } });
  });

  it.each([
    ['', { target: null }],
    ['  ', { target: null }],
    ['0', { wrong: 'A target is above 0.' }],
    ['2000000000000', { wrong: 'A target is at most 1 trillion.' }],
    ['lots', { wrong: '“lots” is not a number. Enter a number like 0.5 or 25.' }],
    ['-5', { wrong: '“-5” is not a number. Enter a number like 0.5 or 25.' }],
    ['5k', { wrong: '“5k” is not a number. Enter a number like 0.5 or 25.' }],
  ])('“%s” is answered clearly', (text, answer) => {
    expect(typedTarget(text, 'Goal', '.')).toEqual(answer);
  });

  it('keeps the label without spaces around it, and no more than fits', () => {
    expect(typedTarget('5', '  Launch goal ', '.')).toEqual({
      target: { value: 5, label: 'Launch goal' },
    });
    expect(typedTarget('5', 'x'.repeat(99), '.')).toHaveProperty('target.label.length', 60);
  });

  it('reads every number the way a locale writes it', () => {
    fc.assert(
      fc.property(
        fc.integer({ min: 1, max: 1e9 }),
        fc.constantFrom('en-US', 'de-DE', 'fr-FR', 'ja-JP', 'de-CH'),
        (value, locale) => {
          const format = new Intl.NumberFormat(locale);
          const decimal =
            format.formatToParts(0.5).find(({ type }) => type === 'decimal')?.value ?? '.';
          expect(typedTarget(format.format(value), '', decimal)).toEqual({
            target: { value, label: '' },
          });
        },
      ),
    );
  });
});
