import type { Condition } from '#core/query/ast.ts';
import { overlap } from '#core/query/compose.ts';
import { condition } from '#core/query/condition.ts';
import { readPart } from '#core/query/clause.ts';
import { match } from '#core/query/match.ts';
import { parse } from '#core/query/parse.ts';
import { queryWords } from '#core/query/words.ts';
import { functionWords } from '#core/text/function-words.ts';
import { DECISIVE, isSlight, leastPosts, likelihoodOf } from '#core/text/keyness.ts';
import type { PostTerms } from '#core/text/post.ts';
import type { Span } from '#core/time/span.ts';
import type {
  BreakdownAnswer,
  BreakdownItem,
  ComparedItem,
} from '#contract/counts/breakdown-answers.ts';

/** A Post as its row has it. */
export interface RawPost {
  /** Epoch ms. */
  readonly createdAt: number;
  readonly terms: PostTerms;
}

/** Posts with each value. */
type Tally = Map<string, number>;

function tallyOf(
  posts: readonly RawPost[],
  valuesOf: (terms: PostTerms) => Iterable<string>,
): Tally {
  const tally: Tally = new Map();
  for (const { terms } of posts) {
    for (const value of new Set(valuesOf(terms))) tally.set(value, (tally.get(value) ?? 0) + 1);
  }
  return tally;
}

function within(posts: readonly RawPost[], { start, end }: Span): RawPost[] {
  return posts.filter(({ createdAt }) => {
    const second = Math.floor(createdAt / 1000) * 1000;
    return second >= start && second < end;
  });
}

const starting =
  (prefix: string) =>
  ({ flags }: PostTerms): string[] =>
    flags.filter((flag) => flag.startsWith(prefix)).map((flag) => flag.slice(prefix.length));

function authorOf(terms: PostTerms): string[] {
  const names = starting('from:')(terms);
  const named = names.filter((name) => !/^\d+$/.test(name));
  return [...named, ...names.sort((a, b) => a.length - b.length)].slice(0, 1);
}

const pairsOf = ({ words }: PostTerms): string[] =>
  words.slice(1).map((word, i) => `${words[i]} ${word}`);

const GROUPS: Readonly<Record<string, (terms: PostTerms) => string[]>> = {
  hashtags: ({ flags }) => flags.filter((flag) => flag.startsWith('#') && !flag.endsWith('\u20e3')),
  cashtags: ({ flags }) => flags.filter((flag) => flag.startsWith('$')),
  emoji: ({ flags }) =>
    flags.filter(
      (flag) => flag.endsWith('\u20e3') || (!/^[#@$]/.test(flag) && !flag.includes(':')),
    ),
};

/** The breakdown as it must be, counted Post by Post. */
export class Recount {
  readonly query: string | null;
  readonly now: readonly RawPost[];
  readonly before: readonly RawPost[];
  readonly asked: ReadonlySet<string>;

  constructor(
    posts: readonly RawPost[],
    query: string | null,
    span: Span,
    compared: Span | 'others',
  ) {
    this.query = query;
    const parsed = query === null ? null : parse(query);
    if (parsed && !parsed.ok) throw new RangeError(`expected a query, got ${query}`);
    const wanted: Condition = parsed ? condition(parsed.ast) : { kind: 'all', of: [] };
    this.asked = parsed ? queryWords(parsed.ast) : new Set();
    const found = posts.filter(({ terms }) => match(wanted, terms));
    this.now = within(found, span);
    this.before =
      compared === 'others'
        ? within(posts, span).filter(({ terms }) => !match(wanted, terms))
        : within(found, compared);
  }

  /** The number of Posts that an item's clause selects. */
  selected({ clause }: BreakdownItem): number {
    const part = readPart(clause);
    if (!part) throw new RangeError(`expected a part of a query, got ${clause}`);
    const wanted = condition(part.ast);
    return this.now.filter(({ terms }) => match(wanted, terms)).length;
  }

  /** The query that filters by an item. */
  filterBy({ clause }: BreakdownItem): string {
    const part = readPart(clause)!;
    if (this.query === null) return clause;
    const both = overlap(this.query, part.ast, { limit: 4096 });
    if (!both.ok) throw new RangeError(both.reason);
    return both.text;
  }

  get authors(): Tally {
    return tallyOf(this.now, authorOf);
  }

  flags(prefix: string): Tally {
    return tallyOf(this.now, starting(prefix));
  }

  signed(group: 'hashtags' | 'cashtags' | 'emoji'): Tally {
    const tally = tallyOf(this.now, GROUPS[group]!);
    for (const name of tally.keys()) {
      if (this.asked.has(name.replace(/^[#$](?!\u20e3)/u, ''))) tally.delete(name);
    }
    return tally;
  }

  /** The distinctive words or phrases, with their likelihoods. */
  distinctive(kind: 'words' | 'phrases', languages: readonly string[]): Map<string, number> {
    const [all, allBefore] = [this.now.length, this.before.length];
    const least = leastPosts(all, allBefore, DECISIVE);
    const isPlain = (word: string): boolean =>
      !isSlight(word) && !languages.some((each) => functionWords(each).has(word));
    const likely = (valuesOf: (terms: PostTerms) => Iterable<string>): Map<string, number> => {
      const before = tallyOf(this.before, valuesOf);
      const found = new Map<string, number>();
      for (const [value, posts] of tallyOf(this.now, valuesOf)) {
        const earlier = before.get(value) ?? 0;
        if (posts < least || posts * allBefore <= earlier * all) continue;
        const likelihood = likelihoodOf({ posts, all }, { posts: earlier, all: allBefore });
        if (likelihood > DECISIVE) found.set(value, likelihood);
      }
      return found;
    };
    const counts = tallyOf(this.now, ({ words }) => words);
    const otherwise = (word: string): boolean => {
      const n = this.now.filter(
        ({ terms: { words, flags, urlWords } }) =>
          words.includes(word) &&
          (['#', '@', '$'].some((sign) => flags.includes(sign + word)) || urlWords.includes(word)),
      ).length;
      return n * 2 >= counts.get(word)!;
    };
    const words = likely(({ words }) => words.filter((word) => !isSlight(word)));
    if (kind === 'words') {
      return new Map(
        [...words].filter(([word]) => isPlain(word) && !this.asked.has(word) && !otherwise(word)),
      );
    }
    const last = [...words.values()].sort((a, b) => b - a)[99] ?? 0;
    const leads = (word: string): boolean => (words.get(word) ?? -1) >= last;
    return new Map(
      [...likely(pairsOf)].filter(([phrase]) => {
        const both = phrase.split(' ');
        if (!both.every(isPlain) || !both.some((word) => leads(word))) return false;
        return !both.some(otherwise) && !both.every((word) => this.asked.has(word));
      }),
    );
  }
}

/** The figures of a list's first items, whatever the order of equal ones. */
export function figures(tally: Tally, least: number, limit: number): number[] {
  return [...tally.values()]
    .filter((posts) => posts >= least)
    .sort((a, b) => b - a)
    .slice(0, limit);
}

/** All items of an answer. */
export function itemsOf(data: BreakdownAnswer['data']): BreakdownItem[] {
  const { words, phrases, hashtags, cashtags, emoji } = data;
  const compared: ComparedItem[] = [...words, ...phrases, ...hashtags, ...cashtags, ...emoji];
  const { kinds, authors, domains, addresses, languages, countries, places } = data;
  return [
    ...compared,
    ...kinds,
    ...authors.items,
    ...domains,
    ...addresses,
    ...languages,
    ...countries,
    ...places,
  ];
}
