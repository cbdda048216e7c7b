/** Digits of a GTIN: GTIN-8, UPC, EAN and GTIN-14 (GS1 General Specifications, section 7.9). */
const LENGTHS: ReadonlySet<number> = new Set([8, 12, 13, 14]);

/** True if a text has as many digits as a GTIN. */
export function isGtinForm(text: string): boolean {
  return LENGTHS.has(text.length) && /^\d+$/.test(text);
}

/** The check digit of a GTIN without it. Weights alternate 3, 1 from the right (GS1, section 7.9.1). */
export function checkDigit(digits: string): number {
  let sum = 0;
  for (let i = 0; i < digits.length; i++) {
    const weight = (digits.length - i) % 2 === 1 ? 3 : 1;
    sum += weight * Number(digits[i]);
  }
  return (10 - (sum % 10)) % 10;
}
