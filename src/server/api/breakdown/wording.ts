import type { Condition } from '#core/query/ast.ts';
import { clauseFor } from '#core/query/clause.ts';
import { queryWords } from '#core/query/words.ts';
import {
  functionWords,
  isContentWord,
  statesLanguage,
  LANGUAGE_PART,
  languageSigns,
  recognised,
  spoken,
} from '#core/text/function-words.ts';
import { LEADING_WORDS, likelihoodOf } from '#core/text/keyness.ts';
import { urlTerm } from '#server/index/chunk.ts';
import { and, andNot, or, size } from '#server/index/ordinals.ts';
import { termHash } from '#server/index/rare-terms.ts';
import type { Due, Steps } from '#server/index/steps.ts';
import { TermCounts } from '#server/index/term-counts.ts';
import {
  comparedItem,
  leastDistinctive,
  mostDistinctive,
  mostFrequent,
  type Distinctive,
  type Sets,
  type AnalysisSubject,
} from './sets.ts';
import type { COMPARED } from '#server/index/tally-flags.ts';
import { countAllWords, tallyFrequent, tallyWords } from '#server/index/tally-words.ts';
import { nameOf, type CountedTerms } from '#server/index/counted-terms.ts';
import { ROLE, tallyPairs, type CountedPairs } from '#server/index/tally-pairs.ts';
import type { ChunkPosts } from '#server/index/chunk-posts.ts';
import { secondHash } from '#server/index/term-table.ts';

export type ComparedItems = ReturnType<typeof comparedItem>[];

/** The languages of Posts: those that enough of them state, and those recognised where enough state none. */
export function* languagesOf(
  { now, posts }: Pick<Sets, 'now' | 'posts'>,
  languages: CountedTerms,
  due: Due,
): Steps<string[]> {
  const nameAt = (entry: number): string => nameOf(languages, entry)?.slice('lang:'.length) ?? '';
  const entries = [...mostFrequent(languages.counts, 1)];
  const least = Math.max(1, Math.ceil(posts * LANGUAGE_PART));
  const stated = entries.filter((entry) => languages.counts.posts[entry]! >= least).map(nameAt);
  const names = entries.map(nameAt).filter(statesLanguage);
  const open: ChunkPosts[] = [];
  for (const { chunk, posts: all } of now) {
    if (due()) yield;
    const known = or(names.map((name) => chunk.list(`lang:${name}`)));
    const rest = andNot(all, known);
    open.push({ chunk, posts: rest, n: size(rest) });
  }
  const unstated = open.reduce((sum, { n }) => sum + n, 0);
  if (unstated < Math.max(1, posts * LANGUAGE_PART)) return spoken(stated, []);
  const withWord = new Map<string, number>();
  for (const { chunk, posts: rest } of open) {
    for (const word of languageSigns()) {
      if (due()) yield;
      withWord.set(word, (withWord.get(word) ?? 0) + size(and(rest, chunk.list(word))));
    }
  }
  return spoken(
    stated,
    recognised(unstated, (word) => withWord.get(word) ?? 0),
  );
}

/**
 * True if most of the Posts with a word have it as a hashtag, mention or cashtag, or in an address: such a word says
 * nothing that these do not say.
 */
export function* isMostlyOther({ now }: Sets, word: string, due: Due): Steps<boolean> {
  let n = 0;
  let other = 0;
  const terms = [`#${word}`, `@${word}`, `$${word}`, urlTerm(word)];
  for (const { chunk, posts } of now) {
    if (due()) yield;
    const own = and(posts, chunk.list(word));
    n += size(own);
    const lists = terms.map((term) => chunk.list(term)).filter((list) => list.length > 0);
    if (own.length > 0 && lists.length > 0) other += size(and(own, or(lists)));
  }
  return other * 2 >= n;
}

/** The Posts that contain any of some words, which the index finds faster than a look at all of them. */
function* withAny(
  parts: readonly ChunkPosts[],
  words: readonly string[],
  due: Due,
): Steps<ChunkPosts[]> {
  const found: ChunkPosts[] = [];
  for (const { chunk, posts } of parts) {
    if (due()) yield;
    const some = and(posts, or(words.map((word) => chunk.list(word))));
    const n = size(some);
    if (n > 0) found.push({ chunk, posts: some, n });
  }
  return found;
}

/** The words that lead phrases, and the function words, which no phrase contains. */
function specialWords(
  { counts }: CountedTerms,
  leads: readonly Distinctive[],
  languages: readonly string[],
) {
  const special = new TermCounts();
  for (const { entry } of leads) {
    special.add(counts.keys[entry * 2]!, counts.keys[entry * 2 + 1]!);
  }
  const leading = special.size;
  const functional: number[] = [];
  for (const language of languages) {
    for (const word of functionWords(language)) {
      functional.push(special.add(termHash(word), secondHash(word)));
    }
  }
  const roles = new Uint8Array(special.size).fill(ROLE.lead, 0, leading);
  for (const entry of functional) roles[entry] = ROLE.none;
  return { special, roles };
}

/** Items of words, or of phrases; complete if there are no more, or as many as wanted. */
interface Some {
  readonly items: ComparedItems;
  readonly isComplete: boolean;
}

/** Finds the distinctive words and phrases; remembers which words are left out. */
class Wording {
  readonly #sets: Sets;
  readonly #asked: ReadonlySet<string>;
  readonly #languages: readonly string[];
  readonly #limit: number;
  /** True if a word is left out wherever it is. */
  readonly #omitted = new Map<string, boolean>();

  constructor(sets: Sets, { ast, limit }: AnalysisSubject, languages: readonly string[]) {
    this.#sets = sets;
    this.#asked = ast ? queryWords(ast) : new Set();
    this.#languages = languages;
    this.#limit = limit;
  }

  *#isOmitted(word: string, due: Due): Steps<boolean> {
    const known = this.#omitted.get(word);
    if (known !== undefined) return known;
    const isOmitted =
      !isContentWord(word, this.#languages) || (yield* isMostlyOther(this.#sets, word, due));
    this.#omitted.set(word, isOmitted);
    return isOmitted;
  }

  /** @param beyond - Words that are less distinctive may be missing. */
  *words(
    counted: CountedTerms,
    distinctive: readonly Distinctive[],
    beyond: number,
    due: Due,
  ): Steps<Some> {
    const items: ComparedItems = [];
    for (const { entry, likelihood } of distinctive) {
      if (items.length === this.#limit) break;
      if (likelihood <= beyond) return { items, isComplete: false };
      if (due()) yield;
      const word = nameOf(counted, entry);
      if (word === undefined || this.#asked.has(word)) continue;
      if (yield* this.#isOmitted(word, due)) continue;
      const part = clauseFor('word', word, { kind: 'term', term: word });
      if (part) items.push(comparedItem(word, part, this.#sets, counted.counts, entry));
    }
    return { items, isComplete: items.length === this.#limit || beyond === 0 };
  }

  *phrases({ counts, tables, first, second }: CountedPairs, due: Due): Steps<ComparedItems> {
    const items: ComparedItems = [];
    for (const { entry } of mostDistinctive(this.#sets, counts)) {
      if (items.length === this.#limit) break;
      if (due()) yield;
      const table = tables[counts.tables[entry]!]!;
      const tokens = [table.name(first[entry]!) ?? '', table.name(second[entry]!) ?? ''];
      if (tokens.includes('') || tokens.every((word) => this.#asked.has(word))) continue;
      let isOmitted = false;
      for (const word of tokens) isOmitted ||= yield* this.#isOmitted(word, due);
      if (isOmitted) continue;
      const name = tokens.join(' ');
      const part = clauseFor('phrase', name, { kind: 'phrase', field: 'word', tokens });
      if (part) items.push(comparedItem(name, part, this.#sets, counts, entry));
    }
    return items;
  }
}

/**
 * The search for distinctive words begins with those that this part of a chunk's Posts contain: the most distinctive are
 * usually frequent, and most words are rare.
 */
const FREQUENT_PART = 1 / 8000;

/**
 * The distinctive words and phrases of two words, in steps: without function words, the words of the query, and words
 * that most of their Posts have as a hashtag, mention or cashtag, or in an address. A phrase contains one of the 100
 * most distinctive words.
 */
export function* wordingOf(
  sets: Sets,
  subject: AnalysisSubject,
  languages: readonly string[],
  due: Due,
): Steps<{ words: ComparedItems; phrases: ComparedItems }> {
  const { now, before, posts, postsBefore } = sets;
  const least = leastDistinctive(sets);
  if (least === Infinity) return { words: [], phrases: [] };
  const wording = new Wording(sets, subject, languages);
  const found = yield* countAllWords(now, before, due);
  for (const part of [FREQUENT_PART, 0]) {
    const counted =
      part > 0
        ? yield* tallyFrequent(now, before, found, part, due)
        : { ...(yield* tallyWords(now, before, found, least, due)), most: 0 };
    const { most } = counted;
    // The likelihood that a missing word could reach, if no other Post contained it.
    const beyond =
      most < least ? 0 : likelihoodOf({ posts: most, all: posts }, { posts: 0, all: postsBefore });
    const distinctive = mostDistinctive(sets, counted.counts);
    const last = distinctive[LEADING_WORDS - 1]?.likelihood ?? 0;
    if (beyond > 0 && last <= beyond) continue;
    const { items, isComplete } = yield* wording.words(counted, distinctive, beyond, due);
    if (!isComplete) continue;
    const leading = distinctive.filter(({ likelihood }) => likelihood >= last);
    const { special, roles } = specialWords(counted, leading, languages);
    const words = leading.flatMap(({ entry }) => nameOf(counted, entry) ?? []);
    const pairs = yield* tallyPairs(
      yield* withAny(now, words, due),
      yield* withAny(before, words, due),
      special,
      roles,
      due,
    );
    return { words: items, phrases: yield* wording.phrases(pairs, due) };
  }
  throw new RangeError('expected complete words once none is missing');
}

/**
 * Items of hashtags, cashtags or emoji.
 *
 * @param entries - In their order; those that no query can ask for, and those of the query, are left out.
 */
export function signedItems(
  group: (typeof COMPARED)[number],
  counted: CountedTerms,
  entries: Iterable<number>,
  sets: Sets,
  { ast, limit }: AnalysisSubject,
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
