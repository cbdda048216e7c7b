/**
 * Community notes. `requested_post` has the Posts that notes were requested for, with the times at which they were
 * written, and `note_request` each request. A deleted note stays, without its place: it counts for its writer's limit.
 * `test` and `media` are 0 or 1, `tags` is a JSON list, `links` is null until all links of the note could be checked. Times are
 * epoch ms.
 */
export const SERVICE_15 = `
CREATE TABLE requested_post (post INTEGER PRIMARY KEY, created_at INTEGER NOT NULL);
CREATE INDEX requested_post_by_time ON requested_post (created_at, post);
CREATE TABLE note_request (
  id INTEGER PRIMARY KEY, post INTEGER NOT NULL, link TEXT, suggestion TEXT, requested_at INTEGER NOT NULL
);
CREATE INDEX note_request_by_post ON note_request (post);
CREATE TABLE note (
  id INTEGER PRIMARY KEY, writer TEXT NOT NULL, post INTEGER NOT NULL, test INTEGER NOT NULL, text TEXT NOT NULL,
  classification TEXT NOT NULL, tags TEXT NOT NULL, trustworthy INTEGER NOT NULL, media INTEGER NOT NULL,
  score REAL NOT NULL, links TEXT, created_at INTEGER NOT NULL, deleted_at INTEGER
);
CREATE UNIQUE INDEX note_by_post ON note (writer, post) WHERE deleted_at IS NULL;
CREATE INDEX note_by_writer ON note (writer, test, id);
CREATE TABLE note_rating (
  note INTEGER NOT NULL, rating TEXT NOT NULL, count INTEGER NOT NULL, PRIMARY KEY (note, rating)
) WITHOUT ROWID;
CREATE TABLE note_writer (account TEXT PRIMARY KEY, admitted_at INTEGER NOT NULL) WITHOUT ROWID;
`;
