import { PERMISSIONS, type Permission } from '#contract/accounts/apps.ts';
import { column, columns, type RowOf } from '#server/db/columns.ts';
import type { Db } from '#server/db/driver.ts';

const REQUEST_TOKEN = columns({
  hash: column.text,
  /** Id of the app. */
  app: column.text,
  /** A callback of the app, or `oob` for a PIN. */
  callback: column.text,
  /** A cell of an earlier version is null where that of the app applied, for the minutes in which the token works. */
  permission: column.of<Permission>(
    (cell) => PERMISSIONS.find((permission) => permission === cell) ?? 'read',
    String,
  ),
  /** Id of the account that allowed access, and the hash of its verifier; null before that. */
  account: column.textOrNull,
  verifier: column.textOrNull,
  /** Wrong verifiers so far. */
  failures: column.number,
  /** Epoch ms. */
  expiresAt: column.number,
});

/** A request token of OAuth 1.0a (RFC 5849 section 2.1). The token itself is never stored. */
export type StoredRequestToken = RowOf<typeof REQUEST_TOKEN>;

/** Request tokens. Changes are durable when a method returns. */
export function requestTokenTable(db: Db) {
  const insert = REQUEST_TOKEN.insert(db, 'request_token');
  const find = REQUEST_TOKEN.select(db, 'request_token WHERE hash = ?');
  const allow = db.prepare('UPDATE request_token SET account = ?, verifier = ? WHERE hash = ?');
  const fail = db.prepare('UPDATE request_token SET failures = failures + 1 WHERE hash = ?');
  const remove = db.prepare('DELETE FROM request_token WHERE hash = ?');
  const prune = db.prepare('DELETE FROM request_token WHERE expires_at < ?');
  const crowd = db.prepare(
    `DELETE FROM request_token WHERE hash IN
    (SELECT hash FROM request_token ORDER BY expires_at DESC LIMIT -1 OFFSET ?)`,
  );
  const write = (work: () => void): void => db.write('request-token', work);
  return {
    add: (token: StoredRequestToken): void => write(() => void insert(token)),
    /** A token by its hash, whether or not it has expired. */
    find: (hash: string): StoredRequestToken | undefined => find.get([hash]),
    allow: (hash: string, account: string, verifier: string): void =>
      write(() => void allow.run([account, verifier, hash])),
    /** Counts a wrong verifier. */
    fail: (hash: string): void => write(() => void fail.run([hash])),
    remove: (hash: string): void => write(() => void remove.run([hash])),
    /** Removes tokens that expired before an instant, epoch ms, and all but the `most` that expire last. */
    prune: (before: number, most: number): void =>
      write(() => {
        prune.run([before]);
        crowd.run([most]);
      }),
  };
}
