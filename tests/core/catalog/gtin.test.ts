import * as fc from 'fast-check';
import { expect, it } from 'vitest';
import { checkDigit, isGtinForm } from '#core/catalog/gtin.ts';

// Examples of GS1 (gs1.org, check digit calculator) and of printed products.
it.each(['4006381333931', '036000291452', '96385074', '10614141000415'])('%s is valid', (gtin) => {
  expect(isGtinForm(gtin)).toBe(true);
  expect(checkDigit(gtin.slice(0, -1))).toBe(Number(gtin.at(-1)));
});

it.each(['', '123', '1234567', '400638133393a'])('%s has no length of a GTIN', (text) => {
  expect(isGtinForm(text)).toBe(false);
});

it('notices every change of one digit', () => {
  const digits = fc.stringMatching(/^\d{12}$/);
  fc.assert(
    fc.property(digits, fc.nat(11), fc.integer({ min: 1, max: 9 }), (text, at, by) => {
      const other = (Number(text[at]) + by) % 10;
      const changed = text.slice(0, at) + String(other) + text.slice(at + 1);
      expect(checkDigit(changed)).not.toBe(checkDigit(text));
    }),
  );
});
