/**
 * What apps read. `bill` sums up requests by app, UTC day and operation, in micro-dollars: `charged` is what the app
 * paid, `price` what it would have cost under pay-per-use, `posts` how many Posts count as usage. `billed` has the
 * resources of the last days with their prices, because each is billed once a day. `balance.charged` is what an app had paid when its
 * credits were last set, for the `credits_set`-th time. `limit_window` has the windows of limits of a day or longer,
 * in Unix seconds.
 */
export const SERVICE_7 = `
CREATE TABLE bill (
  app TEXT NOT NULL, day INTEGER NOT NULL, operation TEXT NOT NULL, requests INTEGER NOT NULL,
  resources INTEGER NOT NULL, posts INTEGER NOT NULL, charged INTEGER NOT NULL, price INTEGER NOT NULL,
  PRIMARY KEY (app, day, operation)
) WITHOUT ROWID;
CREATE TABLE billed (
  day INTEGER NOT NULL, app TEXT NOT NULL, kind TEXT NOT NULL, id TEXT NOT NULL, amount INTEGER NOT NULL,
  PRIMARY KEY (day, app, kind, id)
) WITHOUT ROWID;
CREATE TABLE balance (
  app TEXT PRIMARY KEY, credits_set INTEGER NOT NULL, charged INTEGER NOT NULL
) WITHOUT ROWID;
CREATE TABLE limit_window (
  name TEXT NOT NULL, pool TEXT NOT NULL, used INTEGER NOT NULL, seen INTEGER NOT NULL, reset INTEGER NOT NULL,
  PRIMARY KEY (name, pool)
) WITHOUT ROWID;
ALTER TABLE app ADD COLUMN credits_set INTEGER NOT NULL DEFAULT 0;
`;
