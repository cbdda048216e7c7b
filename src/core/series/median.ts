import { select } from './select.ts';

/** 1 / Φ⁻¹(3/4): makes the median absolute deviation of normal noise its standard deviation (Rousseeuw & Croux 1993). */
export const MAD_TO_SD = 1.4826;

/** Below this a median of counts is too coarse: it moves in steps of half a Post. */
const SMALL = 5;
/**
 * Part of the values, from the top, that is reduced to the value below them when a mean replaces a
 * median.
 */
const CLIPPED = 0.1;

/** Median of the first `size` values, which it reorders; the upper of two middle values; NaN for none. */
export function medianOf(values: Float64Array, size: number): number {
  return size === 0 ? NaN : select(values, size, size >> 1);
}

/** The median of values without NaN, which it reorders; NaN for none. */
export function median(values: Float64Array): number {
  const size = values.length;
  if (size === 0) return NaN;
  const middle = size >> 1;
  const upper = select(values, size, middle);
  if (size % 2 === 1) return upper;
  let lower = -Infinity;
  for (let i = 0; i < middle; i++) lower = Math.max(lower, values[i] ?? NaN);
  return lower + (upper - lower) / 2;
}

/**
 * A robust level of the first `size` counts: their median or, if that is below {@link SMALL}, where
 * steps of whole Posts would show, their mean with the highest tenth clipped. Reorders them; NaN for
 * none.
 *
 * @param scale - The size of one Post in these values.
 */
export function levelOf(values: Float64Array, size: number, scale = 1): number {
  const middle = medianOf(values, size);
  if (!(middle < SMALL * scale)) return middle;
  const cut = select(values, size, Math.floor((size - 1) * (1 - CLIPPED)));
  let sum = 0;
  for (let i = 0; i < size; i += 1) sum += Math.min(cut, values[i] ?? 0);
  return sum / size;
}
