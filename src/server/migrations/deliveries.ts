/**
 * Deliveries to webhooks. `cursor` is how far a reader of the log has come, in the numbers of the log.
 *
 * A delivery has the exact bytes that are sent; `body` is NULL if they were too many. `created_at` is the time of its
 * event, `queued_at` when it was added, both epoch ms. `state` is 0 for pending, 1 for delivered and 2 for a dead letter
 * with its `fault`. `job` is the replay that it belongs to.
 *
 * A `lane` are the pending deliveries of a subscription, which are sent in the order of their ids: it exists while there
 * are any. `attempts` is how often the first one failed, `next_at` when it may be sent.
 *
 * A replay repeats the deliveries of a webhook with ids up to `last`, whose events happened from `from_at` to before
 * `to_at`. It has come to `cursor`; `failed` of its deliveries were given up.
 *
 * Room for deliveries. `more` of a dead letter without a body says how many earlier deliveries of its subscription were
 * given up for the same reason and have no row of their own. `trimmed` has the webhooks of which deliveries were removed
 * to make room; `at` is the time of the latest event among those, epoch ms.
 *
 * `log_session` has the sessions of logs that their readers have read from, in the order in which they were first read.
 */
export const DELIVERIES_SCHEMA = `
CREATE TABLE meta (key TEXT PRIMARY KEY, value TEXT NOT NULL) WITHOUT ROWID;
CREATE TABLE cursor (name TEXT PRIMARY KEY, value INTEGER NOT NULL) WITHOUT ROWID;
CREATE TABLE delivery (
  id INTEGER PRIMARY KEY AUTOINCREMENT, webhook TEXT NOT NULL, subscription TEXT NOT NULL, event TEXT NOT NULL,
  created_at INTEGER NOT NULL, queued_at INTEGER NOT NULL, state INTEGER NOT NULL DEFAULT 0, settled_at INTEGER,
  fault TEXT, job TEXT, body BLOB, more INTEGER NOT NULL DEFAULT 0
);
CREATE INDEX delivery_pending ON delivery (webhook, subscription, id) WHERE state = 0;
CREATE INDEX delivery_replayed ON delivery (webhook, id, created_at) WHERE job IS NULL AND state > 0;
CREATE INDEX delivery_settled ON delivery (state, settled_at) WHERE state > 0;
CREATE TABLE lane (
  webhook TEXT NOT NULL, subscription TEXT NOT NULL, attempts INTEGER NOT NULL DEFAULT 0, next_at INTEGER NOT NULL,
  fault TEXT, PRIMARY KEY (webhook, subscription)
) WITHOUT ROWID;
CREATE INDEX lane_next ON lane (webhook, next_at);
CREATE TABLE replay (
  id TEXT PRIMARY KEY, webhook TEXT NOT NULL, from_at INTEGER NOT NULL, to_at INTEGER NOT NULL, last INTEGER NOT NULL,
  cursor INTEGER NOT NULL DEFAULT 0, failed INTEGER NOT NULL DEFAULT 0, state TEXT NOT NULL, created_at INTEGER NOT NULL, ended_at INTEGER
) WITHOUT ROWID;
CREATE INDEX replay_webhook ON replay (webhook, created_at);
CREATE INDEX delivery_waiting ON delivery (id) WHERE state = 0;
CREATE INDEX delivery_letter ON delivery (settled_at) WHERE state = 2 AND body IS NOT NULL;
CREATE INDEX delivery_bodiless ON delivery (webhook, subscription, fault, id) WHERE state = 2 AND body IS NULL;
CREATE TABLE trimmed (webhook TEXT PRIMARY KEY, at INTEGER NOT NULL) WITHOUT ROWID;
CREATE TABLE log_session (n INTEGER PRIMARY KEY, name TEXT NOT NULL, id TEXT NOT NULL, UNIQUE (name, id));
`;

/** The Post and the accounts of a delivery, as JSON, which must be open to everybody when it is sent; NULL if nothing must. */
export const DELIVERY_SUBJECTS = 'ALTER TABLE delivery ADD COLUMN subject TEXT';
