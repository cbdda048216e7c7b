/**
 * Signing in. `token.kind` says what a token is for: `bearer`, `oauth1` (its `scopes` hold a permission below the
 * app's), `refresh`, and `spent` for a refresh token that was used and may not come back. Codes and request tokens are
 * stored as hashes. A nonce is a hash of the OAuth 1.0a token and its nonce, with its timestamp in Unix seconds.
 */
export const SERVICE_5 = `
ALTER TABLE token ADD COLUMN kind TEXT NOT NULL DEFAULT 'bearer';
CREATE INDEX token_by_expiry ON token (expires_at) WHERE expires_at IS NOT NULL;
CREATE TABLE code (
  hash TEXT PRIMARY KEY, app TEXT NOT NULL, account TEXT NOT NULL, scopes TEXT NOT NULL, redirect TEXT NOT NULL,
  challenge TEXT NOT NULL, method TEXT NOT NULL, family TEXT NOT NULL, expires_at INTEGER NOT NULL, state TEXT NOT NULL
) WITHOUT ROWID;
CREATE INDEX code_by_expiry ON code (expires_at);
CREATE TABLE request_token (
  hash TEXT PRIMARY KEY, app TEXT NOT NULL, callback TEXT NOT NULL, permission TEXT, account TEXT, verifier TEXT,
  failures INTEGER NOT NULL, expires_at INTEGER NOT NULL
) WITHOUT ROWID;
CREATE INDEX request_token_by_expiry ON request_token (expires_at);
CREATE TABLE nonce (at INTEGER NOT NULL, hash BLOB NOT NULL, PRIMARY KEY (at, hash)) WITHOUT ROWID;
`;
