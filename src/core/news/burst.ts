/** A stretch of time in which a term is more frequent than usual; positions are minutes of the counts. */
export interface Burst {
  /** The first minute: the most likely moment at which the pace rose. */
  readonly first: number;
  /** The last minute of the higher pace. */
  readonly last: number;
  readonly posts: number;
  /** Posts that are usual in its minutes. */
  readonly usual: number;
  /** The minute in which it became certain with enough Posts for a story, which no later Post changes; else null. */
  readonly certain: number | null;
  /** Logarithm of how much better the higher pace explains the counts than the usual one. */
  readonly score: number;
}

/** The pace against which the usual one is tested, as a multiple of it. */
export const RISE = 4;
/**
 * Score from which a burst is certain: e^14, a million, to one, which twelve Posts within 50 minutes have where almost
 * none are usual. A thousand terms have 10^6 minutes a day, so that a story needs two terms, or a hashtag, in the same Posts.
 */
export const CERTAIN = 14;
/** Score from which a burst is likely: enough for a term that shares Posts with a certain one. */
const LIKELY = 8;
/** Fewest Posts of a story. */
export const LEAST_POSTS = 12;
/** A burst ends once the score has fallen by this much: the usual pace explains the minutes since its top better. */
const OVER = 12;
/** A burst ends after this many minutes in any case; what lasts longer is usual by then. */
const LONGEST = 24 * 60;

function burstFrom(
  counts: Uint16Array,
  usual: Float64Array,
  [first, last, certain]: readonly [first: number, last: number, certain: number],
  score: number,
): Burst {
  let posts = 0;
  let expected = 0;
  for (let i = first; i <= last; i++) {
    posts += counts[i] ?? 0;
    expected += usual[Math.floor(i / 60)] ?? 0;
  }
  return { first, last, certain: certain < 0 ? null : certain, posts, usual: expected, score };
}

/**
 * Finds the bursts of a term with a cumulative sum of log-likelihood ratios: Page, "Continuous Inspection Schemes",
 * Biometrika 41 (1954). Each minute adds the logarithm of how much more likely its count is at {@link RISE} times the
 * usual pace than at the usual one (Poisson, divided by the excess variance of the term); below zero the sum starts
 * again. A burst begins with the minute at which the sum left zero for the last time, which is the most likely moment of
 * the change, and depends on no later minute.
 *
 * @param counts - Posts per minute.
 * @param usual - Posts that are usual in a minute of each hour of the counts; above 0.
 * @param noise - Variance of the counts as a multiple of that of chance, at least 1.
 * @returns Bursts that are at least likely, in order of time, disjoint.
 */
export function burstsOf(counts: Uint16Array, usual: Float64Array, noise: number): Burst[] {
  const found: Burst[] = [];
  const gain = Math.log(RISE) / noise;
  const losses = usual.map((pace) => ((RISE - 1) * pace) / noise);
  // Single variables: this loop runs for every minute of every frequent term.
  let sum = 0;
  let top = 0;
  let first = 0;
  let last = 0;
  let posts = 0;
  let certain = -1;
  for (let i = 0; i < counts.length; i++) {
    const count = counts[i]!;
    if (sum === 0) {
      // Nothing begins without a Post.
      if (count === 0) continue;
      first = i;
      posts = 0;
      certain = -1;
    }
    posts += count;
    sum += count * gain - losses[Math.floor(i / 60)]!;
    if (sum > top) {
      top = sum;
      last = i;
    }
    if (certain < 0 && sum >= CERTAIN && posts >= LEAST_POSTS) certain = i;
    if (sum > 0 && top - sum < OVER && i - first < LONGEST) continue;
    if (top >= LIKELY) found.push(burstFrom(counts, usual, [first, last, certain], top));
    sum = 0;
    top = 0;
  }
  if (top >= LIKELY) found.push(burstFrom(counts, usual, [first, last, certain], top));
  return found;
}
