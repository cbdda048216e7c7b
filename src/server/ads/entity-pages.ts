import type { Sorted } from '#contract/ads/ad-kind.ts';
import type { AdKindName } from '#contract/ads/ad-kinds.ts';
import type { Db, Value } from '#server/db/driver.ts';
import { ENTITY_COLUMNS, entityOf, type AdEntity } from './entity-row.ts';

/** The filter of a listing. */
export interface AdFilter {
  readonly kind: AdKindName;
  readonly holder: string;
  readonly ids?: readonly string[] | undefined;
  /** True if `ids` are the keys of what the entities are about. */
  readonly keyed?: boolean;
  readonly parents?: readonly string[] | undefined;
  /** Ids of what the parents belong to. `kinds` are those of the parents, the nearest first; there is at least one. */
  readonly above?: readonly {
    readonly kinds: readonly string[];
    readonly ids: readonly string[];
  }[];
  /** Values of fields. */
  readonly fields?: readonly { readonly field: string; readonly values: readonly string[] }[];
  /** A part of the name, in any case. */
  readonly q?: string | undefined;
  /** True if the name must begin with `q`. */
  readonly isBeginning?: boolean;
  readonly withDeleted: boolean;
  readonly withDraft: boolean;
}

/** The order of a listing, and the beginning of a page. Entities of equal keys are in the order of creation. */
export interface AdOrder {
  /** The order of creation if empty. */
  readonly by: readonly { readonly name: Sorted; readonly descending: boolean }[];
  /** The last entity of the page before; null for the first page. */
  readonly after: AdPlace | null;
}

/** A place in a listing. */
export interface AdPlace {
  /** Number of changes when the walk began. */
  readonly walk: number;
  /** Values of the attributes sorted by. */
  readonly keys: readonly (string | number)[];
  readonly seq: number;
}

/** An entity of a page, with its place. */
export interface AdRow {
  readonly entity: AdEntity;
  readonly place: AdPlace;
}

const COLUMN: Readonly<Record<Sorted, string>> = {
  created_at: 'created_at',
  updated_at: 'updated_at',
  deleted: 'deleted',
  name: 'name',
  start_time: 'start_time',
  end_time: 'end_time',
  daily_budget_amount_local_micro: 'daily',
  total_budget_amount_local_micro: 'total',
  standard_delivery: 'standard',
  bid_amount_local_micro: 'amount',
  funded_amount_local_micro: 'amount',
};

/** The key of an attribute. @param table - The table that has it: that of entities, or that of keys before a change. */
function keyOf(name: Sorted, table: 'e' | 'm'): string {
  if (name === 'created_at') return 'e.created_at';
  return `${table}.${COLUMN[name]}${name === 'deleted' ? ' > 0' : ''}`;
}

interface Condition {
  readonly sql: readonly string[];
  readonly values: readonly Value[];
}

const marks = (list: readonly unknown[]): string => list.map(() => '?').join(', ');

/** The condition of a filter, with its values. */
function conditionOf(filter: AdFilter): Condition {
  const { kind, holder, ids, parents, above = [], fields = [], q, withDeleted, withDraft } = filter;
  const sql = ['e.holder = ?', 'e.kind = ?'];
  const values: Value[] = [holder, kind];
  const among = (what: string, list: readonly string[] | undefined): void => {
    if (!list) return;
    sql.push(`${what} IN (${marks(list)})`);
    values.push(...list);
  };
  if (!withDeleted) sql.push('e.deleted = 0');
  if (!withDraft) sql.push('e.draft = 0');
  among(filter.keyed ? 'e.source' : 'e.id', ids);
  among('e.parent', parents);
  for (const { kinds, ids: of } of above) {
    const inner = kinds.reduceRight(
      (condition) =>
        `IN (SELECT id FROM entity WHERE holder = ? AND kind = ? AND parent ${condition})`,
      `IN (${marks(of)})`,
    );
    sql.push(`e.parent ${inner}`);
    values.push(...kinds.flatMap((each) => [holder, each]), ...of);
  }
  for (const { field, values: list } of fields) among(`json_extract(e.fields, '$.${field}')`, list);
  if (q !== undefined) {
    sql.push(`instr(e.folded, ?) ${filter.isBeginning ? '= 1' : '> 0'}`);
    values.push(q.toLowerCase());
  }
  return { sql, values };
}

interface Sorting extends Condition {
  /** Expressions of the keys. */
  readonly keys: readonly string[];
  /** The ORDER BY clause. */
  readonly sorted: string;
}

/** The order of rows, and the condition for those that come after the place of a cursor. */
function sortingOf({ by, after }: AdOrder, table: 'e' | 'm'): Sorting {
  const terms = by.map(({ name, descending }) => ({ key: keyOf(name, table), descending }));
  const ends = { key: 'e.seq', descending: by.at(-1)?.descending ?? false };
  const all = [...terms, ends];
  const sorted = all.map(({ key, descending }) => `${key} ${descending ? 'DESC' : 'ASC'}`);
  const found = { keys: terms.map(({ key }) => key), sorted: sorted.join(', ') };
  if (!after) return { ...found, sql: [], values: [] };
  const place = [...after.keys, after.seq];
  const isUniform = all.every(({ descending }) => descending === ends.descending);
  if (isUniform) {
    const sql = `(${all.map(({ key }) => key).join(', ')}) ${ends.descending ? '<' : '>'} (${marks(all)})`;
    return { ...found, sql: [sql], values: place };
  }
  const values: Value[] = [];
  const cases = all.map(({ key, descending }, i) => {
    const before = all.slice(0, i).map((each) => `${each.key} = ?`);
    values.push(...place.slice(0, i + 1));
    return `(${[...before, `${key} ${descending ? '<' : '>'} ?`].join(' AND ')})`;
  });
  return { ...found, sql: [`(${cases.join(' OR ')})`], values };
}

/** Compares two places of a listing. */
function comparePlaces({ by }: AdOrder): (a: AdRow, b: AdRow) => number {
  return ({ place: a }, { place: b }) => {
    for (const [i, { descending }] of by.entries()) {
      const [left = '', right = ''] = [a.keys[i], b.keys[i]];
      // As SQLite compares texts: by their bytes in UTF-8.
      const order =
        typeof left === 'string'
          ? Buffer.compare(Buffer.from(left), Buffer.from(String(right)))
          : left - Number(right);
      if (order !== 0) return descending ? -order : order;
    }
    return by.at(-1)?.descending ? b.seq - a.seq : a.seq - b.seq;
  };
}

/**
 * Reads listings of entities. A walk sees every entity where it was when the walk began: one that was changed since has the
 * keys of before the change. So it comes exactly once, whatever changes during the walk.
 */
export function entityPages(
  db: Db,
  changes: () => { readonly last: number; readonly forgotten: number },
) {
  const rowsOf = (
    from: string,
    condition: Condition,
    { keys, sql, values, sorted }: Sorting,
    walk: number,
    limit: number,
  ): AdRow[] => {
    const columns = [...ENTITY_COLUMNS.map((name) => `e.${name}`), ...keys];
    const statement = db.prepare(
      `SELECT ${columns.join(', ')} FROM ${from} WHERE ${[...condition.sql, ...sql].join(' AND ')}
      ORDER BY ${sorted} LIMIT ?`,
    );
    return statement.all([...condition.values, ...values, limit]).map((row) => {
      const entity = entityOf(row);
      const found = row.slice(ENTITY_COLUMNS.length);
      const place = found.map((key) => (typeof key === 'string' ? key : Number(key)));
      return { entity, place: { walk, keys: place, seq: entity.seq } };
    });
  };
  return {
    /** The entities of a page, at most `limit`. */
    page: (filter: AdFilter, order: AdOrder, limit: number): AdRow[] => {
      const condition = conditionOf(filter);
      const { last, forgotten } = changes();
      const { after } = order;
      const walk = after?.walk ?? last;
      const rows = (since: number | null): AdRow[] =>
        rowsOf(
          'entity e',
          since === null
            ? condition
            : {
                sql: [...condition.sql, 'e.changed <= ?'],
                values: [...condition.values, since],
              },
          sortingOf(order, 'e'),
          walk,
          limit,
        );
      const isStable = order.by.every(({ name }) => name === 'created_at');
      if (!after || isStable) return rows(null);
      // Of changes that are forgotten, entities have their new place.
      const since = Math.max(walk, forgotten);
      const { holder, kind } = filter;
      // Few entities changed, so they come first: with CROSS JOIN, SQLite joins in the order given.
      const moved = rowsOf(
        `(SELECT seq, min(change) AS change FROM moved WHERE holder = ? AND kind = ? AND change > ? GROUP BY seq) f
        CROSS JOIN moved m ON m.seq = f.seq AND m.change = f.change CROSS JOIN entity e ON e.seq = f.seq`,
        { sql: condition.sql, values: [holder, kind, since, ...condition.values] },
        sortingOf(order, 'm'),
        walk,
        limit,
      );
      if (moved.length === 0) return rows(since);
      return [...rows(since), ...moved].sort(comparePlaces(order)).slice(0, limit);
    },
    /** Number of entities of a listing. */
    count: (filter: AdFilter): number => {
      const { sql, values } = conditionOf(filter);
      const statement = db.prepare(`SELECT count(*) FROM entity e WHERE ${sql.join(' AND ')}`);
      return Number(statement.get(values)?.[0]);
    },
  };
}
