import { areaPrefixes, contains } from '#core/query/area.ts';
import type { Condition } from '#core/query/ast.ts';
import { boxOfTerm } from '#core/text/geo.ts';
import { ALL_TIME, MINUTE_MS, type Span } from '#core/time/span.ts';
import { simplify } from '#server/index/simplify.ts';
import { hiddenTerms } from '#server/posts/index/hidden-posts.ts';
import { ClusterError } from './error.ts';
import type { RowReader } from './row-binary.ts';
import type { Tables } from './schema.ts';
import { sizedTerms } from './sql.ts';
import type { ClusterState } from './state.ts';
import { literal, type QueryScope } from './sql-terms.ts';

/** Runs a query on a node. */
export type RunQuery = (query: string, signal?: AbortSignal) => Promise<RowReader>;

/** Places on the map that a query may select one by one. */
const MOST_PLACES = 200_000;

/** The minutes since 1970 of a span, the last one included. */
export function minutesOf({ start, end }: Span): { first: number; last: number } {
  const top = ALL_TIME.end / MINUTE_MS;
  const within = (minute: number): number => Math.min(top, Math.max(0, minute));
  const first = within(Math.floor(start / MINUTE_MS));
  return { first, last: within(Math.ceil(end / MINUTE_MS) - 1) };
}

/** The areas in a condition. */
function areasIn(c: Condition): Extract<Condition, { kind: 'within' }>['area'][] {
  if (c.kind === 'within') return [c.area];
  if (c.kind === 'not') return areasIn(c.of);
  return c.kind === 'all' || c.kind === 'any' ? c.of.flatMap(areasIn) : [];
}

/** Replaces areas by the terms of the places in them. */
function withTerms(c: Condition, boxes: readonly string[]): Condition {
  switch (c.kind) {
    case 'within': {
      const inside = boxes.filter((term) => contains(c.area, boxOfTerm(term)));
      return { kind: 'any', of: inside.map((term) => ({ kind: 'term', term })) };
    }
    case 'not':
      return { kind: 'not', of: withTerms(c.of, boxes) };
    case 'all':
    case 'any':
      return { kind: c.kind, of: c.of.map((part) => withTerms(part, boxes)) };
    default:
      return c;
  }
}

/**
 * The condition without Posts that are in a collection which does not count, and in none that does.
 *
 * @param hidden - Ids of users whose Posts are left out.
 */
function shown(
  c: Condition,
  { collections }: Pick<ClusterState, 'collections'>,
  hidden: readonly string[],
): Condition {
  const terms = (included: boolean): Condition => ({
    kind: 'any',
    of: collections
      .filter((each) => (each.included && each.removedAt === null) === included)
      .map(({ id }) => ({ kind: 'term', term: `in:${id}` })),
  });
  const out = terms(false);
  const excluded: Condition[] = hiddenTerms(hidden).map((term) => ({ kind: 'term', term }));
  if (out.kind === 'any' && out.of.length > 0) {
    excluded.push({ kind: 'all', of: [out, { kind: 'not', of: terms(true) }] });
  }
  if (excluded.length === 0) return c;
  const not: Condition = { kind: 'not', of: { kind: 'any', of: excluded } };
  return { kind: 'all', of: [...(c.kind === 'all' ? c.of : [c]), not] };
}

/** Terms of a query whose sizes are worth a look-up. */
const MOST_SIZES = 200;

/**
 * Makes a condition one that a cluster counts: with its areas replaced by the places in them, without Posts that are not
 * shown, and with the sizes of its terms.
 *
 * @param hidden - Ids of users whose Posts are left out.
 */
export function scopes(
  read: RunQuery,
  tables: Tables,
  state: ClusterState,
  hidden: readonly string[],
) {
  const { all } = tables;
  const withoutAreas = async (c: Condition): Promise<Condition> => {
    const prefixes = [...new Set(areasIn(c).flatMap(areaPrefixes))];
    if (prefixes.length === 0) return c;
    const within = prefixes.map((prefix) => `startsWith(term, ${literal(prefix)})`);
    // The first letters let it read only the postings of places.
    const rows = await read(
      `SELECT DISTINCT term FROM ${all.termMinute} WHERE term >= 'geo:' AND term < 'geo;'
       AND (${within.join(' OR ')}) LIMIT ${MOST_PLACES + 1}`,
    );
    const boxes: string[] = [];
    while (!rows.done) boxes.push(rows.text());
    if (boxes.length > MOST_PLACES) {
      const message = `The areas of the query may contain more than ${MOST_PLACES} places, which a cluster does not count; choose smaller ones.`;
      throw new ClusterError('unsupported', message);
    }
    return withTerms(c, boxes);
  };

  const sizesOf = async (
    c: Condition,
    { first, last }: { first: number; last: number },
    signal?: AbortSignal,
  ): Promise<Map<string, number>> => {
    const terms = [...new Set(sizedTerms(c))];
    const sizes = new Map<string, number>();
    if (terms.length < 2 || terms.length > MOST_SIZES) return sizes;
    const rows = await read(
      `SELECT term, toUInt32(count()) FROM ${all.termMinute} WHERE term IN (${terms.map(literal).join(', ')})
       AND minute >= ${first} AND minute <= ${last} GROUP BY term`,
      signal,
    );
    while (!rows.done) sizes.set(rows.text(), rows.u32());
    return sizes;
  };

  return async (
    wanted: Condition,
    span: Span,
    signal?: AbortSignal,
  ): Promise<{ scope: QueryScope; condition: Condition }> => {
    const condition = simplify(shown(await withoutAreas(wanted), state, hidden));
    const minutes = minutesOf(span);
    const sizes = await sizesOf(condition, minutes, signal);
    return { scope: { tables, state, ...minutes, sizes }, condition };
  };
}
