/**
 * `version`: the versions of edited Posts; `first` is the id of the first one, which has `n` 0. A Post that was never
 * edited has no row. `answer`: replies and quotes that were posted here, by the Post they refer to; `kind` is `reply`
 * or `quote`. Communities, with the ids of their members; `folded` is the name in lower case.
 */
export const POSTS_7 = `
CREATE TABLE version (post INTEGER PRIMARY KEY, first INTEGER NOT NULL, n INTEGER NOT NULL);
CREATE UNIQUE INDEX version_by_first ON version (first, n);
CREATE TABLE answer (
  post INTEGER, kind TEXT, target INTEGER NOT NULL, author TEXT NOT NULL, PRIMARY KEY (post, kind)
) WITHOUT ROWID;
CREATE INDEX answer_by_target ON answer (target, kind, author);
CREATE TABLE community (
  id TEXT PRIMARY KEY, name TEXT NOT NULL, folded TEXT NOT NULL UNIQUE, created_at INTEGER NOT NULL
) WITHOUT ROWID;
CREATE TABLE community_member (
  community TEXT, account TEXT, PRIMARY KEY (community, account)
) WITHOUT ROWID;
`;
