import { ACCESS_LEVELS, type Access } from '#contract/accounts/access.ts';
import { scopeNamed } from '#contract/accounts/scopes.ts';
import { numberOrNull, textOrNull, type Cell, type Db } from '#server/db/driver.ts';
import type { Account } from './account-table.ts';

/** The user whom a token acts for, and what it may do. */
export interface Grant {
  readonly account: Account;
  /** Scopes of OAuth 2.0. An OAuth 1.0a token has the permission that its user allowed, or none to have that of its app. */
  readonly scopes: readonly string[];
}

/** The uses of a token. A refresh token becomes `spent` when it is used. */
export const TOKEN_USES = ['bearer', 'oauth1', 'refresh', 'spent'] as const;
export type TokenUse = (typeof TOKEN_USES)[number];

/** A token that this service issued. The token itself is shown once and never stored. */
export interface StoredToken {
  /** Hash of the token, as text, by the caller's choice of function. */
  readonly hash: string;
  readonly kind: TokenUse;
  /** Id of the app. */
  readonly app: string;
  /** Null where the app's access applies. */
  readonly access: Access | null;
  /** True if the platform's rate limits apply; null where the app decides. */
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

function namesIn(scopes: Cell | undefined): string[] {
  return String(scopes).split(' ').filter(Boolean);
}

export function tokenTable(db: Db) {
  const insert = db.prepare(
    `INSERT INTO token (hash, kind, app, account, scopes, access, limited, expires_at, family, created_at)
    VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?) ON CONFLICT DO NOTHING`,
  );
  const select = db.prepare(
    `SELECT kind, app, access, limited, token.created_at, expires_at, family, scopes, account.id, account.username
    FROM token LEFT JOIN account ON account.id = token.account WHERE hash = ?`,
  );
  const oauth1Scopes = db.prepare(
    "SELECT DISTINCT scopes FROM token WHERE account = ? AND app = ? AND kind = 'oauth1'",
  );
  const apps = db.prepare(
    `SELECT DISTINCT app FROM token
    WHERE account = ? AND kind <> 'spent' AND (expires_at IS NULL OR expires_at > ?) ORDER BY app`,
  );
  const scopes = db.prepare(
    `SELECT DISTINCT scopes FROM token WHERE account = ? AND app = ? AND kind IN ('bearer', 'refresh')
    AND (expires_at IS NULL OR expires_at > ?)`,
  );
  const remove = db.prepare('DELETE FROM token WHERE hash = ?');
  const spend = db.prepare("UPDATE token SET kind = 'spent' WHERE hash = ? AND kind = 'refresh'");
  const removeFamily = db.prepare('DELETE FROM token WHERE family = ?');
  const prune = db.prepare('DELETE FROM token WHERE expires_at < ?');
  return {
    /** Adds a token, unless it exists. */
    add: ({
      hash,
      kind,
      app,
      access,
      limited,
      createdAt,
      expiresAt,
      family,
      grant,
    }: StoredToken) => {
      const granted = grant ? [grant.account.id, grant.scopes.join(' ')] : [null, null];
      const flag = limited === null ? null : Number(limited);
      const values = [hash, kind, app, ...granted, access, flag, expiresAt, family, createdAt];
      db.write('token', () => insert.run(values));
    },
    /** A token by its hash, whether or not it has expired. */
    find: (hash: string): StoredToken | undefined => {
      const row = select.get([hash]);
      if (!row) return undefined;
      const [kind, app, access, limited, createdAt, expiresAt, family, scopes, id, username] = row;
      const grant =
        typeof id === 'string' && typeof username === 'string'
          ? { account: { id, username }, scopes: namesIn(scopes) }
          : null;
      return {
        hash,
        kind: TOKEN_USES.find((use) => use === kind) ?? 'spent',
        app: String(app),
        access: ACCESS_LEVELS.find((level) => level === access) ?? null,
        limited: limited === null ? null : limited === 1,
        createdAt: Number(createdAt),
        expiresAt: numberOrNull(expiresAt),
        family: textOrNull(family),
        grant,
      };
    },
    /** The different scopes of an app's OAuth 1.0a tokens for an account. */
    oauth1Scopes: (app: string, account: string): string[][] =>
      oauth1Scopes.all([account, app]).map(([scopes]) => namesIn(scopes)),
    /** The OAuth 2.0 scopes of an app's tokens for an account that have not expired by an instant, epoch ms. */
    scopesOf: (app: string, account: string, now: number): ReadonlySet<string> =>
      new Set(
        scopes
          .all([account, app, now])
          .flatMap(([all]) => String(all).split(' '))
          .map((name) => scopeNamed(name) ?? name),
      ),
    /** Ids of the apps with a token for an account that has not expired by an instant, epoch ms. */
    appsOf: (account: string, now: number): string[] =>
      apps.all([account, now]).map(([app]) => String(app)),
    remove: (hash: string): void => void db.write('token', () => remove.run([hash])),
    /** Marks a refresh token as spent. @returns False if it is none, or was spent before. */
    spend: (hash: string): boolean => db.write('token', () => spend.run([hash])) === 1,
    removeFamily: (family: string): void =>
      void db.write('family', () => removeFamily.run([family])),
    /** Removes tokens that expired before an instant, epoch ms. */
    prune: (before: number): void => void db.write('prune', () => prune.run([before])),
  };
}
