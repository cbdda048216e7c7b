import type { Condition } from '#core/query/ast.ts';
import { simplify } from '#server/index/simplify.ts';
import { columnCondition, EVERY_POST } from './columns.ts';
import { type QueryScope, literal, postings, living } from './sql-terms.ts';
import { sizeOf, wordsOf, MOST_AMONG, idsOf, phraseIds, rarest } from './phrase-sql.ts';

/** Number of Posts that meet a condition, at most. */
function estimate(c: Condition, scope: QueryScope): number {
  switch (c.kind) {
    case 'term':
      return sizeOf(c.term, scope);
    case 'phrase':
      return Math.min(...wordsOf(c).map((term) => sizeOf(term, scope)));
    case 'all':
      return Math.min(Infinity, ...c.of.map((part) => estimate(part, scope)));
    case 'any':
      return c.of.reduce((sum, part) => sum + estimate(part, scope), 0);
    case 'not':
    case 'posts':
    case 'within':
      return Infinity;
  }
}

const isColumn = (c: Condition): boolean => c.kind === 'term' && columnCondition(c.term) !== null;

/** True if a condition becomes a set of ids. */
function isSet(c: Condition): boolean {
  return c.kind === 'phrase' || (c.kind === 'term' && columnCondition(c.term) === null);
}

/** The parts of a conjunction, with all that excludes as one, because a set is made for each. */
function withOneExclusion(parts: readonly Condition[]): readonly Condition[] {
  const excluded = parts.flatMap((part) => (part.kind === 'not' ? [part.of] : []));
  if (excluded.length < 2) return parts;
  const others = parts.filter(({ kind }) => kind !== 'not');
  return [...others, { kind: 'not', of: simplify({ kind: 'any', of: excluded }) }];
}

/** The condition on a posting that all parts are met: sets of ids one within another, the smallest innermost. */
function allOf(given: readonly Condition[], scope: QueryScope, among: string | null): string {
  const parts = withOneExclusion(given);
  const sets = parts.filter(isSet).sort((a, b) => estimate(a, scope) - estimate(b, scope));
  const all: string[] = [];
  let inner = among;
  for (const [i, set] of sets.entries()) {
    inner = met(set, scope, inner);
    const isWhole = i === sets.length - 1 || inner.length > MOST_AMONG;
    if (isWhole) all.push(inner);
    if (inner.length > MOST_AMONG) inner = i === 0 ? null : met(sets[0]!, scope, null);
    if (inner !== null && inner.length > MOST_AMONG) inner = null;
  }
  for (const part of parts) if (!isSet(part)) all.push(met(part, scope, inner));
  return all.length === 0 ? '1' : all.map((each) => `(${each})`).join(' AND ');
}

function anyOf(parts: readonly Condition[], scope: QueryScope, among: string | null): string {
  const isTerm = (c: Condition) => c.kind === 'term' && !isColumn(c);
  const terms = parts.flatMap((part) => (part.kind === 'term' && isTerm(part) ? [part.term] : []));
  const others = parts.filter((part) => !isTerm(part)).map((part) => met(part, scope, among));
  const any = [...(terms.length > 0 ? [idsOf(terms, scope, among)] : []), ...others];
  return any.length === 0 ? '0' : any.map((each) => `(${each})`).join(' OR ');
}

/**
 * The condition on a posting that its Post meets a condition.
 *
 * @param among - A condition that the Post is known to meet, to make sets smaller; null if there is none.
 * @throws {@link RangeError} for an area, which is to be replaced by its terms before, and for Posts, which only files name.
 */
function met(c: Condition, scope: QueryScope, among: string | null): string {
  switch (c.kind) {
    case 'term':
      return columnCondition(c.term) ?? idsOf([c.term], scope, among);
    case 'phrase':
      return phraseIds(c, scope, among);
    case 'not':
      return `NOT (${met(c.of, scope, among)})`;
    case 'all':
      return allOf(c.of, scope, among);
    case 'any':
      return anyOf(c.of, scope, among);
    case 'posts':
    case 'within':
      throw new RangeError('expected an area as its terms, and no Posts');
  }
}

/** Postings to read: of the terms, those that meet a condition. They cover every Post that meets the whole one. */
interface Reading {
  readonly terms: readonly string[];
  readonly where: string;
}

const REST: Reading = { terms: [EVERY_POST], where: '1' };

/** The readings of a condition by terms of its Posts; null if it does not need any term. */
function readingOf(c: Condition, scope: QueryScope, among: string | null): Reading | null {
  switch (c.kind) {
    case 'term':
      return { terms: [c.term], where: '1' };
    case 'phrase':
      return { terms: [rarest(wordsOf(c), scope)], where: phraseIds(c, scope, among) };
    case 'any': {
      const readings = c.of.map((part) => readingOf(part, scope, among));
      if (readings.length === 0 || !readings.every((each) => each !== null)) return null;
      const terms = [...new Set(readings.flatMap((each) => each.terms))];
      if (readings.every(({ where }) => where === '1')) return { terms, where: '1' };
      const parts = readings.map(
        (each) => `(term IN (${each.terms.map(literal).join(', ')}) AND (${each.where}))`,
      );
      return { terms, where: parts.join(' OR ') };
    }
    case 'all':
      return readingOfAll(c.of, scope, among);
    case 'not':
    case 'posts':
    case 'within':
      return null;
  }
}

/** A list this many times shorter than another one makes the set of the other smaller first. */
const FEW = 4;

/**
 * Reads the largest of the lists that a Post must be in, because looking up its ids in the sets of the others is faster
 * than making a set of it; a list that columns replace only if there is no other one.
 */
function readingOfAll(
  parts: readonly Condition[],
  scope: QueryScope,
  among: string | null,
): Reading | null {
  const terms = parts.filter((part) => part.kind === 'term' && !isColumn(part));
  const bySize = (a: Condition, b: Condition): number => estimate(a, scope) - estimate(b, scope);
  const phrases = parts.filter(({ kind }) => kind === 'phrase').sort(bySize);
  const groups = parts.filter(({ kind }) => kind === 'any' || kind === 'all').sort(bySize);
  const columns = parts.filter(isColumn).sort(bySize);
  for (const chosen of [terms.sort(bySize).at(-1), ...phrases, ...groups, ...columns]) {
    const reading = chosen && readingOf(chosen, scope, among);
    if (!reading) continue;
    const others = parts.filter((part) => part !== chosen);
    const most = Math.max(0, ...others.flatMap(sizedTerms).map((term) => sizeOf(term, scope)));
    const isFew = chosen.kind === 'term' && estimate(chosen, scope) * FEW < most;
    const rest = allOf(others, scope, isFew ? idsOf([chosen.term], scope, among) : among);
    return {
      terms: reading.terms,
      where: reading.where === '1' ? rest : `(${reading.where}) AND (${rest})`,
    };
  }
  return null;
}

/** A query's `FROM … WHERE …`, and whether it may have several rows of a Post. */
export interface Matching {
  readonly from: string;
  readonly repeats: boolean;
}

/** The bounds of a query in addition to the minutes of its scope. */
export interface QueryBounds {
  /** Seconds since 1970, the end exclusive; absent where whole minutes say the same. */
  readonly start?: number;
  readonly end?: number;
  /** Ids, both exclusive. */
  readonly since?: bigint;
  readonly until?: bigint;
  /** A condition of SQL on `id` and `second`. */
  readonly also?: string;
}

/** Seconds since 1970 of a posting. */
export const SECOND = '(minute * 60 + second)';

/**
 * The postings of Posts that meet a condition, on all shards. The sets of ids in it are of the shard's own tables: all
 * postings of a Post are on its shard.
 *
 * @param condition - Without areas, see {@link withoutAreas}.
 */
export function matching(condition: Condition, scope: QueryScope, bounds: QueryBounds): Matching {
  const wanted = simplify(condition);
  const reading = readingOf(wanted, scope, null) ?? {
    ...REST,
    where: met(wanted, scope, null),
  };
  const { start, end, since, until, also } = bounds;
  const where = [
    postings(reading.terms, scope),
    ...(start === undefined ? [] : [`${SECOND} >= ${start}`]),
    ...(end === undefined ? [] : [`${SECOND} < ${end}`]),
    ...(since === undefined ? [] : [`id > ${since}`]),
    ...(until === undefined ? [] : [`id < ${until}`]),
    ...(also === undefined ? [] : [also]),
    ...(scope.state.hasDead && !scope.state.hasRevived ? [living(scope)] : []),
    ...(reading.where === '1' ? [] : [`(${reading.where})`]),
  ];
  return {
    from: `FROM ${scope.tables.all.posting} WHERE ${where.join(' AND ')}`,
    repeats: reading.terms.length > 1,
  };
}

/** The terms of a condition whose sizes decide how it is evaluated. */
export function sizedTerms(c: Condition): string[] {
  switch (c.kind) {
    case 'term':
      return [c.term];
    case 'phrase':
      return wordsOf(c);
    case 'not':
      return sizedTerms(c.of);
    case 'all':
    case 'any':
      return c.of.flatMap(sizedTerms);
    case 'posts':
    case 'within':
      return [];
  }
}
