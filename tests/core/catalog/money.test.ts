import * as fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { formatMoney, isMoney, parseMoney } from '#core/catalog/money.ts';

describe('money', () => {
  it.each([
    ['20.00 USD', 2000, 'USD'],
    ['20 USD', 2000, 'USD'],
    ['0.1 USD', 10, 'USD'],
    ['1000 JPY', 1000, 'JPY'],
    ['1.5000 USD', 150, 'USD'],
    ['1.234 KWD', 1234, 'KWD'],
    ['99999999999.99 EUR', 9_999_999_999_999, 'EUR'],
  ])('%s is %i of the minor unit', (text, amount, currency) => {
    expect(parseMoney(text)).toEqual({ amount, currency });
  });

  it.each([
    ['20.00', 'form'],
    ['20.00USD', 'form'],
    ['USD 20.00', 'form'],
    ['20,00 USD', 'form'],
    ['-1 USD', 'form'],
    ['.5 USD', 'form'],
    ['1. USD', 'form'],
    ['1e3 USD', 'form'],
    ['20.00  USD', 'form'],
    ['20.00 usd', 'form'],
    ['20.00 XYZ', 'currency'],
    ['20.001 USD', 'digits'],
    ['1.5 JPY', 'digits'],
  ])('%s is refused for its %s', (text, is) => {
    expect(parseMoney(text)).toMatchObject({ is });
  });

  it('is exact: two amounts compare as their decimal texts', () => {
    const amounts = fc.bigInt({ min: 0n, max: 99_999_999_999n });
    fc.assert(
      fc.property(
        amounts,
        amounts,
        fc.constantFrom('USD', 'JPY', 'KWD', 'CLF'),
        (a, b, currency) => {
          const text = (n: bigint): string => formatMoney({ amount: Number(n), currency });
          const [one, other] = [parseMoney(text(a)), parseMoney(text(b))];
          if (!isMoney(one) || !isMoney(other)) return expect.unreachable(`${text(a)}, ${text(b)}`);
          expect(one.amount < other.amount).toBe(a < b);
          expect(formatMoney(one)).toBe(text(a));
          return undefined;
        },
      ),
    );
  });
});
