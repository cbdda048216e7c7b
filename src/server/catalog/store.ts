import type { Cell, DbOptions } from '#server/db/driver.ts';
import { openStore } from '#server/db/migrate.ts';
import {
  CATALOG_ROW_KINDS,
  CATALOG_SCHEMA,
  CATALOG_SENT_FILES,
} from '#server/migrations/catalog.ts';
import { facetBlocks } from './facet-blocks.ts';
import { feedTable, type FeedTable } from './feed-table.ts';
import { productTable, type ProductTable } from './product-table.ts';
import { downloadTable, type DownloadTable } from './feed/download-table.ts';
import { runTable, type RunTable } from './feed/run-table.ts';
import { setTable, type SetTable } from './set-table.ts';

/** A catalog as stored. */
export interface StoredCatalog {
  readonly id: number;
  /** Id of the account that it belongs to. */
  readonly user: string;
  readonly name: string;
}

/** Catalogs with their products, sets and feeds. Changes are durable when a method returns. */
export interface CatalogStore {
  /** The catalog of a user. */
  of(user: string): StoredCatalog | null;
  /** All catalogs, by id. */
  all(): StoredCatalog[];
  /** True if there is a catalog of that id. */
  has(id: number): boolean;
  /** Creates a user's catalog, who may have none. @param at - Epoch ms. */
  add(user: string, name: string, at: number): StoredCatalog;
  rename(id: number, name: string): void;
  /** Removes a catalog and everything in it. Its products disappear at once; {@link ProductTable.removeOrphans} frees their space. */
  remove(id: number): void;
  readonly products: ProductTable;
  readonly sets: SetTable;
  readonly feeds: FeedTable;
  readonly runs: RunTable;
  readonly downloads: DownloadTable;
  /** Makes the changes of `work` in one transaction. */
  write<T>(step: string, work: () => T): T;
  close(): void;
}

export const CATALOG_KIND = {
  application: 0x47536361,
  first: 3,
  steps: [CATALOG_SCHEMA, CATALOG_ROW_KINDS, CATALOG_SENT_FILES],
};

function catalogOf([id, user, name]: readonly Cell[]): StoredCatalog {
  return { id: Number(id), user: String(user), name: String(name) };
}

/**
 * Opens the file of catalogs; creates it if it is absent.
 *
 * @throws {@link StoreError} as `openStore`. Every method throws it if the file cannot be read or written.
 */
export function openCatalogs(file: string, options: DbOptions = {}): CatalogStore {
  const db = openStore(file, CATALOG_KIND, () => {}, options);
  const facets = facetBlocks(db);
  const of = db.prepare('SELECT id, user, name FROM catalog WHERE user = ?');
  const all = db.prepare('SELECT id, user, name FROM catalog ORDER BY id');
  const has = db.prepare('SELECT 1 FROM catalog WHERE id = ?');
  const insert = db.prepare('INSERT INTO catalog (user, name, created_at) VALUES (?, ?, ?)');
  const lastId = db.prepare('SELECT last_insert_rowid()');
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
    of: (user) => {
      const row = of.get([user]);
      return row ? catalogOf(row) : null;
    },
    all: () => all.all().map(catalogOf),
    has: (id) => has.get([id]) !== undefined,
    add: (user, name, at) =>
      db.write('catalog', () => {
        insert.run([user, name, at]);
        return { id: Number(lastId.get()?.[0]), user, name };
      }),
    rename: (id, name) => void db.write('catalog', () => rename.run([name, id])),
    remove: (id) =>
      db.write('remove-catalog', () => {
        for (const statement of remove) statement.run([id]);
      }),
    products: productTable(db, facets),
    sets: setTable(db, facets),
    feeds: feedTable(db),
    runs: runTable(db),
    downloads: downloadTable(db),
    write: facets.write,
    close: db.close,
  };
}
