/** Accounts of this service, and tokens of accounts. `folded` is the name in lower case. */
export const SERVICE_2 = `
CREATE TABLE account (
  id TEXT PRIMARY KEY, username TEXT NOT NULL, folded TEXT NOT NULL UNIQUE, created_at INTEGER NOT NULL
) WITHOUT ROWID;
ALTER TABLE token ADD COLUMN account TEXT;
ALTER TABLE token ADD COLUMN scopes TEXT;
`;
