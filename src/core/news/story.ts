import { grouped } from '#core/format/number-text.ts';
import { plural } from '#core/format/plural.ts';
import type { IndexablePost } from '#core/text/post.ts';
import { MINUTE_MS } from '#core/time/span.ts';
import { contextsOf, type Contexts, type Named } from './contexts.ts';
import type { CountedGroup, CountedTerm } from './group.ts';
import { titleOf } from './name.ts';
import { isSpacelessLetter } from './news-term.ts';
import { areAlike, ownWords, storyTerms } from './sentence.ts';
import { storyId } from './story-id.ts';

/** A Post of a story, as far as a story is made of it. */
export interface StoryPost {
  readonly id: string;
  /** The content that queries match. */
  readonly post: IndexablePost;
  /** The id of its author; null if it is not known. */
  readonly author: string | null;
  /** The id of the Post that it reposts, else its own. */
  readonly original: string;
  readonly isRepost: boolean;
  readonly named: readonly Named[];
}

/** The subject of many Posts at once. */
export interface Story extends StoryIdentity {
  /** The number of Posts it has. */
  readonly posts: number;
  readonly name: string;
  readonly summary: string;
  /** The reason it is a story: how many Posts in which time, and how many are usual. */
  readonly hook: string;
  readonly category: string;
  readonly contexts: Contexts;
  readonly keywords: readonly string[];
  /** Posts that represent it, no two of which say nearly the same. */
  readonly cluster: readonly StoryPost[];
}

/** Fewest authors of a story: one account alone says nothing together with others. */
const LEAST_AUTHORS = 3;
const MOST_CLUSTER = 10;
const MOST_KEYWORDS = 12;
const MOST_IDS = 30;
/** The Posts with most of the group's terms that neither repost one another nor say nearly the same. */
function clusterOf({ terms }: CountedGroup, posts: readonly StoryPost[]): StoryPost[] {
  const names = new Set(terms.map(({ term }) => term));
  const ranked = posts.map((post) => {
    const words = storyTerms(ownWords(post.post.text));
    let weight = 0;
    for (const word of words) if (names.has(word)) weight++;
    return { post, words, weight };
  });
  ranked.sort(
    (a, b) =>
      Number(a.post.isRepost) - Number(b.post.isRepost) ||
      b.weight - a.weight ||
      (BigInt(a.post.id) < BigInt(b.post.id) ? -1 : 1),
  );
  const chosen: typeof ranked = [];
  for (const each of ranked) {
    if (chosen.length === MOST_CLUSTER) break;
    const repeats = chosen.some(
      ({ post, words }) => post.original === each.post.original || areAlike(words, each.words),
    );
    if (!repeats) chosen.push(each);
  }
  return chosen.map(({ post }) => post);
}

function durationText(ms: number): string {
  const minutes = Math.round(ms / MINUTE_MS);
  if (minutes < 120) return plural(minutes, 'minute');
  return `${Math.round(minutes / 60)} hours`;
}

/** A word that many Posts have, of which a letter is part; the term itself if it is a word. */
function wordWith(term: string, words: readonly string[]): string {
  return (isSpacelessLetter(term) && words.find((word) => word.includes(term))) || term;
}

/** The terms of a group, words in the place of letters. */
function keywordsOf(terms: readonly string[], words: readonly string[]): string[] {
  const found = terms.flatMap((term) =>
    isSpacelessLetter(term) ? words.filter((word) => word.includes(term)) : [term],
  );
  return [...new Set(found)].slice(0, MOST_KEYWORDS);
}

function hookOf({ terms, posts }: CountedGroup, first: number, name: string): string {
  const [{ burst, posts: own }] = terms;
  const at = new Date(first).toISOString().slice(0, 16).replace('T', ' ');
  const time = durationText((burst.last - burst.first + 1) * MINUTE_MS);
  const usual = Math.max(1, Math.ceil(burst.usual));
  const more = posts > own ? `, of ${grouped(posts)} in all` : '';
  return `From ${at} UTC, ${grouped(own)} Posts with “${name}” within ${time}${more}: ${grouped(usual)} would be usual.`;
}

/** The facts about a story that its group alone gives. */
export interface StoryIdentity {
  readonly id: string;
  /** Its id, and others by which stories may have been known that are part of it by now. */
  readonly ids: readonly string[];
  /** The time at which it became certain, epoch ms. */
  readonly certain: number;
  /** Epoch ms of its first and its last minute. */
  readonly first: number;
  readonly last: number;
  readonly score: number;
}

/**
 * Identifies the story of a group by the term that was certain first. Terms that become certain while it grows, or of a
 * story that becomes part of it later, do not change that.
 *
 * @param start - Start of the minutes of bursts, epoch ms.
 */
export function identityOf({ terms, ...group }: CountedGroup, start: number): StoryIdentity {
  const at = ({ burst }: CountedTerm): number => burst.certain ?? Infinity;
  const seed = terms.reduce((first, each) => {
    const [a, b] = [at(first), at(each)];
    return b < a || (b === a && each.term < first.term) ? each : first;
  });
  const minute = (n: number): number => start + n * MINUTE_MS;
  const idOf = ({ term, burst }: CountedTerm): string => storyId(term, minute(burst.first));
  const [{ burst }] = terms;
  const id = idOf(seed);
  return {
    id,
    ids: [...new Set([id, ...terms.slice(0, MOST_IDS).map(idOf)])],
    certain: minute(at(seed)),
    first: minute(group.first),
    last: minute(group.last),
    score: burst.score,
  };
}

/**
 * Makes a story of a group. Its name and summary are sentences of its Posts, unchanged.
 *
 * @param posts - Some of its Posts, of which it is made; in any order.
 * @param start - Start of the minutes of bursts, epoch ms.
 * @returns null if the Posts are of fewer than three authors, or say nothing.
 */
export function storyOf(
  group: CountedGroup,
  posts: readonly StoryPost[],
  start: number,
): Story | null {
  // A Post of an unknown author may be by anyone.
  const accounts = posts.map(({ author, post, id }) => author ?? post.username ?? `post ${id}`);
  if (new Set(accounts).size < LEAST_AUTHORS) return null;
  const terms = group.terms.map(({ term }) => term);
  const title = titleOf(
    posts.map(({ post: { text, lang } }) => ({ text, lang })),
    terms[0]!,
    terms,
  );
  if (!title) return null;
  const { words, ...texts } = title;
  const identity = identityOf(group, start);
  return {
    ...identity,
    posts: group.posts,
    ...texts,
    hook: hookOf(group, identity.first, wordWith(terms[0]!, words)),
    ...contextsOf(posts.map(({ named }) => named)),
    keywords: keywordsOf(terms, words),
    cluster: clusterOf(group, posts),
  };
}
