/**
 * Apps, with their settings as JSON of `contract/accounts/apps.ts`. Secrets of apps are not stored: each is derived from a
 * secret of the service, the app's id and its `generation`. `token.app` names the app of a token; all tokens of
 * earlier programs belong to the dedicated app 1, which has no limits of its own: `token.access` and `token.limited`
 * hold theirs. They are null where the app decides.
 */
export const SERVICE_4 = `
CREATE TABLE app (
  id TEXT PRIMARY KEY, name TEXT NOT NULL, folded TEXT NOT NULL UNIQUE, settings TEXT NOT NULL,
  owner TEXT, api_key TEXT NOT NULL UNIQUE, client_id TEXT NOT NULL UNIQUE,
  generation INTEGER NOT NULL, bearer INTEGER NOT NULL, created_at INTEGER NOT NULL
) WITHOUT ROWID;
INSERT INTO app VALUES (
  '1', 'Command line', 'command line', '{"access":"enterprise"}', NULL,
  lower(hex(randomblob(12))), lower(hex(randomblob(17))), 1, 1, CAST(strftime('%s', 'now') AS INTEGER) * 1000
);
CREATE TABLE token_2 (
  hash TEXT PRIMARY KEY, app TEXT NOT NULL, account TEXT, scopes TEXT, access TEXT, limited INTEGER,
  expires_at INTEGER, family TEXT, created_at INTEGER NOT NULL
) WITHOUT ROWID;
INSERT INTO token_2 SELECT hash, '1', account, scopes, access, limited, NULL, NULL, created_at FROM token;
DROP TABLE token;
ALTER TABLE token_2 RENAME TO token;
CREATE INDEX token_by_account ON token (account);
CREATE INDEX token_by_app ON token (app);
CREATE INDEX token_by_family ON token (family);
`;
