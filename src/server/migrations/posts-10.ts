/**
 * `event`: what happened, in the order of `n`, which is never reused: the newest entry always stays. `at` is epoch ms and
 * never decreases. `total` is the size of all entries up to this one, in characters. `users` is a JSON list of ids.
 * `event_moved`: ids of those events of the service's own file that are here, and perhaps still there.
 */
export const POSTS_10 = `
CREATE TABLE event (
  n INTEGER PRIMARY KEY, at INTEGER NOT NULL, total INTEGER NOT NULL, type TEXT NOT NULL,
  users TEXT NOT NULL, post TEXT, body TEXT NOT NULL
);
CREATE TABLE event_moved (origin TEXT PRIMARY KEY) WITHOUT ROWID;
`;
