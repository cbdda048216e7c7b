/**
 * Lets Posts change and chunks be replaced while others read.
 *
 * A chunk counts if it is in `live`: others are being written or removed. Chunk numbers are never
 * reused (`meta.chunks` is the highest one assigned), nor are those of `open_post` (`meta.sealed` is
 * the highest one in a chunk). `meta.shape` increments with every change of `live`. A `tombstone` marks
 * a Post that no longer counts: ordinal `o` of chunk `c` or, with c = 0, number `o` of `open_post`.
 * `filter` shows which terms a chunk cannot have. `posting` has row numbers because in a table without
 * them every comparison copies the compared cell with its overflow pages. `post.facts` holds, as JSON,
 * what queries match but no other column contains.
 */
export const POSTS_3 = `
ALTER TABLE post ADD COLUMN facts TEXT;
ALTER TABLE chunk DROP COLUMN dead;
ALTER TABLE posting RENAME TO posting_1;
CREATE TABLE posting (c INTEGER NOT NULL, term TEXT NOT NULL, list BLOB NOT NULL, spots BLOB);
CREATE UNIQUE INDEX posting_by_term ON posting (c, term);
INSERT INTO posting SELECT c, term, list, spots FROM posting_1 ORDER BY c, term;
DROP TABLE posting_1;
CREATE TABLE live (c INTEGER PRIMARY KEY);
INSERT INTO live SELECT c FROM chunk;
CREATE TABLE filter (c INTEGER PRIMARY KEY, bits BLOB NOT NULL);
CREATE TABLE tombstone (
  c INTEGER, o INTEGER, revision INTEGER NOT NULL, PRIMARY KEY (c, o)
) WITHOUT ROWID;
CREATE INDEX tombstone_by_revision ON tombstone (revision);
CREATE INDEX open_post_by_id ON open_post (id);
INSERT INTO meta SELECT 'chunks', coalesce(max(c), 0) FROM chunk;
INSERT OR REPLACE INTO meta VALUES ('sealed', '0'), ('shape', '1'), ('index', '1');
DELETE FROM meta WHERE key = 'opened';
`;
