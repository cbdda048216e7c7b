/**
 * The saved boards of logins. `file` is a backup with one board; null for a removed board, whose `was` has the checksums
 * of its contents as JSON. `at` is epoch ms, with fractions.
 */
export const SERVICE_18 = `
CREATE TABLE login_board (
  login TEXT NOT NULL REFERENCES login (id), id TEXT NOT NULL, revision TEXT NOT NULL, at REAL NOT NULL,
  name TEXT, bytes INTEGER NOT NULL, file BLOB, was TEXT, PRIMARY KEY (login, id)
);
`;
