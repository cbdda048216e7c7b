import { isStopWord } from '#core/query/stop-words.ts';
import { fold } from './fold.ts';
import { scanText } from './tokens.ts';

/** How many Posts contain each word; a word repeated in a Post counts once. */
export interface Bag {
  readonly posts: number;
  readonly words: ReadonlyMap<string, number>;
}

/**
 * How unlikely a difference is by chance: its log-likelihood exceeds 3.84, 6.63, 10.83 or 15.13, which
 * chance does for 5, 1, 0.1 and 0.01 of 100 words (Rayson, Berridge & Francis, "Extending the Cochran
 * rule for the comparison of word frequencies between corpora", JADT 2004).
 */
export type Strength = 'weak' | 'fair' | 'strong' | 'decisive';

/** Log-likelihood that chance exceeds for 0.01 of 100 words; see {@link Strength}. */
export const DECISIVE = 15.13;

const CLASSES: readonly (readonly [number, Strength])[] = [
  [DECISIVE, 'decisive'],
  [10.83, 'strong'],
  [6.63, 'fair'],
  [3.84, 'weak'],
];

/** A word that is more frequent in one time than in another. */
export interface KeyWord {
  /** Folded: a word, an emoji, a hashtag or mention with its sign. */
  readonly word: string;
  /** Posts that contain it, and their share of all. */
  readonly posts: number;
  readonly share: number;
  readonly before: number;
  readonly shareBefore: number;
  /** Log-likelihood G². */
  readonly likelihood: number;
  readonly strength: Strength;
}

/** Fewer Posts than this may be chance. */
export const MIN_POSTS = 3;
const ADDRESS = /https?:\/\/\S+|(?:^|\s)(?:t\.co|pic\.twitter\.com|pic\.x\.com)\/\S+/giu;
/** HTML entities that remain in exported texts: `&amp;`. */
const ENTITY = /&(?:amp|lt|gt|quot|#39);/giu;
/** A single letter, except in scripts that write words with one, or a number of up to two digits. */
const SLIGHT = /^(?:\p{N}{1,2}|_|(?!\p{Script=Han})\p{L})$/u;

/** Whether a word is a single letter, in a script that does not write words with one, or a number of up to two digits. */
export function isSlight(word: string): boolean {
  return SLIGHT.test(word);
}

/** The words, hashtags, mentions and emoji of texts, without addresses, single letters and small numbers. */
export function bagOf(texts: Iterable<string>): Bag {
  const words = new Map<string, number>();
  let posts = 0;
  for (const text of texts) {
    posts += 1;
    const scanned = scanText(fold(text.replace(ADDRESS, ' ').replace(ENTITY, ' '), 'search'));
    const signed = [...scanned.hashtags, ...scanned.mentions];
    // The run after a sign is also among the words; that many occurrences are not words of their own.
    const bare = new Map<string, number>();
    for (const term of signed) bare.set(term.slice(1), (bare.get(term.slice(1)) ?? 0) + 1);
    const plain = scanned.words.filter((word) => {
      const taken = bare.get(word) ?? 0;
      if (taken > 0) bare.set(word, taken - 1);
      return taken === 0 && !isStopWord(word) && !isSlight(word);
    });
    for (const word of new Set([...signed, ...plain, ...scanned.emoji])) {
      words.set(word, (words.get(word) ?? 0) + 1);
    }
  }
  return { posts, words };
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
 * Log-likelihood G² of a word in two sets of Posts; see {@link keyWords} for its source.
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

/**
 * The words that distinguish a time from another, by log-likelihood: Dunning, "Accurate Methods for the
 * Statistics of Surprise and Coincidence", Computational Linguistics 19 (1993), in the form of Rayson &
 * Garside, "Comparing Corpora using Frequency Profiling" (2000): G² = 2 Σ O ln(O / E), with E the share
 * of the word in both times together. It counts Posts that contain a word, so that one Post that
 * repeats it, or a long one, weighs no more than another.
 *
 * @param leaveOut - Folded words to leave out: those of the query, which every Post contains.
 * @param limit - Maximum number of words.
 * @returns Only words with a larger share in `now`, in three Posts or more, unlikely by chance; the
 *   least likely first. Empty if one of the bags has no Post.
 */
export function keyWords(
  now: Bag,
  before: Bag,
  leaveOut: ReadonlySet<string> = new Set(),
  limit = 20,
): KeyWord[] {
  if (now.posts === 0 || before.posts === 0) return [];
  const out: KeyWord[] = [];
  for (const [word, posts] of now.words) {
    if (posts < MIN_POSTS || leaveOut.has(word) || leaveOut.has(word.replace(/^[#@]/u, '')))
      continue;
    const earlier = before.words.get(word) ?? 0;
    const share = posts / now.posts;
    const shareBefore = earlier / before.posts;
    if (share <= shareBefore) continue;
    const likelihood = likelihoodOf(
      { posts, all: now.posts },
      { posts: earlier, all: before.posts },
    );
    const strength = CLASSES.find(([threshold]) => likelihood > threshold)?.[1];
    if (!strength) continue;
    out.push({ word, posts, share, before: earlier, shareBefore, likelihood, strength });
  }
  out.sort((a, b) => b.likelihood - a.likelihood || (a.word < b.word ? -1 : 1));
  return out.slice(0, limit);
}
