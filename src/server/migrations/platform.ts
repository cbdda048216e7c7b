/**
 * Settings of the platform, purchases, and the pages they brought. Money is in millionths of a dollar, instants in epoch
 * ms; `day` is the UTC day since 1970, by the service's clock, on which a purchase was reserved. `request` is the whole
 * request as text, equal for equal ones. The query of a purchase is the text as written, that of a page its canonical
 * meaning. A `withdrawn` page is returned only to the ask that bought it.
 *
 * `purchase.login` is the id of the login that a purchase was made for; null for programs, and where only this machine
 * reaches the service.
 */
export const PLATFORM_SCHEMA = `
CREATE TABLE meta (key TEXT PRIMARY KEY, value TEXT NOT NULL) WITHOUT ROWID;
CREATE TABLE setting (name TEXT PRIMARY KEY, value TEXT NOT NULL) WITHOUT ROWID;
CREATE TABLE query (id INTEGER PRIMARY KEY, text TEXT NOT NULL UNIQUE);
CREATE TABLE purchase (
  id INTEGER PRIMARY KEY AUTOINCREMENT, ask TEXT NOT NULL, request TEXT NOT NULL, endpoint TEXT NOT NULL,
  query INTEGER NOT NULL REFERENCES query (id), at INTEGER NOT NULL, day INTEGER NOT NULL,
  price INTEGER NOT NULL, outcome TEXT NOT NULL, status INTEGER, login TEXT
);
CREATE INDEX purchase_ask ON purchase (ask);
CREATE INDEX purchase_day ON purchase (day, outcome, price);
CREATE TABLE page (
  purchase INTEGER PRIMARY KEY REFERENCES purchase (id), query INTEGER NOT NULL REFERENCES query (id),
  granularity TEXT, fields TEXT, start INTEGER, "end" INTEGER, token TEXT,
  date INTEGER NOT NULL, headers TEXT NOT NULL, body BLOB NOT NULL, withdrawn INTEGER NOT NULL DEFAULT 0
);
CREATE INDEX page_window ON page (query, granularity, start, "end");
CREATE INDEX purchase_login ON purchase (login, day, outcome, price) WHERE login IS NOT NULL;
`;
