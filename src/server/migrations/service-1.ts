/** The service's own secrets and the tokens it issued (as hashes). */
export const SERVICE_1 = `
CREATE TABLE meta (key TEXT PRIMARY KEY, value TEXT NOT NULL) WITHOUT ROWID;
CREATE TABLE secret (name TEXT PRIMARY KEY, value BLOB NOT NULL) WITHOUT ROWID;
CREATE TABLE token (
  hash TEXT PRIMARY KEY, access TEXT NOT NULL, limited INTEGER NOT NULL, created_at INTEGER NOT NULL
) WITHOUT ROWID;
`;
