import { facetsOf } from '#core/catalog/filter.ts';
import type { Product } from '#core/catalog/product.ts';
import type { Db, Value } from '#server/db/driver.ts';
import { insertRows } from '#server/db/insert-rows.ts';
import { earlierValues } from './earlier-values.ts';
import type { FacetBlocks } from './facet-blocks.ts';
import { itemGroups } from './item-groups.ts';
import { fieldsOf, productFrom, productReader } from './product-reader.ts';
import { rowDigests } from './row-digests.ts';

/** A product to store. */
export interface NewProduct {
  readonly product: Product;
  /**
   * Of the row of a feed that it was read from without a warning, see `differing` of the table; null for any other
   * source.
   */
  readonly digest: string | null;
}

/** The result of writing a product. */
export interface Written {
  readonly key: number;
  readonly did: 'created' | 'updated' | 'unchanged';
}

/** A product as its row has it. */
interface StoredText {
  readonly key: number;
  readonly text: string;
}

/** Products of catalogs. */
export function productTable(db: Db, facets: FacetBlocks) {
  const reader = productReader(db);
  const groups = itemGroups(db);
  const earlier = earlierValues(db);
  const digests = rowDigests(db);
  const byIds = db.prepare(
    `SELECT p.key, p.id, p.fields FROM json_each(?) j
      CROSS JOIN product p ON p.catalog = ? AND p.id = j.value`,
  );
  const insert = insertRows(db, 'product (key, catalog, id, item_group, fields)', 5);
  const lastKey = db.prepare("SELECT seq FROM sqlite_sequence WHERE name = 'product'");
  const update = db.prepare('UPDATE product SET item_group = ?, fields = ? WHERE key = ?');
  const remove = db.prepare('DELETE FROM product WHERE key = ?');
  const removeMember = db.prepare('DELETE FROM set_member WHERE product = ?');
  const removed = db.prepare('SELECT id FROM removed_catalog LIMIT 1');
  const settle = db.prepare('DELETE FROM removed_catalog WHERE id = ?');
  const keysOf = db.prepare('SELECT key FROM product WHERE catalog = ? LIMIT ?');

  /** The stored products of the same ids. */
  const storedBy = (catalog: number, products: readonly NewProduct[]): Map<string, StoredText> => {
    const ids = JSON.stringify(products.map(({ product }) => product.id));
    return new Map(
      byIds
        .all([ids, catalog])
        .map(([key, id, text]) => [String(id), { key: Number(key), text: String(text) }]),
    );
  };
  /** Stores the digests of rows; a product that changed without one has no digest from then on. */
  const noteDigests = (products: readonly NewProduct[], written: readonly Written[]): void => {
    const found: (readonly [number, string])[] = [];
    for (const [n, { key, did }] of written.entries()) {
      const digest = products[n]?.digest ?? null;
      if (digest !== null) found.push([key, digest]);
      else if (did === 'updated') digests.remove(key);
    }
    digests.put(found);
  };
  const removeOne = (key: number): void => {
    remove.run([key]);
    earlier.remove(key);
    digests.remove(key);
  };

  return {
    ...reader,
    /**
     * Creates or updates products by their ids.
     *
     * @param products - No two of the same id.
     * @param at - Epoch ms.
     * @returns The outcome for each.
     */
    put: (catalog: number, products: readonly NewProduct[], at: number): Written[] =>
      facets.write('product', () => {
        const stored = storedBy(catalog, products);
        const changes = products.map(({ product }) => {
          const before = stored.get(product.id);
          const fields = fieldsOf(product);
          return { product, before, fields, isChanged: before?.text !== fields };
        });
        const groupKeys = groups.keysOf(
          catalog,
          changes.flatMap(({ product, isChanged }) => (isChanged ? [product] : [])),
        );
        let last = Number(lastKey.get()?.[0] ?? 0);
        const created: Value[][] = [];
        const written = changes.map(({ product, before, fields, isChanged }): Written => {
          if (before && !isChanged) return { key: before.key, did: 'unchanged' };
          const group = groupKeys.get(product.item_group_id ?? '') ?? null;
          const key = before?.key ?? (last += 1);
          if (before) {
            update.run([group, fields, key]);
            earlier.note(key, productFrom(before.text), product, at);
          } else created.push([key, catalog, product.id, group, fields]);
          facets.put(catalog, key, facetsOf(product));
          return { key, did: before ? 'updated' : 'created' };
        });
        insert(created);
        noteDigests(products, written);
        return written;
      }),
    /** The rows of a feed, by their place, that have another digest than that from which their product was read last. */
    differing: digests.differing,
    /** Removes a product. @returns Whether the catalog had it. */
    remove: (catalog: number, key: number): boolean =>
      facets.write('remove-product', () => {
        if (!reader.has(catalog, key)) return false;
        removeOne(key);
        facets.put(catalog, key, null);
        removeMember.run([key]);
        return true;
      }),
    /** Earlier values of a product, the oldest first. */
    history: earlier.of,
    /** Removes up to `most` products of a removed catalog. @returns False if there was nothing to remove. */
    removeOrphans: (most: number): boolean => {
      const [catalog] = removed.get() ?? [];
      if (catalog === undefined) return false;
      return db.write('remove-orphans', () => {
        const rows = keysOf.all([catalog, most]);
        for (const [key] of rows) removeOne(Number(key));
        if (rows.length < most) {
          facets.remove(Number(catalog));
          groups.remove(Number(catalog));
          settle.run([catalog]);
        }
        return true;
      });
    },
  };
}
