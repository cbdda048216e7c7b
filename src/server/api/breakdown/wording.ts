import type { Condition } from '#core/query/ast.ts';
import { clauseFor } from '#core/query/clause.ts';
import { queryWords } from '#core/query/words.ts';
import { functionWords } from '#core/text/function-words.ts';
import { urlTerm } from '#server/index/chunk.ts';
import { secondHash } from '#server/index/forward.ts';
import { and, or, size } from '#server/index/ordinals.ts';
import { hashOf } from '#server/index/rare-terms.ts';
import type { Due, Steps } from '#server/index/steps.ts';
import { nameOf, ROLE, tallyPairs, tallyWords } from '#server/index/tally.ts';
import type { Counted } from '#server/index/tally.ts';
import type { TermCounts } from '#server/index/term-counts.ts';
import { comparedItem, leastDistinctive, mostDistinctive, mostFrequent } from './sets.ts';
import type { Sets, Subject } from './sets.ts';

/** A language is one of the Posts' if at least this part of them states it. */
const LANGUAGE_PART = 0.1;
/** Its function words are left out where the Posts state no language. */
const USUAL = 'en';
/** What a Post states whose language is unknown. */
const UNKNOWN = /^(?:und|q..|zxx|art)$/;

/** A phrase has one of this many words that are the most distinctive: others say little of the difference. */
const LEADING_WORDS = 1000;

export type ComparedItems = ReturnType<typeof comparedItem>[];

/** The languages of Posts, by their shares. */
export function languagesOf(languages: Counted, posts: number): string[] {
  const { counts } = languages;
  const named = mostFrequent(counts, Math.max(1, posts * LANGUAGE_PART))
    .map((entry) => nameOf(languages, entry)?.slice('lang:'.length) ?? '')
    .filter((name) => name !== '' && !UNKNOWN.test(name));
  return named.length > 0 ? named : [USUAL];
}

/** The {@link ROLE} of each word in phrases: none for a function word of the languages. */
function rolesOf(
  counts: TermCounts,
  least: number,
  distinctive: readonly number[],
  languages: readonly string[],
): Uint8Array {
  const roles = new Uint8Array(counts.size);
  for (let entry = 0; entry < roles.length; entry++) {
    if (counts.posts[entry]! >= least) roles[entry] = ROLE.any;
  }
  for (const entry of distinctive.slice(0, LEADING_WORDS)) roles[entry] = ROLE.lead;
  for (const language of languages) {
    for (const word of functionWords(language)) {
      const entry = counts.find(hashOf(word), secondHash(word));
      if (entry !== -1) roles[entry] = ROLE.none;
    }
  }
  return roles;
}

/**
 * How many of the Posts with a word have it as a hashtag, mention or cashtag, or in an address: such a word says nothing
 * that these do not say.
 */
export function* otherwise({ now }: Sets, word: string, due: Due): Steps<number> {
  let n = 0;
  const terms = [`#${word}`, `@${word}`, `$${word}`, urlTerm(word)];
  for (const { chunk, posts } of now) {
    if (due()) yield;
    const lists = terms.map((term) => chunk.list(term)).filter((list) => list.length > 0);
    if (lists.length > 0) n += size(and(and(posts, chunk.list(word)), or(lists)));
  }
  return n;
}

/**
 * The distinctive words and phrases of two words, in steps: without function words, the words of the query, and words
 * that most of their Posts have as a hashtag, mention or cashtag, or in an address.
 */
export function* wordingOf(
  sets: Sets,
  { ast, limit }: Subject,
  languages: readonly string[],
  due: Due,
): Steps<{ words: ComparedItems; phrases: ComparedItems }> {
  const least = leastDistinctive(sets);
  if (least === Infinity) return { words: [], phrases: [] };
  const asked = ast ? queryWords(ast) : new Set<string>();
  const counted = yield* tallyWords(sets.now, sets.before, least, due);
  const { counts } = counted;
  const distinctive = mostDistinctive(sets, counts);
  const roles = rolesOf(counts, least, distinctive, languages);

  /** The name of each word that was looked at; null if it is left out. */
  const known = new Map<number, string | null>();
  function* wordOf(entry: number): Steps<string | null> {
    const before = known.get(entry);
    if (before !== undefined) return before;
    const name = nameOf(counted, entry);
    const n = name === undefined ? 0 : yield* otherwise(sets, name, due);
    const word = name !== undefined && n * 2 < counts.posts[entry]! ? name : null;
    known.set(entry, word);
    return word;
  }

  const words: ComparedItems = [];
  for (const entry of distinctive) {
    if (words.length === limit) break;
    if (due()) yield;
    if (roles[entry] === ROLE.none) continue;
    const word = yield* wordOf(entry);
    if (word === null || asked.has(word)) continue;
    const part = clauseFor('word', word, { kind: 'term', term: word });
    if (part) words.push(comparedItem(word, part, sets, counts, entry));
  }
  const pairs = yield* tallyPairs(sets.now, sets.before, counted, roles, due);
  const phrases: ComparedItems = [];
  for (const entry of mostDistinctive(sets, pairs)) {
    if (phrases.length === limit) break;
    if (due()) yield;
    const first = yield* wordOf(pairs.keys[entry * 2]!);
    const second = yield* wordOf(pairs.keys[entry * 2 + 1]!);
    if (first === null || second === null || (asked.has(first) && asked.has(second))) continue;
    const tokens = [first, second];
    const name = tokens.join(' ');
    const part = clauseFor('phrase', name, { kind: 'phrase', field: 'word', tokens });
    if (part) phrases.push(comparedItem(name, part, sets, pairs, entry));
  }
  return { words, phrases };
}

/** Whether a word is none of the languages' function words. */
export function isContentWord(word: string, languages: readonly string[]): boolean {
  return !languages.some((language) => functionWords(language).has(word));
}

/** Groups whose terms are compared. */
export const SIGNED = ['hashtag', 'cashtag', 'emoji'] as const;

/**
 * Items of hashtags, cashtags or emoji.
 *
 * @param entries - In their order; those that no query can ask for, and those of the query, are left out.
 */
export function signedItems(
  group: (typeof SIGNED)[number],
  counted: Counted,
  entries: Iterable<number>,
  sets: Sets,
  { ast, limit }: Subject,
): ComparedItems {
  const asked = ast ? queryWords(ast) : new Set<string>();
  const items: ComparedItems = [];
  for (const entry of entries) {
    if (items.length === limit) break;
    const name = nameOf(counted, entry);
    if (name === undefined) continue;
    const value = group === 'emoji' ? name : name.slice(1);
    if (asked.has(value)) continue;
    const wanted: Condition = { kind: 'term', term: name };
    const part = clauseFor(group, value, wanted);
    if (part) items.push(comparedItem(name, part, sets, counted.counts, entry));
  }
  return items;
}
