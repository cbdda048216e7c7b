import {
  isContentWord,
  statesLanguage,
  LANGUAGE_PART,
  recognised,
  spoken,
} from '#core/text/function-words.ts';
import {
  DECISIVE,
  isSlight,
  LEADING_WORDS,
  leastPosts,
  likelihoodOf,
  MIN_POSTS,
} from '#core/text/keyness.ts';
import { ADDRESS, DOMAIN } from '#core/text/linked.ts';
import type { PostTerms } from '#core/text/post.ts';
import type { Condition } from './ast.ts';
import {
  clauseFor,
  KIND_CLAUSES,
  readPart,
  unknownKind,
  urlClause,
  type QueryPart,
} from './clause.ts';
import { condition } from './condition.ts';
import { match } from './match.ts';

/** As in `contract/counts/breakdown.ts`. */
interface Item {
  readonly name: string;
  readonly clause: string;
  readonly alone: boolean;
  readonly posts: number;
  readonly share: number;
}

interface ComparedItem extends Item {
  readonly expected: number | null;
  readonly likelihood: number | null;
}

/** The breakdown of some Posts, in the form and by the rules of `contract/counts/breakdown.ts`. */
export interface PostsBreakdown {
  readonly kinds: readonly (Item & {
    readonly name: keyof typeof KIND_CLAUSES;
    readonly unknown: number;
  })[];
  readonly authors: { readonly distinct: number; readonly items: readonly Item[] };
  readonly words: readonly ComparedItem[];
  readonly phrases: readonly ComparedItem[];
  readonly hashtags: readonly ComparedItem[];
  readonly cashtags: readonly ComparedItem[];
  readonly emoji: readonly ComparedItem[];
  readonly domains: readonly Item[];
  readonly addresses: readonly Item[];
  readonly languages: readonly Item[];
}

type Tally = ReadonlyMap<string, number>;
type Values = (terms: PostTerms) => Iterable<string>;

/** Posts with each value. */
function tallyOf(posts: readonly PostTerms[], valuesOf: Values): Tally {
  const tally = new Map<string, number>();
  for (const terms of posts) {
    for (const value of new Set(valuesOf(terms))) tally.set(value, (tally.get(value) ?? 0) + 1);
  }
  return tally;
}

const starting =
  (prefix: string): Values =>
  ({ flags }) =>
    flags.filter((flag) => flag.startsWith(prefix)).map((flag) => flag.slice(prefix.length));

/** The username, otherwise the id. */
const authorOf: Values = (terms) => {
  const names = [...starting('from:')(terms)];
  return [names.find((name) => !/^\d+$/.test(name)) ?? names[0]].flatMap((name) => name ?? []);
};

/** A digit or sign with a frame is an emoji that begins like a tag. */
const KEYCAP = '\u20e3';
const isEmoji = (flag: string): boolean =>
  flag.endsWith(KEYCAP) || (!/^[#@$]/.test(flag) && !flag.includes(':'));

const SIGNED = {
  hashtag: (flag: string) => flag.startsWith('#') && !flag.endsWith(KEYCAP),
  cashtag: (flag: string) => flag.startsWith('$'),
  emoji: isEmoji,
} as const;

const pairsOf: Values = ({ words }) =>
  words.slice(1).flatMap((word, i) => (word && words[i] ? [`${words[i]} ${word}`] : []));

function itemOf(name: string, { text, alone }: QueryPart, posts: number, all: number): Item {
  return { name, clause: text, alone, posts, share: all === 0 ? 0 : posts / all };
}

/** Most frequent first; equal ones by name. */
function frequent(tally: Tally, least: number): [string, number][] {
  return [...tally]
    .filter(([, posts]) => posts >= least)
    .sort(([a, m], [b, n]) => n - m || (a < b ? -1 : 1));
}

/** Two sets of Posts, and what is left out of their words. */
class Comparison {
  readonly #now: readonly PostTerms[];
  readonly #before: readonly PostTerms[];
  readonly #asked: ReadonlySet<string>;
  readonly #languages: readonly string[];
  readonly #limit: number;

  constructor(
    now: readonly PostTerms[],
    before: readonly PostTerms[],
    asked: ReadonlySet<string>,
    limit: number,
  ) {
    this.#now = now;
    this.#before = before;
    this.#asked = asked;
    this.#limit = limit;
    const stated = frequent(tallyOf(now, starting('lang:')), Math.ceil(now.length * LANGUAGE_PART));
    const open = now.filter(({ flags }) =>
      flags.every(
        (flag) => !flag.startsWith('lang:') || !statesLanguage(flag.slice('lang:'.length)),
      ),
    );
    const words = tallyOf(open, (terms) => terms.words);
    const others =
      open.length >= Math.max(1, now.length * LANGUAGE_PART)
        ? recognised(open.length, (word) => words.get(word) ?? 0)
        : [];
    this.#languages = spoken(
      stated.map(([name]) => name),
      others,
    );
  }

  #compared(
    name: string,
    part: QueryPart,
    posts: number,
    before: Tally,
    value: string,
  ): ComparedItem {
    const [all, allBefore] = [this.#now.length, this.#before.length];
    const earlier = before.get(value) ?? 0;
    const more = posts * allBefore > earlier * all;
    const likelihood = likelihoodOf({ posts, all }, { posts: earlier, all: allBefore });
    return {
      ...itemOf(name, part, posts, all),
      expected: allBefore === 0 ? null : (earlier * all) / allBefore,
      likelihood: more && likelihood > DECISIVE ? likelihood : null,
    };
  }

  signed(group: keyof typeof SIGNED): ComparedItem[] {
    const valuesOf: Values = ({ flags }) => flags.filter(SIGNED[group]);
    const before = tallyOf(this.#before, valuesOf);
    return frequent(tallyOf(this.#now, valuesOf), MIN_POSTS)
      .flatMap(([name, posts]) => {
        const value = group === 'emoji' ? name : name.slice(1);
        if (this.#asked.has(value)) return [];
        const part = clauseFor(group, value, { kind: 'term', term: name });
        return part ? [this.#compared(name, part, posts, before, name)] : [];
      })
      .slice(0, this.#limit);
  }

  /** True if most of the Posts with a word have it as a tag or mention, or in an address. */
  #isMostlyOther(word: string): boolean {
    const own = this.#now.filter(({ words }) => words.includes(word));
    const other = own.filter(
      ({ flags, urlWords }) =>
        ['#', '@', '$'].some((sign) => flags.includes(sign + word)) || urlWords.includes(word),
    );
    return other.length * 2 >= own.length;
  }

  #isPlain(word: string): boolean {
    return !isSlight(word) && isContentWord(word, this.#languages);
  }

  /** Values that are distinctive, the most distinctive first. */
  #distinctive(valuesOf: Values): ComparedItem[] {
    const [all, allBefore] = [this.#now.length, this.#before.length];
    const least = leastPosts(all, allBefore, DECISIVE);
    const before = tallyOf(this.#before, valuesOf);
    return frequent(tallyOf(this.#now, valuesOf), least)
      .flatMap(([name, posts]) => {
        const tokens = name.split(' ');
        const part =
          tokens.length > 1
            ? clauseFor('phrase', name, { kind: 'phrase', field: 'word', tokens })
            : clauseFor('word', name, { kind: 'term', term: name });
        const item = part && this.#compared(name, part, posts, before, name);
        return item?.likelihood == null ? [] : [item];
      })
      .sort((a, b) => b.likelihood! - a.likelihood! || (a.name < b.name ? -1 : 1));
  }

  wording(): { words: ComparedItem[]; phrases: ComparedItem[] } {
    if (this.#before.length === 0) return { words: [], phrases: [] };
    const all = this.#distinctive(({ words }) => words.filter((word) => word && !isSlight(word)));
    const last = all[LEADING_WORDS - 1]?.likelihood ?? 0;
    const leading = new Set(all.filter((each) => each.likelihood! >= last).map(({ name }) => name));
    const isListed = (word: string): boolean => this.#isPlain(word) && !this.#isMostlyOther(word);
    const first = (items: ComparedItem[], keeps: (name: string) => boolean): ComparedItem[] => {
      const listed: ComparedItem[] = [];
      for (const item of items) {
        if (listed.length === this.#limit) break;
        if (keeps(item.name)) listed.push(item);
      }
      return listed;
    };
    return {
      words: first(all, (word) => !this.#asked.has(word) && isListed(word)),
      phrases: first(this.#distinctive(pairsOf), (phrase) => {
        const both = phrase.split(' ');
        if (!both.some((word) => leading.has(word))) return false;
        return both.every(isListed) && !both.every((word) => this.#asked.has(word));
      }),
    };
  }
}

/**
 * Breaks Posts down that were read, by the rules by which the service breaks its own down (docs/breakdown.md), except
 * that equal items are listed by name.
 *
 * @param now - Terms of the Posts, in search mode.
 * @param before - Of those that words are compared with; without any, no word is distinctive.
 * @param asked - The words of the query, which are left out.
 * @param limit - Most items of a list.
 */
export function breakdownOfPosts(
  now: readonly PostTerms[],
  before: readonly PostTerms[],
  asked: ReadonlySet<string>,
  limit: number,
): PostsBreakdown {
  const all = now.length;
  const counted = (wanted: Condition): number => now.filter((terms) => match(wanted, terms)).length;
  const listed = (
    tally: Tally,
    least: number,
    partOf: (name: string) => QueryPart | null,
    exactly = false,
  ): Item[] =>
    frequent(tally, least)
      .flatMap(([name, posts]) => {
        const part = partOf(name);
        const n = part && exactly ? counted(condition(part.ast)) : posts;
        return part ? [itemOf(name, part, n, all)] : [];
      })
      .slice(0, limit)
      .sort((a, b) => b.posts - a.posts || (a.name < b.name ? -1 : 1));
  const flagged =
    (operator: string, prefix = `${operator}:`) =>
    (name: string): QueryPart | null =>
      clauseFor(operator, name, { kind: 'term', term: prefix + name });
  const kinds = Object.entries(KIND_CLAUSES).flatMap(([name, text]) => {
    const part = readPart(text);
    const kind = name as keyof typeof KIND_CLAUSES;
    const open = unknownKind(kind).map((term) => ({ kind: 'term', term }) as const);
    const unknown = counted({ kind: 'any', of: open });
    if (!part || (kind === 'original' && unknown > 0)) return [];
    return [{ ...itemOf(name, part, counted(condition(part.ast)), all), name: kind, unknown }];
  });
  const authors = tallyOf(now, authorOf);
  const comparison = new Comparison(now, before, asked, limit);
  return {
    kinds,
    authors: { distinct: authors.size, items: listed(authors, 1, flagged('from')) },
    ...comparison.wording(),
    hashtags: comparison.signed('hashtag'),
    cashtags: comparison.signed('cashtag'),
    emoji: comparison.signed('emoji'),
    domains: listed(tallyOf(now, starting(DOMAIN)), MIN_POSTS, urlClause, true),
    addresses: listed(tallyOf(now, starting(ADDRESS)), MIN_POSTS, urlClause, true),
    languages: listed(tallyOf(now, starting('lang:')), 1, flagged('lang')),
  };
}
