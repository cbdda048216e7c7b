/**
 * Catalogs. Times are epoch ms; ids and keys are never used again, so that what belongs to a removed catalog or product
 * is never found again.
 *
 * `product.fields` is a list of the product's values, equal for equal products: a third shorter than with their names.
 * `facet` has what filters read, in columns of blocks of keys; `facet_text` has the numbers that it stores for texts.
 *
 * `removed_catalog` has catalogs whose products are still being removed.
 *
 * A `feed_run` has written as many rows of its source as its figures sum up to; a run without an end continues there. Of
 * its rows with something to say, `feed_row` has some, and `feed_rule` counts all by rule. `is_error` is 1 for rows with
 * errors.
 *
 * `product_change` has the earlier values of a product: they were valid until `until`.
 *
 * `facet_range` has what the cells of a `facet` are, so that a filter need not read blocks in which nothing meets it.
 *
 * `product_row` has a digest of the row of a feed from which a product was read without a warning: while a feed has the
 * same row, the product need not be read.
 *
 * `feed_download` has what is on the disk of the file of a run that has not ended: `bytes` of it survive a crash, and
 * `is_complete` is 0 or 1. `is_outdated` is 1 if other requests changed products since. `feed_seen` has the validators
 * of the file that was last read to its end.
 *
 * A run whose `unchanged_since` is set has read nothing, because the file is the one that was read then.
 */
export const CATALOG_SCHEMA = `
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
CREATE TABLE feed_run (
  id INTEGER PRIMARY KEY AUTOINCREMENT, catalog INTEGER NOT NULL, source TEXT NOT NULL, started_at INTEGER NOT NULL,
  ended_at INTEGER, fault TEXT, created INTEGER NOT NULL DEFAULT 0, updated INTEGER NOT NULL DEFAULT 0,
  unchanged INTEGER NOT NULL DEFAULT 0, refused INTEGER NOT NULL DEFAULT 0, bytes INTEGER, unchanged_since INTEGER
);
CREATE INDEX feed_run_of ON feed_run (catalog);
CREATE TABLE feed_rule (
  run INTEGER NOT NULL, kind TEXT NOT NULL, rule TEXT NOT NULL, rows INTEGER NOT NULL, PRIMARY KEY (run, kind, rule)
) WITHOUT ROWID;
CREATE TABLE feed_row (
  run INTEGER NOT NULL, number INTEGER NOT NULL, line INTEGER NOT NULL, product TEXT, notes TEXT NOT NULL,
  PRIMARY KEY (run, number)
) WITHOUT ROWID;
CREATE TABLE facet_range (
  catalog INTEGER NOT NULL, attribute INTEGER NOT NULL, block INTEGER NOT NULL, range TEXT NOT NULL,
  PRIMARY KEY (catalog, attribute, block)
) WITHOUT ROWID;
CREATE TABLE product_row (product INTEGER PRIMARY KEY, digest TEXT NOT NULL);
CREATE TABLE feed_download (
  catalog INTEGER PRIMARY KEY, run INTEGER NOT NULL, source TEXT NOT NULL, bytes INTEGER NOT NULL DEFAULT 0,
  total INTEGER, etag TEXT, modified TEXT, charset TEXT, is_complete INTEGER NOT NULL DEFAULT 0,
  is_outdated INTEGER NOT NULL DEFAULT 0
);
CREATE TABLE feed_seen (
  catalog INTEGER PRIMARY KEY, etag TEXT, modified TEXT, read_at INTEGER NOT NULL
);
`;

/** The kind of the rows of a report, of which each has its own room. */
export const CATALOG_ROW_KINDS = `
ALTER TABLE feed_row ADD COLUMN is_error INTEGER NOT NULL DEFAULT 0;
UPDATE feed_row SET is_error = 1 WHERE json_array_length(notes, '$.errors') > 0;
`;

/** The format of a file that was not downloaded but sent; null for a download. */
export const CATALOG_SENT_FILES = 'ALTER TABLE feed_download ADD COLUMN format TEXT;';
