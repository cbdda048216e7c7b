import type { Condition, Filter } from '#core/catalog/filter.ts';
import type { SetBody } from '#contract/catalog.ts';
import type { Cell, Db, Statement } from '#server/db/driver.ts';
import { clauseOf } from './filter-sql.ts';
import type { Clause } from './filter-sql.ts';

/** A set as stored. */
export interface StoredSet {
  readonly id: number;
  readonly name: string;
  readonly description: string | null;
  readonly type: SetBody['type'];
  /** Empty for a manual set. */
  readonly filters: readonly Filter[];
}

/** A product of a set. */
export interface Member {
  readonly key: number;
  /** The merchant's id. */
  readonly id: string;
}

/** Sets of products. */
export interface SetTable {
  /** @param products - Keys of the products of a manual set; empty for another. */
  add(catalog: number, set: Omit<StoredSet, 'id'>, products: readonly number[]): StoredSet;
  find(catalog: number, id: number): StoredSet | null;
  page(catalog: number, after: number, limit: number): StoredSet[];
  /** Replaces a manual set's names, and its products unless they are null. */
  put(set: StoredSet, products: readonly number[] | null): void;
  remove(id: number): void;
  /** Products of a manual set, in the order given. */
  members(id: number): Member[];
  /** The first products of a catalog after a key that meet every condition, by key. */
  matching(
    catalog: number,
    conditions: readonly Condition[],
    of: { readonly after: number; readonly limit: number },
  ): Member[];
}

/**
 * A condition that at most this many products meet decides where to look: their rows are read, one by one. If every
 * condition is met by more, products are read by key until the page is full.
 */
const FEW = 4000;

const COLUMNS = 'id, name, description, type, filters';

function setOf([id, name, description, type, filters]: readonly Cell[]): StoredSet {
  return {
    id: Number(id),
    name: String(name),
    description: typeof description === 'string' ? description : null,
    type: String(type) as SetBody['type'],
    filters: JSON.parse(String(filters)) as Filter[],
  };
}

const memberOf = ([key, id]: readonly Cell[]): Member => ({ key: Number(key), id: String(id) });

export function setTable(db: Db): SetTable {
  const insert = db.prepare(
    'INSERT INTO product_set (catalog, name, description, type, filters) VALUES (?, ?, ?, ?, ?)',
  );
  const lastId = db.prepare('SELECT last_insert_rowid()');
  const find = db.prepare(`SELECT ${COLUMNS} FROM product_set WHERE id = ? AND catalog = ?`);
  const page = db.prepare(
    `SELECT ${COLUMNS} FROM product_set WHERE catalog = ? AND id > ? ORDER BY id LIMIT ?`,
  );
  const update = db.prepare('UPDATE product_set SET name = ?, description = ? WHERE id = ?');
  const remove = db.prepare('DELETE FROM product_set WHERE id = ?');
  const addMember = db.prepare(
    'INSERT INTO set_member (product_set, position, product) VALUES (?, ?, ?)',
  );
  const clear = db.prepare('DELETE FROM set_member WHERE product_set = ?');
  const members = db.prepare(
    'SELECT p.key, p.id FROM set_member m JOIN product p ON p.key = m.product WHERE m.product_set = ? ORDER BY m.position',
  );
  const fill = (id: number, products: readonly number[]): void => {
    clear.run([id]);
    for (const [position, key] of products.entries()) addMember.run([id, position, key]);
  };
  /** One for each attribute and operator that was met. */
  const counts = new Map<string, Statement>();
  /** How many products meet a condition, up to one more than {@link FEW}. */
  const counted = (catalog: number, { index, sql, values }: Clause): number => {
    if (index === null) return Infinity;
    const text = `SELECT count(*) FROM (SELECT 1 FROM facet INDEXED BY ${index} WHERE catalog = ? AND ${sql} LIMIT ${FEW + 1})`;
    const count = counts.get(text) ?? db.prepare(text);
    counts.set(text, count);
    return Number(count.get([catalog, ...values])?.[0]);
  };
  /** The index of the condition that the fewest products meet; null if none is met by few. */
  const narrowest = (catalog: number, clauses: readonly Clause[]): string | null => {
    let best: { readonly index: string | null; readonly rows: number } = {
      index: null,
      rows: FEW + 1,
    };
    for (const clause of clauses) {
      const rows = counted(catalog, clause);
      if (rows < best.rows) best = { index: clause.index, rows };
      if (rows === 0) break;
    }
    return best.index;
  };
  return {
    add: (catalog, set, products) =>
      db.write('set', () => {
        const { name, description, type, filters } = set;
        insert.run([catalog, name, description, type, JSON.stringify(filters)]);
        const id = Number(lastId.get()?.[0]);
        fill(id, products);
        return { ...set, id };
      }),
    find: (catalog, id) => {
      const row = find.get([id, catalog]);
      return row ? setOf(row) : null;
    },
    page: (catalog, after, limit) => page.all([catalog, after, limit]).map(setOf),
    put: ({ id, name, description }, products) =>
      db.write('set', () => {
        update.run([name, description, id]);
        if (products) fill(id, products);
      }),
    remove: (id) =>
      db.write('remove-set', () => {
        clear.run([id]);
        remove.run([id]);
      }),
    members: (id) => members.all([id]).map(memberOf),
    matching: (catalog, conditions, { after, limit }) => {
      const clauses = conditions.map(clauseOf);
      const index = narrowest(catalog, clauses);
      const by = index === null ? 'NOT INDEXED' : `INDEXED BY ${index}`;
      const where = ['catalog = ?', 'key > ?', ...clauses.map(({ sql }) => sql)].join(' AND ');
      const found = db.prepare(
        `SELECT f.key, p.id FROM (SELECT key FROM facet ${by} WHERE ${where} ORDER BY key LIMIT ?) f
          JOIN product p ON p.key = f.key ORDER BY f.key`,
      );
      const values = clauses.flatMap((clause) => clause.values);
      return found.all([catalog, after, ...values, limit]).map(memberOf);
    },
  };
}
