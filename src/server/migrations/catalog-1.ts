/**
 * Catalogs. Times are epoch ms; ids and keys are never used again, so that what belongs to a removed catalog or product is
 * never found again.
 *
 * `product.fields` is the product as JSON in its normal form, equal for equal products. `facet` has what filters read, in
 * columns of blocks of keys; `facet_text` has the numbers that it stores for texts.
 *
 * `removed_catalog` has catalogs whose products are still being removed.
 *
 * `product_change` has the earlier values of a product: they were valid until `until`.
 */
export const CATALOG_1 = `
CREATE TABLE meta (key TEXT PRIMARY KEY, value TEXT NOT NULL) WITHOUT ROWID;
CREATE TABLE catalog (
  id INTEGER PRIMARY KEY AUTOINCREMENT, user TEXT NOT NULL UNIQUE, name TEXT NOT NULL, created_at INTEGER NOT NULL
);
CREATE TABLE removed_catalog (id INTEGER PRIMARY KEY);
CREATE TABLE item_group (
  key INTEGER PRIMARY KEY AUTOINCREMENT, catalog INTEGER NOT NULL, id TEXT NOT NULL, UNIQUE (catalog, id)
);
CREATE TABLE product (
  key INTEGER PRIMARY KEY AUTOINCREMENT, catalog INTEGER NOT NULL, id TEXT NOT NULL, item_group INTEGER,
  fields TEXT NOT NULL, UNIQUE (catalog, id)
);
CREATE INDEX product_in_group ON product (item_group, key) WHERE item_group IS NOT NULL;
CREATE INDEX product_of_catalog ON product (catalog);
CREATE TABLE facet_text (number INTEGER PRIMARY KEY, text TEXT NOT NULL UNIQUE);
CREATE TABLE facet (
  catalog INTEGER NOT NULL, block INTEGER NOT NULL, attribute INTEGER NOT NULL, cells BLOB NOT NULL,
  UNIQUE (catalog, attribute, block)
);
CREATE TABLE product_change (
  number INTEGER PRIMARY KEY AUTOINCREMENT, product INTEGER NOT NULL, until INTEGER NOT NULL, price TEXT NOT NULL,
  sale_price TEXT, availability TEXT NOT NULL, sale_period TEXT
);
CREATE INDEX product_change_of ON product_change (product);
CREATE TABLE product_set (
  id INTEGER PRIMARY KEY AUTOINCREMENT, catalog INTEGER NOT NULL, name TEXT NOT NULL, description TEXT,
  type TEXT NOT NULL, filters TEXT NOT NULL
);
CREATE INDEX product_set_of ON product_set (catalog);
CREATE TABLE set_member (
  product_set INTEGER NOT NULL, position INTEGER NOT NULL, product INTEGER NOT NULL, PRIMARY KEY (product_set, position)
) WITHOUT ROWID;
CREATE INDEX set_member_product ON set_member (product);
CREATE TABLE feed (
  id INTEGER PRIMARY KEY AUTOINCREMENT, catalog INTEGER NOT NULL UNIQUE, url TEXT NOT NULL, format TEXT NOT NULL,
  frequency TEXT NOT NULL, repeat TEXT, start_time TEXT NOT NULL, time_zone TEXT NOT NULL, created_at INTEGER NOT NULL,
  updated_at INTEGER NOT NULL
);
`;
