/**
 * Uploaded media. `owner` and the JSON list `owners` are the accounts that may use a medium. `state` is `receiving` until
 * the upload is finalized. `content` is what the check of the file found, `fault` why it failed, and `metadata` what
 * the owner added, all as JSON. `hash` names the file. `used` is 1 once a Post is known to contain the medium, which
 * then no longer expires. A segment is one part of an unfinished upload, in a file of its own.
 */
export const SERVICE_6 = `
CREATE TABLE media (
  id TEXT PRIMARY KEY, owner TEXT NOT NULL, owners TEXT NOT NULL, category TEXT NOT NULL, total INTEGER,
  state TEXT NOT NULL, size INTEGER, hash TEXT, content TEXT, fault TEXT, metadata TEXT NOT NULL,
  used INTEGER NOT NULL, expires_at INTEGER NOT NULL
) WITHOUT ROWID;
CREATE INDEX media_by_hash ON media (hash) WHERE hash IS NOT NULL;
CREATE INDEX media_by_expiry ON media (expires_at) WHERE used = 0;
CREATE INDEX media_by_state ON media (state) WHERE state IN ('pending', 'in_progress');
CREATE TABLE media_segment (
  media TEXT NOT NULL, n INTEGER NOT NULL, file TEXT NOT NULL, size INTEGER NOT NULL, PRIMARY KEY (media, n)
) WITHOUT ROWID;
`;
