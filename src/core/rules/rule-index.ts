import { isStopWord } from '#core/query/stop-words.ts';
import { meetsLeaf } from './meets.ts';
import { SEARCHED_FIELDS, type SearchedField } from './operators.ts';
import type { Leaf, RuleNeed } from './need.ts';
import type { PostView } from './post.ts';
import { RuleTerms } from './rule-terms.ts';

/** A rule to find, by its id. */
export interface IndexedRule {
  readonly id: string;
  readonly need: RuleNeed;
}

/** A rule's requirement with its terms by number. */
type Test =
  | { readonly kind: 'term'; readonly term: number }
  | { readonly kind: 'phrase'; readonly terms: readonly number[] }
  | { readonly kind: 'all' | 'any'; readonly of: readonly Test[] }
  | { readonly kind: 'not'; readonly of: Test }
  /** Evaluated as a whole. The Post must have all of `terms`. */
  | { readonly kind: 'leaf'; readonly leaf: Leaf; readonly terms: readonly number[] };

interface Entry {
  readonly id: string;
  /** Order of adding. */
  readonly n: number;
  readonly test: Test;
  /** Terms of which every matching Post has one; null if there are none. */
  keys: readonly number[] | null;
  /** Number of the Post that it was last tried with. */
  tried: number;
}

/** Posts after which keys are chosen again by how often terms occurred; then after twice as many, and so on. */
const FIRST_CHOICE = 1024;

/** Posts that an assumed frequency weighs as much as. */
const PRIOR_POSTS = 500;

/** The number of occurrences of a term per Post that is assumed as long as few Posts were seen. */
function assumed(term: string): number {
  if (/^(?:lang|is|has):/.test(term)) return 0.3;
  if (isStopWord(term)) return 0.2;
  if (/^(?:from|to|retweets_of|conversation_id|context|entity|place)[:_]|^[#@$]/.test(term)) {
    return 0.001;
  }
  return term.length <= 3 ? 0.05 : 0.01;
}

function prefixed(field: SearchedField, word: string): string {
  return `${field}:${word}`;
}

/** The terms that every Post with a leaf has, apart from those of queries with a single term. */
function requiredTerms(leaf: Leaf): readonly string[] {
  switch (leaf.kind) {
    case 'near':
      return leaf.tokens;
    case 'words':
      return leaf.tokens.map((word) => prefixed(leaf.field, word));
    case 'phrase':
      return leaf.tokens.map((word) => `url:${word}`);
    default:
      return [];
  }
}

function compiled(need: RuleNeed, terms: RuleTerms): Test {
  switch (need.kind) {
    case 'all':
    case 'any':
      return { kind: need.kind, of: need.of.map((part) => compiled(part, terms)) };
    case 'not':
      return { kind: 'not', of: compiled(need.of, terms) };
    case 'term':
      return { kind: 'term', term: terms.use(need.term) };
    case 'phrase':
      if (need.field === 'word') {
        return { kind: 'phrase', terms: need.tokens.map((word) => terms.use(word)) };
      }
      break;
    case 'words': {
      const [only] = need.tokens;
      if (need.tokens.length === 1 && only !== undefined) {
        return { kind: 'term', term: terms.use(prefixed(need.field, only)) };
      }
      break;
    }
    default:
  }
  const required = requiredTerms(need).map((term) => terms.use(term));
  return { kind: 'leaf', leaf: need, terms: required };
}

function termsIn(test: Test): readonly number[] {
  switch (test.kind) {
    case 'term':
      return [test.term];
    case 'phrase':
    case 'leaf':
      return test.terms;
    case 'not':
      return termsIn(test.of);
    default:
      return test.of.flatMap(termsIn);
  }
}

/**
 * Finds the rules that a Post meets, by an index of terms that they require: of the parts of an AND by the one with the rarest terms, of an
 * OR by one of every part. Only the rules that a Post has a term of are tried; those without such a term always.
 */
export function ruleIndex() {
  const terms = new RuleTerms(assumed, PRIOR_POSTS);
  const entries = new Map<string, Entry>();
  /** Rules by the number of their key. */
  const byKey = new Map<number, Entry[]>();
  const always = new Set<Entry>();
  let added = 0;
  let nextChoice = FIRST_CHOICE;
  let view: PostView | null = null;

  const cost = (keys: readonly number[]): number =>
    keys.reduce((sum, term) => sum + terms.frequency(term), 0);
  const rarest = (list: readonly number[]): readonly number[] | null => {
    let best: number | null = null;
    for (const term of list) {
      if (best === null || terms.frequency(term) < terms.frequency(best)) best = term;
    }
    return best === null ? null : [best];
  };
  const keysOf = (test: Test): readonly number[] | null => {
    switch (test.kind) {
      case 'term':
        return [test.term];
      case 'phrase':
      case 'leaf':
        return rarest(test.terms);
      case 'not':
        return null;
      case 'any': {
        const parts = test.of.map(keysOf);
        return parts.includes(null) ? null : [...new Set(parts.flatMap((keys) => keys ?? []))];
      }
      case 'all': {
        let best: readonly number[] | null = null;
        for (const part of test.of) {
          const keys = keysOf(part);
          if (keys && (!best || cost(keys) < cost(best))) best = keys;
        }
        return best;
      }
    }
  };

  const file = (entry: Entry): void => {
    entry.keys = keysOf(entry.test);
    if (!entry.keys) always.add(entry);
    for (const key of entry.keys ?? []) {
      const list = byKey.get(key);
      if (list) list.push(entry);
      else byKey.set(key, [entry]);
    }
  };
  const unfile = (entry: Entry): void => {
    always.delete(entry);
    for (const key of entry.keys ?? []) {
      const list = byKey.get(key) ?? [];
      const last = list.pop();
      const at = list.indexOf(entry);
      if (last && last !== entry && at >= 0) list[at] = last;
      if (list.length === 0) byKey.delete(key);
    }
  };
  const removed = (id: string): void => {
    const entry = entries.get(id);
    if (!entry) return;
    entries.delete(id);
    unfile(entry);
    for (const term of termsIn(entry.test)) terms.release(term);
  };
  const chooseAgain = (): void => {
    byKey.clear();
    always.clear();
    for (const entry of entries.values()) file(entry);
  };

  const isMet = (test: Test): boolean => {
    switch (test.kind) {
      case 'term':
        return terms.has(test.term);
      case 'phrase':
        return terms.hasPhrase(test.terms);
      case 'not':
        return !isMet(test.of);
      case 'all':
        for (const part of test.of) if (!isMet(part)) return false;
        return true;
      case 'any':
        for (const part of test.of) if (isMet(part)) return true;
        return false;
      case 'leaf':
        for (const term of test.terms) if (!terms.has(term)) return false;
        return view !== null && meetsLeaf(test.leaf, view);
    }
  };

  const read = (post: PostView): void => {
    const { words, urlWords, flags } = post.terms;
    terms.begin();
    for (const word of words) terms.word(word);
    for (const flag of flags) terms.flag(flag);
    if (terms.uses('url')) for (const word of urlWords) terms.flag(`url:${word}`);
    for (const field of SEARCHED_FIELDS) {
      if (!terms.uses(field)) continue;
      for (const word of post.words(field)) terms.flag(prefixed(field, word));
    }
  };

  return {
    /** Adds rules; one of the same id is replaced. */
    add: (rules: readonly IndexedRule[]): void => {
      for (const { id, need } of rules) {
        removed(id);
        const test = compiled(need, terms);
        const entry: Entry = { id, n: added++, test, keys: null, tried: 0 };
        entries.set(id, entry);
        file(entry);
      }
    },
    remove: (ids: readonly string[]): void => ids.forEach(removed),
    get size(): number {
      return entries.size;
    },
    /** The ids of the rules that the Post meets, in the order in which they were added. */
    match: (post: PostView): string[] => {
      if (terms.posts >= nextChoice) {
        nextChoice *= 2;
        chooseAgain();
      }
      view = post;
      read(post);
      const found: Entry[] = [];
      for (const entry of always) if (isMet(entry.test)) found.push(entry);
      for (const term of terms.present) {
        for (const entry of byKey.get(term) ?? []) {
          if (entry.tried === terms.posts) continue;
          entry.tried = terms.posts;
          if (isMet(entry.test)) found.push(entry);
        }
      }
      view = null;
      return found.sort((a, b) => a.n - b.n).map(({ id }) => id);
    },
  };
}
