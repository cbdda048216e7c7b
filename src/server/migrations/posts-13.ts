/**
 * `collection`: what Posts were imported as, with the two that every file may have: 1 for all Posts of earlier formats, 2
 * for Posts that no import brought. `meta.collections` is the highest number assigned; none is used again. `folded` is the
 * name as queries compare it. `read` and `added` are numbers of rows and Posts, null where unknown. `first` and `last` are
 * epoch ms and contain all Posts that it ever had; null if unknown. `removed_at`, epoch ms: the Posts still exist and can
 * be restored.
 *
 * `post.collections`: the numbers of a Post's collections, ascending, separated by spaces.
 */
export const POSTS_13 = `
CREATE TABLE collection (
  id INTEGER PRIMARY KEY, name TEXT NOT NULL, folded TEXT NOT NULL, source TEXT, kind TEXT, imported_at INTEGER,
  read INTEGER, added INTEGER, first INTEGER, last INTEGER, included INTEGER NOT NULL, removed_at INTEGER
);
ALTER TABLE post ADD COLUMN collections TEXT DEFAULT '1';
INSERT INTO collection (id, name, folded, included)
  SELECT 1, 'Earlier imports', 'earlier imports', 1 WHERE EXISTS (SELECT 1 FROM post);
INSERT INTO collection (id, name, folded, included) VALUES (2, 'Posted here', 'posted here', 1);
INSERT INTO meta VALUES ('collections', '2');
`;
