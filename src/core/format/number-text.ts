/* Numbers as text, the same in every engine: in the separators of a locale, but with one kind of space and of digit. */

const formats = new Map<string, Intl.NumberFormat>();

/** A cached formatter: creating one costs more than a hundred uses. */
function numberFormat(locale: string | undefined, options: Intl.NumberFormatOptions) {
  const key = `${locale}|${JSON.stringify(options)}`;
  let format = formats.get(key);
  if (!format) {
    // Sentences are English, so digits are those of English texts.
    format = new Intl.NumberFormat(locale, { numberingSystem: 'latn', ...options });
    formats.set(key, format);
  }
  return format;
}

/**
 * A number in the separators of a locale.
 *
 * Engines disagree about spaces (thin, narrow or wide), about the Swiss apostrophe and about marks of direction; here
 * every space is a no-break space, the apostrophe is ’, the minus is U+2212 (a hyphen in many locales), and there are no
 * marks.
 *
 * @param locale - BCP 47; by default the engine's.
 */
export function formatNumber(
  value: number,
  locale?: string,
  options: Intl.NumberFormatOptions = {},
): string {
  return numberFormat(locale, options)
    .format(value)
    .replaceAll('-', '−')
    .replace(/[\s\u200e\u200f\u061c']/g, (sign) =>
      sign === "'" ? '’' : /\s/.test(sign) ? '\u00a0' : '',
    );
}

/** Micro-dollars in a dollar. */
export const MICRO = 1_000_000;

/** US dollars with all their decimals, two at least: `$2.44`, `$0.000001`. @param micro - Whole micro-dollars. */
export function dollarText(micro: number, locale?: string): string {
  return formatNumber(micro / MICRO, locale, {
    style: 'currency',
    currency: 'USD',
    currencyDisplay: 'narrowSymbol',
    maximumFractionDigits: 6,
  });
}

/** `$3.60`, for sentences of the service and of commands, which know no locale. @param money - USD. */
export function usdText(money: number): string {
  return dollarText(Math.round(money * MICRO), 'en-US');
}

/** The sign before the decimals of a locale. @param locale - BCP 47; by default the engine's. */
export function decimalSign(locale?: string): string {
  return formatNumber(0.5, locale).replaceAll(/\d/g, '');
}

/** `1,204`, for sentences of the service and of commands, which know no locale. */
export function grouped(n: number): string {
  return formatNumber(n, 'en-US');
}

const STEP = 1000;

/** A value in the largest power of 1,000 that it reaches when rounded to three digits. @returns The value and the power. */
export function scaled(value: number, most: number): { value: number; power: number } {
  const rounded = Number(value.toPrecision(3));
  let power = 0;
  while (power < most && Math.abs(rounded) >= STEP ** (power + 1)) power += 1;
  return { value: value / STEP ** power, power };
}
