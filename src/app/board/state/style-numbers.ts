/** The number that a series would have: that of its style, from 0, and whether that was told or is its place alone. */
export interface WantedStyle {
  readonly number: number;
  readonly told: boolean;
}

/**
 * Numbers of the styles of series, none twice: what is told comes first, then places; where a number is taken, the
 * first that is free.
 */
export function styleNumbers(wanted: readonly WantedStyle[]): number[] {
  const taken = new Set<number>();
  const numbers = wanted.map(() => 0);
  for (const round of [true, false]) {
    for (const [i, { number, told }] of wanted.entries()) {
      if (told !== round) continue;
      let free = taken.has(number) ? 0 : number;
      while (taken.has(free)) free += 1;
      taken.add(free);
      numbers[i] = free;
    }
  }
  return numbers;
}
