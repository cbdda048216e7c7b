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

/** The values at the steps of {@link shade}. */
export function shades(most: number): { readonly level: number; readonly value: number }[] {
  return STEPS.map((level) => ({ level, value: level * level * most }));
}
