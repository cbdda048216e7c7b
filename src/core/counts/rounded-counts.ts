/** The test needs at least this many fives. */
const MIN_FIVES = 10;

/** The frequencies of small counts. */
export interface SmallCounts {
  /** One to four. */
  readonly few: number;
  readonly fives: number;
  readonly sixes: number;
}

/** Counts the small counts. */
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
 * True if the platform seems to have rounded small counts up to five (reported once, for geographic
 * queries): at least ten fives, no one to four, and more than twice as many fives as sixes. Sums of
 * such counts are upper bounds (ledger rule 19).
 */
export function upperBounds({ few, fives, sixes }: SmallCounts): boolean {
  return few === 0 && fives >= MIN_FIVES && fives > 2 * sixes;
}
