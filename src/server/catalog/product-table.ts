import { ATTRIBUTES } from '#core/catalog/attribute.ts';
import { facetsOf } from '#core/catalog/filter.ts';
import type { Product } from '#core/catalog/product.ts';
import { numberOrNull, textOrNull, type Cell, type Db, type Value } from '#server/db/driver.ts';
import { insertRows } from '#server/db/insert-rows.ts';
import type { FacetBlocks } from './facet-blocks.ts';

/** A product as stored. Keys are whole numbers that are never used again. */
export interface StoredProduct {
  readonly key: number;
  /** Key of its group; null for a product of none. */
  readonly group: number | null;
  readonly product: Product;
}

/** A product to store. */
export interface NewProduct {
  readonly product: Product;
  /**
   * Of the row of a feed that it was read from without a warning, see {@link ProductTable.differing}; null for any other
   * source.
   */
  readonly digest: string | null;
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

/** What a row of a feed is known by: the merchant's id, and a digest of the whole row. */
export type RowDigest = readonly [id: string, digest: string];

/** Products of catalogs. */
export interface ProductTable {
  /**
   * Creates or updates products by their ids.
   *
   * @param products - No two of the same id.
   * @param at - Epoch ms.
   * @returns What became of each.
   */
  put(catalog: number, products: readonly NewProduct[], at: number): Written[];
  /** Which rows of a feed, by their place, have another digest than that from which their product was read last. */
  differing(catalog: number, rows: readonly RowDigest[]): number[];
  /** Products after a key, by key: the first one of each group, or all of one group. */
  page(
    catalog: number,
    of: { readonly group: number | null; readonly after: number; readonly limit: number },
  ): StoredProduct[];
  /** True if a catalog has a product of that key. */
  has(catalog: number, key: number): boolean;
  /** Removes a product. @returns Whether the catalog had it. */
  remove(catalog: number, key: number): boolean;
  /** Earlier values of a product, the oldest first. */
  history(key: number): EarlierValues[];
  /** Removes up to `most` products of a removed catalog. @returns False if there was nothing to remove. */
  removeOrphans(most: number): boolean;
}

/** A product as its row has it. */
interface StoredText {
  readonly key: number;
  readonly text: string;
}

/** Values of a product as stored, the same text for equal products: its attributes in their order. */
function fieldsOf(product: Product): string {
  return JSON.stringify(ATTRIBUTES.map((name) => product[name]));
}

function productOf(fields: string): Product {
  const values = JSON.parse(fields) as unknown[];
  return Object.fromEntries(
    ATTRIBUTES.map((name, place) => [name, values[place]]),
  ) as unknown as Product;
}

function storedOf([key, group, fields]: readonly Cell[]): StoredProduct {
  return {
    key: Number(key),
    group: numberOrNull(group),
    product: productOf(String(fields)),
  };
}

export function productTable(db: Db, facets: FacetBlocks): ProductTable {
  const byIds = db.prepare(
    `SELECT p.key, p.id, p.fields FROM json_each(?) j
      CROSS JOIN product p ON p.catalog = ? AND p.id = j.value`,
  );
  const insert = insertRows(db, 'product (key, catalog, id, item_group, fields)', 5);
  const lastKey = db.prepare("SELECT seq FROM sqlite_sequence WHERE name = 'product'");
  const update = db.prepare('UPDATE product SET item_group = ?, fields = ? WHERE key = ?');
  const addGroups = db.prepare(
    'INSERT OR IGNORE INTO item_group (catalog, id) SELECT ?, value FROM json_each(?)',
  );
  const groupsOf = db.prepare(
    'SELECT g.id, g.key FROM json_each(?) j CROSS JOIN item_group g ON g.catalog = ? AND g.id = j.value',
  );
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
  const putDigests = db.prepare(
    `INSERT INTO product_row (product, digest) SELECT value ->> 0, value ->> 1 FROM json_each(?) WHERE true
      ON CONFLICT DO UPDATE SET digest = excluded.digest WHERE digest <> excluded.digest`,
  );
  const removeDigest = db.prepare('DELETE FROM product_row WHERE product = ?');
  const differing = db.prepare(
    `SELECT json_group_array(j.key) FROM json_each(?) j
      LEFT JOIN product p ON p.catalog = ? AND p.id = j.value ->> 0
      LEFT JOIN product_row r ON r.product = p.key
      WHERE r.digest IS NOT j.value ->> 1`,
  );
  const some = db.prepare('SELECT 1 FROM product WHERE catalog = ? LIMIT 1');
  const removeMember = db.prepare('DELETE FROM set_member WHERE product = ?');
  const history = db.prepare(
    'SELECT until, price, sale_price, availability, sale_period FROM product_change WHERE product = ? ORDER BY number',
  );
  const removed = db.prepare('SELECT id FROM removed_catalog LIMIT 1');
  const settle = db.prepare('DELETE FROM removed_catalog WHERE id = ?');
  const keysOf = db.prepare('SELECT key FROM product WHERE catalog = ? LIMIT ?');
  const removeGroups = db.prepare('DELETE FROM item_group WHERE catalog = ?');

  /** Keys of groups by their ids; creates those that do not exist. */
  const groupKeys = (catalog: number, products: readonly Product[]): Map<string, number> => {
    const ids = new Set(products.flatMap(({ item_group_id: id }) => (id === null ? [] : [id])));
    if (ids.size === 0) return new Map();
    const list = JSON.stringify([...ids]);
    const find = (): Map<string, number> =>
      new Map(groupsOf.all([list, catalog]).map(([id, key]) => [String(id), Number(key)]));
    const known = find();
    if (known.size === ids.size) return known;
    // An ignored one would take a key.
    addGroups.run([catalog, JSON.stringify([...ids].filter((id) => !known.has(id)))]);
    return find();
  };
  const isChanged = (before: Product, after: Product): boolean =>
    (['price', 'sale_price', 'availability', 'sale_price_effective_date'] as const).some(
      (name) => before[name] !== after[name],
    );
  /** The stored products of the same ids. */
  const storedBy = (catalog: number, products: readonly NewProduct[]): Map<string, StoredText> => {
    const ids = JSON.stringify(products.map(({ product }) => product.id));
    return new Map(
      byIds
        .all([ids, catalog])
        .map(([key, id, text]) => [String(id), { key: Number(key), text: String(text) }]),
    );
  };
  const replace = (
    before: StoredText,
    { product, group, fields }: { product: Product; group: number | null; fields: string },
    at: number,
  ): void => {
    update.run([group, fields, before.key]);
    const earlier = productOf(before.text);
    if (!isChanged(earlier, product)) return;
    const { price, sale_price, availability, sale_price_effective_date } = earlier;
    addChange.run([before.key, at, price, sale_price, availability, sale_price_effective_date]);
  };
  /** Stores the digests of rows; a product that changed without one has no digest from then on. */
  const noteDigests = (products: readonly NewProduct[], written: readonly Written[]): void => {
    const digests: (readonly [number, string])[] = [];
    for (const [n, { key, did }] of written.entries()) {
      const digest = products[n]?.digest ?? null;
      if (digest !== null) digests.push([key, digest]);
      else if (did === 'updated') removeDigest.run([key]);
    }
    if (digests.length > 0) putDigests.run([JSON.stringify(digests)]);
  };
  const removeOne = (key: number): void => {
    removeProduct.run([key]);
    removeChanges.run([key]);
    removeDigest.run([key]);
  };

  return {
    put: (catalog, products, at) =>
      facets.write('product', () => {
        const stored = storedBy(catalog, products);
        const texts = products.map(({ product }) => fieldsOf(product));
        const isChangedAt = (n: number, { id }: Product): boolean =>
          stored.get(id)?.text !== texts[n];
        const changed = products.filter(({ product }, n) => isChangedAt(n, product));
        const groups = groupKeys(
          catalog,
          changed.map(({ product }) => product),
        );
        let last = Number(lastKey.get()?.[0] ?? 0);
        const created: Value[][] = [];
        const written = products.map(({ product }, n): Written => {
          const before = stored.get(product.id);
          if (before && !isChangedAt(n, product)) return { key: before.key, did: 'unchanged' };
          const fields = texts[n] ?? '';
          const group = groups.get(product.item_group_id ?? '') ?? null;
          const key = before?.key ?? (last += 1);
          if (before) replace(before, { product, group, fields }, at);
          else created.push([key, catalog, product.id, group, fields]);
          facets.put(catalog, key, facetsOf(product));
          return { key, did: before ? 'updated' : 'created' };
        });
        insert(created);
        noteDigests(products, written);
        return written;
      }),
    differing: (catalog, rows) => {
      if (some.get([catalog]) === undefined) return [...rows.keys()];
      return JSON.parse(String(differing.get([JSON.stringify(rows), catalog])?.[0])) as number[];
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
        salePrice: textOrNull(salePrice),
        availability: String(availability),
        salePeriod: textOrNull(salePeriod),
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
