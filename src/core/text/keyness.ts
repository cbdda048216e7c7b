/**
 * Log-likelihood that chance exceeds for 0.01 of 100 words (Rayson, Berridge & Francis, "Extending the Cochran rule for the
 * comparison of word frequencies between corpora", JADT 2004).
 */
export const DECISIVE = 15.13;

/** A phrase has one of this many words that are the most distinctive: others say little of the difference. */
export const LEADING_WORDS = 100;

/** Fewer Posts than this may be chance. */
export const MIN_POSTS = 3;
/** A single letter, except in scripts that write words with one, or a number of up to two digits. */
const SLIGHT = /^(?:\p{N}{1,2}|_|(?!\p{Script=Han})\p{L})$/u;

/** True if a word is a single letter, in a script that does not write words with one, or a number of up to two digits. */
export function isSlight(word: string): boolean {
  return SLIGHT.test(word);
}

/** One summand of G²: observed times the logarithm of observed over expected; zero if nothing is observed. */
const part = (observed: number, expected: number): number =>
  observed === 0 ? 0 : observed * Math.log(observed / expected);

/** Posts with a word among all Posts. */
export interface Portion {
  readonly posts: number;
  readonly all: number;
}

/**
 * Log-likelihood G² of a word in two sets of Posts: Dunning, "Accurate Methods for the Statistics of Surprise and
 * Coincidence", Computational Linguistics 19 (1993), in the form of Rayson & Garside, "Comparing Corpora using Frequency
 * Profiling" (2000): G² = 2 Σ O ln(O / E), with E the share of the word in both sets together. It counts Posts that contain
 * a word, so that one Post that repeats it weighs no more than another.
 *
 * @returns 0 if the shares are equal, or one of the sets has no Post.
 */
export function likelihoodOf(now: Portion, before: Portion): number {
  if (now.all === 0 || before.all === 0) return 0;
  const expected = (now.posts + before.posts) / (now.all + before.all);
  return 2 * (part(now.posts, now.all * expected) + part(before.posts, before.all * expected));
}

/**
 * The fewest Posts with a word that can reach a log-likelihood, which a word without any Post in the other set does.
 *
 * @returns At least {@link MIN_POSTS}; Infinity if one of the sets has no Post.
 */
export function leastPosts(all: number, allBefore: number, likelihood: number): number {
  if (all === 0 || allBefore === 0) return Infinity;
  return Math.max(MIN_POSTS, Math.ceil(likelihood / (2 * Math.log((all + allBefore) / all))));
}
