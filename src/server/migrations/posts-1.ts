/**
 * Posts, the objects they refer to, and the counting index over them.
 *
 * Cells of `posting` and `tail` stay below a quarter of a page if possible: larger ones need overflow
 * pages. Terms with fewer than eight Posts in a chunk share `tail` blocks, sorted by the terms' hash
 * `h`.
 */
export const POSTS_1 = `
CREATE TABLE meta (key TEXT PRIMARY KEY, value TEXT NOT NULL) WITHOUT ROWID;
CREATE TABLE post (
  id INTEGER PRIMARY KEY,
  created_at INTEGER NOT NULL,
  author_id TEXT,
  username TEXT,
  text TEXT NOT NULL,
  lang TEXT,
  flags INTEGER NOT NULL,
  rest TEXT
);
CREATE TABLE object (kind TEXT, key TEXT, json TEXT NOT NULL, PRIMARY KEY (kind, key)) WITHOUT ROWID;
CREATE TABLE chunk (
  c INTEGER PRIMARY KEY,
  n INTEGER NOT NULL,
  t0 INTEGER NOT NULL,
  t1 INTEGER NOT NULL,
  id0 INTEGER NOT NULL,
  id1 INTEGER NOT NULL,
  dead BLOB,
  times BLOB NOT NULL,
  ids BLOB NOT NULL
);
CREATE TABLE posting (
  c INTEGER, term TEXT, list BLOB NOT NULL, spots BLOB, PRIMARY KEY (c, term)
) WITHOUT ROWID;
CREATE TABLE tail (c INTEGER, h INTEGER, block BLOB NOT NULL, PRIMARY KEY (c, h)) WITHOUT ROWID;
CREATE TABLE open_post (
  n INTEGER PRIMARY KEY, id INTEGER NOT NULL, created_at INTEGER NOT NULL, terms TEXT NOT NULL
);
CREATE TABLE change (
  revision INTEGER, t0 INTEGER, t1 INTEGER NOT NULL, PRIMARY KEY (revision, t0)
) WITHOUT ROWID;
`;
