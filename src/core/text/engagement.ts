/** What the minimum operators look at. */
export type Amount = 'likes' | 'replies' | 'reposts';

/** Larger numbers count as this one; no Post comes near it. */
export const LARGEST_AMOUNT = 2 ** 31 - 1;

/** Borne by the Posts that have at least a power of two of something. */
export function leastTerm(name: Amount, power: number): string {
  return `min_${name}:${power}`;
}

/** Borne by the Posts in whose number this power of two, below its highest, is set. */
export function bitTerm(name: Amount, power: number): string {
  return `${name}_bit:${power}`;
}

/**
 * The terms of a Post's number: one for each power of two that it reaches, and its binary digits below the
 * highest. So any "at least" is a few joins of lists, exact, whatever numbers Posts have.
 *
 * @param n - anything but a number of at least 1 gives no terms.
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
