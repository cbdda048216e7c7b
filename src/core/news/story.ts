import { grouped } from '#core/format/number-text.ts';
import { plural } from '#core/format/plural.ts';
import type { IndexablePost } from '#core/text/post.ts';
import { MINUTE_MS } from '#core/time/span.ts';
import { contextsOf, type Contexts, type Named } from './contexts.ts';
import type { CountedGroup, CountedTerm } from './group.ts';
import { areAlike, ownWords, sentencesOf, storyTerms, type Sentence } from './sentence.ts';
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
/** A name has at most this many characters where some sentence does, and at least this many words. */
const NAME_LENGTH = 100;
const NAME_WORDS = 3;
/** Part of the best sentence's weight that a name must have. */
const NAME_PART = 0.6;

/** A sentence with the weight of its terms and in how many Posts it is. */
interface Weighed extends Sentence {
  readonly weight: number;
  readonly posts: number;
}

/** The different sentences of Posts, those with most of the group's terms first. */
function weighed({ terms }: CountedGroup, posts: readonly StoryPost[]): Weighed[] {
  const strongest = terms[0].posts;
  const weights = new Map(terms.map((each) => [each.term, each.posts / strongest]));
  const found = new Map<string, Weighed>();
  for (const { post } of posts) {
    for (const sentence of sentencesOf(post.text)) {
      const known = found.get(sentence.text);
      let weight = 0;
      for (const term of sentence.terms) weight += weights.get(term) ?? 0;
      found.set(sentence.text, { ...sentence, weight, posts: (known?.posts ?? 0) + 1 });
    }
  }
  return [...found.values()].sort(
    (a, b) =>
      b.weight - a.weight || b.posts - a.posts || a.length - b.length || (a.text < b.text ? -1 : 1),
  );
}

/** The best short sentence, and the best other one. */
function titleOf(sentences: readonly Weighed[]): { name: string; summary: string } | null {
  const [best] = sentences;
  if (!best) return null;
  const named =
    sentences.find(
      ({ weight, length, terms }) =>
        length <= NAME_LENGTH && terms.size >= NAME_WORDS && weight >= best.weight * NAME_PART,
    ) ?? best;
  const summary = sentences.find(
    ({ terms, weight }) => weight > 0 && terms.size >= NAME_WORDS && !areAlike(terms, named.terms),
  );
  return { name: named.text, summary: (summary ?? best).text };
}

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

function hookOf({ terms, posts }: CountedGroup, first: number): string {
  const [{ term, burst, posts: own }] = terms;
  const at = new Date(first).toISOString().slice(0, 16).replace('T', ' ');
  const time = durationText((burst.last - burst.first + 1) * MINUTE_MS);
  const usual = Math.max(1, Math.ceil(burst.usual));
  const more = posts > own ? `, of ${grouped(posts)} in all` : '';
  return `From ${at} UTC, ${grouped(own)} Posts with “${term}” within ${time}${more}: ${grouped(usual)} would be usual.`;
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
export function identityOf({ terms }: Pick<CountedGroup, 'terms'>, start: number): StoryIdentity {
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
    first: minute(burst.first),
    last: minute(burst.last),
    score: burst.score,
  };
}

/** True if a group may be a story: several terms, or one that is a name by its sign. One word alone says too little. */
export function saysSomething({ terms: [lead, ...others] }: CountedGroup): boolean {
  return others.length > 0 || /^[#@$]/u.test(lead.term);
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
  const title = titleOf(weighed(group, posts));
  if (!title) return null;
  const identity = identityOf(group, start);
  return {
    ...identity,
    posts: group.posts,
    ...title,
    hook: hookOf(group, identity.first),
    ...contextsOf(posts.map(({ named }) => named)),
    keywords: group.terms.slice(0, MOST_KEYWORDS).map((each) => each.term),
    cluster: clusterOf(group, posts),
  };
}
