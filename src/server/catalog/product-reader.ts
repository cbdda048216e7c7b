import { ATTRIBUTES } from '#core/catalog/attribute.ts';
import type { Product } from '#core/catalog/product.ts';
import { numberOrNull, type Cell, type Db } from '#server/db/driver.ts';

/** A product as stored. Keys are whole numbers that are never used again. */
export interface StoredProduct {
  readonly key: number;
  /** Key of its group; null for a product of none. */
  readonly group: number | null;
  readonly product: Product;
}

/** Values of a product as stored, the same text for equal products: its attributes in their order. */
export function fieldsOf(product: Product): string {
  return JSON.stringify(ATTRIBUTES.map((name) => product[name]));
}

export function productFrom(fields: string): Product {
  const values = JSON.parse(fields) as unknown[];
  return Object.fromEntries(
    ATTRIBUTES.map((name, place) => [name, values[place]]),
  ) as unknown as Product;
}

function storedOf([key, group, fields]: readonly Cell[]): StoredProduct {
  return {
    key: Number(key),
    group: numberOrNull(group),
    product: productFrom(String(fields)),
  };
}

/** Reads products of catalogs. */
export function productReader(db: Db) {
  const select = (from: string) =>
    db.prepare(`SELECT key, item_group, fields FROM product ${from}`);
  const first = select(
    `p WHERE catalog = ? AND key > ? AND (item_group IS NULL OR NOT EXISTS
      (SELECT 1 FROM product other WHERE other.item_group = p.item_group AND other.key < p.key))
    ORDER BY key LIMIT ?`,
  );
  const inGroup = select('WHERE item_group = ? AND catalog = ? AND key > ? ORDER BY key LIMIT ?');
  const next = select('WHERE catalog = ? AND key > ? ORDER BY key LIMIT ?');
  const exists = db.prepare('SELECT 1 FROM product WHERE key = ? AND catalog = ?');
  const count = db.prepare('SELECT count(*) FROM product WHERE catalog = ?');

  return {
    /** Products after a key, by key: the first one of each group, or all of one group. */
    page: (
      catalog: number,
      {
        group,
        after,
        limit,
      }: { readonly group: number | null; readonly after: number; readonly limit: number },
    ): StoredProduct[] => {
      const rows =
        group === null
          ? first.all([catalog, after, limit])
          : inGroup.all([group, catalog, after, limit]);
      return rows.map(storedOf);
    },
    /** True if a catalog has a product of that key. */
    has: (catalog: number, key: number): boolean => exists.get([key, catalog]) !== undefined,
    /** The product of a key; null if the catalog has none. */
    find: (catalog: number, key: number): StoredProduct | null => {
      const [row] = next.all([catalog, key - 1, 1]).map(storedOf);
      return row?.key === key ? row : null;
    },
    /** The number of products of a catalog. */
    count: (catalog: number): number => Number(count.get([catalog])?.[0]),
    /**
     * Products whose id or title has a text, by key, of the next `among` of a catalog after a key.
     *
     * @param text - In lower case.
     * @returns The products, and the key to search on after; null at the end.
     */
    search: (
      catalog: number,
      text: string,
      { after, among }: { readonly after: number; readonly among: number },
    ): readonly [found: StoredProduct[], next: number | null] => {
      const rows = next.all([catalog, after, among]).map(storedOf);
      const found = rows.filter(({ product: { id, title } }) =>
        [id, title].some((each) => each.toLowerCase().includes(text)),
      );
      return [found, rows.length < among ? null : (rows.at(-1)?.key ?? null)];
    },
  };
}
