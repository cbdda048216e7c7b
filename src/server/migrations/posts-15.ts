/**
 * `covered`: the times that collections cover, of each disjoint whole minutes, epoch ms; `end` is exclusive. Collection 0
 * means Posts in none. `posted`: Posts that were created through the interface, from the first of which on a collection
 * covers everything.
 *
 * Of earlier formats: an import covers its first to its last Post; it is not known which files had gaps. Where Posts were
 * created before there were collections, it is not known which; the newest Post is surely none before the first of them.
 */
export const POSTS_15 = `
CREATE TABLE covered (
  collection INTEGER NOT NULL, start INTEGER NOT NULL, "end" INTEGER NOT NULL, PRIMARY KEY (collection, start)
) WITHOUT ROWID;
CREATE TABLE posted (
  collection INTEGER NOT NULL, created_at INTEGER NOT NULL, id INTEGER NOT NULL,
  PRIMARY KEY (collection, created_at, id)
) WITHOUT ROWID;
INSERT INTO posted SELECT 2, created_at, id FROM post
  WHERE EXISTS (SELECT 1 FROM meta WHERE key = 'posted' AND value <> '0') AND collections = '2';
INSERT INTO posted SELECT 1, created_at, id FROM post
  WHERE EXISTS (SELECT 1 FROM meta WHERE key = 'posted' AND value <> '0') AND NOT EXISTS (SELECT 1 FROM posted)
  ORDER BY created_at DESC LIMIT 1;
WITH ends AS MATERIALIZED (
  SELECT min(created_at) FILTER (WHERE collections IS NULL) AS first0,
    max(created_at) FILTER (WHERE collections IS NULL) AS last0,
    min(created_at) FILTER (WHERE collections = '1' OR collections LIKE '1 %') AS first1,
    max(created_at) FILTER (WHERE collections = '1' OR collections LIKE '1 %') AS last1,
    min(created_at) FILTER (WHERE collections = '2' OR collections LIKE '2 %') AS first2,
    max(created_at) FILTER (WHERE collections = '2' OR collections LIKE '2 %') AS last2
  FROM post
), imported (id, first, last) AS (
  SELECT 0, first0, last0 FROM ends UNION ALL SELECT 1, first1, last1 FROM ends
  UNION ALL SELECT 2, first2, last2 FROM ends WHERE NOT EXISTS (SELECT 1 FROM posted)
  UNION ALL SELECT id, first, last FROM collection WHERE id > 2
)
INSERT INTO covered SELECT id, first - first % 60000, last - last % 60000 + 60000 FROM imported
  WHERE first IS NOT NULL AND last IS NOT NULL;
UPDATE covered SET start = (SELECT start FROM covered WHERE collection = 0)
  WHERE collection = 2 AND EXISTS (SELECT 1 FROM meta WHERE key = 'sample_end')
  AND EXISTS (SELECT 1 FROM covered WHERE collection = 0);
DELETE FROM meta WHERE key = 'posted';
`;
