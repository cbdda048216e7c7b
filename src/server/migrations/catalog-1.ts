/**
 * Catalogs. Times are epoch ms; ids and keys are never used again, so that what belongs to a removed catalog or product is
 * never found again.
 *
 * `product.fields` is the product as JSON in its normal form, equal for equal products. `facet` has what filters read:
 * amounts in minor units, and folded texts. It also lists the products of a catalog by their keys.
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
CREATE TABLE facet (
  catalog INTEGER NOT NULL, key INTEGER NOT NULL, currency TEXT NOT NULL, price INTEGER NOT NULL, sale_price INTEGER,
  inventory INTEGER, product_type TEXT, google_product_category TEXT, custom_label_0 TEXT, custom_label_1 TEXT,
  custom_label_2 TEXT, custom_label_3 TEXT, custom_label_4 TEXT, PRIMARY KEY (catalog, key)
) WITHOUT ROWID;
CREATE INDEX facet_price ON facet (catalog, currency, price);
CREATE INDEX facet_sale_price ON facet (catalog, currency, sale_price) WHERE sale_price IS NOT NULL;
CREATE INDEX facet_inventory ON facet (catalog, inventory) WHERE inventory IS NOT NULL;
CREATE INDEX facet_product_type ON facet (catalog, product_type) WHERE product_type IS NOT NULL;
CREATE INDEX facet_google_product_category ON facet (catalog, google_product_category)
  WHERE google_product_category IS NOT NULL;
CREATE INDEX facet_custom_label_0 ON facet (catalog, custom_label_0) WHERE custom_label_0 IS NOT NULL;
CREATE INDEX facet_custom_label_1 ON facet (catalog, custom_label_1) WHERE custom_label_1 IS NOT NULL;
CREATE INDEX facet_custom_label_2 ON facet (catalog, custom_label_2) WHERE custom_label_2 IS NOT NULL;
CREATE INDEX facet_custom_label_3 ON facet (catalog, custom_label_3) WHERE custom_label_3 IS NOT NULL;
CREATE INDEX facet_custom_label_4 ON facet (catalog, custom_label_4) WHERE custom_label_4 IS NOT NULL;
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
