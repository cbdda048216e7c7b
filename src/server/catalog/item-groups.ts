import type { Product } from '#core/catalog/product.ts';
import type { Db } from '#server/db/driver.ts';

/** Groups of products by the ids that merchants gave them. Functions that change them run within a write. */
export function itemGroups(db: Db) {
  const add = db.prepare(
    'INSERT OR IGNORE INTO item_group (catalog, id) SELECT ?, value FROM json_each(?)',
  );
  const find = db.prepare(
    'SELECT g.id, g.key FROM json_each(?) j CROSS JOIN item_group g ON g.catalog = ? AND g.id = j.value',
  );
  const remove = db.prepare('DELETE FROM item_group WHERE catalog = ?');
  const keysBy = (catalog: number, ids: ReadonlySet<string>): Map<string, number> =>
    new Map(
      find.all([JSON.stringify([...ids]), catalog]).map(([id, key]) => [String(id), Number(key)]),
    );
  return {
    /** Keys of the groups of products by their ids; creates those that do not exist. */
    keysOf: (catalog: number, products: readonly Product[]): ReadonlyMap<string, number> => {
      const ids = new Set(products.flatMap(({ item_group_id: id }) => id ?? []));
      if (ids.size === 0) return new Map();
      const known = keysBy(catalog, ids);
      if (known.size === ids.size) return known;
      // An ignored one would take a key.
      add.run([catalog, JSON.stringify([...ids].filter((id) => !known.has(id)))]);
      return keysBy(catalog, ids);
    },
    /** Removes the groups of a catalog. */
    remove: (catalog: number): void => void remove.run([catalog]),
  };
}
