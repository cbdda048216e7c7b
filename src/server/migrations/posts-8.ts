/**
 * Relations between users, Posts and lists, and the lists themselves.
 *
 * `relation.n` gives the order: those made here ascend from 1, imported ones descend from -1, so imported ones come
 * after all others in a listing that begins with the newest. `kind` is a number of `RELATION_KINDS`; `post` is the Post
 * that a repost created. `relation_count` has the number of relations of each end (side 0 source, 1 target): `total`
 * counts all, `made` what changed here since. The members of lists were in a table of their own.
 */
export const POSTS_8 = `
CREATE TABLE relation (
  n INTEGER PRIMARY KEY, kind INTEGER NOT NULL, source INTEGER NOT NULL, target INTEGER NOT NULL, post INTEGER
);
CREATE UNIQUE INDEX relation_by_ends ON relation (kind, source, target);
CREATE INDEX relation_by_source ON relation (kind, source, n, target);
CREATE INDEX relation_by_target ON relation (kind, target, n, source);
CREATE UNIQUE INDEX relation_by_post ON relation (post) WHERE post IS NOT NULL;
CREATE TABLE relation_count (
  kind INTEGER, side INTEGER, id INTEGER, total INTEGER NOT NULL, made INTEGER NOT NULL,
  PRIMARY KEY (kind, side, id)
) WITHOUT ROWID;
CREATE TABLE list (
  id INTEGER PRIMARY KEY, owner INTEGER, name TEXT NOT NULL, description TEXT NOT NULL,
  private INTEGER NOT NULL, created_at INTEGER
);
CREATE INDEX list_by_owner ON list (owner, id);
INSERT OR IGNORE INTO relation (n, kind, source, target)
  SELECT -row_number() OVER (ORDER BY list, account), 8, CAST(list AS INTEGER), CAST(account AS INTEGER)
  FROM member WHERE list NOT GLOB '*[^0-9]*' AND account NOT GLOB '*[^0-9]*';
INSERT INTO relation_count SELECT kind, 0, source, count(*), 0 FROM relation GROUP BY source;
INSERT INTO relation_count SELECT kind, 1, target, count(*), 0 FROM relation GROUP BY target;
DROP TABLE member;
`;
