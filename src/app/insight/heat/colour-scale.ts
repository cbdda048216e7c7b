/** The steps of a legend, from nothing to the most. */
const STEPS = [0, 0.25, 0.5, 0.75, 1] as const;

/**
 * The shade of a value, by its square root, so that one high value does not flatten the others.
 *
 * @param most - The highest value of all.
 * @returns 0 (none, or less) to 1 (the most); NaN for NaN.
 */
export function shade(value: number, most: number): number {
  if (Number.isNaN(value)) return Number.NaN;
  return value > 0 && most > 0 ? Math.sqrt(Math.min(1, value / most)) : 0;
}

/** A value with one digit, or half of the next one after a 1. */
function rounded(value: number): number {
  if (value === 0) return 0;
  const power = Math.floor(Math.log10(value));
  const digit = value / 10 ** power;
  const half = digit < 2 ? Math.round(digit * 2) / 2 : Math.round(digit);
  return Number(`${half}e${power}`);
}

/** Round values near the steps of {@link shade}, each once, with their shades; whole ones if the highest is whole. */
export function shades(most: number): { readonly level: number; readonly value: number }[] {
  const values = STEPS.map((step) => {
    const value = step * step * most;
    return rounded(Number.isInteger(most) ? Math.round(value) : value);
  });
  return [...new Set(values)].map((value) => ({ value, level: shade(value, most) }));
}
