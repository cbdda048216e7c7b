/** How many fives there must be to say anything. */
const LEAST_FIVES = 10;

/** How many small counts there are. */
export interface SmallCounts {
  /** One to four. */
  readonly few: number;
  readonly fives: number;
  readonly sixes: number;
}

/** Tells how many counts are small. */
export function smallCounts(counts: ArrayLike<number>): SmallCounts {
  let few = 0;
  let fives = 0;
  let sixes = 0;
  for (let i = 0; i < counts.length; i += 1) {
    const count = counts[i] ?? 0;
    if (count === 0 || count > 6) continue;
    if (count < 5) few += 1;
    else if (count === 5) fives += 1;
    else sixes += 1;
  }
  return { few, fives, sixes };
}

/**
 * Whether counts look as though the platform had rounded small ones up to five (reported once, for geographic
 * queries): at least ten fives, no one to four, and more than twice as many fives as sixes. Sums of such
 * counts are upper bounds (ledger rule 19).
 */
export function upperBounds({ few, fives, sixes }: SmallCounts): boolean {
  return few === 0 && fives >= LEAST_FIVES && fives > 2 * sixes;
}
