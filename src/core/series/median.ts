/** 1 / Φ⁻¹(3/4): makes the median absolute deviation of normal noise its standard deviation (Rousseeuw & Croux 1993). */
export const MAD_TO_SD = 1.4826;

/** Below it a median of counts says little: half a Post more or less is a step of the median. */
const SMALL = 5;
/** Part of the values, from the top, that is cut to the value below them where a mean stands for a median. */
const CLIPPED = 0.1;

/**
 * The value of a rank (0 the least) among the first `size`, which it reorders. Linear (Hoare's FIND, 1961).
 *
 * @param values - Without NaN.
 */
function select(values: Float64Array, size: number, rank: number): number {
  let low = 0;
  let high = size - 1;
  while (low < high) {
    const pivot = values[(low + high) >> 1] ?? 0;
    let i = low;
    let j = high;
    while (i <= j) {
      while ((values[i] ?? 0) < pivot) i += 1;
      while ((values[j] ?? 0) > pivot) j -= 1;
      if (i > j) break;
      const kept = values[i] ?? 0;
      values[i] = values[j] ?? 0;
      values[j] = kept;
      i += 1;
      j -= 1;
    }
    if (rank <= j) high = j;
    else if (rank >= i) low = i;
    else break;
  }
  return values[rank] ?? NaN;
}

/** Median of the first `size` values, which it reorders; the upper one of two middle ones; NaN of none. */
export function medianOf(values: Float64Array, size: number): number {
  return size === 0 ? NaN : select(values, size, size >> 1);
}

/**
 * Where the first `size` counts lie, unmoved by a few far off: their median; where that is below
 * {@link SMALL}, so that steps of whole Posts show, their mean with the highest tenth cut to the rest.
 * Reorders them; NaN of none.
 *
 * @param scale - What one Post comes to in these values.
 */
export function levelOf(values: Float64Array, size: number, scale = 1): number {
  const median = medianOf(values, size);
  if (!(median < SMALL * scale)) return median;
  const cut = select(values, size, Math.floor((size - 1) * (1 - CLIPPED)));
  let sum = 0;
  for (let i = 0; i < size; i += 1) sum += Math.min(cut, values[i] ?? 0);
  return sum / size;
}
