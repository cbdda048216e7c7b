/** How many fives there must be to say anything. */
const LEAST_FIVES = 10;

/**
 * Whether counts look as though the platform had rounded small ones up to five (reported once, for geographic
 * queries): at least ten fives, no one to four, and more than twice as many fives as sixes. Sums of such
 * counts are upper bounds.
 */
export function upperBounds(counts: ArrayLike<number>): boolean {
  let fives = 0;
  let sixes = 0;
  for (let i = 0; i < counts.length; i += 1) {
    const count = counts[i] ?? 0;
    if (count > 0 && count < 5) return false;
    if (count === 5) fives += 1;
    else if (count === 6) sixes += 1;
  }
  return fives >= LEAST_FIVES && fives > 2 * sixes;
}
