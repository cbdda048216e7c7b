import type { Cell, Db } from '#server/db/driver.ts';

/** The ways to compare a code's verifier with its challenge (RFC 7636 section 4.2). */
export const CHALLENGE_METHODS = ['S256', 'plain'] as const;
export type ChallengeMethod = (typeof CHALLENGE_METHODS)[number];

/** An authorization code of OAuth 2.0. The code itself is shown once and never stored. */
export interface StoredCode {
  readonly hash: string;
  /** Id of the app. */
  readonly app: string;
  /** Id of the account. */
  readonly account: string;
  readonly scopes: readonly string[];
  /** The callback that it was issued to. */
  readonly redirect: string;
  readonly challenge: string;
  readonly method: ChallengeMethod;
  /** Family of the tokens that it is exchanged for. */
  readonly family: string;
  /** Epoch ms. */
  readonly expiresAt: number;
  /** `used` after the first use, `replayed` after another one. */
  readonly state: 'new' | 'used' | 'replayed';
}

/** Authorization codes. Changes are durable when a method returns. */
export type CodeTable = ReturnType<typeof codeTable>;

const COLUMNS =
  'hash, app, account, scopes, redirect, challenge, method, family, expires_at, state';

function codeOf(row: readonly Cell[]): StoredCode {
  const [hash, app, account, scopes, redirect, challenge, method, family, expiresAt, state] = row;
  return {
    hash: String(hash),
    app: String(app),
    account: String(account),
    scopes: String(scopes).split(' '),
    redirect: String(redirect),
    challenge: String(challenge),
    method: method === 'S256' ? 'S256' : 'plain',
    family: String(family),
    expiresAt: Number(expiresAt),
    state: state === 'new' || state === 'used' ? state : 'replayed',
  };
}

export function codeTable(db: Db) {
  const insert = db.prepare(`INSERT INTO code (${COLUMNS}) VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?)`);
  const select = db.prepare(`SELECT ${COLUMNS} FROM code WHERE hash = ?`);
  const setState = db.prepare('UPDATE code SET state = ? WHERE hash = ?');
  const prune = db.prepare('DELETE FROM code WHERE expires_at < ?');
  return {
    add: ({ scopes, expiresAt, state, ...code }: StoredCode): void =>
      void db.write('code', () => {
        const { hash, app, account, redirect, challenge, method, family } = code;
        const issued = [hash, app, account, scopes.join(' '), redirect, challenge, method];
        insert.run([...issued, family, expiresAt, state]);
      }),
    /** A code by its hash, whether or not it has expired. */
    find: (hash: string): StoredCode | undefined => {
      const row = select.get([hash]);
      return row && codeOf(row);
    },
    setState: (hash: string, state: StoredCode['state']): void =>
      void db.write('code', () => setState.run([state, hash])),
    /** Removes codes that expired before an instant, epoch ms. */
    prune: (before: number): void => void db.write('prune', () => prune.run([before])),
  };
}
