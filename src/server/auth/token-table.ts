import { ACCESS_LEVELS } from '#contract/access.ts';
import type { Access } from '#contract/access.ts';
import type { Db } from '#server/db/driver.ts';
import type { Account } from './account-table.ts';

/** The user whom a token acts for, and what it may do. */
export interface Grant {
  readonly account: Account;
  readonly scopes: readonly string[];
}

/** A bearer token that this service issued. The token itself is shown once and never stored. */
export interface StoredToken {
  /** Hash of the token, as text, by the caller's choice of function. */
  readonly hash: string;
  /** Id of the app. */
  readonly app: string;
  /** Null where the app's access applies. */
  readonly access: Access | null;
  /** Whether the platform's rate limits apply; null where the app decides. */
  readonly limited: boolean | null;
  /** Epoch ms. */
  readonly createdAt: number;
  /** Epoch ms; null if it does not expire. */
  readonly expiresAt: number | null;
  /** Tokens that one consent led to share a family, with which they are revoked; null for others. */
  readonly family: string | null;
  /** Null for an app-only token. */
  readonly grant: Grant | null;
}

export interface TokenTable {
  /** Adds a token, unless it exists. */
  add(token: StoredToken): void;
  /** A token by its hash, whether or not it has expired. */
  find(hash: string): StoredToken | undefined;
  remove(hash: string): void;
}

export function tokenTable(db: Db): TokenTable {
  const insert = db.prepare(
    `INSERT INTO token (hash, app, account, scopes, access, limited, expires_at, family, created_at)
    VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?) ON CONFLICT DO NOTHING`,
  );
  const select = db.prepare(
    `SELECT app, access, limited, token.created_at, expires_at, family, scopes, account.id, account.username
    FROM token LEFT JOIN account ON account.id = token.account WHERE hash = ?`,
  );
  const remove = db.prepare('DELETE FROM token WHERE hash = ?');
  return {
    add: ({ hash, app, access, limited, createdAt, expiresAt, family, grant }) => {
      const granted = grant ? [grant.account.id, grant.scopes.join(' ')] : [null, null];
      const flag = limited === null ? null : Number(limited);
      const values = [hash, app, ...granted, access, flag, expiresAt, family, createdAt];
      db.write('token', () => insert.run(values));
    },
    find: (hash) => {
      const row = select.get([hash]);
      if (!row) return undefined;
      const [app, access, limited, createdAt, expiresAt, family, scopes, id, username] = row;
      const grant =
        typeof id === 'string' && typeof username === 'string'
          ? { account: { id, username }, scopes: String(scopes).split(' ') }
          : null;
      return {
        hash,
        app: String(app),
        access: ACCESS_LEVELS.find((level) => level === access) ?? null,
        limited: limited === null ? null : limited === 1,
        createdAt: Number(createdAt),
        expiresAt: expiresAt === null ? null : Number(expiresAt),
        family: typeof family === 'string' ? family : null,
        grant,
      };
    },
    remove: (hash) => void db.write('token', () => remove.run([hash])),
  };
}
