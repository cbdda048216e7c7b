import { bitTerm, LARGEST_AMOUNT, leastTerm, type Amount } from '#core/text/engagement.ts';
import { collectionTerm } from '#core/text/collection.ts';
import { fold, type TextMode } from '#core/text/fold.ts';
import { label } from '#core/text/label.ts';
import { tokens } from '#core/text/tokens.ts';
import { areaOf } from './area.ts';
import type { Ast, Clause, Condition, PostSet } from './ast.ts';
import { contentOf, isText, SIGNS } from './content.ts';
import { byHandle, type HandleOwners } from './handles.ts';
import { OPERATORS } from './operators.ts';

const EVERY: Condition = { kind: 'all', of: [] };

function all(of: readonly Condition[]): Condition {
  const [only] = of;
  return of.length === 1 && only ? only : { kind: 'all', of };
}

function sequence(field: 'word' | 'url', list: readonly string[]): Condition[] {
  const [only] = list;
  if (only === undefined) return [];
  if (list.length > 1) return [{ kind: 'phrase', field, tokens: list }];
  return [{ kind: 'term', term: field === 'url' ? `url:${only}` : only }];
}

/** Numbers whose binary digits from a power of two down make at least `n`; see `amountTerms`. */
function digitsFrom(name: Amount, power: number, n: number): Condition {
  if (n === 0) return EVERY;
  const digit: Condition = { kind: 'term', term: bitTerm(name, power) };
  const rest = digitsFrom(name, power / 2, n % power);
  if (n >= power) return rest === EVERY ? digit : { kind: 'all', of: [digit, rest] };
  return { kind: 'any', of: [digit, rest] };
}

function atLeast(name: Amount, n: number): Condition {
  if (n === 0) return EVERY;
  if (n > LARGEST_AMOUNT) return { kind: 'any', of: [] };
  const power = 2 ** (31 - Math.clz32(n));
  const reached: Condition = { kind: 'term', term: leastTerm(name, power) };
  if (n === power) return reached;
  const digits = digitsFrom(name, power / 2, n - power);
  const same: Condition = { kind: 'all', of: [reached, digits] };
  if (power * 2 > LARGEST_AMOUNT) return same;
  return { kind: 'any', of: [{ kind: 'term', term: leastTerm(name, power * 2) }, same] };
}

const AMOUNTS: ReadonlyMap<string, Amount> = new Map([
  ['min_likes', 'likes'],
  ['min_replies', 'replies'],
  ['min_reposts', 'reposts'],
]);

/** Posts whose number of something changed by as much since they were indexed. */
export interface ChangedAmount {
  readonly by: number;
  readonly posts: PostSet;
}

/** Posts with at least `n` of something now. */
function atLeastNow(name: Amount, n: number, changed: readonly ChangedAmount[]): Condition {
  const indexed = atLeast(name, n);
  if (n === 0 || changed.length === 0) return indexed;
  const parts = changed.map(({ by, posts }): [Condition, Condition] => [
    { kind: 'posts', name: `${name} ${by}`, posts },
    atLeast(name, Math.max(n - by, 0)),
  ]);
  const others: Condition = { kind: 'not', of: { kind: 'any', of: parts.map(([posts]) => posts) } };
  return { kind: 'any', of: [all([indexed, others]), ...parts.map(all)] };
}

/** The facts that a store knows and a query only names. */
export interface StoreKnowledge {
  /** Ids of the accounts that are members of a list. */
  readonly members: (list: string) => readonly string[];
  /** Number of the collection with a name; null if there is none. */
  readonly collection: (name: string) => number | null;
  /** The accounts of a folded username; absent where none changes, undefined for one that never did. */
  readonly owners?: (name: string) => HandleOwners | undefined;
  /** The changes of a number since Posts were indexed, each once; absent where nothing changes. */
  readonly amounts?: (name: Amount) => readonly ChangedAmount[];
}

/** Operators that name a user by username or by id. */
const OF_USERS: ReadonlySet<string> = new Set(['from', 'to', 'retweets_of']);

/** Knows no list and no collection. */
const NOTHING: StoreKnowledge = { members: () => [], collection: () => null };

function positive(clause: Clause, known: StoreKnowledge, mode: TextMode): Condition {
  if (isText(clause)) {
    const { words, emoji } = contentOf(clause.value, mode);
    return all([
      ...sequence('word', words),
      ...emoji.map((term): Condition => ({ kind: 'term', term })),
    ]);
  }
  const sign = SIGNS[clause.operator];
  if (sign !== undefined) return { kind: 'term', term: sign + fold(clause.value, mode) };
  const { operator, value } = clause;
  const amount = AMOUNTS.get(operator);
  if (amount !== undefined) {
    return atLeastNow(amount, Number(value), known.amounts?.(amount) ?? []);
  }
  switch (OPERATORS.get(operator)?.matches) {
    case 'url':
      return all(sequence('url', tokens(value, mode)));
    case 'area':
      return { kind: 'within', area: areaOf(value) };
    case 'members':
      return {
        kind: 'any',
        of: known.members(value).map((id): Condition => ({ kind: 'term', term: `from:${id}` })),
      };
    case 'collection': {
      const id = known.collection(value);
      return id === null ? { kind: 'any', of: [] } : { kind: 'term', term: collectionTerm(id) };
    }
    default: {
      const name = label(value, mode);
      return byHandle(operator, name, OF_USERS.has(operator) ? known.owners?.(name) : undefined);
    }
  }
}

/**
 * Reduces a query to what `match` and the counting index evaluate.
 *
 * A word of an address becomes the term `url:` plus the word; a phrase of the field `url` contains bare
 * words.
 *
 * @param known - The members of lists and the collections of the store; none by default.
 * @param mode - `stream` for terms of `streamTermsOf`.
 */
export function condition(
  ast: Ast,
  known: StoreKnowledge = NOTHING,
  mode: TextMode = 'search',
): Condition {
  if (ast.kind === 'clause') {
    const of = positive(ast, known, mode);
    return ast.negated ? { kind: 'not', of } : of;
  }
  const of = ast.of.map((part) => condition(part, known, mode));
  return { kind: ast.kind === 'and' ? 'all' : 'any', of };
}
