/** Codes of ISO 4217 that prices are in, by digits of the minor unit (ISO 4217:2015, list one, of 2025). */
const CODES: Readonly<Record<number, string>> = {
  0: 'BIF CLP DJF GNF ISK JPY KMF KRW PYG RWF UGX VND VUV XAF XOF XPF',
  2: `AED AFN ALL AMD ANG AOA ARS AUD AWG AZN BAM BBD BDT BGN BMD BND BOB BRL BSD BTN BWP BYN BZD CAD CDF CHF CNY COP CRC
    CUP CVE CZK DKK DOP DZD EGP ERN ETB EUR FJD FKP GBP GEL GHS GIP GMD GTQ GYD HKD HNL HTG HUF IDR ILS INR IRR JMD KES
    KGS KHR KPW KYD KZT LAK LBP LKR LRD LSL MAD MDL MGA MKD MMK MNT MOP MRU MUR MVR MWK MXN MYR MZN NAD NGN NIO NOK NPR
    NZD PAB PEN PGK PHP PKR PLN QAR RON RSD RUB SAR SBD SCR SDG SEK SGD SHP SLE SOS SRD SSP STN SVC SYP SZL THB TJS TMT
    TOP TRY TTD TWD TZS UAH USD UYU UZS VED VES WST XCD XCG YER ZAR ZMW ZWG`,
  3: 'BHD IQD JOD KWD LYD OMR TND',
  4: 'CLF UYW',
};

const DIGITS: ReadonlyMap<string, number> = new Map(
  Object.entries(CODES).flatMap(([digits, codes]) =>
    codes.split(/\s+/).map((code): [string, number] => [code, Number(digits)]),
  ),
);

/** An amount in one currency. */
export interface Money {
  /** In minor units, exact: a whole number below 10^15. */
  readonly amount: number;
  /** Code of ISO 4217. */
  readonly currency: string;
}

/** The reason a text is not an amount of money. */
export type MoneyFault =
  | { readonly is: 'form' }
  | { readonly is: 'currency' }
  | { readonly is: 'digits'; most: number };

const FORM = /^(\d{1,11})(?:\.(\d+))? ([A-Z]{3})$/;

/** Reads money as prices have it, `20.00 USD`: a number with a decimal point, a space and a code of ISO 4217. */
export function parseMoney(text: string): Money | MoneyFault {
  const [, whole, fraction = '', currency = ''] = FORM.exec(text) ?? [];
  if (whole === undefined) return { is: 'form' };
  const digits = DIGITS.get(currency);
  if (digits === undefined) return { is: 'currency' };
  const exact = fraction.replace(/0+$/, '');
  if (exact.length > digits) return { is: 'digits', most: digits };
  return { amount: Number(whole + exact.padEnd(digits, '0')), currency };
}

/** True if a text was read as money. */
export function isMoney(read: Money | MoneyFault): read is Money {
  return 'amount' in read;
}

/** Money as text, with every digit of the minor unit. @throws {@link RangeError} for an unknown currency. */
export function formatMoney({ amount, currency }: Money): string {
  const digits = DIGITS.get(currency);
  if (digits === undefined) throw new RangeError(`expected a code of ISO 4217, got ${currency}`);
  const text = String(amount).padStart(digits + 1, '0');
  const whole = text.slice(0, text.length - digits);
  const fraction = digits === 0 ? '' : `.${text.slice(-digits)}`;
  return `${whole}${fraction} ${currency}`;
}
