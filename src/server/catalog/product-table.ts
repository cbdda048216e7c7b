import { facetsOf } from '#core/catalog/filter.ts';
import type { Product } from '#core/catalog/product.ts';
import type { Cell, Db } from '#server/db/driver.ts';
import type { FacetBlocks } from './facet-blocks.ts';

/** A product as stored. Keys are whole numbers that are never used again. */
export interface StoredProduct {
  readonly key: number;
  /** Key of its group; null for a product of none. */
  readonly group: number | null;
  readonly product: Product;
}

/** What writing a product did. */
export interface Written {
  readonly key: number;
  readonly did: 'created' | 'updated' | 'unchanged';
}

/** Earlier values of a product. */
export interface EarlierValues {
  /** Until when they were valid, epoch ms. */
  readonly until: number;
  readonly price: string;
  readonly salePrice: string | null;
  readonly availability: string;
  readonly salePeriod: string | null;
}

/** Products of catalogs. */
export interface ProductTable {
  /** Creates or updates a product by its id. @param at - Epoch ms. */
  put(catalog: number, product: Product, at: number): Written;
  /** Products after a key, by key: the first one of each group, or all of one group. */
  page(
    catalog: number,
    of: { readonly group: number | null; readonly after: number; readonly limit: number },
  ): StoredProduct[];
  /** Whether a catalog has a product of that key. */
  has(catalog: number, key: number): boolean;
  /** Removes a product. @returns Whether the catalog had it. */
  remove(catalog: number, key: number): boolean;
  /** Earlier values of a product, the oldest first. */
  history(key: number): EarlierValues[];
  /** Removes up to `most` products of a removed catalog. @returns False if there was nothing to remove. */
  removeOrphans(most: number): boolean;
}

function storedOf([key, group, fields]: readonly Cell[]): StoredProduct {
  return {
    key: Number(key),
    group: group === null ? null : Number(group),
    product: JSON.parse(String(fields)) as Product,
  };
}

const textOf = (cell: Cell | undefined): string | null => (typeof cell === 'string' ? cell : null);

export function productTable(db: Db, facets: FacetBlocks): ProductTable {
  const byId = db.prepare(
    'SELECT key, item_group, fields FROM product WHERE catalog = ? AND id = ?',
  );
  const insert = db.prepare(
    'INSERT INTO product (catalog, id, item_group, fields) VALUES (?, ?, ?, ?)',
  );
  const update = db.prepare('UPDATE product SET item_group = ?, fields = ? WHERE key = ?');
  const groupOf = db.prepare('SELECT key FROM item_group WHERE catalog = ? AND id = ?');
  const addGroup = db.prepare('INSERT INTO item_group (catalog, id) VALUES (?, ?)');
  const lastId = db.prepare('SELECT last_insert_rowid()');
  const addChange = db.prepare(
    'INSERT INTO product_change (product, until, price, sale_price, availability, sale_period) VALUES (?, ?, ?, ?, ?, ?)',
  );
  const first = db.prepare(
    `SELECT key, item_group, fields FROM product p
      WHERE catalog = ? AND key > ? AND (item_group IS NULL OR NOT EXISTS
        (SELECT 1 FROM product other WHERE other.item_group = p.item_group AND other.key < p.key))
      ORDER BY key LIMIT ?`,
  );
  const inGroup = db.prepare(
    `SELECT key, item_group, fields FROM product
      WHERE item_group = ? AND catalog = ? AND key > ? ORDER BY key LIMIT ?`,
  );
  const find = db.prepare('SELECT item_group FROM product WHERE key = ? AND catalog = ?');
  const removeProduct = db.prepare('DELETE FROM product WHERE key = ?');
  const removeChanges = db.prepare('DELETE FROM product_change WHERE product = ?');
  const removeMember = db.prepare('DELETE FROM set_member WHERE product = ?');
  const history = db.prepare(
    'SELECT until, price, sale_price, availability, sale_period FROM product_change WHERE product = ? ORDER BY number',
  );
  const removed = db.prepare('SELECT id FROM removed_catalog LIMIT 1');
  const settle = db.prepare('DELETE FROM removed_catalog WHERE id = ?');
  const keysOf = db.prepare('SELECT key FROM product WHERE catalog = ? LIMIT ?');
  const removeGroups = db.prepare('DELETE FROM item_group WHERE catalog = ?');

  const groupKey = (catalog: number, id: string | null): number | null => {
    if (id === null) return null;
    const row = groupOf.get([catalog, id]);
    if (row) return Number(row[0]);
    addGroup.run([catalog, id]);
    return Number(lastId.get()?.[0]);
  };
  const isChanged = (before: Product, after: Product): boolean =>
    (['price', 'sale_price', 'availability', 'sale_price_effective_date'] as const).some(
      (name) => before[name] !== after[name],
    );
  const removeOne = (key: number): void => {
    removeProduct.run([key]);
    removeChanges.run([key]);
  };

  return {
    put: (catalog, product, at) => {
      const fields = JSON.stringify(product);
      const row = byId.get([catalog, product.id]);
      if (row?.[2] === fields) return { key: Number(row[0]), did: 'unchanged' };
      return facets.write('product', () => {
        const group = groupKey(catalog, product.item_group_id);
        if (!row) {
          insert.run([catalog, product.id, group, fields]);
          const key = Number(lastId.get()?.[0]);
          facets.put(catalog, key, facetsOf(product));
          return { key, did: 'created' };
        }
        const { key, product: before } = storedOf(row);
        update.run([group, fields, key]);
        facets.put(catalog, key, facetsOf(product));
        if (isChanged(before, product)) {
          const { price, sale_price, availability, sale_price_effective_date } = before;
          addChange.run([key, at, price, sale_price, availability, sale_price_effective_date]);
        }
        return { key, did: 'updated' };
      });
    },
    page: (catalog, { group, after, limit }) => {
      const rows =
        group === null
          ? first.all([catalog, after, limit])
          : inGroup.all([group, catalog, after, limit]);
      return rows.map(storedOf);
    },
    has: (catalog, key) => find.get([key, catalog]) !== undefined,
    remove: (catalog, key) =>
      facets.write('remove-product', () => {
        if (!find.get([key, catalog])) return false;
        removeOne(key);
        facets.put(catalog, key, null);
        removeMember.run([key]);
        return true;
      }),
    history: (key) =>
      history.all([key]).map(([until, price, salePrice, availability, salePeriod]) => ({
        until: Number(until),
        price: String(price),
        salePrice: textOf(salePrice),
        availability: String(availability),
        salePeriod: textOf(salePeriod),
      })),
    removeOrphans: (most) => {
      const [catalog] = removed.get() ?? [];
      if (catalog === undefined) return false;
      return db.write('remove-orphans', () => {
        const rows = keysOf.all([catalog, most]);
        for (const [key] of rows) removeOne(Number(key));
        if (rows.length < most) {
          facets.remove(Number(catalog));
          removeGroups.run([catalog]);
          settle.run([catalog]);
        }
        return true;
      });
    },
  };
}
