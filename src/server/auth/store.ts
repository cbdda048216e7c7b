import { ACCESS_LEVELS } from '#contract/counts.ts';
import type { Access } from '#contract/counts.ts';
import type { Profile } from '#contract/accounts.ts';
import type { Cell } from '#server/db/driver.ts';
import { openStore } from '#server/db/migrate.ts';
import { SERVICE_1 } from '#server/migrations/service-1.ts';
import { SERVICE_2 } from '#server/migrations/service-2.ts';
import { SERVICE_3 } from '#server/migrations/service-3.ts';

/** A local account, which is the author of Posts. */
export interface Account {
  /** Decimal text, like all user ids. */
  readonly id: string;
  readonly username: string;
}

/** An account as stored. */
export interface StoredAccount extends Account {
  /** Epoch ms. */
  readonly createdAt: number;
  readonly profile: Partial<Profile>;
}

/** The user whom a token acts for, and what it may do. */
export interface Grant {
  readonly account: Account;
  readonly scopes: readonly string[];
}

/** A token that this service issued. The token itself is shown once and never stored. */
export interface StoredToken {
  /** Hash of the token, as text, by the caller's choice of function. */
  readonly hash: string;
  readonly access: Access;
  /** Whether the platform's rate limits apply to it. */
  readonly limited: boolean;
  /** Epoch ms. */
  readonly createdAt: number;
  /** Null for an app-only token. */
  readonly grant: Grant | null;
}

export interface Service {
  /** The 32 random bytes of that name, created at the first call and the same from then on. */
  secret(name: string): Buffer;
  addToken(token: StoredToken): void;
  findToken(hash: string): StoredToken | undefined;
  /**
   * The account of a username, whatever its case. It is created where there is none.
   *
   * @param id - gives the id of a new account; called again while another account has that id.
   */
  account(
    username: string,
    id: () => string,
    createdAt: number,
    profile?: Partial<Profile>,
  ): Account;
  /** All accounts by age. */
  accounts(): StoredAccount[];
  /** The account of a username, whatever its case. */
  findAccount(username: string): StoredAccount | undefined;
  accountOf(id: string): StoredAccount | undefined;
  setProfile(id: string, profile: Partial<Profile>): void;
  /** Removes an account and its tokens. Its Posts stay. */
  removeAccount(id: string): void;
  close(): void;
}

export const SERVICE_KIND = { application: 0x47537376, steps: [SERVICE_1, SERVICE_2, SERVICE_3] };

/**
 * Opens the file of secrets and tokens; creates it if it is absent.
 *
 * @throws {@link StoreError} as `openStore`. Every method throws it if the file cannot be read or written.
 */
export function openService(file: string, deps: { random: (n: number) => Uint8Array }): Service {
  const db = openStore(file, SERVICE_KIND, () => {});
  const secretOf = db.prepare('SELECT value FROM secret WHERE name = ?');
  const addSecret = db.prepare('INSERT INTO secret (name, value) VALUES (?, ?)');
  const addToken = db.prepare(
    'INSERT INTO token (hash, access, limited, created_at, account, scopes) VALUES (?, ?, ?, ?, ?, ?)',
  );
  const tokenOf = db.prepare(
    `SELECT access, limited, token.created_at, scopes, account.id, account.username
    FROM token LEFT JOIN account ON account.id = token.account WHERE hash = ?`,
  );
  const accountOf = db.prepare('SELECT id, username FROM account WHERE folded = ?');
  const addAccount = db.prepare(
    'INSERT INTO account (id, username, folded, created_at, profile) VALUES (?, ?, ?, ?, ?) ON CONFLICT (id) DO NOTHING',
  );

  const COLUMNS = 'id, username, created_at, profile';
  const allAccounts = db.prepare(`SELECT ${COLUMNS} FROM account ORDER BY created_at, id`);
  const oneAccount = db.prepare(`SELECT ${COLUMNS} FROM account WHERE folded = ?`);
  const accountById = db.prepare(`SELECT ${COLUMNS} FROM account WHERE id = ?`);
  const setProfile = db.prepare('UPDATE account SET profile = ? WHERE id = ?');
  const removeTokens = db.prepare('DELETE FROM token WHERE account = ?');
  const removeAccount = db.prepare('DELETE FROM account WHERE id = ?');
  const storedAccount = ([id, username, createdAt, profile]: readonly Cell[]): StoredAccount => ({
    id: String(id),
    username: String(username),
    createdAt: Number(createdAt),
    profile: JSON.parse(String(profile)) as Partial<Profile>,
  });

  const found = (name: string): Buffer | undefined => {
    const value = secretOf.get([name])?.[0];
    return Buffer.isBuffer(value) ? value : undefined;
  };
  return {
    secret: (name) =>
      found(name) ??
      db.write('secret', () => {
        const other = found(name);
        if (other) return other;
        const value = Buffer.from(deps.random(32));
        addSecret.run([name, value]);
        return value;
      }),
    addToken: ({ hash, access, limited, createdAt, grant }) => {
      const granted = grant ? [grant.account.id, grant.scopes.join(' ')] : [null, null];
      db.write('token', () => addToken.run([hash, access, limited ? 1 : 0, createdAt, ...granted]));
    },
    findToken: (hash) => {
      const row = tokenOf.get([hash]);
      const access = ACCESS_LEVELS.find((level) => level === row?.[0]);
      if (!row || !access) return undefined;
      const [, limited, createdAt, scopes, id, username] = row;
      const grant =
        typeof id === 'string' && typeof username === 'string'
          ? { account: { id, username }, scopes: String(scopes).split(' ') }
          : null;
      return { hash, access, limited: limited === 1, createdAt: Number(createdAt), grant };
    },
    account: (username, id, createdAt, profile = {}) =>
      db.write('account', () => {
        const folded = username.toLowerCase();
        const row = accountOf.get([folded]);
        if (row) return { id: String(row[0]), username: String(row[1]) };
        for (;;) {
          const made = { id: id(), username };
          const values = [made.id, username, folded, createdAt, JSON.stringify(profile)];
          if (addAccount.run(values) === 1) return made;
        }
      }),
    accounts: () => allAccounts.all().map(storedAccount),
    findAccount: (username) => {
      const row = oneAccount.get([username.toLowerCase()]);
      return row && storedAccount(row);
    },
    accountOf: (id) => {
      const row = accountById.get([id]);
      return row && storedAccount(row);
    },
    setProfile: (id, profile) =>
      void db.write('profile', () => setProfile.run([JSON.stringify(profile), id])),
    removeAccount: (id) =>
      db.write('remove-account', () => {
        removeTokens.run([id]);
        removeAccount.run([id]);
      }),
    close: () => db.close(),
  };
}
