import { textOrNull, type Db } from '#server/db/driver.ts';

/** The permission of an OAuth 1.0a token where it is less than that of its app. */
export type LesserPermission = 'read' | null;

/** A request token of OAuth 1.0a (RFC 5849 section 2.1). The token itself is never stored. */
export interface StoredRequestToken {
  readonly hash: string;
  /** Id of the app. */
  readonly app: string;
  /** A callback of the app, or `oob` for a PIN. */
  readonly callback: string;
  readonly permission: LesserPermission;
  /** Id of the account that allowed access, and the hash of its verifier; null before that. */
  readonly account: string | null;
  readonly verifier: string | null;
  /** Wrong verifiers so far. */
  readonly failures: number;
  /** Epoch ms. */
  readonly expiresAt: number;
}

/** Request tokens. Changes are durable when a method returns. */
export type RequestTokenTable = ReturnType<typeof requestTokenTable>;

const COLUMNS = 'hash, app, callback, permission, account, verifier, failures, expires_at';

export function requestTokenTable(db: Db) {
  const insert = db.prepare(
    `INSERT INTO request_token (${COLUMNS}) VALUES (?, ?, ?, ?, ?, ?, ?, ?)`,
  );
  const select = db.prepare(`SELECT ${COLUMNS} FROM request_token WHERE hash = ?`);
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
    add: ({
      hash,
      app,
      callback,
      permission,
      account,
      verifier,
      failures,
      expiresAt,
    }: StoredRequestToken): void =>
      write(() => {
        insert.run([hash, app, callback, permission, account, verifier, failures, expiresAt]);
      }),
    /** A token by its hash, whether or not it has expired. */
    find: (found: string): StoredRequestToken | undefined => {
      const row = select.get([found]);
      if (!row) return undefined;
      const [hash, app, callback, permission, account, verifier, failures, expiresAt] = row;
      return {
        hash: String(hash),
        app: String(app),
        callback: String(callback),
        permission: permission === 'read' ? 'read' : null,
        account: textOrNull(account),
        verifier: textOrNull(verifier),
        failures: Number(failures),
        expiresAt: Number(expiresAt),
      };
    },
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
