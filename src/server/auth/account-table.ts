import type { Profile } from '#contract/accounts/accounts.ts';
import type { Cell, Db } from '#server/db/driver.ts';

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

/** Accounts of this service. Changes are durable when a method returns. */
export type AccountTable = ReturnType<typeof accountTable>;

export function accountTable(db: Db) {
  const accountOf = db.prepare('SELECT id, username FROM account WHERE folded = ?');
  const addAccount = db.prepare(
    'INSERT INTO account (id, username, folded, created_at, profile) VALUES (?, ?, ?, ?, ?) ON CONFLICT (id) DO NOTHING',
  );
  const COLUMNS = 'id, username, created_at, profile';
  const allAccounts = db.prepare(`SELECT ${COLUMNS} FROM account ORDER BY created_at, id`);
  const oneAccount = db.prepare(`SELECT ${COLUMNS} FROM account WHERE folded = ?`);
  const accountById = db.prepare(`SELECT ${COLUMNS} FROM account WHERE id = ?`);
  const setProfile = db.prepare('UPDATE account SET profile = ? WHERE id = ?');
  const setUsername = db.prepare('UPDATE account SET username = ?, folded = ? WHERE id = ?');
  const formerHandles = db.prepare(
    'SELECT name, account FROM former_handle ORDER BY name, account',
  );
  const addFormer = db.prepare('INSERT INTO former_handle (name, account) VALUES (?, ?)');
  const removeFormer = db.prepare('DELETE FROM former_handle WHERE name = ? AND account = ?');
  const forgetFormer = db.prepare('DELETE FROM former_handle WHERE account = ?');
  const removeTokens = db.prepare('DELETE FROM token WHERE account = ?');
  const removeAccount = db.prepare('DELETE FROM account WHERE id = ?');
  const storedAccount = ([id, username, createdAt, profile]: readonly Cell[]): StoredAccount => ({
    id: String(id),
    username: String(username),
    createdAt: Number(createdAt),
    profile: JSON.parse(String(profile)) as Partial<Profile>,
  });
  let changes = 0;

  return {
    /**
     * The account of a username, whatever its case. It is created where there is none.
     *
     * @param id - gives the id of a new account; called again while another account has that id.
     */
    account: (
      username: string,
      id: () => string,
      createdAt: number,
      profile: Partial<Profile> = {},
    ): Account =>
      db.write('account', () => {
        const folded = username.toLowerCase();
        const row = accountOf.get([folded]);
        if (row) return { id: String(row[0]), username: String(row[1]) };
        for (;;) {
          const made = { id: id(), username };
          const values = [made.id, username, folded, createdAt, JSON.stringify(profile)];
          if (addAccount.run(values) === 1) {
            changes += 1;
            return made;
          }
        }
      }),
    /** All accounts by age. */
    accounts: (): StoredAccount[] => allAccounts.all().map(storedAccount),
    /** The account of a username, whatever its case. */
    findAccount: (username: string): StoredAccount | undefined => {
      const row = oneAccount.get([username.toLowerCase()]);
      return row && storedAccount(row);
    },
    accountOf: (id: string): StoredAccount | undefined => {
      const row = accountById.get([id]);
      return row && storedAccount(row);
    },
    setProfile: (id: string, profile: Partial<Profile>): void =>
      db.write('profile', () => {
        setProfile.run([JSON.stringify(profile), id]);
        changes += 1;
      }),
    /** Gives an account another username, which no other one may have. The one that it had is free. */
    rename: ({ id, username: before }: Account, username: string): void =>
      db.write('rename', () => {
        const [former, name] = [before.toLowerCase(), username.toLowerCase()];
        setUsername.run([username, name, id]);
        if (former !== name) {
          removeFormer.run([name, id]);
          addFormer.run([former, id]);
        }
        changes += 1;
      }),
    /** Lower-case usernames that accounts had and no longer have, with their ids. */
    formerHandles: (): { readonly name: string; readonly account: string }[] =>
      formerHandles
        .all()
        .map(([name, account]) => ({ name: String(name), account: String(account) })),
    /** Removes an account and its tokens. Its Posts stay. */
    removeAccount: (id: string): void =>
      db.write('remove-account', () => {
        removeTokens.run([id]);
        forgetFormer.run([id]);
        removeAccount.run([id]);
        changes += 1;
      }),
    /** Number of changes of accounts so far. */
    accountChanges: (): number => changes,
  };
}
