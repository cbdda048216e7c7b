import type { Profile } from '#contract/accounts/accounts.ts';
import { column, columns, type RowOf } from '#server/db/columns.ts';
import type { Db } from '#server/db/driver.ts';

const ACCOUNT = columns({
  /** Decimal text, like all user ids. */
  id: column.text,
  username: column.text,
  /** Epoch ms. */
  createdAt: column.number,
  profile: column.json<Partial<Profile>>(),
});

/** An account as stored. */
export type StoredAccount = RowOf<typeof ACCOUNT>;

/** A local account, which is the author of Posts. */
export type Account = Pick<StoredAccount, 'id' | 'username'>;

/** Accounts of this service. Changes are durable when a method returns. */
export function accountTable(db: Db) {
  const addAccount = db.prepare(
    'INSERT INTO account (id, username, folded, created_at, profile) VALUES (?, ?, ?, ?, ?) ON CONFLICT (id) DO NOTHING',
  );
  const all = ACCOUNT.select(db, 'account ORDER BY created_at, id');
  const byName = ACCOUNT.select(db, 'account WHERE folded = ?');
  const byId = ACCOUNT.select(db, 'account WHERE id = ?');
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
        const known = byName.get([folded]);
        if (known) return { id: known.id, username: known.username };
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
    accounts: (): StoredAccount[] => all.all(),
    /** The account of a username, whatever its case. */
    findAccount: (username: string): StoredAccount | undefined =>
      byName.get([username.toLowerCase()]),
    accountOf: (id: string): StoredAccount | undefined => byId.get([id]),
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
