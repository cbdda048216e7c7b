/**
 * A checksum next to everything that a count depends on; each covers the cell and its address
 * (`sums.ts`). Data that an earlier program indexed has none, so its state is unknown: the index starts
 * empty, with a version that makes `reindex` build it from the Posts.
 *
 * In `chunk`, `sum` covers all columns except the blobs; `first_tail` is the hash of its first rare
 * term, `first_term` a checksum of the first term with its own row, `geo` one of all place terms.
 * `posting.link` covers a term and the next one, and `tail.next` is the hash of the next block, so that
 * a missing row is detected. `times_parts` and `filter.parts` are checksums of the parts of `times` and
 * `bits`. The sums precede the blobs, which go to overflow pages. `dead` has the sum of a chunk's
 * tombstones; `meta.live` covers the numbers in `live`, `meta.open` the rows of `open_post` above
 * `meta.sealed`. `post.sum` is null until the index is built over a row of an earlier program.
 */
export const POSTS_5 = `
DROP TABLE posting;
DROP TABLE tail;
DROP TABLE filter;
DROP TABLE chunk;
CREATE TABLE chunk (
  c INTEGER PRIMARY KEY, n INTEGER NOT NULL, t0 INTEGER NOT NULL, t1 INTEGER NOT NULL,
  id0 INTEGER NOT NULL, id1 INTEGER NOT NULL, first_tail INTEGER NOT NULL, first_term INTEGER NOT NULL,
  geo INTEGER NOT NULL, ids_sum INTEGER NOT NULL, sum INTEGER NOT NULL,
  times_parts BLOB NOT NULL, times BLOB NOT NULL, ids BLOB NOT NULL
);
CREATE TABLE posting (
  c INTEGER NOT NULL, term TEXT NOT NULL, list_sum INTEGER NOT NULL, spots_sum INTEGER NOT NULL,
  link INTEGER NOT NULL, list BLOB NOT NULL, spots BLOB
);
CREATE UNIQUE INDEX posting_by_term ON posting (c, term);
CREATE TABLE tail (
  c INTEGER, h INTEGER, next INTEGER NOT NULL, sum INTEGER NOT NULL, block BLOB NOT NULL, PRIMARY KEY (c, h)
) WITHOUT ROWID;
CREATE TABLE filter (c INTEGER PRIMARY KEY, parts BLOB NOT NULL, bits BLOB NOT NULL);
CREATE TABLE dead (c INTEGER PRIMARY KEY, sum INTEGER NOT NULL);
DELETE FROM live;
DELETE FROM tombstone;
INSERT OR REPLACE INTO meta SELECT 'sealed', CAST(max(n) AS TEXT) FROM open_post HAVING max(n) IS NOT NULL;
DELETE FROM open_post;
ALTER TABLE open_post ADD COLUMN sum INTEGER;
ALTER TABLE post ADD COLUMN sum INTEGER;
INSERT OR REPLACE INTO meta VALUES ('live', '0'), ('open', '0'), ('index', '1');
`;
