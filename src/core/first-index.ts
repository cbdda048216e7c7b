/**
 * The first number of `[from, to)` that passes a test, `to` if none does. Takes a logarithmic number of steps.
 *
 * @param passes - Once true for a number, it is true for all greater ones.
 */
export function firstIndex(from: number, to: number, passes: (i: number) => boolean): number {
  let low = from;
  let high = to;
  while (low < high) {
    const middle = (low + high) >>> 1;
    if (passes(middle)) high = middle;
    else low = middle + 1;
  }
  return low;
}
