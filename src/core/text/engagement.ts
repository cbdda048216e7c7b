/** The amounts that the minimum operators compare. */
export type Amount = 'likes' | 'replies' | 'reposts';

/** Larger numbers count as this one; no Post comes close. */
export const LARGEST_AMOUNT = 2 ** 31 - 1;

/** The term of Posts that have at least a power of two of something. */
export function leastTerm(name: Amount, power: number): string {
  return `min_${name}:${power}`;
}

/** The term of Posts whose number has this binary digit, below its highest. */
export function bitTerm(name: Amount, power: number): string {
  return `${name}_bit:${power}`;
}

/**
 * The terms of a Post's number: one for each power of two that it reaches, and its binary digits below
 * the highest. Any "at least" is then a few joins of lists, exact for all numbers.
 *
 * @param n - Anything but a number of at least 1 gives no terms.
 */
export function amountTerms(name: Amount, n: number): string[] {
  const out: string[] = [];
  if (!(n >= 1)) return out;
  const whole = Math.min(Math.floor(n), LARGEST_AMOUNT);
  for (let power = 1; power <= whole; power *= 2) {
    out.push(leastTerm(name, power));
    if (power * 2 <= whole && (whole & power) !== 0) out.push(bitTerm(name, power));
  }
  return out;
}
