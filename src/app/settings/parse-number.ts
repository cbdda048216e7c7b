/** What a typed number is: its value, or what to do about it. */
export type Typed = { readonly value: number } | { readonly wrong: string };

/** The sign before decimals in a locale. */
export function decimalSign(locale: string | undefined): string {
  const parts = new Intl.NumberFormat(locale).formatToParts(1.1);
  return parts.find((part) => part.type === 'decimal')?.value ?? '.';
}

/** A number as it is typed: no groups, the locale's decimal sign. */
export function numberText(value: number, decimal: string): string {
  // Never in exponents: 1e-7 is no price that anyone would read.
  const text = value.toFixed(9).replace(/\.?0+$/, '');
  return text.replace('.', decimal);
}

/**
 * Reads a typed number. A full stop always stands before decimals where nothing else can be meant, a comma
 * too; what could mean thousands is asked about rather than guessed.
 */
export function typedNumber(text: string, decimal: string): Typed {
  const bare = text.trim();
  if (bare === '') return { wrong: 'A number is missing.' };
  const grouped = /^\d{1,3}(?:([.,’'\u00a0\u202f ])\d{3})+$/.exec(bare);
  const sign = grouped?.[1];
  if (sign !== undefined && sign !== decimal && !bare.startsWith('0')) {
    return { wrong: `Write thousands without a sign: ${bare.replaceAll(sign, '')}.` };
  }
  const plain = bare.replace(/^[$]\s*/, '').replace(/[.,]/, '.');
  if (!/^\d*\.?\d*$/.test(plain) || !/\d/.test(plain)) {
    return { wrong: `A number like ${numberText(0.5, decimal)} or 25.` };
  }
  return { value: Number(plain) };
}
