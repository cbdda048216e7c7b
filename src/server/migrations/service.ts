/**
 * The service's own secrets, its accounts, and the tokens it issued (as hashes). `folded` is a name in lower case.
 * `account.profile` is what an account shows and may do, as JSON of `contract/accounts/accounts.ts`.
 *
 * Apps, with their settings as JSON of `contract/accounts/apps.ts`. Secrets of apps are not stored: each is derived from
 * a secret of the service, the app's id and its `generation`. The dedicated app 1 has no limits of its own:
 * `token.access` and `token.limited` hold those of its tokens. They are null where the app decides.
 *
 * Signing in. `token.kind` says what a token is for: `bearer`, `oauth1` (its `scopes` hold the permission that its user
 * allowed), `refresh`, and `spent` for a refresh token that was used and may not come back. Codes and request tokens are
 * stored as hashes. A nonce is a hash of the OAuth 1.0a token and its nonce, with its timestamp in Unix seconds.
 *
 * Uploaded media. `owner` and the JSON list `owners` are the accounts that may use a medium. `state` is `receiving`
 * until the upload is finalized. `content` is what the check of the file found, `fault` why it failed, and `metadata`
 * what the owner added, all as JSON. `hash` names the file. `used` is 1 once a Post is known to contain the medium,
 * which then no longer expires. A segment is one part of an unfinished upload, in a file of its own.
 *
 * Reads of apps. `bill` sums up requests by app, UTC day, operation and account, in micro-dollars: `charged` is what the app
 * paid, `price` what it would have cost under pay-per-use, `posts` how many Posts count as usage. `billed` has the
 * resources of the last days with their prices, because each is billed once a day. `balance.charged` is what an app had
 * paid when its credits were last set, for the `credits_set`-th time. `limit_window` has the windows of limits of a day
 * or longer, in Unix seconds.
 *
 * `outbox`: events that this file's changes caused, until they are in the log. `origin` is random; `at` is epoch ms;
 * `users` is a JSON list of ids.
 *
 * Rules of streams, by app and kind. `stream` is the source whose Posts they match. Ids increase with every rule of any
 * app. An app has a value once per kind and stream.
 *
 * Webhooks of apps. `valid` is the result of the last check that decided. `checked_at` is when the last check began,
 * `validated_at` when the last one succeeded, in epoch ms; `fault` says why the last one failed.
 *
 * Connections to the streams of apps. `reason` is null while a connection is open. `disconnected_at` stays null where
 * the service ended before it could write it. Instants in epoch ms.
 *
 * Subscriptions of apps to events. `stream` is the source whose events they are about, `type` the canonical name of the
 * type and `name` the spelling that the app uses. `direction` is null if both match, `direction_name` as the app wrote
 * it. `subject` is the user or the keyword of the filter. Instants in epoch ms.
 *
 * Webhooks that receive a filtered stream. `stream` is the source of its Posts. `parameters` are those of the request
 * that made the link, as JSON, and `host` is the name that it was sent to, without the port. Posts whose entries in the
 * log have a number above `after` are delivered. `created_at` is epoch ms.
 *
 * Community notes. `requested_post` has the Posts that notes were requested for, with the times at which they were
 * written, and `note_request` each request. A deleted note stays, without its place: it counts for its writer's limit.
 * `test` and `media` are 0 or 1, `tags` is a JSON list, `links` is null until all links of the note could be checked.
 * Times are epoch ms.
 *
 * Imported requests for notes and imported ratings, each with the highest count that a file had, so that importing a
 * file again adds nothing; `staged_rating` has the ratings of a file that is being read. `link` is empty for the number
 * of all requests, `rated_at` is 0 for a rating without a time. Times are epoch ms.
 *
 * Logins of people, for a service that other machines reach, and their sessions by the hash of their id. `password` is a
 * hash with its parameters, `budget` millionths of a dollar for a UTC month, null for no own limit. Times are epoch ms.
 *
 * The saved boards of logins; `login` is empty where nobody signs in. `file` is a backup with one board; null for a removed board, whose `was` has the checksums
 * of its contents as JSON. `at` is epoch ms, with fractions.
 */
export const SERVICE_SCHEMA = `
CREATE TABLE meta (key TEXT PRIMARY KEY, value TEXT NOT NULL) WITHOUT ROWID;
CREATE TABLE secret (name TEXT PRIMARY KEY, value BLOB NOT NULL) WITHOUT ROWID;
CREATE TABLE account (
  id TEXT PRIMARY KEY, username TEXT NOT NULL, folded TEXT NOT NULL UNIQUE, created_at INTEGER NOT NULL,
  profile TEXT NOT NULL DEFAULT '{}'
) WITHOUT ROWID;
CREATE TABLE app (
  id TEXT PRIMARY KEY, name TEXT NOT NULL, folded TEXT NOT NULL UNIQUE, settings TEXT NOT NULL,
  owner TEXT, api_key TEXT NOT NULL UNIQUE, client_id TEXT NOT NULL UNIQUE,
  generation INTEGER NOT NULL, bearer INTEGER NOT NULL, created_at INTEGER NOT NULL,
  credits_set INTEGER NOT NULL DEFAULT 0
) WITHOUT ROWID;
INSERT INTO app VALUES (
  '1', 'Command line', 'command line', '{"access":"enterprise"}', NULL,
  lower(hex(randomblob(12))), lower(hex(randomblob(17))), 1, 1, CAST(strftime('%s', 'now') AS INTEGER) * 1000, 0
);
CREATE TABLE token (
  hash TEXT PRIMARY KEY, app TEXT NOT NULL, account TEXT, scopes TEXT, access TEXT, limited INTEGER,
  expires_at INTEGER, family TEXT, created_at INTEGER NOT NULL,
  kind TEXT NOT NULL DEFAULT 'bearer'
) WITHOUT ROWID;
CREATE INDEX token_by_account ON token (account);
CREATE INDEX token_by_app ON token (app);
CREATE INDEX token_by_family ON token (family);
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
CREATE TABLE media (
  id TEXT PRIMARY KEY, owner TEXT NOT NULL, owners TEXT NOT NULL, category TEXT NOT NULL, total INTEGER,
  state TEXT NOT NULL, size INTEGER, hash TEXT, content TEXT, fault TEXT, metadata TEXT NOT NULL,
  used INTEGER NOT NULL, expires_at INTEGER NOT NULL
) WITHOUT ROWID;
CREATE INDEX media_by_hash ON media (hash) WHERE hash IS NOT NULL;
CREATE INDEX media_by_expiry ON media (expires_at) WHERE used = 0;
CREATE INDEX media_by_state ON media (state) WHERE state IN ('pending', 'in_progress');
CREATE TABLE media_segment (
  media TEXT NOT NULL, n INTEGER NOT NULL, file TEXT NOT NULL, size INTEGER NOT NULL, PRIMARY KEY (media, n)
) WITHOUT ROWID;
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
CREATE TABLE outbox (
  n INTEGER PRIMARY KEY AUTOINCREMENT, origin TEXT NOT NULL UNIQUE, at INTEGER NOT NULL, type TEXT NOT NULL,
  users TEXT NOT NULL, body TEXT NOT NULL
);
CREATE TABLE rule (
  id INTEGER PRIMARY KEY, stream TEXT NOT NULL, app TEXT NOT NULL, value TEXT NOT NULL, tag TEXT,
  created_at INTEGER NOT NULL, kind TEXT NOT NULL DEFAULT 'filtered_stream'
);
CREATE TABLE webhook (
  id TEXT PRIMARY KEY, app TEXT NOT NULL, url TEXT NOT NULL, valid INTEGER NOT NULL, created_at INTEGER NOT NULL,
  checked_at INTEGER NOT NULL, validated_at INTEGER NOT NULL, fault TEXT, UNIQUE (app, url)
) WITHOUT ROWID;
CREATE TABLE stream_connection (
  id TEXT PRIMARY KEY, app TEXT NOT NULL, source TEXT NOT NULL, stream TEXT NOT NULL, ip TEXT,
  connected_at INTEGER NOT NULL, disconnected_at INTEGER, reason TEXT
) WITHOUT ROWID;
CREATE INDEX stream_connection_by_app ON stream_connection (app, connected_at, id);
CREATE TABLE subscription (
  id INTEGER PRIMARY KEY, stream TEXT NOT NULL, app TEXT NOT NULL, type TEXT NOT NULL, name TEXT NOT NULL,
  subject TEXT NOT NULL, direction TEXT, direction_name TEXT, tag TEXT, webhook TEXT, private INTEGER NOT NULL,
  created_at INTEGER NOT NULL, updated_at INTEGER NOT NULL
);
CREATE UNIQUE INDEX subscription_by_filter ON subscription (stream, app, type, subject, coalesce(direction, ''));
CREATE INDEX subscription_by_app ON subscription (stream, app, id);
CREATE INDEX subscription_by_event ON subscription (stream, type, subject);
CREATE TABLE stream_link (
  id TEXT PRIMARY KEY, webhook TEXT NOT NULL UNIQUE, app TEXT NOT NULL, stream TEXT NOT NULL,
  parameters TEXT NOT NULL, host TEXT NOT NULL, after INTEGER NOT NULL, created_at INTEGER NOT NULL
) WITHOUT ROWID;
CREATE INDEX rule_by_app ON rule (kind, stream, app);
CREATE UNIQUE INDEX rule_by_value ON rule (kind, stream, app, value);
CREATE TABLE requested_post (post INTEGER PRIMARY KEY, created_at INTEGER NOT NULL);
CREATE INDEX requested_post_by_time ON requested_post (created_at, post);
CREATE TABLE note_request (
  id INTEGER PRIMARY KEY, post INTEGER NOT NULL, link TEXT, suggestion TEXT, requested_at INTEGER NOT NULL
);
CREATE INDEX note_request_by_post ON note_request (post);
CREATE TABLE note (
  id INTEGER PRIMARY KEY, writer TEXT NOT NULL, post INTEGER NOT NULL, test INTEGER NOT NULL, text TEXT NOT NULL,
  classification TEXT NOT NULL, tags TEXT NOT NULL, trustworthy INTEGER NOT NULL, media INTEGER NOT NULL,
  score REAL NOT NULL, links TEXT, created_at INTEGER NOT NULL, deleted_at INTEGER
);
CREATE UNIQUE INDEX note_by_post ON note (writer, post) WHERE deleted_at IS NULL;
CREATE INDEX note_by_writer ON note (writer, test, id);
CREATE TABLE note_rating (
  note INTEGER NOT NULL, rating TEXT NOT NULL, count INTEGER NOT NULL, PRIMARY KEY (note, rating)
) WITHOUT ROWID;
CREATE TABLE note_writer (account TEXT PRIMARY KEY, admitted_at INTEGER NOT NULL) WITHOUT ROWID;
CREATE TABLE imported_request (
  post INTEGER NOT NULL, link TEXT NOT NULL, count INTEGER NOT NULL, PRIMARY KEY (post, link)
) WITHOUT ROWID;
CREATE TABLE imported_rating (
  note INTEGER NOT NULL, rating TEXT NOT NULL, rated_at INTEGER NOT NULL, count INTEGER NOT NULL,
  PRIMARY KEY (note, rating, rated_at)
) WITHOUT ROWID;
CREATE TABLE staged_rating (
  note INTEGER NOT NULL, rating TEXT NOT NULL, rated_at INTEGER NOT NULL, count INTEGER NOT NULL,
  PRIMARY KEY (note, rating, rated_at)
) WITHOUT ROWID;
CREATE TABLE login (
  id TEXT PRIMARY KEY, name TEXT NOT NULL, folded TEXT NOT NULL UNIQUE, role TEXT NOT NULL, password TEXT NOT NULL,
  budget INTEGER, created_at INTEGER NOT NULL
) WITHOUT ROWID;
CREATE TABLE login_session (
  hash TEXT PRIMARY KEY, login TEXT NOT NULL REFERENCES login (id), created_at INTEGER NOT NULL,
  seen_at INTEGER NOT NULL, address TEXT, agent TEXT
) WITHOUT ROWID;
CREATE INDEX login_session_login ON login_session (login, seen_at);
CREATE TABLE login_board (
  login TEXT NOT NULL REFERENCES login (id), id TEXT NOT NULL, revision TEXT NOT NULL, at REAL NOT NULL,
  name TEXT, bytes INTEGER NOT NULL, file BLOB, was TEXT, PRIMARY KEY (login, id)
);
`;

/** Boards are stored also where nobody signs in: then `login` is empty, which no login is. */
export const BOARDS_WITHOUT_LOGIN = `
CREATE TABLE board (
  login TEXT NOT NULL, id TEXT NOT NULL, revision TEXT NOT NULL, at REAL NOT NULL,
  name TEXT, bytes INTEGER NOT NULL, file BLOB, was TEXT, PRIMARY KEY (login, id)
);
INSERT INTO board SELECT login, id, revision, at, name, bytes, file, was FROM login_board;
DROP TABLE login_board;
`;

/** Bills name the account that the app acted as: its id, or a word of `AppBill`. */
export const BILLS_BY_ACCOUNT = `
CREATE TABLE bill_by_account (
  app TEXT NOT NULL, day INTEGER NOT NULL, operation TEXT NOT NULL, account TEXT NOT NULL, requests INTEGER NOT NULL,
  resources INTEGER NOT NULL, posts INTEGER NOT NULL, charged INTEGER NOT NULL, price INTEGER NOT NULL,
  PRIMARY KEY (app, day, operation, account)
) WITHOUT ROWID;
INSERT INTO bill_by_account SELECT app, day, operation, 'unknown', requests, resources, posts, charged, price FROM bill;
DROP TABLE bill;
ALTER TABLE bill_by_account RENAME TO bill;
`;

/**
 * Usernames that accounts had before their present one. `profile.update.handle` becomes a second name of the event that
 * the specification has for the username, so of two subscriptions to them one remains.
 */
export const FORMER_HANDLES = `
CREATE TABLE former_handle (name TEXT, account TEXT, PRIMARY KEY (name, account)) WITHOUT ROWID;
DELETE FROM subscription WHERE type = 'profile.update.handle' AND EXISTS (
  SELECT 1 FROM subscription AS other WHERE other.type = 'profile.update.screenname'
  AND other.app = subscription.app AND other.stream = subscription.stream AND other.subject IS subscription.subject
);
UPDATE subscription SET type = 'profile.update.screenname' WHERE type = 'profile.update.handle';
`;

/**
 * Calendars whose events are on boards. `url` is null for a file. `notes` and `skipped` are JSON lists: sentences about what
 * could not be used, and lines that are left out. `content` is the text that was read at `read_at`; `fault` says why the
 * download at `tried_at` failed. Times are epoch ms; `removed_at` is null unless the calendar can only be restored.
 */
export const CALENDAR_TEXTS = `
CREATE TABLE calendar (
  id INTEGER PRIMARY KEY AUTOINCREMENT, name TEXT NOT NULL, url TEXT, events INTEGER NOT NULL, notes TEXT NOT NULL,
  skipped TEXT NOT NULL, read_at INTEGER NOT NULL, tried_at INTEGER NOT NULL, fault TEXT, removed_at INTEGER,
  content TEXT NOT NULL
);
`;

/**
 * Alerts, their messages, and the deliveries of these to channels. `settings`, `rule`, `state`, `body` and `channel` are
 * JSON; a delivery without a body is a test. An alert of an empty `login` belongs to this machine. Times are epoch ms:
 * `due_at` is the next try, `ended_at` null while there will be one, `fault` the reason the last one failed.
 */
export const ALERT_TABLES = `
CREATE TABLE alert (
  id INTEGER PRIMARY KEY AUTOINCREMENT, login TEXT NOT NULL, settings TEXT NOT NULL, rule TEXT NOT NULL,
  state TEXT NOT NULL, created_at INTEGER NOT NULL, removed_at INTEGER, fault TEXT
);
CREATE TABLE alert_message (
  id TEXT PRIMARY KEY, alert INTEGER NOT NULL REFERENCES alert (id), at INTEGER NOT NULL, body TEXT NOT NULL,
  read_at INTEGER
) WITHOUT ROWID;
CREATE INDEX alert_message_at ON alert_message (alert, at);
CREATE TABLE alert_delivery (
  id INTEGER PRIMARY KEY, alert INTEGER NOT NULL REFERENCES alert (id), channel TEXT NOT NULL, body TEXT,
  since INTEGER NOT NULL, due_at INTEGER NOT NULL, tries INTEGER NOT NULL, ended_at INTEGER, fault TEXT
);
CREATE INDEX alert_delivery_due ON alert_delivery (due_at) WHERE ended_at IS NULL;
CREATE INDEX alert_delivery_channel ON alert_delivery (alert, channel);
`;

/**
 * Links to boards. `kind` is one of `LINK_KINDS`, `settings` JSON of that kind, `hash` that of the secret. A link of an empty
 * `login` belongs to this machine. Times are epoch ms; `revoked_at` is null unless it was ended before `ends_at`. Visits are
 * counted by UTC day.
 */
export const BOARD_LINKS = `
CREATE TABLE board_link (
  id INTEGER PRIMARY KEY AUTOINCREMENT, kind TEXT NOT NULL, login TEXT NOT NULL, board TEXT NOT NULL, name TEXT NOT NULL,
  settings TEXT NOT NULL, hash TEXT NOT NULL UNIQUE, created_at INTEGER NOT NULL, ends_at INTEGER NOT NULL,
  revoked_at INTEGER
);
CREATE TABLE board_link_visit (
  link INTEGER NOT NULL, day INTEGER NOT NULL, visits INTEGER NOT NULL, last_at INTEGER NOT NULL,
  PRIMARY KEY (link, day)
) WITHOUT ROWID;
`;
