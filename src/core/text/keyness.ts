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

const CLASSES: readonly (readonly [number, Strength])[] = [
  [15.13, 'decisive'],
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
const MIN_POSTS = 3;
const ADDRESS = /https?:\/\/\S+|(?:^|\s)(?:t\.co|pic\.twitter\.com|pic\.x\.com)\/\S+/giu;
/** HTML entities that remain in exported texts: `&amp;`. */
const ENTITY = /&(?:amp|lt|gt|quot|#39);/giu;
/** A single letter, except in scripts that write words with one, or a number of up to two digits. */
const SLIGHT = /^(?:\p{N}{1,2}|_|(?!\p{Script=Han})\p{L})$/u;

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
      return taken === 0 && !isStopWord(word) && !SLIGHT.test(word);
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
    const expected = (posts + earlier) / (now.posts + before.posts);
    const likelihood =
      2 * (part(posts, now.posts * expected) + part(earlier, before.posts * expected));
    const strength = CLASSES.find(([threshold]) => likelihood > threshold)?.[1];
    if (!strength) continue;
    out.push({ word, posts, share, before: earlier, shareBefore, likelihood, strength });
  }
  out.sort((a, b) => b.likelihood - a.likelihood || (a.word < b.word ? -1 : 1));
  return out.slice(0, limit);
}
