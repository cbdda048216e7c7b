import type { Condition } from '#core/query/ast.ts';
import { NEXT_BITS, nextNumber } from './columns.ts';
import { type QueryScope, postings, literal } from './sql-terms.ts';

/** The condition that a Post has one of some terms. */
export function idsOf(terms: readonly string[], scope: QueryScope, among: string | null): string {
  const only = among === null ? '' : ` AND ${among}`;
  return `id IN (SELECT id FROM ${scope.tables.posting} WHERE ${postings(terms, scope)}${only})`;
}

/**
 * Most characters of a condition that is written into another one to make its sets smaller. Nested groups would otherwise
 * multiply the statement, and long lists of words would nest more queries than the 100 that ClickHouse allows.
 */
export const MOST_AMONG = 1024;

type Phrase = Extract<Condition, { kind: 'phrase' }>;

/** The terms of a phrase's words, in their order. */
export function wordsOf({ field, tokens }: Phrase): string[] {
  return field === 'url' ? tokens.map((token) => `url:${token}`) : [...tokens];
}

/** The number of Posts with a term; 0 if it is not known. */
export function sizeOf(term: string, { sizes }: QueryScope): number {
  return sizes.get(term) ?? 0;
}

/** The term of a phrase with the fewest Posts. */
export function rarest(terms: readonly string[], scope: QueryScope): string {
  return terms.reduce((least, term) => (sizeOf(term, scope) < sizeOf(least, scope) ? term : least));
}

/** True if a Post may have a word of a phrase before the next one: nearly all others are ruled out by their postings alone. */
function pairIds(phrase: Phrase, at: number, scope: QueryScope, among: string | null): string {
  const next = nextNumber(phrase.tokens[at + 1]!);
  const before = `arrayExists(p -> bitAnd(p, ${2 ** NEXT_BITS - 1}) = ${next}, positions)`;
  return idsOf([wordsOf(phrase)[at]!], scope, among === null ? before : `${before} AND ${among}`);
}

/**
 * True if a Post has the words of a phrase one after another: each position of a word says where the phrase would begin,
 * and it does begin where all of its words say so.
 */
export function phraseIds(phrase: Phrase, scope: QueryScope, among: string | null): string {
  const words = wordsOf(phrase);
  const distinct = [...new Set(words)];
  const beginnings = (term: string): string => {
    const offsets = words.flatMap((word, i) => (word === term ? [i] : []));
    const shifted = offsets.map(
      (offset) => `arrayMap(p -> toInt32(bitShiftRight(p, ${NEXT_BITS})) - ${offset}, positions)`,
    );
    return shifted.length === 1 ? shifted[0]! : `arrayConcat(${shifted.join(', ')})`;
  };
  const last = distinct.length - 1;
  const cases = distinct
    .slice(0, last)
    .map((term) => `term = ${literal(term)}, ${beginnings(term)}`)
    .concat(beginnings(distinct[last]!));
  const starts = cases.length === 1 ? cases[0]! : `multiIf(${cases.join(', ')})`;
  // Pairs of words, the rarest first, leave few Posts whose positions are compared.
  let likely = among;
  const pairs = words.slice(1).map((_, at) => at);
  pairs.sort((a, b) => sizeOf(words[a]!, scope) - sizeOf(words[b]!, scope));
  for (const at of pairs) {
    if ((likely?.length ?? 0) > MOST_AMONG) break;
    likely = pairIds(phrase, at, scope, likely);
  }
  const rows = `SELECT id, arrayJoin(${starts}) AS start FROM ${scope.tables.posting}
    WHERE ${postings(distinct, scope)} AND ${likely}`;
  return `id IN (SELECT id FROM (${rows}) GROUP BY id, start HAVING count() = ${words.length})`;
}
