import { column, columns, type RowOf } from '#server/db/columns.ts';
import type { Db } from '#server/db/driver.ts';

/** The ways to compare a code's verifier with its challenge (RFC 7636 section 4.2). */
export const CHALLENGE_METHODS = ['S256', 'plain'] as const;
export type ChallengeMethod = (typeof CHALLENGE_METHODS)[number];

const CODE = columns({
  hash: column.text,
  /** Id of the app. */
  app: column.text,
  /** Id of the account. */
  account: column.text,
  scopes: column.of<readonly string[]>(
    (cell) => String(cell).split(' '),
    (scopes) => scopes.join(' '),
  ),
  /** The callback that it was issued to. */
  redirect: column.text,
  challenge: column.text,
  method: column.word<ChallengeMethod>(),
  /** Family of the tokens that it is exchanged for. */
  family: column.text,
  /** Epoch ms. */
  expiresAt: column.number,
  /** `used` after the first use, `replayed` after another one. */
  state: column.word<'new' | 'used' | 'replayed'>(),
});

/** An authorization code of OAuth 2.0. The code itself is shown once and never stored. */
export type StoredCode = RowOf<typeof CODE>;

/** Authorization codes. Changes are durable when a method returns. */
export function codeTable(db: Db) {
  const insert = CODE.insert(db, 'code');
  const find = CODE.select(db, 'code WHERE hash = ?');
  const setState = db.prepare('UPDATE code SET state = ? WHERE hash = ?');
  const prune = db.prepare('DELETE FROM code WHERE expires_at < ?');
  return {
    add: (code: StoredCode): void => void db.write('code', () => insert(code)),
    /** A code by its hash, whether or not it has expired. */
    find: (hash: string): StoredCode | undefined => find.get([hash]),
    setState: (hash: string, state: StoredCode['state']): void =>
      void db.write('code', () => setState.run([state, hash])),
    /** Removes codes that expired before an instant, epoch ms. */
    prune: (before: number): void => void db.write('prune', () => prune.run([before])),
  };
}
