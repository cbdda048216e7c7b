import { column, columns, type RowOf } from '#server/db/columns.ts';
import type { DbOptions } from '#server/db/driver.ts';
import { openStore } from '#server/db/migrate.ts';
import {
  CATALOG_ROW_KINDS,
  CATALOG_SCHEMA,
  CATALOG_SENT_FILES,
} from '#server/migrations/catalog.ts';
import { facetBlocks } from './facet-blocks.ts';
import { feedTable } from './feed-table.ts';
import { productTable } from './product-table.ts';
import { downloadTable } from './feed/download-table.ts';
import { runTable } from './feed/run-table.ts';
import { setTable } from './set-table.ts';

const CATALOG = columns({
  id: column.number,
  /** Id of the account that it belongs to. */
  user: column.text,
  name: column.text,
});

/** A catalog as stored. */
export type StoredCatalog = RowOf<typeof CATALOG>;

/** Catalogs with their products, sets and feeds. Changes are durable when a method returns. */
export type CatalogStore = ReturnType<typeof openCatalogs>;

export const CATALOG_KIND = {
  application: 0x47536361,
  first: 3,
  steps: [CATALOG_SCHEMA, CATALOG_ROW_KINDS, CATALOG_SENT_FILES],
};

/**
 * Opens the file of catalogs; creates it if it is absent.
 *
 * @throws {@link StoreError} as `openStore`. Every method throws it if the file cannot be read or written.
 */
export function openCatalogs(file: string, options: DbOptions = {}) {
  const db = openStore(file, CATALOG_KIND, () => {}, options);
  const facets = facetBlocks(db);
  const of = CATALOG.select(db, 'catalog WHERE user = ?');
  const all = CATALOG.select(db, 'catalog ORDER BY id');
  const has = db.prepare('SELECT 1 FROM catalog WHERE id = ?');
  const insert = db.prepare(
    'INSERT INTO catalog (user, name, created_at) VALUES (?, ?, ?) RETURNING id',
  );
  const rename = db.prepare('UPDATE catalog SET name = ? WHERE id = ?');
  const remove = [
    'DELETE FROM set_member WHERE product_set IN (SELECT id FROM product_set WHERE catalog = ?)',
    'DELETE FROM product_set WHERE catalog = ?',
    'DELETE FROM feed WHERE catalog = ?',
    'DELETE FROM feed_rule WHERE run IN (SELECT id FROM feed_run WHERE catalog = ?)',
    'DELETE FROM feed_row WHERE run IN (SELECT id FROM feed_run WHERE catalog = ?)',
    'DELETE FROM feed_run WHERE catalog = ?',
    'DELETE FROM feed_download WHERE catalog = ?',
    'DELETE FROM feed_seen WHERE catalog = ?',
    'DELETE FROM catalog WHERE id = ?',
    'INSERT INTO removed_catalog (id) VALUES (?)',
  ].map((sql) => db.prepare(sql));
  return {
    /** The catalog of a user. */
    of: (user: string): StoredCatalog | null => of.get([user]) ?? null,
    /** All catalogs, by id. */
    all: (): StoredCatalog[] => all.all(),
    /** True if there is a catalog of that id. */
    has: (id: number): boolean => has.get([id]) !== undefined,
    /** Creates a user's catalog, who may have none. @param at - Epoch ms. */
    add: (user: string, name: string, at: number): StoredCatalog =>
      db.write('catalog', () => ({ id: Number(insert.get([user, name, at])?.[0]), user, name })),
    rename: (id: number, name: string): void =>
      void db.write('catalog', () => rename.run([name, id])),
    /** Removes a catalog and everything in it. Its products disappear at once; `products.removeOrphans` frees their space. */
    remove: (id: number): void =>
      db.write('remove-catalog', () => {
        for (const statement of remove) statement.run([id]);
      }),
    products: productTable(db, facets),
    sets: setTable(db, facets),
    feeds: feedTable(db),
    runs: runTable(db),
    downloads: downloadTable(db),
    /** Makes the changes of `work` in one transaction. */
    write: facets.write,
    close: db.close,
  };
}
