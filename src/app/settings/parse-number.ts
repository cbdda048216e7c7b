/** A typed number: its value, or how to fix it. */
export type Typed = { readonly value: number } | { readonly wrong: string };

/** A number as a user types it: no grouping, the locale's decimal separator. */
export function numberText(value: number, decimal: string): string {
  // Never in exponents: nobody reads 1e-7 as a price.
  const text = value.toFixed(9).replace(/\.?0+$/, '');
  return text.replace('.', decimal);
}

/**
 * Reads a typed number. A full stop or a comma is a decimal separator unless it could separate thousands: then the user
 * is asked instead of guessing.
 */
export function typedNumber(text: string, decimal: string): Typed {
  const bare = text.trim();
  if (bare === '') return { wrong: 'Enter a number.' };
  const grouped = /^\d{1,3}(?:([.,’'\u00a0\u202f ])\d{3})+$/.exec(bare);
  const sign = grouped?.[1];
  if (sign !== undefined && sign !== decimal && !bare.startsWith('0')) {
    return { wrong: `Enter thousands without a separator: ${bare.replaceAll(sign, '')}.` };
  }
  const plain = bare.replace(/^[$]\s*/, '').replace(/[.,]/, '.');
  if (!/^\d*\.?\d*$/.test(plain) || !/\d/.test(plain)) {
    return { wrong: `Enter a number like ${numberText(0.5, decimal)} or 25.` };
  }
  return { value: Number(plain) };
}

/** Reads a typed whole number, which has no full stop or comma: it could separate thousands. */
export function typedWhole(text: string, decimal: string): Typed {
  const typed = typedNumber(text, decimal);
  if ('wrong' in typed || !/[.,]/.test(text)) return typed;
  return { wrong: 'Enter a whole number without a separator, like 8400.' };
}

/** Reads a typed amount of money. Three decimals could be thousands in another language: then the user is asked. */
export function typedAmount(text: string, decimal: string): Typed {
  const typed = typedNumber(text, decimal);
  const [, whole, rest] =
    /^([1-9]\d{0,2})[.,](\d{3})$/.exec(text.trim().replace(/^[$]\s*/, '')) ?? [];
  if ('wrong' in typed || whole === undefined) return typed;
  return {
    wrong: `Enter ${whole}${rest} for thousands, or ${whole}${decimal}${rest}0 for a fraction.`,
  };
}
