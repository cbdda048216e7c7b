/**
 * `outbox`: events that this file's changes caused, until they are in the log. `origin` is random; `at` is epoch ms;
 * `users` is a JSON list of ids.
 */
export const SERVICE_8 = `
CREATE TABLE outbox (
  n INTEGER PRIMARY KEY AUTOINCREMENT, origin TEXT NOT NULL UNIQUE, at INTEGER NOT NULL, type TEXT NOT NULL,
  users TEXT NOT NULL, body TEXT NOT NULL
);
`;
