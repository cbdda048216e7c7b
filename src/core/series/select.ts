/** Chance needs far fewer rounds. After these the rest is sorted, so that bad pivots do not make the search quadratic. */
const ROUNDS = 100;

/**
 * Finds the value of a rank (0 is the smallest) and moves it into place, with none greater before it and none smaller
 * after. Linear (Hoare's FIND, 1961).
 *
 * @param values - Without NaN; the first `size` are reordered.
 * @returns NaN if there is no such rank.
 */
export function select(values: Float64Array, size: number, rank: number): number {
  let low = 0;
  let high = size - 1;
  for (let round = 0; low < high; round++) {
    if (round === ROUNDS) {
      values.subarray(low, high + 1).sort();
      break;
    }
    const pivot = values[low + ((high - low) >> 1)] ?? 0;
    let i = low;
    let j = high;
    while (i <= j) {
      while ((values[i] ?? 0) < pivot) i++;
      while ((values[j] ?? 0) > pivot) j--;
      if (i > j) break;
      const swapped = values[i] ?? 0;
      values[i++] = values[j] ?? 0;
      values[j--] = swapped;
    }
    if (rank <= j) high = j;
    else if (rank >= i) low = i;
    else break;
  }
  return values[rank] ?? NaN;
}
