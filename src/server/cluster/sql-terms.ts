import type { Tables } from './schema.ts';
import type { ClusterState } from './state.ts';

/** A text as a literal: the two characters that a literal gives a meaning, and those that no text should have. */
export function literal(text: string): string {
  const escaped = text
    .replaceAll('\\', '\\\\')
    .replaceAll("'", "\\'")
    .replaceAll('\0', '\\0')
    .replaceAll('\n', '\\n');
  return `'${escaped}'`;
}

/** The scope of a query: the tables, what of them counts, and the minutes since 1970 from the first to the last. */
export interface QueryScope {
  readonly tables: Tables;
  readonly state: Pick<ClusterState, 'revision' | 'voids' | 'hasDead' | 'hasRevived'>;
  readonly first: number;
  readonly last: number;
  /** Postings of each term in these minutes; of others 0. Decides how a query is evaluated, never its result. */
  readonly sizes: ReadonlyMap<string, number>;
}

/** The condition for the committed rows of a table. */
export function committed({ revision, voids }: QueryScope['state']): string {
  const without = voids.length === 0 ? '' : ` AND batch NOT IN (${voids.join(', ')})`;
  return `batch <= ${revision}${without}`;
}

/** Leaves out postings of Posts that were deleted or replaced. */
export function living({ tables, state }: Pick<QueryScope, 'tables' | 'state'>): string {
  const dead = `SELECT id, generation FROM ${tables.dead} WHERE ${committed(state)}`;
  return `(id, generation) NOT IN (${dead})`;
}

/** The postings of some terms; only those that count where an id may have postings of several Posts. */
export function postings(terms: readonly string[], scope: QueryScope): string {
  const { state, first, last } = scope;
  const of =
    terms.length === 1
      ? `term = ${literal(terms[0]!)}`
      : `term IN (${terms.map(literal).join(', ')})`;
  const alive = state.hasRevived ? ` AND ${living(scope)}` : '';
  return `${of} AND minute >= ${first} AND minute <= ${last} AND ${committed(state)}${alive}`;
}
