import type { ProductCondition, Filter } from '#core/catalog/filter.ts';
import type { SetBody } from '#contract/catalog/catalog.ts';
import { textOrNull, type Cell, type Db } from '#server/db/driver.ts';
import type { FacetBlocks } from './facet-blocks.ts';

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
    conditions: readonly ProductCondition[],
    of: { readonly after: number; readonly limit: number },
  ): Member[];
  /** The number of products of a catalog that meet every condition, `most` at most. */
  count(catalog: number, conditions: readonly ProductCondition[], most: number): number;
}

const COLUMNS = 'id, name, description, type, filters';

function setOf([id, name, description, type, filters]: readonly Cell[]): StoredSet {
  return {
    id: Number(id),
    name: String(name),
    description: textOrNull(description),
    type: String(type) as SetBody['type'],
    filters: JSON.parse(String(filters)) as Filter[],
  };
}

const memberOf = ([key, id]: readonly Cell[]): Member => ({ key: Number(key), id: String(id) });

export function setTable(db: Db, facets: FacetBlocks): SetTable {
  const idOf = db.prepare('SELECT id FROM product WHERE key = ?');
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
    count: (catalog, conditions, most) =>
      facets.matching(catalog, conditions, { after: 0, limit: most }).length,
    matching: (catalog, conditions, of) =>
      facets.matching(catalog, conditions, of).map((key) => {
        const id = idOf.get([key])?.[0];
        return { key, id: String(id) };
      }),
  };
}
