/**
 * Logins of people, for a service that other machines reach, and their sessions by the hash of their id. `password` is a
 * hash with its parameters, `budget` millionths of a dollar for a UTC month, null for no own limit. Times are epoch ms.
 */
export const SERVICE_17 = `
CREATE TABLE login (
  id TEXT PRIMARY KEY, name TEXT NOT NULL, folded TEXT NOT NULL UNIQUE, role TEXT NOT NULL, password TEXT NOT NULL,
  budget INTEGER, created_at INTEGER NOT NULL
) WITHOUT ROWID;
CREATE TABLE login_session (
  hash TEXT PRIMARY KEY, login TEXT NOT NULL REFERENCES login (id), created_at INTEGER NOT NULL,
  seen_at INTEGER NOT NULL, address TEXT, agent TEXT
) WITHOUT ROWID;
CREATE INDEX login_session_login ON login_session (login, seen_at);
`;
