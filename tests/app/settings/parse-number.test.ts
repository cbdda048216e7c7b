import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { numberText, typedAmount, typedNumber, typedWhole } from '#app/settings/parse-number.ts';
import { decimalSign } from '#core/format/number-text.ts';

describe('a typed number', () => {
  it.each([
    ['25', '.', 25],
    [' 0.005 ', '.', 0.005],
    ['.5', '.', 0.5],
    ['$2.44', '.', 2.44],
    ['0,005', '.', 0.005],
    ['0,005', ',', 0.005],
    ['0.005', ',', 0.005],
    ['1,5', '.', 1.5],
    ['1.000', '.', 1],
  ])('%j with the decimal sign %j is %d', (text, decimal, value) => {
    expect(typedNumber(text, decimal)).toEqual({ value });
  });

  it.each([
    ['1,000', '.', 'Enter thousands without a separator: 1000.'],
    ['1.000', ',', 'Enter thousands without a separator: 1000.'],
    ['12 500', '.', 'Enter thousands without a separator: 12500.'],
  ])(
    '%j with the decimal sign %j is rejected, because it could mean thousands',
    (text, sign, wrong) => {
      expect(typedNumber(text, sign)).toEqual({ wrong });
    },
  );

  it.each(['', '  ', '-1', 'five', '1e3', '1.2.3', '.', 'NaN', 'Infinity', '0x10'])(
    '%j is not a number',
    (text) => {
      expect(typedNumber(text, '.')).toHaveProperty('wrong');
    },
  );

  it.each(['8.400', '8,400', '8400.5', '8.0'])('%j is no whole number', (text) => {
    expect(typedWhole(text, '.')).toHaveProperty('wrong');
    expect(typedWhole(text, ',')).toHaveProperty('wrong');
    expect(typedWhole('8400', ',')).toEqual({ value: 8400 });
  });

  it.each([
    ['4.321', '.', { wrong: 'Enter 4321 for thousands, or 4.3210 for a fraction.' }],
    ['4,321', ',', { wrong: 'Enter 4321 for thousands, or 4,3210 for a fraction.' }],
    ['$4.321', '.', { wrong: 'Enter 4321 for thousands, or 4.3210 for a fraction.' }],
    ['4,3210', ',', { value: 4.321 }],
    ['4.32', ',', { value: 4.32 }],
    ['0.005', '.', { value: 0.005 }],
    ['4321', '.', { value: 4321 }],
  ])(
    '%j with the decimal sign %j is an amount, unless it could mean thousands',
    (text, sign, is) => {
      expect(typedAmount(text, sign)).toEqual(is);
    },
  );

  it('is formatted as it is parsed, in every locale', () => {
    const price = fc.integer({ min: 0, max: 10 ** 12 }).map((n) => n / 10 ** 6);
    fc.assert(
      fc.property(price, fc.constantFrom('en-GB', 'de-DE', 'fr-FR', 'de-CH'), (value, locale) => {
        const decimal = decimalSign(locale);
        expect(typedNumber(numberText(value, decimal), decimal)).toEqual({ value });
      }),
    );
  });
});
